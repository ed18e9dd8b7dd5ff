"""A game as a graph: positions by number, and their successors. Retrograde analysis sees nothing else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.language.kernel import kernel

ABSENT = -2
"""The mover of a number that is not a position."""
OPEN = float("nan")
"""The payoff of a position in which the game continues."""


class Graph(NamedTuple):
    """Positions 0 to n - 1 with their successors; an end has none, and a payoff."""

    first: np.ndarray  # int64 [n + 1], where the successors of a position begin
    successors: np.ndarray  # int32 [edges]
    mover: np.ndarray  # int8 [n], the player to move, CHANCE or ABSENT
    payoff: np.ndarray  # float64 [n], to player 0 if the game is over, else OPEN
    plies: np.ndarray | None = None  # int32 [n], from an end to where play really ends; None: 0 everywhere
    probability: np.ndarray | None = None  # float64 [edges], of events; None without chance

    @property
    def size(self) -> int:
        """The number of positions."""
        return len(self.mover)


class Predecessors(NamedTuple):
    """The same edges, from each position to its predecessors."""

    first: np.ndarray  # int64 [n + 1]
    before: np.ndarray  # int32 [edges]


def predecessors(graph: Graph) -> Predecessors:
    """The edges of a graph, reversed."""
    first = np.zeros(graph.size + 2, np.int64)
    np.cumsum(np.bincount(graph.successors, minlength=graph.size), out=first[2:])
    before = np.empty(len(graph.successors), np.int32)
    turn_round(graph.first, graph.successors, first, before)
    return Predecessors(first[:-1], before)


@kernel
def turn_round(first: np.ndarray, successors: np.ndarray, back: np.ndarray, before: np.ndarray) -> int:
    """Write the predecessors of all nodes into `before`, grouped by node. back[i + 1] is where the edges to i begin; it
    advances to where they end, which is where back[i + 2] began."""
    for i in range(len(first) - 1):
        for edge in range(first[i], first[i + 1]):
            target = successors[edge]
            before[back[target + 1]] = i
            back[target + 1] += 1
    return 0
