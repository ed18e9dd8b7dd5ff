"""m,n,k-games: place stones on a board in turn; k in a row wins. Tic-tac-toe is the 3,3,3-game.

Players take turns placing a stone on an empty cell of a board with `width` columns and `height` rows. The first player
with `k` stones in a line, across, up or diagonally, wins; a full board is a draw. Two players get 1 and -1. Three can
play as well: the winner gets 1.0 and each loser -0.5, so the sum is still 0.

With two players the second never wins under best play, because an extra stone never hurts (strategy stealing; Hales and
Jewett, "Regularity and positional games", 1963). Tic-tac-toe is a draw.

A cell is a bit, row by row from the bottom left. A line is named by its lowest cell and its direction: shifts bring the
k cells of every line of a direction together, and a mask keeps the lines that fit on the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram, column_letter, grid, in_a_row
from counterplay.core.formats.text import read_rows
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

STONES = "xov"
LOOKS = {"x": "red cross", "o": "blue ring", "v": "green triangle"}

# The value of a line that no other player has touched, by how many of its cells are still empty.
ANY_EMPTY, TWO_EMPTY, ONE_EMPTY = 1, 8, 40


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64  # stones of the player to move
    second: u64  # of the player after them
    third: u64  # of the player after that one; none with two players
    turn: int  # the player to move
    won: bool  # the last stone made k in a row


class Mnk(Game):
    """Place stones on a board; k in a row wins."""

    name = "mnk"
    title = "m,n,k-game"

    def __init__(self, width: int = 3, height: int = 3, k: int = 3, players: int = 2) -> None:
        if not (width >= 1 and height >= 1 and width * height <= 64):
            raise CounterplayError(f"mnk: a board of {width}x{height} does not fit: it has 1 to 64 cells")
        if not 1 <= k <= max(width, height):
            most = max(width, height)
            raise CounterplayError(f"mnk: nobody can have {k} in a row on {width}x{height}: k is 1 to {most}")
        if players not in (2, 3):
            raise CounterplayError(f"mnk: {players} players cannot play: there are 2 or 3")
        self.width, self.height, self.k, self.players = width, height, k, players
        self.loss = -1.0 / (players - 1)
        self.utility_bounds = self.evaluation_bounds = (self.loss, 1.0)
        self.symmetries = 8 if width == height else 4
        self.plane_shape = (players, height, width)
        self.policy_size = width * height
        self.full = u64((1 << width * height) - 1)
        lines = [(step, mask) for step, mask in directions(width, height, k) if mask]
        self.steps = tuple(step for step, _ in lines)
        self.starts = tuple(mask for _, mask in lines)
        self.lines = sum(count(mask) for mask in self.starts)
        through = [crossings(cell, self.steps, self.starts, k) for cell in range(width * height)]
        self.crossings = np.array(through, np.int64)

    def initial(self) -> State:
        return State(u64(0), u64(0), u64(0), 0, False)

    def to_move(self, s: State) -> int:
        return s.turn

    def actions(self, s: State, out: Actions) -> None:
        for cell in ones(self.empty(s)):
            out.append(cell)

    def result(self, s: State, action: int) -> State:
        moved = s.mine | bit(action)
        turn = (s.turn + 1) % self.players
        if self.players == 2:
            return State(s.second, moved, s.third, turn, self.has_line(moved))
        return State(s.second, s.third, moved, turn, self.has_line(moved))

    def is_terminal(self, s: State) -> bool:
        return s.won or self.empty(s) == 0

    def utility(self, s: State, player: int) -> float:
        if not s.won:
            return 0.0
        return 1.0 if player == (s.turn + self.players - 1) % self.players else self.loss

    def empty(self, s: State) -> u64:
        """The cells without a stone."""
        return self.full & ~(s.mine | s.second | s.third)

    def has_line(self, stones: u64) -> bool:
        """Whether k of `stones` are in a line."""
        found = u64(0)
        for i in range(len(self.steps)):
            found = found | self.runs(stones, self.steps[i]) & self.starts[i]
        return found != 0

    def runs(self, cells: u64, step: int) -> u64:
        """The cells where a run of k of `cells` at a distance of `step` starts, ignoring the edges of the board."""
        length = 1
        while 2 * length <= self.k:  # double the length of the runs
            cells = cells & (cells >> length * step)
            length *= 2
        return cells & (cells >> (self.k - length) * step)

    def sample(self, s: State, rng: Rng) -> int:
        empty = self.empty(s)
        return nth(empty, rng.below(count(empty)))

    # Evaluation: lines that are still open.

    def evaluate(self, s: State, player: int) -> float:
        """How far the player's open lines outweigh the others'."""
        ahead = (player - s.turn) % self.players
        empty = self.empty(s)
        mine, second, third = self.prospects(s.mine, empty), self.prospects(s.second, empty), 0
        if self.players == 3:
            third = self.prospects(s.third, empty)
        own = mine if ahead == 0 else second if ahead == 1 else third
        total = mine + second + third
        return (own + (total - own) * self.loss) / (total + self.lines)

    def prospects(self, stones: u64, empty: u64) -> int:
        """The value of the lines that hold only `stones` and empty cells."""
        score = 0
        for i in range(len(self.steps)):
            step = self.steps[i]
            one, two, three = u64(0), u64(0), u64(0)  # where at least this many of the line's cells are not stones
            for j in range(self.k):
                other = ~(stones >> j * step)
                three = three | two & other
                two = two | one & other
                one = one | other
            lines = self.runs(stones | empty, step) & self.starts[i]
            score += ANY_EMPTY * count(lines)
            score += TWO_EMPTY * count(lines & two & ~three) + ONE_EMPTY * count(lines & one & ~two)
        return score

    def ordering(self, s: State, action: int) -> int:
        return int(self.crossings[action])

    def allows_null(self, s: State) -> bool:
        return self.players == 2  # an extra stone does no harm, so there is no zugzwang

    def null(self, s: State) -> State:
        return State(s.second, s.mine, s.third, 1 - s.turn, s.won)

    # Symmetry and planes: 1 in k mirrors left and right, 2 top and bottom, 4 swaps columns and rows.

    def symmetric(self, s: State, k: int) -> State:
        return State(self.turned(s.mine, k), self.turned(s.second, k), self.turned(s.third, k), s.turn, s.won)

    def symmetric_action(self, action: int, k: int) -> int:
        column, row = action % self.width, action // self.width
        if k & 1:
            column = self.width - 1 - column
        if k & 2:
            row = self.height - 1 - row
        return column * self.width + row if k & 4 else row * self.width + column

    def turned(self, stones: u64, k: int) -> u64:
        """The k-th symmetric form of `stones`."""
        seen = u64(0)
        for cell in ones(stones):
            seen = seen | bit(self.symmetric_action(cell, k))
        return seen

    def planes(self, s: State, out: Any) -> None:
        for cell in range(self.width * self.height):
            row, column = cell // self.width, cell % self.width
            if s.mine & bit(cell):
                out[0, row, column] = 1
            elif s.second & bit(cell):
                out[1, row, column] = 1
            elif s.third & bit(cell):
                out[2, row, column] = 1

    # Notation: cells a1, b1, ... from the bottom left; positions as rows from the top, such as "..o/.x./...".

    def action_text(self, s: State, action: int) -> str:
        return f"{column_letter(action % self.width)}{action // self.width + 1}"

    def stone(self, s: State, cell: int) -> str:
        """The mark of a cell: x, o, v or . for nothing."""
        for ahead, stones in enumerate((s.mine, s.second, s.third)):
            if stones & bit(cell):
                return STONES[(s.turn + ahead) % self.players]
        return "."

    def rows(self, s: State) -> list[str]:
        """The rows from the top, a character per cell."""
        w = self.width
        return ["".join(self.stone(s, r * w + c) for c in range(w)) for r in reversed(range(self.height))]

    def position_text(self, s: State) -> str:
        return "/".join(self.rows(s))

    def parse_position(self, text: str) -> State:
        names = STONES[: self.players]
        cells = "".join(reversed(read_rows(text, self.width, self.height, "." + names, self.spec)))
        boards = [u64(sum(1 << i for i, stone in enumerate(cells) if stone == name)) for name in names]
        counts = [count(board) for board in boards]
        turn = sum(counts) % self.players
        if counts != sorted(counts, reverse=True) or counts[0] - counts[-1] > 1:
            order = " then ".join(names)
            raise InvalidPosition(f"{self.spec}: {order} move in turn, which cannot lead to {counted(names, counts)}")
        last = (turn - 1) % self.players
        for player, board in enumerate(boards):
            if self.has_line(board) and player != last:
                found = f"{names[player]} has {self.k} in a row"
                raise InvalidPosition(f"{self.spec}: {found}, but {names[last]} has moved since")
        won = self.has_line(boards[last])
        if won and all(self.has_line(boards[last] ^ bit(cell)) for cell in ones(boards[last])):
            raise InvalidPosition(f"{self.spec}: no single stone made all of {names[last]}'s lines of {self.k} at once")
        seen = [boards[(turn + ahead) % self.players] for ahead in range(self.players)]
        return State(seen[0], seen[1], seen[2] if self.players == 3 else u64(0), turn, won)

    def board(self, s: State, viewer: int | None = None) -> str:
        cells = [*map(column_letter, range(self.width)), str(self.height)]
        size = max(map(len, cells))
        shown = [[str(self.height - r), *row] for r, row in enumerate(self.rows(s))]
        return "\n".join(" ".join(cell.rjust(size) for cell in row) for row in [*shown, ["", *cells[:-1]]])

    def player_name(self, player: int) -> str:
        return STONES[player]

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        rows = self.rows(s)
        won = [f"{column_letter(c)}{self.height - r}" for r, c in in_a_row(rows, self.k)]
        return grid(rows, LOOKS, line=won)

    def ending(self, s: State) -> str:
        return f"with {self.k} in a row" if s.won else "with the board full"


class TicTacToe(Mnk):
    """Three in a row on 3x3 wins."""

    name = "tic-tac-toe"
    title = "Tic-tac-toe"

    def __init__(self) -> None:
        super().__init__(3, 3, 3)


def directions(width: int, height: int, k: int) -> Iterator[tuple[int, u64]]:
    """Across, up and both diagonals: the distance of a line's cells, and the cells where a line of k can start."""
    for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        mask = u64(0)
        for cell in range(width * height):
            column, row = cell % width + right * (k - 1), cell // width + up * (k - 1)
            if 0 <= column < width and row < height:
                mask |= bit(cell)
        yield up * width + right, mask


def crossings(cell: int, steps: tuple[int, ...], starts: tuple[u64, ...], k: int) -> int:
    """How many lines of k run through `cell`."""
    ways = zip(steps, starts, strict=True)
    return sum(1 for step, mask in ways for j in range(k) if cell >= j * step and mask & bit(cell - j * step))


def counted(names: str, counts: list[int]) -> str:
    """The number of stones of each kind, in words."""
    parts = [f"{n} {name}" for name, n in zip(names, counts, strict=True)]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
