"""Tapatan: three men each, and a row of three wins.

The board has nine points on lines: three rows, three columns, two diagonals. The players put three men each on free points,
one at a time; then they move a man along a line to an adjacent free point. Play can go in circles, so the third
occurrence of a position is a draw.

A game whose positions can recur says what a repetition means: `repetition = "draw"`.
"""

from typing import NamedTuple

import numpy as np

from counterplay import Game, ones, state, u64

ROWS = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)
"""Three in a row, a bit for each point."""
MEN = 6


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64
    theirs: u64
    placed: int  # men of both sides that are placed; then 6 and 7 in turn, to show who moves


def beside(a: int, b: int) -> bool:
    """Whether two points are neighbours on a line."""
    across, down = abs(a % 3 - b % 3), abs(a // 3 - b // 3)
    return across + down == 1 or (across == down == 1 and 4 in (a, b))


class Tapatan(Game):
    """Three men each: place them, then move them; a row of three wins."""

    repetition, occurrences = "draw", 3

    def __init__(self) -> None:
        self.near = np.array([sum(1 << b for b in range(9) if beside(a, b)) for a in range(9)], np.uint64)

    def initial(self):
        return State(u64(0), u64(0), 0)

    def to_move(self, s):
        return s.placed % 2

    def actions(self, s, out):
        free = ~(s.mine | s.theirs) & 0b111111111
        if s.placed < MEN:
            for point in ones(free):
                out.append(9 * point + point)
            return
        for man in ones(s.mine):
            for point in ones(u64(self.near[man]) & free):
                out.append(9 * man + point)

    def result(self, s, action):
        man, point = action // 9, action % 9
        mine = s.mine & ~(u64(1) << man) | u64(1) << point
        return State(s.theirs, mine, s.placed + 1 if s.placed < MEN else 2 * MEN + 1 - s.placed)

    def is_terminal(self, s):
        return any(s.theirs & row == row for row in ROWS)

    def utility(self, s, player):
        return -1.0 if player == s.placed % 2 else 1.0

    def action_text(self, s, action):
        man, point = ("abc"[at % 3] + str(at // 3 + 1) for at in divmod(action, 9))
        return point if man == point else f"{man}-{point}"

    def board(self, s, viewer=None):
        first, second = (s.mine, s.theirs) if s.placed % 2 == 0 else (s.theirs, s.mine)
        marks = ["x" if first >> at & 1 else "o" if second >> at & 1 else "." for at in range(9)]
        return "\n".join(f"{row + 1} {' '.join(marks[3 * row : 3 * row + 3])}" for row in (2, 1, 0)) + "\n  a b c"
