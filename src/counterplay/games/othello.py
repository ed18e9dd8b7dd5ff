"""Othello (Reversi): outflank the opponent's discs to flip them; whoever has more discs at the end wins.

Black (x) and White (o) start with two discs each in the middle, and Black moves first. A disc is placed on an empty
square where it outflanks, along at least one of the eight directions, a line of the opponent's discs between itself and
another disc of its colour; all outflanked discs are flipped. A player without such a square passes; otherwise passing
is not allowed. The game is over when neither side can move (rules of the World Othello Federation). Squares are written
as Othello players do: a1 is the top left corner, h8 the bottom right one.

4x4 and 6x6 boards are played by the same rules. White wins on both under best play, by 11 discs to 3 and by 20 to 16
(Feinstein 1993, for 6x6); on 8x8 best play is a draw (Takizawa 2023). With `score` the utility is the difference in
discs; squares that stay empty count for nobody.

Squares are bits in reading order, row by row from the top. Lines of discs are followed from all squares and in all
directions at once by shifting whole boards, in steps that double (parallel prefix, Kogge and Stone 1973).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram
from counterplay.core.formats.text import read_rows
from counterplay.core.game import INFINITY
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, nth, ones
from counterplay.core.language.marks import abreast, inlined
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64
from counterplay.games import othello_drawing
from counterplay.games.othello_features import DiscFeatures

DISCS = "xo"
NAMES = ("black (x)", "white (o)")

STEPS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""The eight directions: rows down, columns to the right."""

FEW = 7
"""With fewer empty squares, counting replies costs a solver more than it gains."""


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64  # discs of the side to move
    theirs: u64  # discs of the other side
    moves: u64  # squares where the side to move may play; none if it must pass or the game is over
    player: int  # the side to move: 0 is Black, 1 White


