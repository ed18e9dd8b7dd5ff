"""Pegs: a puzzle for one.

Fifteen holes in a triangle, all but one with a peg. A peg jumps over its neighbour into an empty hole, and the
neighbour is removed. The fewer pegs are left when nothing can jump, the better; one is perfect.

A game for one player sets `players = 1`. The player's payoff is the score.
"""

from typing import NamedTuple

import numpy as np

from counterplay import Game, count, points, state, u64


@state
class State(NamedTuple):
    """The holes with a peg, a bit each."""

    pegs: u64


def jumps(rows: int) -> list[tuple[int, int, int]]:
    """Every jump on a triangle: from one hole, over another, into a third."""
    hole = {(row, column): row * (row + 1) // 2 + column for row in range(rows) for column in range(row + 1)}
    steps = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]
    lines = [[(row + k * down, column + k * right) for k in range(3)] for row, column in hole for down, right in steps]
    return [(hole[a], hole[b], hole[c]) for a, b, c in lines if b in hole and c in hole]


class Pegs(Game):
    """Jump over pegs to take them out, until one is left."""

    players = 1

    def __init__(self, rows: int = 5) -> None:
        self.rows, self.holes = rows, rows * (rows + 1) // 2
        self.jumps = np.array(jumps(rows))  # [jump, 3]; a table that is read at run time
        self.utility_bounds = (1.0 - self.holes, 0.0)

    def initial(self):
        return State(u64(2**self.holes - 2))  # the top hole is empty

    def to_move(self, s):
        return 0

    def can_jump(self, s, action):
        start, over, end = self.jumps[action, 0], self.jumps[action, 1], self.jumps[action, 2]
        return s.pegs >> start & 1 and s.pegs >> over & 1 and not s.pegs >> end & 1

    def actions(self, s, out):
        for action in range(len(self.jumps)):
            if self.can_jump(s, action):
                out.append(action)

    def result(self, s, action):
        changed = u64(0)
        for k in range(3):
            changed |= u64(1) << self.jumps[action, k]
        return State(s.pegs ^ changed)

    def is_terminal(self, s):
        return not any(self.can_jump(s, action) for action in range(len(self.jumps)))

    def utility(self, s, player):
        return 1.0 - count(s.pegs)

    def action_text(self, s, action):
        return "-".join("abcdefghijklmnopqrstuvwxyz"[hole] for hole in self.jumps[action, ::2])

    def board(self, s, viewer=None):
        pegs = ["o" if s.pegs >> hole & 1 else "." for hole in range(self.holes)]
        rows = [pegs[row * (row + 1) // 2 :][: row + 1] for row in range(self.rows)]
        return "\n".join(" " * (self.rows - len(row)) + " ".join(row) for row in rows)

    def diagram(self, s, viewer=None):
        holes = [(row, column) for row in range(self.rows) for column in range(row + 1)]
        places = {"abcdefghijklmnopqrstuvwxyz"[i]: (column - row / 2, row) for i, (row, column) in enumerate(holes)}
        pegs = {name: "o" for i, name in enumerate(places) if s.pegs >> i & 1}
        return points(places, pegs, {"o": "orange peg"}, turns=False)
