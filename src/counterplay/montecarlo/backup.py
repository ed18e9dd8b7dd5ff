"""Back up: what a simulation found goes into every node on its way."""

from __future__ import annotations

from typing import Any

from counterplay.core.memory import fetch_add
from counterplay.montecarlo.options import IMPLICIT, RAVE, THREADED
from counterplay.montecarlo.simulator import DEEPEST, NONE, PLY


def back_up(game: Any, tree: Any, memory: Any, ply: int) -> None:
    """Add the value of the leaf at `ply` to all nodes of the trail, from there to the root."""
    threaded, rave, implicit = memory.uses(THREADED), memory.uses(RAVE), memory.uses(IMPLICIT)
    for d in range(ply, -1, -1):
        node = memory.trail[d]
        if threaded:
            fetch_add(tree.visits, node, 1)
        else:
            tree.visits[node] += 1
        if tree.scalar and memory.pledge[d] != NONE:
            memory.value[0] = memory.pledge[d]
        for i in range(tree.width):
            tree.total[node * tree.width + i] += memory.value[i]
        if threaded:
            fetch_add(tree.pending, node, -1)
        if implicit and tree.first[node] >= 0:
            tree.minimax(node)
        if rave and tree.first[node] >= 0 and tree.mover[node] >= 0:
            credit(tree, memory, node, d)
    memory.limits[PLY] = ply
    if ply > memory.limits[DEEPEST]:
        memory.limits[DEEPEST] = ply


def credit(tree: Any, memory: Any, node: int, ply: int) -> None:
    """All moves as first (Bruegmann 1993): every action of the node at `ply` that its player took there or later in this
    simulation gets the simulation's value."""
    mover, first = tree.mover[node], tree.first[node]
    value = memory.value[0] if mover == 0 else -memory.value[0]
    if not tree.scalar:
        value = memory.value[mover]
    for k in range(first, first + tree.count[node]):
        if memory.came_later(mover, tree.action[k], ply):
            tree.amaf_visits[k] += 1
            tree.amaf_total[k] += value


def prove(tree: Any, memory: Any, ply: int) -> None:
    """Something new is proven of the children of the node at `ply` of the trail: see what follows there and above."""
    d = ply
    while d >= 0 and tree.tighten(memory.trail[d]):
        d -= 1
