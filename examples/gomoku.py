"""Gomoku: five in a row on a board of any size.

A board of more than 64 points is a `Wide(n)`: a number of n bits, as quick as a `u64` for its size. `sample` chooses an
action for random playouts without listing them all.
"""

from typing import NamedTuple

from counterplay import Game, Wide, grid, state

SIZE = 15
Board = Wide(SIZE * (SIZE + 1))  # one column more than the board has, so that lines do not run over its edge


@state
class State(NamedTuple):
    """The stones of the side to move and of the other one, and whether the last stone made five."""

    mine: Board
    theirs: Board
    ply: int
    won: bool


class Gomoku(Game):
    """Place stones; five in a row wins."""

    def __init__(self, row: int = 5) -> None:
        self.row, self.width = row, SIZE + 1

    def initial(self):
        return State(Board(0), Board(0), 0, False)

    def to_move(self, s):
        return s.ply % 2

    def actions(self, s, out):
        for point in range(SIZE * SIZE):
            if not (s.mine | s.theirs) >> self.bit(point) & 1:
                out.append(point)

    def bit(self, point):
        return point // SIZE * self.width + point % SIZE

    def result(self, s, action):
        stones = s.mine | Board(1) << self.bit(action)
        won = False
        for step in (1, self.width - 1, self.width, self.width + 1):
            line = stones
            for _ in range(self.row - 1):
                line &= line >> step
            won |= line != 0
        return State(s.theirs, stones, s.ply + 1, won)

    def is_terminal(self, s):
        return s.won or s.ply == SIZE * SIZE

    def utility(self, s, player):
        if not s.won:
            return 0.0
        return -1.0 if player == s.ply % 2 else 1.0

    def sample(self, s, rng):
        while True:
            point = rng.below(SIZE * SIZE)
            if not (s.mine | s.theirs) >> self.bit(point) & 1:
                return point

    def action_text(self, s, action):
        return "abcdefghijklmno"[action % SIZE] + str(SIZE - action // SIZE)

    def diagram(self, s, viewer=None):
        first, second = (s.mine, s.theirs) if s.ply % 2 == 0 else (s.theirs, s.mine)
        marks = ["x" if first >> self.bit(p) & 1 else "o" if second >> self.bit(p) & 1 else "." for p in range(SIZE**2)]
        rows = [marks[row * SIZE :][:SIZE] for row in range(SIZE)]
        return grid(rows, {"x": "black stone", "o": "white stone"}, ground="lines")
