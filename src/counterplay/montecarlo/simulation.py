"""The simulation: select, expand, evaluate, back up. All of Monte Carlo tree search is this, again and again."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.kernel import kernel
from counterplay.core.memory import fetch_add
from counterplay.core.rules import has_ended
from counterplay.montecarlo.backup import back_up, prove
from counterplay.montecarlo.expansion import BARREN, REFUSED, expand
from counterplay.montecarlo.options import EXPAND, PUCT, SELECT, THREADED
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


@kernel
def simulate(game: Any, root: Any, tree: Any, memory: Any, rng: Any, out: Any) -> int:
    """Simulate from `root` until the tree's tickets are used up, or for another reason; returns which."""
    while True:
        if memory.limits[STOP]:
            return STOPPED
        if tree.counters[FULL]:
            return CROWDED
        if memory.solves() and tree.is_known(ROOT):
            return SOLVED
        if fetch_add(tree.counters, TICKETS, 1) >= tree.counters[LIMIT]:
            fetch_add(tree.counters, TICKETS, -1)
            return FINISHED
        memory.limits[SIMULATION] += 1
        s, ply = walk(game, root, tree, memory, rng, out)
        if memory.limits[REASON] == OPEN or memory.limits[REASON] == BUSY:
            evaluate(game, s, ply, memory, rng, out)
        back_up(game, tree, memory, ply)


@kernel
def walk(game: Any, root: Any, tree: Any, memory: Any, rng: Any, out: Any) -> tuple[Any, int]:
    """Select and expand: go down the tree to a leaf, and say which state and ply that is. `memory` gets the trail, what the
    leaf is (REASON) and, where the game is over or the value proven, its value."""
    s, node, ply = root, ROOT, 0
    memory.note(game, s, 0)
    threaded, solves, asks = memory.uses(THREADED), memory.solves(), memory.settings[SELECT] == PUCT
    for player in range(game.players):
        memory.reference[player] = NOWHERE_YET
    while True:
        memory.trail[ply] = node
        memory.pledge[ply] = NONE
        if threaded:
            fetch_add(tree.pending, node, 1)
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
            if grown == REFUSED:
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
        node = chosen
        memory.remember(game.to_move(s), tree.action[node], ply)
        s = game.result(s, tree.action[node])
        ply += 1
        memory.note(game, s, ply)
    return s, ply


def finish(game: Any, s: Any, node: int, ply: int, tree: Any, memory: Any) -> None:
    """The game is over at a leaf: its value is certain."""
    memory.end(game, s)
    memory.limits[REASON] = ENDED
    if memory.solves():
        tree.settle(node, memory.value[0])
        prove(tree, memory, ply - 1)
