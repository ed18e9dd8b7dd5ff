"""Select: which way a simulation goes down the tree.

UCT (Kocsis & Szepesvari 2006) takes the action with the highest urgency, its average plus c sqrt(ln N / n); PUCT (Rosin
2011, Silver et al. 2017) weighs what is to be explored by a policy's priors. Where chance moves, an event is drawn.
"""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import Any

from counterplay.core.game import CHANCE, INFINITY
from counterplay.core.language.pointer import compare_swap
from counterplay.core.rules import pick_evenly
from counterplay.montecarlo.options import BIAS, EVEN, FPU, GRAVE, IMPLICIT, PUCT, RAVE, SELECT, WIDEN, C
from counterplay.montecarlo.simulator import FILLING, NOWHERE_YET
from counterplay.montecarlo.tree import NEAR, ROOT, TAKEN, VACANT

FIRST = 1e6
"""The urgency of an action that nobody tried, where each is tried once first."""


def choose(game: Any, s: Any, tree: Any, memory: Any, node: int, ply: int, rng: Any, out: Any) -> int:
    """The child of an expanded node that a simulation visits next; -1 where another thread is just making the only one."""
    if game.has_chance and tree.mover[node] == CHANCE:
        if tree.count[node] > memory.settings[WIDEN]:
            return draw_wide(game, s, tree, memory, node, ply, rng, out)
        return draw(tree, node, rng)
    if memory.settings[SELECT] == EVEN:
        return least_visited(tree, node)
    return most_urgent(tree, memory, node, ply)


def draw(tree: Any, node: int, rng: Any) -> int:
    """A chance event by its probability."""
    first = tree.first[node]
    last = first + tree.count[node] - 1
    u = rng.uniform()
    for k in range(first, last):
        u -= tree.chance[k]
        if u < 0.0:
            return k
    return last


def draw_wide(game: Any, s: Any, tree: Any, memory: Any, node: int, ply: int, rng: Any, out: Any) -> int:
    """A chance event where there are too many for all to get a place: the square root of the visits says how many do."""
    first, number = tree.first[node], tree.count[node]
    filled, seen, last = 0, 0.0, -1
    for k in range(first, first + number):
        if tree.count[k] >= 0:
            filled += 1
            seen += tree.chance[k]
            last = k
    if filled < number and filled < ceil(sqrt(tree.visits[node] + 1.0)):
        event = pick_evenly(game, s, memory.path, memory.at(ply), out, rng)
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


def least_visited(tree: Any, node: int) -> int:
    """The action that was tried the least."""
    first = tree.first[node]
    chosen = first
    for k in range(first + 1, first + tree.count[node]):
        if tree.visits[k] < tree.visits[chosen]:
            chosen = k
    return chosen


def most_urgent(tree: Any, memory: Any, node: int, ply: int) -> int:
    """The action with the highest urgency for the player to move; what is proven to be useless is left out.

    Where the most urgent one is proven already, there is nothing to learn from it. So it gets its visit, the nodes above
    will hear its value (`memory.pledge`), and the simulation goes on with the most urgent action that is not.
    """
    mover, first = tree.mover[node], tree.first[node]
    solves, puct = memory.solves(), memory.settings[SELECT] == PUCT
    rave, judges = memory.uses(RAVE), memory.uses(BIAS) or memory.uses(IMPLICIT)
    fpu, visits = memory.settings[FPU], float(max(tree.visits[node], 1))
    explore = memory.settings[C] * (sqrt(visits) if puct else sqrt(log(visits)))
    floor = tree.least(node, mover) if solves else NEAR
    untried = FIRST
    if fpu != INFINITY:
        untried = fpu + (tree.mean(node, mover) if tree.visits[node] > 0 else 0.0)
    reference = node
    if rave:
        reference = refer(tree, memory, node, mover)
    best, chosen = -INFINITY, first
    known_best, known = -INFINITY, -1
    for k in range(first, first + tree.count[node]):
        is_known = False
        if solves:
            most = tree.most(k, mover)
            is_known = tree.is_known(k)
            if most <= floor and (node == ROOT or most < floor or floor <= NEAR or not is_known):
                continue  # something as good is certain, or this is lost
        n = tree.visits[k]
        if n > 0 or is_known:
            value = value_of(tree, memory, k, mover)
        else:
            value = untried
        if rave or judges:
            value = improved(tree, memory, k, mover, n, value, rave, reference == node)
        if puct:
            value += explore * tree.prior[k] / (1.0 + n)
        elif n > 0:
            value += explore / sqrt(float(n))
        if is_known:
            if value > known_best:
                known_best, known = value, k
        elif value > best:
            best, chosen = value, k
    if known >= 0 and known_best >= best:  # (another thread may just have proven all of them useless)
        memory.pledge[ply] = tree.lower[known]
        memory.pledged[ply] = known
    return chosen


def improved(tree: Any, memory: Any, k: int, mover: int, n: int, value: float, rave: bool, is_reference: bool) -> float:
    """The value of a child with what the evaluation and all moves as first say of it."""
    if rave:
        other, average = 0.0, 0.0
        if is_reference:
            other = float(tree.amaf_visits[k])
            if other > 0.0:
                average = tree.amaf_total[k] / other
        else:
            at = 3 * memory.slot(0, tree.action[k])
            if memory.wider[at] == memory.limits[FILLING]:
                other, average = memory.wider[at + 1], memory.wider[at + 2]
        if other > 0.0:
            weight = sqrt(memory.settings[RAVE] / (3.0 * n + memory.settings[RAVE])) if n > 0 else 1.0
            value = weight * average + (1.0 - weight) * value
    if memory.settings[IMPLICIT] > 0.0 and n > 0:
        value += memory.settings[IMPLICIT] * (tree.estimated(k, mover) - value)
    if memory.settings[BIAS] > 0.0:
        value += memory.settings[BIAS] * tree.estimated(k, mover) / (n + 1.0)
    return value


def refer(tree: Any, memory: Any, node: int, mover: int) -> int:
    """Where the averages of all moves as first are taken from: the nearest node above (or this one) with enough visits at
    which the same player moves. From another node they are copied to `memory.wider`."""
    if tree.visits[node] >= memory.settings[GRAVE] or memory.reference[mover] == NOWHERE_YET:
        memory.reference[mover] = node
    reference = memory.reference[mover]
    if reference != node:
        memory.limits[FILLING] += 1
        first = tree.first[reference]
        for k in range(first, first + tree.count[reference]):
            if tree.amaf_visits[k] > 0:
                at = 3 * memory.slot(0, tree.action[k])
                memory.wider[at] = memory.limits[FILLING]
                memory.wider[at + 1] = tree.amaf_visits[k]
                memory.wider[at + 2] = tree.amaf_total[k] / tree.amaf_visits[k]
    return reference


def value_of(tree: Any, memory: Any, k: int, mover: int) -> float:
    """What the player to move at its parent may expect of a child that was visited, or is being visited."""
    if tree.is_known(k):
        return tree.least(k, mover)
    return tree.mean(k, mover)
