"""Retrograde analysis (Ströhlein 1970, Thompson 1986): from the ends of a game back to the value of every position.

What a player can force is found ply by ply. If they are to move, a position is forced once one successor is; if the
opponent is to move, once all successors are, which a counter tracks. So each edge of the graph is visited once, and the
ply at which a position is forced is its distance: the winner hurries, the loser delays. If nobody can force an end,
play is endless: a draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.language.kernel import kernel
from counterplay.endgame.graph import Graph, Predecessors, predecessors

NO_PLIES = 0xFFFF
"""The distance of a position from which nobody forces an end."""
MOST_PLIES = NO_PLIES - 1
MOST_VALUES = 255
UNDECIDED = -1


class SolvedGraph(NamedTuple):
    """The value of every position of a graph."""

    values: tuple[float, ...]  # all that occur, to player 0, the least first
    outcome: np.ndarray  # uint8 [n], the index of a position's value
    plies: np.ndarray  # uint16 [n], to the end under best play, or NO_PLIES


def solve_graph(graph: Graph, endless: float) -> SolvedGraph:
    """The value of every position of a graph without chance, to player 0, and its distance; `endless` is the value of
    endless play."""
    ends = ~np.isnan(graph.payoff)
    values = np.unique(np.append(graph.payoff[ends], endless))
    if len(values) > MOST_VALUES:
        raise Unsuitable(
            f"a table can hold {MOST_VALUES} different results, and this game has at least {len(values):,}"
        )
    back = predecessors(graph)
    degree = np.diff(graph.first).astype(np.int32)
    middle = int(np.searchsorted(values, endless))
    outcome = np.full(graph.size, middle, np.uint8)
    plies = np.full(graph.size, NO_PLIES, np.uint16)
    plies[ends] = 0 if graph.plies is None else graph.plies[ends]
    for player, levels in ((0, range(len(values) - 1, middle, -1)), (1, range(middle))):
        found = np.zeros(graph.size, bool)
        for level in levels:
            reached = graph.payoff >= values[level] if player == 0 else graph.payoff <= values[level]
            distance = np.full(graph.size, UNDECIDED, np.int32)
            force(*back, graph.mover, player, *_seeds(graph, reached), distance, degree.copy(), _room(graph))
            new = (distance != UNDECIDED) & ~found
            outcome[new] = level
            found |= new
            if len(levels) == 1:
                _note(plies, distance, new)
        if len(levels) > 1:
            for level in levels:
                _measure(graph, back, player, outcome, level, plies)
    return SolvedGraph(tuple(values.tolist()), outcome, plies)


def _measure(graph: Graph, back: Predecessors, player: int, outcome: np.ndarray, level: int, plies: np.ndarray) -> None:
    """Distances of the positions of one value, of several that are good for `player`: neither side gives up any of it,
    the side that it favours hurries, and the other delays."""
    alike = outcome == level
    left = np.zeros(graph.size, np.int32)
    count_alike(graph.first, graph.successors, outcome, level, left)
    distance = np.where(alike, UNDECIDED, 0).astype(np.int32)
    force(*back, graph.mover, player, *_seeds(graph, alike & ~np.isnan(graph.payoff)), distance, left, _room(graph))
    _note(plies, distance, alike)


def _note(plies: np.ndarray, distance: np.ndarray, which: np.ndarray) -> None:
    if distance.max(initial=0) > MOST_PLIES:
        raise Unsuitable(f"a table can hold distances up to {MOST_PLIES:,} plies, and some here are longer")
    plies[which] = distance[which]


def _seeds(graph: Graph, reached: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends to go back from, sorted by distance, and these distances."""
    nodes = np.flatnonzero(reached).astype(np.int32)
    if graph.plies is None:
        return nodes, np.zeros(len(nodes), np.int32)
    order = np.argsort(graph.plies[nodes], kind="stable")
    return nodes[order], graph.plies[nodes[order]].astype(np.int32)


def _room(graph: Graph) -> np.ndarray:
    return np.empty(graph.size, np.int32)


@kernel
def force(
    back: np.ndarray,
    before: np.ndarray,
    mover: np.ndarray,
    player: int,
    seeds: np.ndarray,
    due: np.ndarray,
    distance: np.ndarray,
    left: np.ndarray,
    queue: np.ndarray,
) -> int:
    """Fill in from how many plies away `player` can force one of the ends `seeds`, each of which counts from its `due`
    distance on. `distance` is UNDECIDED wherever it must be computed; `left` counts a position's successors. Returns the
    number of forced positions."""
    taken = head = tail = ply = 0
    while head < tail or taken < len(seeds):
        if head == tail:
            ply = due[taken]
        while taken < len(seeds) and due[taken] == ply:
            distance[seeds[taken]] = ply
            queue[tail] = seeds[taken]
            tail += 1
            taken += 1
        ply += 1
        end = tail
        while head < end:
            node = queue[head]
            head += 1
            for edge in range(back[node], back[node + 1]):
                earlier = before[edge]
                if distance[earlier] == UNDECIDED:
                    left[earlier] -= 1
                    if mover[earlier] == player or left[earlier] == 0:
                        distance[earlier] = ply
                        queue[tail] = earlier
                        tail += 1
    return tail


@kernel
def count_alike(first: np.ndarray, successors: np.ndarray, outcome: np.ndarray, level: int, left: np.ndarray) -> int:
    """Count the successors of each position that have the same value, `level`."""
    for i in range(len(left)):
        if outcome[i] == level:
            for edge in range(first[i], first[i + 1]):
                if outcome[successors[edge]] == level:
                    left[i] += 1
    return 0
