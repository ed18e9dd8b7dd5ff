"""Games with chance: the expected value of every position.

The graph falls into strong components (Tarjan 1972): within one, any position can recur; between them, play never goes
back. They are solved from the ends backwards. The value of a position that cannot recur follows from its successors,
exactly. In a component with cycles, values are enclosed from both sides (interval iteration: Haddad and Monmege 2018):
from below by the least that a player can earn, from above by the most, until they are PRECISION apart.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import CHANCE
from counterplay.core.language.kernel import kernel
from counterplay.endgame.graph import Graph

PRECISION = 1e-12
"""The maximum gap between the lower and the upper value, as a fraction of the utility range."""
SWEEPS = 100_000
"""The number of iterations after which a component whose values have not met is given up."""


def expected_values(graph: Graph, low: float, high: float) -> np.ndarray:
    """The expected value of every position to player 0, which player 1 minimizes."""
    assert graph.probability is not None
    n = graph.size
    order, component = np.empty(n, np.int32), np.zeros(n + 1, np.int64)
    count = strong_components(graph.first, graph.successors, order, component, np.zeros((4, n), np.int64))
    below, above = np.full(n, low), np.full(n, high)
    widest = iterate(
        graph.first, graph.successors, graph.probability, graph.mover, graph.payoff,
        order, component[: count + 1], below, above, PRECISION * max(high - low, 1e-300), SWEEPS,
    )  # fmt: skip
    if widest < 0:
        raise Unsuitable(
            "players can cycle forever here without a chance event, and a table of expected values cannot say "
            "what that is worth"
        )
    return (below + above) / 2


@kernel
def strong_components(
    first: np.ndarray, successors: np.ndarray, order: np.ndarray, component: np.ndarray, room: np.ndarray
) -> int:
    """Write the positions into `order`, component by component, each after all that it leads to; component[k] is where
    the k-th begins, and the last entry is where they end. Returns the number of components."""
    n = len(order)
    met, lowest, stack, path = room[0], room[1], room[2], room[3]
    edge = np.zeros(n, np.int64)
    seen = depth = stacked = placed = count = 0
    for root in range(n):
        if met[root] != 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            if met[node] == 0:
                seen += 1
                met[node] = seen
                lowest[node] = seen
                edge[node] = first[node]
                stack[stacked] = node
                stacked += 1
            if edge[node] < first[node + 1]:
                target = successors[edge[node]]
                edge[node] += 1
                if met[target] == 0:
                    path[depth] = target
                    depth += 1
                elif met[target] < lowest[node]:
                    lowest[node] = met[target]  # finished ones have the greatest number
                continue
            depth -= 1
            if depth > 0 and lowest[node] < lowest[path[depth - 1]]:
                lowest[path[depth - 1]] = lowest[node]
            if lowest[node] == met[node]:
                component[count] = placed
                count += 1
                top = -1
                while top != node:
                    stacked -= 1
                    top = stack[stacked]
                    order[placed] = top
                    placed += 1
                    met[top] = n + 1
    component[count] = placed
    return count


@kernel
def backed_up(
    first: np.ndarray,
    successors: np.ndarray,
    probability: np.ndarray,
    mover: np.ndarray,
    payoff: np.ndarray,
    value: np.ndarray,
    node: int,
) -> float:
    """A position's value from those of its successors."""
    if first[node] == first[node + 1]:
        return payoff[node]
    best = 0.0
    for edge in range(first[node], first[node + 1]):
        after = value[successors[edge]]
        if mover[node] == CHANCE:
            best += probability[edge] * after
        elif edge == first[node] or (after > best if mover[node] == 0 else after < best):
            best = after
    return best


@kernel
def iterate(
    first: np.ndarray,
    successors: np.ndarray,
    probability: np.ndarray,
    mover: np.ndarray,
    payoff: np.ndarray,
    order: np.ndarray,
    component: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
    precision: float,
    sweeps: int,
) -> float:
    """Enclose the value of every position from below and above; returns the widest gap left, or -1 if one does not
    close."""
    widest = 0.0
    for k in range(len(component) - 1):
        start, end = component[k], component[k + 1]
        gap, sweep = precision + 1.0, 0
        while gap > precision:
            if sweep == sweeps:
                return -1.0
            gap = 0.0
            for i in range(start, end):
                node = order[i]
                below[node] = backed_up(first, successors, probability, mover, payoff, below, node)
                above[node] = backed_up(first, successors, probability, mover, payoff, above, node)
                gap = max(gap, above[node] - below[node])
            sweep += 1
        widest = max(widest, gap)
    return widest
