"""Select: the path of a simulation down the tree.

UCT (Kocsis & Szepesvari 2006) takes the action with the highest urgency, its average plus c sqrt(ln N / n); PUCT (Rosin
2011, Silver et al. 2017) weights exploration by a policy's priors, c P sqrt(N) / (1 + n); Gumbel's rule is in
gumbel.py. The rule is fixed when a search is compiled. If chance moves, an event is drawn.
"""

from __future__ import annotations

from math import ceil, log, sqrt

from counterplay.core.game import CHANCE, INFINITY, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.pointer import compare_swap
from counterplay.core.language.rng import Rng
from counterplay.core.rules import pick_evenly
from counterplay.core.types import State
from counterplay.montecarlo.gumbel import improve, pick_candidate, soften
from counterplay.montecarlo.options import EVEN, GUMBEL, PUCT, SHORTLIST, UCT
from counterplay.montecarlo.simulator import NOWHERE_YET, TABLED, Simulator
from counterplay.montecarlo.tree import NEAR, TAKEN, VACANT, SimulationTree

FIRST = 1e6
"""The urgency of an untried action, if each is tried once first."""


def choose(
    game: Game, s: State, tree: SimulationTree, simulator: Simulator, node: int, ply: int, rng: Rng, out: ActionStack
) -> int:
    """The child of an expanded node that a simulation visits next; -1 if another thread is just making the only one."""
    if game.has_chance and tree.mover[node] == CHANCE:
        if tree.count[node] > simulator.widen:
            return draw_wide(game, s, tree, simulator, node, ply, rng, out)
        return draw(tree, node, rng)
    if simulator.select == EVEN:
        return least_visited(tree, node)
    if simulator.select == GUMBEL:
        if node == simulator.root:
            candidate = pick_candidate(tree, simulator, node)
            if candidate >= 0:
                return candidate
    elif simulator.select == UCT and simulator.rave + simulator.bias + simulator.implicit == 0.0:
        if not tree.has_bounds(node):
            return most_urgent_unproven(tree, simulator, node)
    return most_urgent(tree, simulator, node, ply)


def draw(tree: SimulationTree, node: int, rng: Rng) -> int:
    """A chance event by its probability."""
    first = tree.first[node]
    last = first + tree.count[node] - 1
    u = rng.uniform()
    for k in range(first, last):
        u -= tree.chance[k]
        if u < 0.0:
            return k
    return last


def draw_wide(
    game: Game, s: State, tree: SimulationTree, simulator: Simulator, node: int, ply: int, rng: Rng, out: ActionStack
) -> int:
    """A chance event, if there are too many for all to get a node: about the square root of the visits do."""
    first, number = tree.first[node], tree.count[node]
    filled, seen, last = 0, 0.0, -1
    for k in range(first, first + number):
        if tree.count[k] >= 0:
            filled += 1
            seen += tree.chance[k]
            last = k
    if filled < number and filled < ceil(sqrt(tree.visits[node] + 1.0)):
        event = pick_evenly(game, s, simulator.path, simulator.at(ply), out, rng)
        for k in range(first, first + number):
            if tree.count[k] >= 0 and tree.action[k] == event:
                return k
            if tree.count[k] == VACANT and compare_swap(tree.count, k, VACANT, TAKEN):
                tree.action[k] = event
                tree.chance[k] = game.probability(s, event)
                compare_swap(tree.count, k, TAKEN, 0)
                return k
    u = rng.uniform() * seen
    for k in range(first, first + number):
        if tree.count[k] >= 0:
            u -= tree.chance[k]
            if u < 0.0:
                return k
    return last


def least_visited(tree: SimulationTree, node: int) -> int:
    """The least tried action."""
    first = tree.first[node]
    chosen = first
    for k in range(first + 1, first + tree.count[node]):
        if tree.visits[k] < tree.visits[chosen]:
            chosen = k
    return chosen


def exploration(simulator: Simulator, visits: int) -> float:
    """The exploration factor of the selection rule: c sqrt(ln N), or c sqrt(N)."""
    if simulator.select == PUCT:
        return simulator.c * sqrt(float(max(visits, 1)))
    if visits < TABLED:
        return simulator.c * simulator.root_log[visits]
    return simulator.c * sqrt(log(float(visits)))


def first_urgency(tree: SimulationTree, simulator: Simulator, node: int, mover: int) -> float:
    """The value that an untried action counts as."""
    if simulator.fpu == INFINITY:
        return FIRST
    return simulator.fpu + (tree.mean(node, mover) if tree.visits[node] > 0 else 0.0)


