"""Back up: add the results of simulations to every node on their path."""

from __future__ import annotations

import numpy as np

from counterplay.core.language.pointer import fetch_add
from counterplay.montecarlo.options import GUMBEL, PUCT, SHORTLIST
from counterplay.montecarlo.simulator import NONE, Simulator
from counterplay.montecarlo.tree import SimulationTree


def pass_through(tree: SimulationTree, simulator: Simulator, ply: int, number: int) -> None:
    """Send `number` simulations through the node at `ply` of the trail: they count from now on and, if a policy is
    asked about many leaves at a time, as lost (PUCT, a shortlist) or as the node's value so far (Gumbel) until the
    answer comes."""
    lane = simulator.lane
    node, pledge = simulator.trail[lane, ply], simulator.pledge[lane, ply]
    if simulator.asks and simulator.borrows:
        borrow(tree, simulator, ply)
    add(tree.visits, simulator, node, number)
    if tree.scalar and pledge != NONE:
        known = simulator.pledged[lane, ply]
        add(tree.visits, simulator, known, number)
        add(tree.total[known], simulator, 0, number * pledge)


def add(array: np.ndarray, simulator: Simulator, index: int, amount: float) -> None:
    """Add to a number that several threads may share."""
    if simulator.threaded:
        fetch_add(array, index, amount)
    else:
        array[index] += amount


def borrow(tree: SimulationTree, simulator: Simulator, ply: int) -> None:
    """Give a simulation that waits for its value a provisional one at the node at `ply`: a loss for the player who
    chose it (virtual loss), so that others go elsewhere (PUCT), or the node's value so far (Gumbel, which uses
    visits)."""
    lane = simulator.lane
    simulator.loan[lane, ply] = 0.0
    if ply == 0:
        return
    node, above = simulator.trail[lane, ply], simulator.trail[lane, ply - 1]
    mover = tree.mover[above]
    if simulator.select == PUCT or simulator.select == SHORTLIST:
        simulator.loan[lane, ply] = -1.0 if mover >= 0 else 0.0
        if tree.scalar:
            simulator.loan[lane, ply] = -1.0 if mover == 0 else 1.0
    elif simulator.select == GUMBEL:
        source = node if tree.visits[node] > 0 else above
        simulator.loan[lane, ply] = tree.total[source, 0] / max(tree.visits[source], 1)
    tree.total[node, max(mover, 0) if not tree.scalar else 0] += simulator.loan[lane, ply]


def repay(tree: SimulationTree, simulator: Simulator, ply: int) -> None:
    """Take back what was borrowed at `ply` of the trail."""
    if ply > 0:
        lane = simulator.lane
        mover = tree.mover[simulator.trail[lane, ply - 1]]
        tree.total[simulator.trail[lane, ply], max(mover, 0) if not tree.scalar else 0] -= simulator.loan[lane, ply]


def back_up(tree: SimulationTree, simulator: Simulator, ply: int, top: int) -> None:
    """Add the value of the leaf at `ply` to the nodes of the trail from there up to `top`, and to the sum at `top`."""
    rave, implicit, lane = simulator.rave != 0.0, simulator.implicit != 0.0, simulator.lane
    for d in range(ply, top - 1, -1):
        node = simulator.trail[lane, d]
        if simulator.asks and simulator.borrows:
            repay(tree, simulator, d)
        if tree.scalar and simulator.pledge[lane, d] != NONE:
            simulator.value[0] = simulator.pledge[lane, d]
        for i in range(tree.width):
            add(tree.total[node], simulator, i, simulator.value[i])
        if implicit and tree.first[node] >= 0:
            tree.minimax(node)
        if rave and tree.first[node] >= 0 and tree.mover[node] >= 0:
            credit(tree, simulator, node, d)
    for i in range(tree.width):
        simulator.sums[top, i] += simulator.value[i]
    simulator.reached[lane] = ply
    if ply > simulator.deepest:
        simulator.deepest = ply


def carry_up(tree: SimulationTree, simulator: Simulator, ply: int, party: int, arrived: int) -> None:
    """Add the results of the simulations that continued from the node at `ply` of the trail; of `party`, only `arrived`
    did."""
    lane = simulator.lane
    node, pledge = simulator.trail[lane, ply], simulator.pledge[lane, ply]
    if arrived < party:
        add(tree.visits, simulator, node, arrived - party)
    if tree.scalar and pledge != NONE:
        simulator.sums[ply + 1, 0] = arrived * pledge
    for i in range(tree.width):
        value = simulator.sums[ply + 1, i]
        add(tree.total[node], simulator, i, value)
        simulator.sums[ply, i] += value


def credit(tree: SimulationTree, simulator: Simulator, node: int, ply: int) -> None:
    """All moves as first (Bruegmann 1993): every action of the node at `ply` that its player took there or later in
    this simulation is credited with its value."""
    mover, first = tree.mover[node], tree.first[node]
    value = simulator.value[0] if mover == 0 else -simulator.value[0]
    if not tree.scalar:
        value = simulator.value[mover]
    for k in range(first, first + tree.count[node]):
        if simulator.came_later(mover, tree.action[k], ply):
            add(tree.amaf_visits, simulator, k, 1)
            add(tree.amaf_total, simulator, k, value)


def prove(tree: SimulationTree, simulator: Simulator, ply: int) -> None:
    """Back up a proof: something new is proven about the children of the node at `ply` of the trail."""
    d = ply
    while d >= 0 and tree.tighten(simulator.trail[simulator.lane, d]):
        d -= 1
