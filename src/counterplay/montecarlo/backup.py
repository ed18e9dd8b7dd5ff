"""Back up: what a simulation found goes into every node on its way."""

from __future__ import annotations

from typing import Any

from counterplay.core.memory import fetch_add
from counterplay.montecarlo.options import THREADED
from counterplay.montecarlo.simulator import DEEPEST, NONE, PLY


def back_up(game: Any, tree: Any, memory: Any, ply: int) -> None:
    """Add the value of the leaf at `ply` to all nodes of the trail."""
    threaded = memory.uses(THREADED)
    for d in range(ply, -1, -1):
        node = memory.trail[d]
        tree.visits[node] += 1
        if tree.scalar:
            if memory.pledge[d] != NONE:
                memory.value[0] = memory.pledge[d]
            tree.total[node] += memory.value[0]
        else:
            for player in range(game.players):
                tree.total[node * game.players + player] += memory.value[player]
        if threaded:
            fetch_add(tree.pending, node, -1)
    memory.limits[PLY] = ply
    if ply > memory.limits[DEEPEST]:
        memory.limits[DEEPEST] = ply


def prove(tree: Any, memory: Any, ply: int) -> None:
    """Something new is proven of the node at `ply` of the trail: see what follows above."""
    d = ply - 1
    while d >= 0 and tree.tighten(memory.trail[d]):
        d -= 1
