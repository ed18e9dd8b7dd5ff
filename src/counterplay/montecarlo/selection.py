"""Select: which way a simulation goes down the tree.

UCT (Kocsis & Szepesvari 2006) takes the action with the highest urgency, its average plus c sqrt(ln N / n); PUCT (Rosin
2011, Silver et al. 2017) weighs what is to be explored by a policy's priors. Where chance moves, an event is drawn.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from counterplay.core.game import CHANCE
from counterplay.montecarlo.options import (
    EVEN,
    FPU,
    PUCT,
    SELECT,
    THREADED,
    C,
)
from counterplay.montecarlo.tree import NEAR, ROOT

INFINITY = float("inf")


def choose(game: Any, tree: Any, memory: Any, node: int, ply: int, rng: Any) -> int:
    """The child of an expanded node that a simulation visits next."""
    if game.has_chance and tree.mover[node] == CHANCE:
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
    threaded, solves, puct = memory.uses(THREADED), memory.solves(), memory.settings[SELECT] == PUCT
    c, fpu = memory.settings[C], memory.settings[FPU]
    visits = float(max(tree.visits[node], 1))
    explore = c * sqrt(visits) if puct else c * sqrt(log(visits))
    here = tree.mean(node, mover) if tree.visits[node] > 0 else 0.0
    floor = tree.least(node, mover) if solves else NEAR
    best, chosen = -INFINITY, first
    known_best, known = -INFINITY, -1
    for k in range(first, first + tree.count[node]):
        n = tree.visits[k]
        is_known = False
        if solves:
            most = tree.most(k, mover)
            is_known = tree.is_known(k)
            if most <= floor and (node == ROOT or most < floor or floor <= NEAR or not is_known):
                continue  # something as good is certain, or this is lost
            if is_known:
                n = max(n, 1)
        if threaded:
            n += tree.pending[k]
        if n > 0:
            value = value_of(tree, memory, k, mover)
            bonus = explore * tree.prior[k] / (1.0 + n) if puct else explore / sqrt(float(n))
        elif fpu == INFINITY:
            return k
        else:
            value = here + fpu
            bonus = explore * tree.prior[k] if puct else 0.0
        urgency = value + bonus
        if is_known:
            if urgency > known_best:
                known_best, known = urgency, k
        elif urgency > best:
            best, chosen = urgency, k
    if known_best >= best:
        memory.pledge[ply] = tree.lower[known]
        tree.visits[known] += 1
        tree.total[known] += tree.lower[known]
    return chosen


def value_of(tree: Any, memory: Any, k: int, mover: int) -> float:
    """What the player to move at its parent may expect of a child that was visited, or is being visited: simulations on
    their way count as lost, so that others go elsewhere."""
    if tree.is_known(k):
        return tree.least(k, mover)
    if memory.uses(THREADED):
        n, pending = tree.visits[k], tree.pending[k]
        mean = tree.mean(k, mover) if n > 0 else 0.0
        return (mean * n - pending) / (n + pending)
    return tree.mean(k, mover)
