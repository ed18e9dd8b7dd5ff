"""The simulation: select, expand, evaluate, back up. All of Monte Carlo tree search is this, again and again."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.language.kernel import kernel
from counterplay.core.language.pointer import fetch_add
from counterplay.core.rules import has_ended
from counterplay.montecarlo.backup import back_up, carry_up, owe, pass_through, prove
from counterplay.montecarlo.expansion import BARREN, REFUSED, expand, give_back
from counterplay.montecarlo.options import EVEN, EXPAND, IMPLICIT, PUCT, RAVE, SELECT
from counterplay.montecarlo.selection import choose
from counterplay.montecarlo.simulator import (
    BUSY,
    ENDED,
    MAX_PLY,
    NONE,
    NOWHERE_YET,
    OPEN,
    PROVEN,
    REASON,
    SIMULATION,
    STOP,
)
from counterplay.montecarlo.tree import EXPANDING, FULL, LIMIT, ROOT, TICKETS
from counterplay.montecarlo.valuation import evaluate

FINISHED, STOPPED, CROWDED, SOLVED = range(4)
"""Why a series of simulations ended: all are done; told so; the tree is full; the root is proven."""


PARTY, SHARE, THICK = 32, 1024, 8
"""At most so many simulations set out together, and that part of all that there were; and into a node at most that part of
those that it has seen."""


@kernel
def simulate(game: Any, root: Any, tree: Any, memory: Any, rng: Any, out: Any) -> int:
    """Simulate from `root` until the tree's tickets are used up, or for another reason; returns which."""
    # These look at each simulation, all the way up.
    alone = memory.uses(RAVE) or memory.uses(IMPLICIT) or memory.settings[SELECT] == EVEN
    while True:
        size = 1 if alone else min(max(tree.visits[ROOT] // SHARE, 1), PARTY)
        number, why = draw_tickets(tree, memory, size)
        if number == 0:
            give_back(tree, memory)
            return why
        memory.note(game, root, 0)
        done = send(game, root, ROOT, 0, number, tree, memory, rng, out)
        if done < number:
            fetch_add(tree.counters, TICKETS, done - number)


def draw_tickets(tree: Any, memory: Any, wanted: int) -> tuple[int, int]:
    """Leave for simulations, for so many as are wanted or left; where for none, why."""
    if memory.limits[STOP]:
        return 0, STOPPED
    if tree.counters[FULL]:
        return 0, CROWDED
    if memory.solves() and tree.is_known(ROOT):
        return 0, SOLVED
    left = tree.counters[LIMIT] - fetch_add(tree.counters, TICKETS, wanted)
    number = min(max(left, 0), wanted)
    if number < wanted:
        fetch_add(tree.counters, TICKETS, number - wanted)
    return number, FINISHED


@kernel
def send(game: Any, s: Any, node: int, ply: int, number: int, tree: Any, memory: Any, rng: Any, out: Any) -> int:
    """Simulations from a node, so many, fewer where its value gets known meanwhile or it is time to stop: how many.

    They choose their way together as long as it is well trodden. So a node that had a thousand visits is not asked anew for
    each, and threads seldom meet. Where chance moves, each has its own luck."""
    memory.clear(ply)
    done = 0
    while done < number and not memory.limits[STOP] and not (done > 0 and memory.solves() and tree.is_known(node)):
        if number == 1 or tree.first[node] < 0 or tree.mover[node] == CHANCE or ply >= MAX_PLY:
            send_one(game, s, node, ply, tree, memory, rng, out)
            done += 1
            continue
        memory.trail[ply] = node
        memory.pledge[ply] = NONE
        chosen = choose(game, s, tree, memory, node, ply, rng, out)
        party = max(min(number - done, tree.visits[chosen] // THICK), 1)
        pass_through(tree, memory, ply, party)
        after = game.result(s, tree.action[chosen])
        memory.note(game, after, ply + 1)
        if party == 1:
            memory.clear(ply + 1)
            send_one(game, after, chosen, ply + 1, tree, memory, rng, out)
            arrived = 1
        else:
            memory.trail[ply + 1] = chosen
            owe(tree, memory, ply + 1, float(party))
            arrived = send(game, after, chosen, ply + 1, party, tree, memory, rng, out)
            owe(tree, memory, ply + 1, -float(party))
        carry_up(tree, memory, ply, party, arrived)
        done += arrived
    return done


@kernel
def send_one(game: Any, s: Any, node: int, ply: int, tree: Any, memory: Any, rng: Any, out: Any) -> None:
    """One simulation from a node: select and expand, evaluate, back up to there."""
    memory.limits[SIMULATION] += 1
    leaf, deep = walk(game, s, node, ply, tree, memory, rng, out)
    if memory.limits[REASON] == OPEN or memory.limits[REASON] == BUSY:
        evaluate(game, leaf, deep, memory, rng, out)
    back_up(game, tree, memory, deep, ply)


@kernel
def walk(game: Any, s: Any, node: int, ply: int, tree: Any, memory: Any, rng: Any, out: Any) -> tuple[Any, int]:
    """Select and expand: go down the tree from a node to a leaf, and say which state and ply that is. `memory` gets the
    trail, what the leaf is (REASON) and, where the game is over or the value proven, its value."""
    solves, asks = memory.solves(), memory.settings[SELECT] == PUCT
    for player in range(game.players):
        memory.reference[player] = NOWHERE_YET
    while True:
        memory.trail[ply] = node
        memory.pledge[ply] = NONE
        if solves and tree.is_known(node):
            memory.value[0] = tree.lower[node]
            memory.limits[REASON] = PROVEN
            break
        if tree.first[node] < 0:
            if has_ended(game, s, memory.path, memory.at(ply)):
                finish(game, s, node, ply, tree, memory)
                break
            if asks:
                ripe = game.to_move(s) == CHANCE  # elsewhere the policy is asked first
            else:
                ripe = node == ROOT or tree.visits[node] >= memory.settings[EXPAND]
            grown = REFUSED
            if ripe and ply < MAX_PLY:
                grown = expand(game, s, node, ply, tree, memory, rng, out)
            if grown == BARREN:
                finish(game, s, node, ply, tree, memory)
                break
            if grown == REFUSED and not asks:
                await_children(tree, memory, node)
            if tree.first[node] < 0:
                memory.limits[REASON] = BUSY if tree.first[node] == EXPANDING else OPEN
                break
            if solves and tree.is_known(node):  # by what was seen right behind it
                memory.value[0] = tree.lower[node]
                memory.limits[REASON] = PROVEN
                break
        chosen = choose(game, s, tree, memory, node, ply, rng, out)
        if chosen < 0:
            memory.limits[REASON] = BUSY
            break
        pass_through(tree, memory, ply, 1)
        node = chosen
        memory.remember(game.to_move(s), tree.action[node], ply)
        s = game.result(s, tree.action[node])
        ply += 1
        memory.note(game, s, ply)
    pass_through(tree, memory, ply, 1)
    return s, ply


def await_children(tree: Any, memory: Any, node: int) -> None:
    """Where another thread is making the children of a node, wait until it is done."""
    while fetch_add(tree.first, node, 0) == EXPANDING:
        if memory.limits[STOP]:
            break


def finish(game: Any, s: Any, node: int, ply: int, tree: Any, memory: Any) -> None:
    """The game is over at a leaf: its value is certain."""
    memory.end(game, s)
    memory.limits[REASON] = ENDED
    if memory.solves():
        tree.settle(node, memory.value[0])
        prove(tree, memory, ply - 1)
