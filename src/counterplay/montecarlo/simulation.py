"""The simulation: select, expand, evaluate, back up. Monte Carlo tree search repeats this, again and again."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.pointer import fetch_add
from counterplay.core.language.rng import Rng
from counterplay.core.rules import has_ended
from counterplay.core.types import State
from counterplay.montecarlo.backup import back_up, carry_up, pass_through, prove
from counterplay.montecarlo.expansion import BARREN, REFUSED, expand, give_back
from counterplay.montecarlo.options import EVEN
from counterplay.montecarlo.selection import choose
from counterplay.montecarlo.simulator import BUSY, ENDED, MAX_PLY, NONE, NOWHERE_YET, OPEN, PROVEN, Simulator
from counterplay.montecarlo.tree import EXPANDING, ROOT, SimulationTree
from counterplay.montecarlo.valuation import evaluate

FINISHED, STOPPED, CROWDED, SOLVED = range(4)
"""Why a series of simulations ended: all are done; stopped; the tree is full; the root is proven."""


PARTY, SHARE, THICK = 32, 1024, 8
"""Simulations that start together: at most `PARTY`, and one in `SHARE` of all so far; into a node, one in `THICK` of
its visits."""


@kernel
def simulate(game: Game, root: State, tree: SimulationTree, simulator: Simulator, rng: Rng, out: ActionStack) -> int:
    """Simulate from `root` until the tree's tickets are used up or there is another reason to end; returns the
    reason."""
    # These need each simulation by itself, all the way up.
    alone = simulator.rave != 0.0 or simulator.implicit != 0.0 or simulator.select == EVEN
    while True:
        size = 1 if alone else min(max(tree.visits[ROOT] // SHARE, 1), PARTY)
        number, why = draw_tickets(tree, simulator, size)
        if number == 0:
            give_back(tree, simulator)
            return why
        simulator.note(game, root, 0)
        done = send(game, root, ROOT, 0, number, tree, simulator, rng, out)
        if done < number:
            fetch_add(tree.tickets, 0, done - number)


def draw_tickets(tree: SimulationTree, simulator: Simulator, wanted: int) -> tuple[int, int]:
    """How many simulations may run, of those wanted; if none, why."""
    if simulator.stopped:
        return 0, STOPPED
    if tree.full:
        return 0, CROWDED
    if simulator.solves() and tree.is_known(ROOT):
        return 0, SOLVED
    left = tree.limit - fetch_add(tree.tickets, 0, wanted)
    number = min(max(left, 0), wanted)
    if number < wanted:
        fetch_add(tree.tickets, 0, number - wanted)
    return number, FINISHED


@kernel
def send(
    game: Game,
    s: State,
    node: int,
    ply: int,
    number: int,
    tree: SimulationTree,
    simulator: Simulator,
    rng: Rng,
    out: ActionStack,
) -> int:
    """Run `number` simulations from a node, fewer if its value becomes known or it is time to stop; returns how many.

    They share their path as long as it is well visited. So a node with a thousand visits is not evaluated again for
    each, and threads rarely meet. If chance moves, each draws its own event."""
    simulator.clear(ply)
    done = 0
    while done < number and not simulator.stopped and not (done > 0 and simulator.solves() and tree.is_known(node)):
        if number == 1 or tree.first[node] < 0 or tree.mover[node] == CHANCE or ply >= MAX_PLY:
            send_one(game, s, node, ply, tree, simulator, rng, out)
            done += 1
            continue
        simulator.trail[simulator.lane, ply] = node
        simulator.pledge[simulator.lane, ply] = NONE
        chosen = choose(game, s, tree, simulator, node, ply, rng, out)
        party = max(min(number - done, tree.visits[chosen] // THICK), 1)
        pass_through(tree, simulator, ply, party)
        after = game.result(s, int(tree.action[chosen]))
        simulator.note(game, after, ply + 1)
        if party == 1:
            simulator.clear(ply + 1)
            send_one(game, after, chosen, ply + 1, tree, simulator, rng, out)
            arrived = 1
        else:
            arrived = send(game, after, chosen, ply + 1, party, tree, simulator, rng, out)
        carry_up(tree, simulator, ply, party, arrived)
        done += arrived
    return done


@kernel
def send_one(
    game: Game, s: State, node: int, ply: int, tree: SimulationTree, simulator: Simulator, rng: Rng, out: ActionStack
) -> None:
    """One simulation from a node: select and expand, evaluate, back up to there."""
    simulator.simulation += 1
    leaf, deep = walk(game, s, node, ply, tree, simulator, rng, out)
    if simulator.reason == OPEN or simulator.reason == BUSY:
        evaluate(game, leaf, deep, simulator, rng, out)
    back_up(tree, simulator, deep, ply)


@kernel
def walk(
    game: Game, s: State, node: int, ply: int, tree: SimulationTree, simulator: Simulator, rng: Rng, out: ActionStack
) -> tuple[Any, int]:
    """Select and expand: go down the tree from a node to a leaf; returns its state and ply. `simulator` gets the trail,
    the kind of leaf (`reason`) and, if the game is over or the value proven, its value."""
    solves, lane = simulator.solves(), simulator.lane
    if simulator.rave != 0.0:
        for player in range(game.players):
            simulator.reference[player] = NOWHERE_YET
    while True:
        simulator.trail[lane, ply] = node
        simulator.pledge[lane, ply] = NONE
        if solves and tree.is_known(node):
            simulator.value[0] = tree.lower[node]
            simulator.reason = PROVEN
            break
        if tree.first[node] < 0:
            if has_ended(game, s, simulator.path, simulator.at(ply)):
                finish(game, s, node, ply, tree, simulator)
                break
            if simulator.asks:
                ripe = game.to_move(s) == CHANCE  # otherwise the policy is asked first
            else:
                ripe = node == simulator.root or tree.visits[node] >= simulator.expand
            grown = REFUSED
            if ripe and ply < MAX_PLY:
                grown = expand(game, s, node, ply, tree, simulator, rng, out)
            if grown == BARREN:
                finish(game, s, node, ply, tree, simulator)
                break
            if grown == REFUSED and not simulator.asks:
                await_children(tree, simulator, node)
            if tree.first[node] < 0:
                simulator.reason = BUSY if tree.first[node] == EXPANDING else OPEN
                break
            if solves and tree.is_known(node):  # from the states right after it
                simulator.value[0] = tree.lower[node]
                simulator.reason = PROVEN
                break
        chosen = choose(game, s, tree, simulator, node, ply, rng, out)
        if chosen < 0:
            simulator.reason = BUSY
            break
        pass_through(tree, simulator, ply, 1)
        node = chosen
        simulator.remember(game.to_move(s), tree.action[node], ply)
        s = game.result(s, int(tree.action[node]))
        ply += 1
        simulator.note(game, s, ply)
    pass_through(tree, simulator, ply, 1)
    return s, ply


def await_children(tree: SimulationTree, simulator: Simulator, node: int) -> None:
    """If another thread is making the children of a node, wait until it is done."""
    while fetch_add(tree.first, node, 0) == EXPANDING:
        if simulator.stopped:
            break


def finish(game: Game, s: State, node: int, ply: int, tree: SimulationTree, simulator: Simulator) -> None:
    """Record that the game is over at a leaf: its value is certain."""
    simulator.conclude(game, s)
    simulator.reason = ENDED
    if simulator.solves():
        tree.settle(node, simulator.value[0])
        prove(tree, simulator, ply - 1)
