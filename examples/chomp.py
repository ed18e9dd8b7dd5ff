"""Chomp: a bar of chocolate with one poisoned square.

In turn, each player picks a square and eats it with all that lies below it, to its right, or both. The square at the
top left is poisoned: whoever must eat it loses (David Gale, A Curious Nim-type Game, 1974). The first player can win on
every bar of more than one square, though nobody knows in general how.
"""

from typing import NamedTuple

from counterplay import Game, grid, state, u64


@state
class State(NamedTuple):
    """What is left of the bar, and whose turn it is."""

    left: u64  # a bit for each square that is left
    turn: int  # the player to move, 0 or 1


class Chomp(Game):
    """Bite into a chocolate bar; whoever eats the poisoned square loses."""

    def __init__(self, rows: int = 3, columns: int = 4) -> None:
        self.rows, self.columns = rows, columns
        self.whole = u64(2 ** (rows * columns) - 1)  # the bar at the start, a bit for each square

    def initial(self):
        return State(self.whole, 0)

    def to_move(self, s):
        return s.turn

    def actions(self, s, out):
        for square in range(self.rows * self.columns):
            if s.left >> square & 1:
                out.append(square)

    def result(self, s, action):
        left = s.left
        for row in range(action // self.columns, self.rows):
            for column in range(action % self.columns, self.columns):
                left &= ~(u64(1) << row * self.columns + column)
        return State(left, 1 - s.turn)

    def is_terminal(self, s):
        return s.left == 0

    def utility(self, s, player):
        return 1.0 if player == s.turn else -1.0  # the other one ate the poison

    # Notation and picture: plain Python, never compiled. Columns are a, b, c, ...; rows are 1, 2, 3, ... from the top.

    def action_text(self, s, action):
        return "abcdefghijklmnopqrstuvwxyz"[action % self.columns] + str(action // self.columns + 1)

    def diagram(self, s, viewer=None):
        squares = ["#" if s.left >> square & 1 else "." for square in range(self.rows * self.columns)]
        rows = [squares[i : i + self.columns] for i in range(0, len(squares), self.columns)]
        return grid(rows, {"#": "brown block"}, from_top=True)
