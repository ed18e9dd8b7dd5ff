"""Connect Four: drop stones into columns; four in a row wins.

Two players take turns dropping a stone into one of the columns, where it falls onto the stones below. The first player
with four stones in a line, across, up or diagonally, wins; a full board is a draw. On 7x6 the first player wins with
the middle column (Allen and Allis, independently, 1988).

The board is one bitboard with `height + 1` bits per column, lowest row first; the spare bit on top of each column keeps
lines from running over (Tromp's Fhourstones). Playouts drop stones at random but never miss an immediate win nor allow
one, unless `playouts` are uniform.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram, grid, in_a_row, ink, paper
from counterplay.core.formats.svg import CELL
from counterplay.core.formats.text import read_rows
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, nth, ones
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

STONES = "xo"
LOOKS = {"x": "red disc", "o": "yellow disc"}


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64  # stones of the side to move
    filled: u64  # all stones
    ply: int
    won: bool  # the last move made four in a row


class ConnectFour(Game):
    """Drop stones into columns; four in a row wins."""

    name = "connect-four"
    title = "Connect Four"
    symmetries = 2
    evaluation_bounds = (-0.9, 0.9)

    def __init__(self, width: int = 7, height: int = 6, playouts: Literal["wary", "uniform"] = "wary") -> None:
        if not (width >= 1 and height >= 1 and width * (height + 1) <= 64 and width <= 26):
            raise CounterplayError(
                f"connect-four: {width}x{height} does not fit: width * (height + 1) may be at most 64"
            )
        self.width, self.height, self.wary = width, height, playouts == "wary"
        self.cells = width * height
        self.bottoms = u64(sum(1 << self.index(column, 0) for column in range(width)))
        self.all = self.bottoms * ((1 << height) - 1)
        self.odd_rows = u64(sum(1 << self.index(c, r) for c in range(width) for r in range(0, height, 2)))
        self.middle = u64(
            sum(1 << self.index(c, r) for c in range(width // 3, -(-2 * width // 3)) for r in range(height))
        )
        self.plane_shape = (3, height, width)  # mine, theirs, and whether the first player is to move
        self.policy_size = width

    def initial(self) -> State:
        return State(u64(0), u64(0), 0, False)

    def to_move(self, s: State) -> int:
        return s.ply % 2

    def actions(self, s: State, out: Actions) -> None:
        for column in range(self.width):
            if not s.filled & bit(self.index(column, self.height - 1)):
                out.append(column)

    def result(self, s: State, action: int) -> State:
        filled = s.filled | (s.filled + bit(self.index(action, 0)))
        moved = s.mine | (filled ^ s.filled)
        return State(s.mine ^ s.filled, filled, s.ply + 1, self.has_four(moved))

    def is_terminal(self, s: State) -> bool:
        return s.won or s.ply == self.cells

    def utility(self, s: State, player: int) -> float:
        if not s.won:
            return 0.0
        return -1.0 if player == s.ply % 2 else 1.0

    def key(self, s: State) -> u64:
        return mix(s.mine + s.filled)  # in each column, the sum says how high it is and whose stones they are

    def index(self, column: int, row: int) -> int:
        """The bit of a cell."""
        return column * (self.height + 1) + row

    def has_four(self, stones: u64) -> bool:
        """Whether four of `stones` are in a line."""
        h = self.height
        for step in (1, h, h + 1, h + 2):
            pairs = stones & (stones >> step)
            if pairs & (pairs >> 2 * step):
                return True
        return False

    # Evaluation.

    def evaluate(self, s: State, player: int) -> float:
        mover = s.ply % 2
        lead = self.promise(s.mine, s.filled, mover) - self.promise(s.mine ^ s.filled, s.filled, 1 - mover)
        lead = max(-0.9, min(0.9, lead))
        return lead if player == mover else -lead

    def promise(self, stones: u64, filled: u64, player: int) -> float:
        """Threats, and stones near the middle. Late in the game the first player gets the cells of odd rows, the second
        those of even ones, and there a threat is worth more (Allis 1988)."""
        threats = self.threats(stones, filled)
        own = threats & self.odd_rows if player == 0 else threats & ~self.odd_rows
        return 0.06 * count(own) + 0.06 * count(threats) + 0.015 * count(stones & self.middle)

    def sample(self, s: State, rng: Rng) -> int:
        """Any column; a wary player wins at once, else meets a threat, else lets nobody win on top of their stone."""
        free = (s.filled + self.bottoms) & self.all
        chosen = free
        if self.wary:
            chosen = free & self.threats(s.mine, s.filled)
            if not chosen:
                danger = self.threats(s.mine ^ s.filled, s.filled)
                chosen = free & danger
                if not chosen:
                    chosen = free & ~(danger >> 1)
                if not chosen:
                    chosen = free
        return nth(chosen, rng.below(count(chosen))) // (self.height + 1)

    # Solving: who threatens what (after Allis's thesis of 1988 and Pons's solver, "Solving Connect 4", 2015).

    def candidates(self, s: State, out: Actions) -> tuple[float, int, float, int]:
        """A winning column, if there is one; else the columns after which the other side has none. A threat must be
        met; two, or one on top of another, cannot be."""
        open_cells = (s.filled + self.bottoms) & self.all
        if self.threats(s.mine, s.filled) & open_cells:
            return 1.0, 1, 1.0, 1
        danger = self.threats(s.mine ^ s.filled, s.filled)
        forced = open_cells & danger
        safe = (forced if forced else open_cells) & ~(danger >> 1)
        if forced & (forced - 1) or not safe:
            return -1.0, 2, -1.0, 2
        for cell in ones(safe):
            out.append(cell // (self.height + 1))
        left = self.cells - s.ply
        return -1.0 if left >= 4 else 0.0, 4, 1.0 if left >= 3 else 0.0, 3

    def threats(self, stones: u64, filled: u64) -> u64:
        """The empty cells, to be reached now or later, that would make four in a row with three of `stones`."""
        h = self.height
        found = (stones << 1) & (stones << 2) & (stones << 3)
        found |= self.gaps(stones, h) | self.gaps(stones, h + 1) | self.gaps(stones, h + 2)
        return found & self.all & ~filled

    def gaps(self, stones: u64, step: int) -> u64:
        """The cells that have three of `stones` around them in the direction of `step`."""
        two_before, two_behind = (stones << step) & (stones << 2 * step), (stones >> step) & (stones >> 2 * step)
        return two_before & (stones << 3 * step | stones >> step) | two_behind & (stones >> 3 * step | stones << step)

    def solving_order(self, s: State, action: int) -> int:
        """Double threats first, then by the number of threats, then the middle."""
        column = (bit(self.height) - 1) << self.index(action, 0)
        cell = (s.filled + bit(self.index(action, 0))) & column
        filled = s.filled | cell
        threats = self.threats(s.mine | cell, filled)
        now = threats & (filled + self.bottoms)
        twice = 1 if now & (now - 1) or now & (threats >> 1) else 0
        aside = 2 * action + 1 - self.width
        return 4096 * twice + 64 * count(threats) - 2 * abs(aside) - (aside < 0)

    def remaining(self, s: State) -> int:
        return self.cells - s.ply

    # Symmetry and planes.

    def symmetric(self, s: State, k: int) -> State:
        if k == 0:
            return s
        return State(self.mirror(s.mine), self.mirror(s.filled), s.ply, s.won)

    def symmetric_action(self, action: int, k: int) -> int:
        return action if k == 0 else self.width - 1 - action

    def mirror(self, stones: u64) -> u64:
        """The board seen from behind."""
        column = bit(self.height + 1) - 1
        seen = u64(0)
        for i in range(self.width):
            seen = seen << (self.height + 1) | (stones >> i * (self.height + 1)) & column
        return seen

    def planes(self, s: State, out: Any) -> None:
        tall = self.height + 1
        for cell in ones(s.mine):
            out[0, cell % tall, cell // tall] = 1
        for cell in ones(s.mine ^ s.filled):
            out[1, cell % tall, cell // tall] = 1
        if s.ply % 2 == 0:
            for row in range(self.height):
                for column in range(self.width):
                    out[2, row, column] = 1

    # Notation: columns 1, 2, ...; positions as rows from the top, such as "......./.../...xo..".

    def action_text(self, s: State, action: int) -> str:
        return str(action + 1)

    def stone(self, s: State, column: int, row: int) -> str:
        """The mark of a cell: x, o or . for nothing."""
        cell = bit(self.index(column, row))
        if not s.filled & cell:
            return "."
        return STONES[s.ply % 2 if s.mine & cell else 1 - s.ply % 2]

    def rows(self, s: State) -> list[str]:
        """The rows from the top, a character per cell."""
        return ["".join(self.stone(s, c, r) for c in range(self.width)) for r in reversed(range(self.height))]

    def position_text(self, s: State) -> str:
        return "/".join(self.rows(s))

    def parse_position(self, text: str) -> State:
        rows = read_rows(text, self.width, self.height, ".xo", self.spec)
        boards = {"x": u64(0), "o": u64(0)}
        for r, row in enumerate(reversed(rows)):
            for c, stone in enumerate(row):
                if stone != ".":
                    if r and rows[self.height - r][c] == ".":
                        raise InvalidPosition(f"{self.spec}: the stone in column {c + 1}, row {r + 1} is floating")
                    boards[stone] |= bit(self.index(c, r))
        ply = count(boards["x"]) + count(boards["o"])
        if count(boards["x"]) - count(boards["o"]) != ply % 2:
            raise InvalidPosition(f"{self.spec}: x moves first, so there must be as many x as o, or one more")
        mover, other = ("x", "o") if ply % 2 == 0 else ("o", "x")
        if self.has_four(boards[mover]):
            raise InvalidPosition(f"{self.spec}: {mover} has four in a row, but it is {mover}'s turn")
        return State(boards[mover], boards["x"] | boards["o"], ply, self.has_four(boards[other]))

    def board(self, s: State, viewer: int | None = None) -> str:
        numbers = " ".join(str((c + 1) % 10) for c in range(self.width))
        return "\n".join([*(" ".join(row) for row in self.rows(s)), numbers])

    def player_name(self, player: int) -> str:
        return STONES[player]

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        rows, w, h = self.rows(s), self.width, self.height
        names = [self.cell_name(c, r) for r in reversed(range(h)) for c in range(w)]
        won = [names[r * w + c] for r, c in in_a_row(rows, 4)]
        columns = [str(c) for _ in range(h) for c in range(w)]
        drawn = grid(rows, LOOKS, names=names, zones=columns, line=won, turns=False, falls=True)
        numbers = "".join(ink(cell.x, (h + 0.78) * CELL, str(c + 1)) for c, cell in enumerate(drawn.cells[:w]))
        holes = "".join(f"M{cell.x - 20:g} {cell.y:g}a20 20 0 1 0 40 0a20 20 0 1 0 -40 0z" for cell in drawn.cells)
        front = f"M18 18h{w * CELL + 12:g}v{h * CELL + 12:g}h{-w * CELL - 12:g}z{holes}"
        return drawn._replace(
            ground=paper(drawn.width, drawn.height)
            + f'<path d="M20 20h{w * CELL + 8:g}v{h * CELL + 8:g}h{-w * CELL - 8:g}z"'
            ' fill="#173a7d"/>' + numbers,
            over=f'<path d="{front}" fill="#2c5fc4" fill-rule="evenodd" stroke="#1d469a" stroke-linejoin="round"'
            ' pointer-events="none"/>',
        )

    def cell_name(self, column: int, row: int) -> str:
        """The name of a cell, rows counted from the bottom."""
        return f"column {column + 1}, row {row + 1}"

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """The cell that the stone falls to."""
        return (self.cell_name(action, count(s.filled >> self.index(action, 0) & bit(self.height) - 1)),)

    def ending(self, s: State) -> str:
        return "with four in a row" if s.won else "with the board full"
