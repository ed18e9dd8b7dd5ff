"""The value of a two-player zero-sum game with secrets, by its sequence form (Koller, Megiddo, von Stengel 1994)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack

from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import legal


class Side:
    """One player's sequences (0 is the empty one) and information sets."""

    def __init__(self) -> None:
        self.sets: dict[Any, tuple[int, int, list[int]]] = {}  # number, sequence that leads there, sequences that leave
        self.length = 1

    def visit(self, information: Any, arrival: int, actions: list[int]) -> list[int]:
        """The sequences that leave an information set; the player must remember how they got there."""
        if information not in self.sets:
            leaving = list(range(self.length, self.length + len(actions)))
            self.length += len(actions)
            self.sets[information] = (len(self.sets), arrival, leaving)
        _, before, leaving = self.sets[information]
        assert before == arrival, f"{information} forgets how it was reached"
        assert len(leaving) == len(actions), f"{information} does not tell which actions are legal"
        return leaving

    def constraints(self) -> tuple[Any, np.ndarray]:
        """The matrix and the vector that a realization plan x meets: matrix @ x == vector."""
        entries = [(0, 0, 1.0)]
        for number, arrival, leaving in self.sets.values():
            entries += [(number + 1, arrival, -1.0), *((number + 1, sequence, 1.0) for sequence in leaving)]
        rows, columns, numbers = zip(*entries, strict=True)
        vector = np.zeros(len(self.sets) + 1)
        vector[0] = 1
        return coo_matrix((numbers, (rows, columns)), shape=(len(vector), self.length)), vector


class Solution(NamedTuple):
    """What `solve` finds."""

    value: float  # to the first player
    sets: tuple[int, int]  # the number of information sets of each player


def solve(game: Game) -> Solution:
    """The value of `game` to its first player, and the number of information sets of each player."""
    sides = Side(), Side()
    payoffs: list[tuple[int, int, float]] = []

    def walk(s: Any, weight: float, first: int, second: int) -> None:
        if game.is_terminal(s):
            payoffs.append((first, second, weight * game.utility(s, 0)))
            return
        player, actions = game.to_move(s), legal(game, s)
        if player == CHANCE:
            for event in actions:
                walk(game.result(s, event), weight * game.probability(s, event), first, second)
            return
        arrival = (first, second)[player]
        leaving = sides[player].visit(game.information(s, player), arrival, actions)
        for action, sequence in zip(actions, leaving, strict=True):
            walk(game.result(s, action), weight, *((sequence, second) if player == 0 else (first, sequence)))

    walk(game.initial(), 1.0, 0, 0)
    rows, columns, numbers = zip(*payoffs, strict=True)
    table = coo_matrix((numbers, (rows, columns)), shape=(sides[0].length, sides[1].length))
    ours, vector = sides[0].constraints()
    theirs, their_vector = sides[1].constraints()
    # Over plans x >= 0 and free q: maximize q[0] where theirs.T @ q <= table.T @ x and ours @ x == vector.
    best = linprog(
        np.concatenate([np.zeros(table.shape[0]), -their_vector]),
        A_ub=hstack([-table.T, theirs.T]),
        b_ub=np.zeros(table.shape[1]),
        A_eq=hstack([ours, coo_matrix((ours.shape[0], theirs.shape[0]))]),
        b_eq=vector,
        bounds=[(0, None)] * table.shape[0] + [(None, None)] * theirs.shape[0],
        method="highs",
    )
    assert best.status == 0, best.message
    return Solution(-best.fun, (len(sides[0].sets), len(sides[1].sets)))