def most_urgent_unproven(tree: SimulationTree, simulator: Simulator, node: int) -> int:
    """The action with the highest urgency by plain UCT, if nothing is proven about any: true of nearly every node."""
    mover, first = tree.mover[node], tree.first[node]
    explore, untried = exploration(simulator, tree.visits[node]), first_urgency(tree, simulator, node, mover)
    best, chosen = -INFINITY, first
    for k in range(first, first + tree.count[node]):
        n = tree.visits[k]
        urgency = untried
        if n > 0:
            urgency = tree.average(k, mover) + explore / sqrt(float(n))
        if urgency > best:
            best, chosen = urgency, k
            if urgency == FIRST:
                break  # nothing is more urgent
    return chosen


def most_urgent(tree: SimulationTree, simulator: Simulator, node: int, ply: int) -> int:
    """The action with the highest urgency for the player to move, except those proven useless.

    If the most urgent one is already proven, there is nothing to learn from it. So it gets its visit, its value is
    backed up to the nodes above (`simulator.pledge`), and the simulation continues with the most urgent unproven
    action.
    """
    mover, first = tree.mover[node], tree.first[node]
    solves, gumbel, puct = simulator.solves(), simulator.select == GUMBEL, simulator.select == PUCT
    rave, judges = simulator.rave != 0.0, simulator.bias != 0.0 or simulator.implicit != 0.0
    shortlist = simulator.select == SHORTLIST
    explore, untried = exploration(simulator, tree.visits[node]), first_urgency(tree, simulator, node, mover)
    floor = tree.least(node, mover) if solves else NEAR
    tried, reference = 0, node
    if gumbel:
        tried = improve(tree, simulator, node)
        soften(tree, node)
    if rave:
        reference = refer(tree, simulator, node, mover)
    best, chosen = -INFINITY, first
    known_best, known = -INFINITY, -1
    for k in range(first, first + tree.count[node]):
        is_known = False
        if shortlist and tree.prior[k] == 0.0:
            continue
        if solves:
            most = tree.most(k, mover)
            is_known = tree.is_known(k)
            if most <= floor and (node == simulator.root or most < floor or floor <= NEAR or not is_known):
                continue  # something as good is certain, or this loses
        n = tree.visits[k]
        if gumbel:
            urgency = tree.share[k] - n / (1.0 + tried)
        else:
            urgency = untried
            if n > 0 or is_known:
                urgency = value_of(tree, k, mover)
            if rave or judges:
                urgency = informed(tree, simulator, k, mover, n, urgency, rave, reference == node)
            if puct:
                urgency += explore * tree.prior[k] / (1.0 + n)
            elif n > 0:
                urgency += explore / sqrt(float(n))
        if is_known:
            if urgency > known_best:
                known_best, known = urgency, k
        elif urgency > best:
            best, chosen = urgency, k
    if known >= 0 and known_best >= best:  # (another thread may have just proven all of them useless)
        simulator.pledge[simulator.lane, ply] = tree.lower[known]
        simulator.pledged[simulator.lane, ply] = known
    return chosen


def informed(
    tree: SimulationTree, simulator: Simulator, k: int, mover: int, n: int, value: float, rave: bool, is_reference: bool
) -> float:
    """The value of a child, including the evaluation and the all-moves-as-first average."""
    if rave:
        other, average = 0.0, 0.0
        if is_reference:
            other = float(tree.amaf_visits[k])
            if other > 0.0:
                average = tree.amaf_total[k] / other
        else:
            at = simulator.rave_index(tree.action[k])
            if simulator.wider[at, 0] == simulator.filling:
                other, average = simulator.wider[at, 1], simulator.wider[at, 2]
        if other > 0.0:
            weight = sqrt(simulator.rave / (3.0 * n + simulator.rave)) if n > 0 else 1.0
            value = weight * average + (1.0 - weight) * value
    if simulator.implicit > 0.0 and n > 0:
        value += simulator.implicit * (tree.estimated(k, mover) - value)
    if simulator.bias > 0.0:
        value += simulator.bias * tree.estimated(k, mover) / (n + 1.0)
    return value


def refer(tree: SimulationTree, simulator: Simulator, node: int, mover: int) -> int:
    """The node whose all-moves-as-first averages are used: the nearest one above (or this one) with enough visits at
    which the same player moves. Another node's averages are copied to `simulator.wider`."""
    if tree.visits[node] >= simulator.grave or simulator.reference[mover] == NOWHERE_YET:
        simulator.reference[mover] = node
    reference = simulator.reference[mover]
    if reference != node:
        simulator.filling += 1
        first = tree.first[reference]
        for k in range(first, first + tree.count[reference]):
            if tree.amaf_visits[k] > 0:
                at = simulator.rave_index(tree.action[k])
                simulator.wider[at, 0] = simulator.filling
                simulator.wider[at, 1] = tree.amaf_visits[k]
                simulator.wider[at, 2] = tree.amaf_total[k] / tree.amaf_visits[k]
    return reference


def value_of(tree: SimulationTree, k: int, mover: int) -> float:
    """What the player to move at its parent can expect of a child that was visited, or is being visited."""
    if tree.is_known(k):
        return tree.least(k, mover)
    return tree.mean(k, mover)
