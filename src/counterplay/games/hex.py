"""Hex: connect your two edges of a rhombus of hexagons before your opponent connects theirs.

Two players take turns placing a stone on any empty cell. Red (x), who begins, wins by a chain of red stones from the
top edge to the bottom edge; Blue (o) wins by a chain from the left edge to the right edge. There is always exactly one
winner: a full board connects one of them, never both (Hein 1942; Nash 1949, who also showed by strategy stealing that
the first player wins on every size; Gale 1979).

Cells are written as a letter for the column and a number for the row, from the top: a1, b1, ... Each row lies half a
cell to the right of the one above, so b2 touches b1, c1, a2, c2, a3 and b3.

With `swap`, the second player may answer the first stone with "swap": the stone becomes theirs, reflected in the long
diagonal (a1-b2-c3-...), so it is worth as much to them as it was to the first player. This makes strong openings
useless.

For each player the state holds the stones and which of them are linked to their first edge (top or left). A new stone
that touches a linked one links everything connected to it, so each stone is linked once in a game, and a win is seen by
looking at the far edge.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, cast, get_type_hints

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram, hexagons
from counterplay.core.formats.text import read_rows
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import count, nth, ones
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt, u64

STONES = "xo"
NAMES = ("red (x)", "blue (o)")
LOOKS = {"x": "red disc", "o": "blue disc"}
EDGES = ("#d0453a", "#3267b8")
LETTERS = "abcdefghijklm"


class State(NamedTuple):
    """A position, seen by the side to move; `state_class` makes the class for each board width."""

    mine: WideInt  # stones of the side to move
    theirs: WideInt  # stones of the other side
    my_linked: WideInt  # those of mine that are connected to my first edge
    their_linked: WideInt
    ply: int
    won: bool  # the last move connected the other side's edges


@cache
def state_class(width: int) -> type[State]:
    """The class of states whose boards have `width` bits."""
    fields = [(name, Wide(width) if kind is WideInt else kind) for name, kind in get_type_hints(State).items()]
    made: Any = NamedTuple(f"State{width}", fields)  # type: ignore[misc]
    return cast(type[State], state(made))


State64, State128, State192 = state_class(64), state_class(128), state_class(192)


class Hex(Game):
    """Connect your two edges before your opponent connects theirs."""

    name = "hex"
    symmetries = 2

    def __init__(self, size: int = 11, swap: bool = False) -> None:
        if not 1 <= size <= 13:
            raise CounterplayError(f"hex: a board of size {size} is not supported: size is 1 to 13")
        self.size, self.swap = size, swap
        self.cells = size * size  # as an action: swap
        width = -(-self.cells // 64) * 64
        self.Board, self.State = Wide(width), state_class(width)
        self.full = self.Board((1 << self.cells) - 1)
        self.top = self.Board((1 << size) - 1)
        self.bottom = self.top << size * (size - 1)
        self.left = self.Board(sum(1 << size * row for row in range(size)))
        self.right = self.left << (size - 1)
        self.plane_shape = (2, size, size)
        self.policy_size = self.cells + swap
        self.sparse_size, self.sparse_most = 2 * self.cells, self.cells
        beside = [int(self.near(self.Board(1) << cell) & self.full) for cell in range(self.cells)]
        self.words = width // 64
        self.beside = np.array([[b >> 64 * k & 2**64 - 1 for k in range(self.words)] for b in beside], np.uint64)

    def initial(self) -> State:
        none = self.Board(0)
        return self.State(none, none, none, none, 0, False)

    def to_move(self, s: State) -> int:
        return s.ply % 2

    def actions(self, s: State, out: Actions) -> None:
        for cell in ones(self.full ^ s.mine ^ s.theirs):
            out.append(cell)
        if self.swap and s.ply == 1:
            out.append(self.cells)

    def sample(self, s: State, rng: Rng) -> int:
        if self.swap and s.ply == 1 and rng.below(self.cells) == 0:  # as likely as each of the cells - 1 others
            return self.cells
        empty = self.full ^ s.mine ^ s.theirs
        return nth(empty, rng.below(count(empty)))

    def result(self, s: State, action: int) -> State:
        if action == self.cells:
            return self.swapped(s)
        player = s.ply % 2
        stone = self.Board(1) << action
        around, linked = self.neighbours(action), s.my_linked
        if (around & linked) | (stone & self.first_edge(player)):
            linked |= stone
            loose = around & s.mine & ~linked
            if loose:
                linked |= self.spread(loose, s.mine & ~linked)
        won = bool(linked & self.far_edge(player))
        return self.State(s.theirs, s.mine | stone, s.their_linked, linked, s.ply + 1, won)

    def swapped(self, s: State) -> State:
        """The first stone, reflected, as the second player's."""
        none = self.Board(0)
        stone = self.reflect(s.theirs)
        return self.State(none, stone, none, stone & self.left, s.ply + 1, False)

    def is_terminal(self, s: State) -> bool:
        return s.won

    def sparse_features(self, s: State, player: int, out: Actions) -> None:
        """Each stone on its cell, one's own first; the second player sees the board reflected, edges as the first does."""
        own, other = (s.mine, s.theirs) if s.ply % 2 == player else (s.theirs, s.mine)
        for cell in ones(own):
            out.append(self.seen_cell(cell, player))
        for cell in ones(other):
            out.append(self.cells + self.seen_cell(cell, player))

    def sparse_changes(self, s: State, action: int, player: int, out: Actions) -> bool:
        if action == self.cells:
            return False  # the stone changes hands
        out.append(self.seen_cell(action, player) + (0 if s.ply % 2 == player else self.cells))
        return True

    def seen_cell(self, cell: int, player: int) -> int:
        """A cell as a player sees it."""
        return cell if player == 0 else cell % self.size * self.size + cell // self.size

    def utility(self, s: State, player: int) -> float:
        return -1.0 if player == s.ply % 2 else 1.0

    def key(self, s: State) -> u64:
        h = mix(u64(s.ply))  # a swap makes the same stones at another ply
        for shift in range(0, 64 * self.words, 64):
            h = mix(mix(h ^ u64(s.mine >> shift)) ^ u64(s.theirs >> shift))
        return h

    # The board: bits row by row from the top. The first player's first edge is the top, the second's the left.

    def first_edge(self, player: int) -> Any:
        """The edge where `player`'s chains start."""
        return self.top if player == 0 else self.left

    def far_edge(self, player: int) -> Any:
        """The edge where `player`'s chains end."""
        return self.bottom if player == 0 else self.right

    def near(self, cells: Any) -> Any:
        """The cells beside `cells`, in all six directions (and perhaps bits beyond the board)."""
        n = self.size
        forth, back = cells & ~self.right, cells & ~self.left
        return cells << n | cells >> n | forth << 1 | back >> 1 | forth >> (n - 1) | back << (n - 1)

    def neighbours(self, cell: int) -> Any:
        """The cells beside one cell, from the table: a sixth faster in random play than `near`."""
        found = self.Board(0)
        for k in range(self.words):
            found |= self.Board(self.beside[cell, k]) << 64 * k
        return found

    def spread(self, start: Any, cells: Any) -> Any:
        """`start` and the cells among `cells` that are connected to it."""
        reached, edge = start, start
        while edge:
            edge = self.near(edge) & cells & ~reached
            reached |= edge
        return reached

    def reflect(self, cells: Any) -> Any:
        """The cells reflected in the long diagonal, rows to columns."""
        seen = self.Board(0)
        for cell in ones(cells):
            seen |= self.Board(1) << (cell % self.size * self.size + cell // self.size)
        return seen

    # Evaluation.

    def evaluate(self, s: State, player: int) -> float:
        """The difference of the stones that both sides still need for a chain if the other passed; half a stone for the
        move."""
        mover = s.ply % 2
        mine = self.distance(s.mine, s.theirs, s.my_linked, mover)
        theirs = self.distance(s.theirs, s.mine, s.their_linked, 1 - mover)
        value = (theirs - mine + 0.5) / (self.size + 1)
        return value if player == mover else -value

    def distance(self, mine: Any, theirs: Any, linked: Any, player: int) -> int:
        """The stones that `player` still needs for a chain; more than any chain has if they are cut off."""
        start, far = self.first_edge(player), self.far_edge(player)
        free = self.full & ~theirs
        reached, steps = linked, 0
        while not reached & far:
            step = (self.near(reached) | start) & free & ~reached
            if not step:
                return self.size
            reached |= self.spread(step, mine & ~reached)
            steps += 1
        return steps

    def ordering(self, s: State, action: int) -> int:
        """The middle first, and cells beside stones before others."""
        if action == self.cells:
            return 0
        down, right = 2 * (action // self.size) + 1 - self.size, 2 * (action % self.size) + 1 - self.size
        touching = 2 if self.neighbours(action) & (s.mine | s.theirs) else 0
        return touching - max(abs(down), abs(right), abs(down + right))

    def allows_null(self, s: State) -> bool:
        return s.ply > 1  # an extra stone never harms

    def null(self, s: State) -> State:
        return self.State(s.theirs, s.mine, s.their_linked, s.my_linked, s.ply + 1, False)

    # Symmetry and planes.

    def symmetric(self, s: State, k: int) -> State:
        if k == 0:
            return s
        mine, theirs, player = self.rotate(s.mine), self.rotate(s.theirs), s.ply % 2
        my_linked, their_linked = self.linked(mine, player), self.linked(theirs, 1 - player)
        return self.State(mine, theirs, my_linked, their_linked, s.ply, s.won)

    def symmetric_action(self, action: int, k: int) -> int:
        return action if k == 0 or action == self.cells else self.cells - 1 - action

    def rotate(self, cells: Any) -> Any:
        """The cells turned by half a turn."""
        n, upside_down, seen = self.size, self.Board(0), self.Board(0)
        for i in range(n):
            upside_down = upside_down << n | cells >> n * i & self.top
        for i in range(n):
            seen = seen << 1 | upside_down >> i & self.left
        return seen

    def linked(self, stones: Any, player: int) -> Any:
        """The stones of `player` that are connected to their first edge."""
        return self.spread(stones & self.first_edge(player), stones)

    def planes(self, s: State, out: Any) -> None:
        for side, stones in enumerate((s.mine, s.theirs)):
            for cell in ones(stones):
                seen = self.policy_index(s, cell)
                out[side, seen // self.size, seen % self.size] = 1

    def policy_index(self, s: State, action: int) -> int:
        if s.ply % 2 == 0 or action == self.cells:
            return action
        return action % self.size * self.size + action // self.size

    # Notation: cells a1, b1, ... and swap; positions as rows from the top, such as ".x./.o./..." (x to move if there
    # are as many x as o); with swap, which hides whose turn it is, followed by the side to move.

    def action_text(self, s: State, action: int) -> str:
        return "swap" if action == self.cells else f"{LETTERS[action % self.size]}{action // self.size + 1}"

    def rows(self, s: State) -> list[str]:
        """The rows from the top, a character per cell."""
        red, blue = (s.mine, s.theirs) if s.ply % 2 == 0 else (s.theirs, s.mine)
        cells = ["x" if red >> i & 1 else "o" if blue >> i & 1 else "." for i in range(self.cells)]
        return ["".join(cells[i : i + self.size]) for i in range(0, self.cells, self.size)]

    def position_text(self, s: State) -> str:
        return "/".join(self.rows(s)) + (f" {STONES[s.ply % 2]}" if self.swap else "")

    def parse_position(self, text: str) -> State:
        text, mover = text.strip().lower(), ""
        if self.swap:
            text, _, mover = text.rpartition(" ")
            if mover not in ("x", "o"):
                raise InvalidPosition(f"{self.spec}: a position ends with a space and the side to move, x or o")
        boards = {"x": self.Board(0), "o": self.Board(0), ".": self.Board(0)}
        for r, row in enumerate(read_rows(text, self.size, self.size, ".xo", self.spec)):
            for c, stone in enumerate(row):
                boards[stone] |= self.Board(1) << (r * self.size + c)
        ply = self.plies(count(boards["x"]), count(boards["o"]), mover)
        stones, linked = (boards["x"], boards["o"]), (self.linked(boards["x"], 0), self.linked(boards["o"], 1))
        player, other = ply % 2, 1 - ply % 2
        if linked[player] & self.far_edge(player):
            name = STONES[player]
            raise InvalidPosition(f"{self.spec}: {name} has connected its edges, but it is {name}'s turn")
        won = bool(linked[other] & self.far_edge(other))
        if won and not self.hinges(stones[other], other):
            raise InvalidPosition(f"{self.spec}: no single stone can have made all connections of {STONES[other]}")
        return self.State(stones[player], stones[other], linked[player], linked[other], ply, won)

    def hinges(self, stones: Any, player: int) -> bool:
        """Whether a single stone, the last one played, completes `player`'s connection."""
        rests = (stones ^ self.Board(1) << cell for cell in ones(stones))
        return any(not self.linked(rest, player) & self.far_edge(player) for rest in rests)

    def plies(self, red: int, blue: int, mover: str) -> int:
        """The number of actions before a position with these numbers of stones, `mover` to move (which swap needs to
        know)."""
        if red - blue == (red + blue) % 2 and mover in ("", STONES[red - blue]):
            return red + blue
        if not mover:
            raise InvalidPosition(f"{self.spec}: x moves first, so there must be as many x as o, or one more")
        if blue and (red - blue, mover) in ((0, "o"), (-1, "x")):
            return red + blue + 1  # the first stone was swapped
        wrong = f"{red} x and {blue} o with {mover} to move is impossible"
        raise InvalidPosition(f"{self.spec}: {wrong}: the players alternate, and at most one swap takes over a stone")

    def board(self, s: State, viewer: int | None = None) -> str:
        lines = ["   " + " ".join(LETTERS[: self.size])]
        lines += [f"{' ' * r}{r + 1:2} {' '.join(row)}" for r, row in enumerate(self.rows(s))]
        return "\n".join(lines)

    def player_name(self, player: int) -> str:
        return NAMES[player]

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        chain = [f"{LETTERS[cell % self.size]}{cell // self.size + 1}" for cell in ones(self.winning_chain(s))]
        return hexagons(self.rows(s), LOOKS, edges=EDGES, line=chain)

    def ending(self, s: State) -> str:
        return "with a chain from edge to edge"

    def winning_chain(self, s: State) -> Any:
        """The stones of the connection that has won, none before the end."""
        far = self.far_edge(1 - s.ply % 2)
        return self.spread(s.their_linked & far, s.their_linked) if s.won else self.Board(0)