def groups(size: int) -> tuple[tuple[int, ...], ...]:
    """An edge with the two squares inside its corners, a 3x3 corner and a 2x5 one, the lines next to the edge, and the
    diagonals of at least four squares."""
    n = size
    edge = (*range(n), n + 1, 2 * n - 2)
    square = tuple(r * n + c for r in range(3) for c in range(3))
    corner = tuple(r * n + c for r in range(2) for c in range(min(5, n)))
    lines = [tuple(r * n + c for c in range(n)) for r in range(1, n // 2)]
    diagonals = [tuple((i + start) * n + i for i in range(n - start)) for start in range(n - 3)]
    return (edge, square, corner, *lines, *diagonals)


class Othello(DiscFeatures):
    """Outflank the opponent's discs to flip them; whoever has more at the end wins."""

    name = "othello"
    symmetries = 8
    foresight = 12

    def __init__(self, size: int = 8, score: bool = False) -> None:
        if size not in (4, 6, 8):
            raise CounterplayError(f"othello: a board of size {size} is not supported: size is 4, 6 or 8")
        self.size, self.score = size, score
        self.skip = size * size  # the pass action
        self.full = u64((1 << size * size) - 1)
        self.file = u64(sum(1 << size * i for i in range(size)))  # the a-file
        self.rank = u64((1 << size) - 1)  # the first rank
        self.diagonal = u64(sum(1 << (size + 1) * i for i in range(size)))
        self.ways = np.array([down * size + right for down, right in STEPS], np.int64)
        # A disc on the border flips only along it: between these squares, no line leaves the board.
        self.insides = np.array([self.inside(down, right) for down, right in STEPS], np.uint64)
        self.corners = u64(1) * (1 | 1 << size - 1) * (1 | 1 << size * (size - 1))
        self.inside_corners = bit(size + 1) * (1 | 1 << size - 3) * (1 | 1 << size * (size - 3))  # the X-squares
        self.quarters = np.array([self.quarter(square) for square in range(size * size)], np.uint64)
        self.plane_shape = (2, size, size)
        self.policy_size = self.skip + 1
        self.sparse_size, self.sparse_most = 2 * self.skip, self.skip
        self.patterns = groups(size)
        self.stages = self.skip // 5
        if score:
            self.utility_bounds = self.evaluation_bounds = (-float(size * size), float(size * size))

    @property
    def expert(self) -> str:  # type: ignore[override]
        """The player that plays it best: the shipped model is for the usual board."""
        return "alphabeta:evaluation=othello,cuts=othello" if self.size == 8 and not self.score else ""

    def initial(self) -> State:
        low = self.size // 2 - 1
        black = bit(self.index(low, low + 1)) | bit(self.index(low + 1, low))
        white = bit(self.index(low, low)) | bit(self.index(low + 1, low + 1))
        return self.position(black, white, 0)

    def to_move(self, s: State) -> int:
        return s.player

    def actions(self, s: State, out: Actions) -> None:
        if not s.moves:
            out.append(self.skip)
        for square in ones(s.moves):
            out.append(square)

    def sample(self, s: State, rng: Rng) -> int:
        if not s.moves:
            return self.skip
        return nth(s.moves, rng.below(count(s.moves)))

    @inlined
    def result(self, s: State, action: int) -> State:
        if action == self.skip:
            return self.position(s.theirs, s.mine, 1 - s.player)
        disc, turned = bit(action), self.turned(action, s.mine, s.theirs)
        return self.position(s.theirs ^ turned, s.mine | disc | turned, 1 - s.player)

    def is_terminal(self, s: State) -> bool:
        return not s.moves and not self.mobility(s.theirs, s.mine)

    def utility(self, s: State, player: int) -> float:
        lead = count(s.mine) - count(s.theirs)
        if player != s.player:
            lead = -lead
        return self.payoff(lead)

    def payoff(self, lead: int) -> float:
        """A player's payoff for a lead of `lead` discs at the end."""
        return float(lead) if self.score else float((lead > 0) - (lead < 0))

    def key(self, s: State) -> u64:
        return mix(mix(s.mine) ^ s.theirs) + s.player

    # Lines of discs.

    def index(self, row: int, column: int) -> int:
        """The bit of a square."""
        return row * self.size + column

    def position(self, mine: u64, theirs: u64, player: int) -> State:
        """The state with these discs, `player` to move."""
        return State(mine, theirs, self.mobility(mine, theirs), player)

    @abreast
    def mobility(self, mine: u64, theirs: u64) -> u64:
        """The empty squares where a disc of `mine` would flip some of `theirs`."""
        found = u64(0)
        for way in range(8):
            step = int(self.ways[way])
            found |= self.along(self.line(mine, theirs & u64(self.insides[way]), step), step)
        return found & self.full & ~(mine | theirs)

    @abreast
    @inlined
    def turned(self, square: int, mine: u64, theirs: u64) -> u64:
        """The discs of `theirs` that are flipped when a disc on `square` joins `mine`."""
        found = u64(0)
        for way in range(8):
            step = int(self.ways[way])
            line = self.line(bit(square), theirs & u64(self.insides[way]), step)
            found |= line if self.along(line, step) & mine else u64(0)
        return found

    def line(self, start: u64, theirs: u64, step: int) -> u64:
        """The lines of `theirs` that begin beside `start` and go by `step`; the longest has size - 2 discs."""
        line = theirs & self.along(start, step)
        line |= theirs & self.along(line, step)
        pairs = theirs & self.along(theirs, step)
        for _ in range(self.size // 2 - 2):
            line |= pairs & self.along(line, 2 * step)
        return line

    def along(self, board: u64, step: int) -> u64:
        """All squares of `board` moved by `step`, as in a ring of 64."""
        return board << (step & 63) | board >> (-step & 63)

    # Evaluation.

    def evaluate(self, s: State, player: int) -> float:
        """Mobility, exposure, corners and the squares that give them away, safe edges, parity, weighted in discs.

        The weights are rounded from a least-squares fit to the results of 8x8 games between searches 4 plies deep.
        """
        empty = self.full & ~(s.mine | s.theirs)
        replies = self.mobility(s.theirs, s.mine)
        exposed = self.around(empty)
        risky = self.around(empty & self.corners) & self.inside_corners
        value = 1.0 * (count(s.moves) - count(replies))
        value -= 0.75 * (count(s.mine & exposed) - count(s.theirs & exposed))
        value += 5.0 * (count(s.mine & self.corners) - count(s.theirs & self.corners))
        value -= 4.5 * (count(s.mine & risky) - count(s.theirs & risky))
        value += 1.25 * (count(self.anchored(s.mine)) - count(self.anchored(s.theirs)))
        value += 3.0 if count(empty) & 1 else -3.0  # the last move, if nobody passes
        if player != s.player:
            value = -value
        if self.score:
            return min(max(value, -float(self.skip)), float(self.skip))
        return value / (16.0 + abs(value))

    def around(self, squares: u64) -> u64:
        """The squares beside `squares`, in all eight directions."""
        n = self.size
        right, left = squares & ~(self.file << (n - 1)), squares & ~self.file
        across = squares | right << 1 | left >> 1
        return (across | across << n | across >> n) & self.full

    def anchored(self, discs: u64) -> u64:
        """The discs on an edge in an unbroken line from a corner: they can never be flipped."""
        n = self.size
        left, right = discs & self.file, discs & self.file << (n - 1)
        top, bottom = discs & self.rank, discs & self.rank << n * (n - 1)
        safe = discs & self.corners
        for _ in range(n - 2):
            upright, across = safe << n | safe >> n, safe << 1 | safe >> 1
            safe |= upright & (left | right) | across & (top | bottom)
        return safe

    def ordering(self, s: State, action: int) -> int:
        """Corners first, then discs with few empty neighbours; moves that give up an empty corner late."""
        if action == self.skip:
            return 0
        square, empty = bit(action), self.full & ~(s.mine | s.theirs)
        quiet = -count(self.around(square) & empty)
        if square & self.corners:
            return quiet + 20
        return quiet - 5 if square & self.around(empty & self.corners) else quiet

    # Solving.

    @inlined
    def candidates(self, s: State, out: Actions) -> tuple[float, int, float, int]:
        """All actions; for the last empty square, just the outcome."""
        empty = self.full & ~(s.mine | s.theirs)
        if empty & (empty - 1):
            self.actions(s, out)
            return -INFINITY, 1, INFINITY, 1
        lead, plies = count(s.mine) - count(s.theirs), 1
        if s.moves:
            lead += 1 + 2 * count(self.turned(first(empty), s.mine, s.theirs))
        else:
            lead, plies = lead - 1 - 2 * count(self.turned(first(empty), s.theirs, s.mine)), 2
        value = self.payoff(lead)
        return value, plies, value, plies

    @inlined
    def solving_order(self, s: State, action: int) -> int:
        """Near the end, first into quarters with an odd number of empty squares, where one may move last; before that,
        moves that leave the other side the fewest moves, those into corners counted twice."""
        if action == self.skip:
            return 0
        square, empty = bit(action), self.full & ~(s.mine | s.theirs)
        odd = count(empty & u64(self.quarters[action])) & 1
        corner = 1 if square & self.corners else 0
        if count(empty) < FEW:
            return 2 * odd + corner
        turned = self.turned(action, s.mine, s.theirs)
        replies = self.mobility(s.theirs ^ turned, s.mine | square | turned)
        return 8 * corner + odd - 4 * (count(replies) + count(replies & self.corners))

    def remaining(self, s: State) -> int:
        return count(self.full & ~(s.mine | s.theirs))

    def inside(self, down: int, right: int) -> int:
        """The squares that have a neighbour on either side along a direction."""
        files = self.file | self.file << (self.size - 1) if right else u64(0)
        ranks = self.rank | self.rank << self.size * (self.size - 1) if down else u64(0)
        return int(self.full & ~(files | ranks))

    def quarter(self, square: int) -> int:
        """The quarter of the board that a square lies in."""
        half = self.size // 2
        row, column = square // self.size // half * half, square % self.size // half * half
        return sum(1 << self.index(row + r, column + c) for r in range(half) for c in range(half))

    # Symmetry and planes.

    def symmetric(self, s: State, k: int) -> State:
        return self.position(self.turn(s.mine, k), self.turn(s.theirs, k), s.player)

    def symmetric_action(self, action: int, k: int) -> int:
        if action == self.skip:
            return action
        row, column = action // self.size, action % self.size
        if k & 1:
            column = self.size - 1 - column
        if k & 2:
            row = self.size - 1 - row
        return self.index(column, row) if k & 4 else self.index(row, column)

    def turn(self, board: u64, k: int) -> u64:
        """The board mirrored left to right (k & 1), then upside down (k & 2), then over the main diagonal (k & 4)."""
        n = self.size
        if k & 1:
            seen = u64(0)
            for i in range(n):
                seen = seen << 1 | board >> i & self.file
            board = seen
        if k & 2:
            seen = u64(0)
            for i in range(n):
                seen = seen << n | board >> n * i & self.rank
            board = seen
        if k & 4:
            for i in range(1, n):  # exchange the i-th diagonals beside the main one
                shift = i * (n - 1)
                change = (board ^ board >> shift) & (self.diagonal >> i * (n + 1)) << i
                board ^= change | change << shift
        return board

    def planes(self, s: State, out: Any) -> None:
        for square in ones(s.mine):
            out[0, square // self.size, square % self.size] = 1
        for square in ones(s.theirs):
            out[1, square // self.size, square % self.size] = 1

    # Learning: the patterns of Othello programs (Buro 1997), with new weights every five discs.

    def stones(self, s: State) -> tuple[u64, u64]:
        return s.mine, s.theirs

    def stage(self, s: State) -> int:
        return min(max(count(s.mine | s.theirs) - 5, 0) // 5, self.stages - 1)

    # Notation: squares a1, b1, ... and pass; positions as rows from the top and the side to move, such as
    # "..../.ox./.xo./.... x".

    def action_text(self, s: State, action: int) -> str:
        return "pass" if action == self.skip else self.square_text(action)

    def square_text(self, square: int) -> str:
        """The name of a square."""
        return f"{'abcdefgh'[square % self.size]}{square // self.size + 1}"

    def rows(self, s: State) -> list[str]:
        """The rows from the top, a character per square."""
        black, white = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
        squares = ["x" if black & bit(i) else "o" if white & bit(i) else "." for i in range(self.skip)]
        return ["".join(squares[i : i + self.size]) for i in range(0, self.skip, self.size)]

    def position_text(self, s: State) -> str:
        return f"{'/'.join(self.rows(s))} {DISCS[s.player]}"

    def parse_position(self, text: str) -> State:
        squares, _, mover = text.strip().lower().rpartition(" ")
        if mover not in ("x", "o"):
            raise InvalidPosition(f"{self.spec}: a position ends with a space and the side to move, x or o")
        boards = {"x": u64(0), "o": u64(0), ".": u64(0)}
        for r, row in enumerate(read_rows(squares, self.size, self.size, ".xo", self.spec)):
            for c, disc in enumerate(row):
                boards[disc] |= bit(self.index(r, c))
        self.check_discs(self.full & ~boards["."])
        mine, theirs = (boards["x"], boards["o"]) if mover == "x" else (boards["o"], boards["x"])
        return self.position(mine, theirs, DISCS.index(mover))

    def check_discs(self, discs: u64) -> None:
        """Refuse discs that no play can produce: it starts in the middle, and each disc is placed beside another."""
        first = self.initial()
        middle = first.mine | first.theirs
        for square in ones(middle & ~discs):
            raise InvalidPosition(f"{self.spec}: {self.square_text(square)} is empty, but the middle never is")
        joined, before = middle, u64(0)
        while joined != before:
            joined, before = self.around(joined) & discs, joined
        for square in ones(discs & ~joined):
            raise InvalidPosition(f"{self.spec}: the disc on {self.square_text(square)} is not joined to the others")

    def board(self, s: State, viewer: int | None = None) -> str:
        files = "  " + " ".join("abcdefgh"[: self.size])
        return "\n".join([files, *(f"{r} {' '.join(row)}" for r, row in enumerate(self.rows(s), 1))])

    def player_name(self, player: int) -> str:
        return NAMES[player]

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        return othello_drawing.diagram(self, s)

    def value_text(self, value: float, plies: int | None = None) -> str:
        """In discs: on the usual board, the estimate of the best player is the part of 64 that it expects to win by; on
        small boards it is `evaluate`'s."""
        if self.score or (plies is None and abs(value) < 1):
            lead = value if self.score else 64 * value if self.size == 8 else 16 * value / (1 - abs(value))
            return f"{lead:+.3g} discs"
        return ""

    def ending(self, s: State) -> str:
        most, least = sorted((count(s.mine), count(s.theirs)), reverse=True)
        return f"{most} to {least}"
