"""Back up: what simulations found goes into every node on their way."""

from __future__ import annotations

from typing import Any

from counterplay.core.language.pointer import fetch_add
from counterplay.montecarlo.options import IMPLICIT, PUCT, RAVE, SELECT, THREADED
from counterplay.montecarlo.simulator import DEEPEST, NONE, PLY


def pass_through(tree: Any, memory: Any, ply: int, number: int) -> None:
    """So many simulations go through the node at `ply` of the trail: they count from now on, and where a policy is asked
    about many leaves at a time, as lost until the answer comes."""
    add(tree.visits, memory, memory.trail[ply], number)
    if tree.scalar and memory.pledge[ply] != NONE:
        add(tree.visits, memory, memory.pledged[ply], number)
        add(tree.total, memory, memory.pledged[ply], number * memory.pledge[ply])
    if memory.settings[SELECT] == PUCT:
        owe(tree, memory, ply, float(number))


def add(array: Any, memory: Any, place: int, amount: Any) -> None:
    """Add to a number that threads may share."""
    if memory.uses(THREADED):
        fetch_add(array, place, amount)
    else:
        array[place] += amount


def owe(tree: Any, memory: Any, ply: int, loss: float) -> None:
    """Who chose the node at `ply` of the trail loses so much there for the time being, so that others go elsewhere."""
    if ply > 0:
        mover = tree.mover[memory.trail[ply - 1]]
        if tree.scalar:
            add(tree.total, memory, memory.trail[ply], -loss if mover == 0 else loss)
        elif mover >= 0:
            add(tree.total, memory, memory.trail[ply] * tree.width + mover, -loss)


def back_up(game: Any, tree: Any, memory: Any, ply: int, top: int) -> None:
    """Add the value of the leaf at `ply` to the nodes of the trail, from there to that at `top`, and to the sum there."""
    rave, implicit, asks = memory.uses(RAVE), memory.uses(IMPLICIT), memory.settings[SELECT] == PUCT
    for d in range(ply, top - 1, -1):
        node = memory.trail[d]
        if asks:
            owe(tree, memory, d, -1.0)
        if tree.scalar and memory.pledge[d] != NONE:
            memory.value[0] = memory.pledge[d]
        for i in range(tree.width):
            add(tree.total, memory, node * tree.width + i, memory.value[i])
        if implicit and tree.first[node] >= 0:
            tree.minimax(node)
        if rave and tree.first[node] >= 0 and tree.mover[node] >= 0:
            credit(tree, memory, node, d)
    for i in range(tree.width):
        memory.sums[top * tree.width + i] += memory.value[i]
    memory.limits[PLY] = ply
    if ply > memory.limits[DEEPEST]:
        memory.limits[DEEPEST] = ply


def carry_up(tree: Any, memory: Any, ply: int, party: int, arrived: int) -> None:
    """Add what the simulations found that went on from the node at `ply` of the trail, of which only so many arrived."""
    node, width = memory.trail[ply], tree.width
    if arrived < party:
        add(tree.visits, memory, node, arrived - party)
    if tree.scalar and memory.pledge[ply] != NONE:
        memory.sums[ply + 1] = arrived * memory.pledge[ply]
    for i in range(width):
        value = memory.sums[(ply + 1) * width + i]
        add(tree.total, memory, node * width + i, value)
        memory.sums[ply * width + i] += value


def credit(tree: Any, memory: Any, node: int, ply: int) -> None:
    """All moves as first (Bruegmann 1993): every action of the node at `ply` that its player took there or later in this
    simulation gets the simulation's value."""
    mover, first = tree.mover[node], tree.first[node]
    value = memory.value[0] if mover == 0 else -memory.value[0]
    if not tree.scalar:
        value = memory.value[mover]
    for k in range(first, first + tree.count[node]):
        if memory.came_later(mover, tree.action[k], ply):
            add(tree.amaf_visits, memory, k, 1)
            add(tree.amaf_total, memory, k, value)


def prove(tree: Any, memory: Any, ply: int) -> None:
    """Something new is proven of the children of the node at `ply` of the trail: see what follows there and above."""
    d = ply
    while d >= 0 and tree.tighten(memory.trail[d]):
        d -= 1
