"""Hex: connect your two edges of a rhombus of hexagons before the other player connects his.

Two players take turns to put a stone on any empty cell. Red (x), who begins, wins by a chain of red stones from the
top edge to the bottom edge; Blue (o) wins by a chain from the left edge to the right edge. There is always exactly
one winner: a full board connects one of them, never both (Hein 1942; Nash 1949, who also showed that the first
player wins on every size by stealing strategies; Gale 1979).

Cells are written as a letter for the column and a number for the row, from the top: a1, b1, ... Each row lies half
a cell to the right of the one above, so that b2 touches b1, c1, a2, c2, a3 and b3.

With `swap`, the second player may answer the first stone by "swap": the stone becomes his, reflected in the long
diagonal (a1-b2-c3-...), so that it does for him just what it did for the first player. This makes strong openings
useless.

For each player the state holds the stones and which of them are linked to his first edge (top or left). A new
stone that touches a linked one links all that hang on it, so that each stone is linked once in a game, and a win is
seen by a look at the far edge.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, cast, get_type_hints

from counterplay.core.actions import Actions
from counterplay.core.bits import count, nth, ones
from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.game import Game
from counterplay.core.rng import Rng
from counterplay.core.state import state
from counterplay.core.svg import label, picture, polygon, rect
from counterplay.core.text import read_rows
from counterplay.core.wide import Wide, WideInt

STONES = "xo"
NAMES = ("red (x)", "blue (o)")
COLOURS = ("#cc3a32", "#2f62b5")
LETTERS = "abcdefghijklm"


class State(NamedTuple):
    """A position, seen by the side to move; `state_class` makes the form for each width of board."""

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
    return cast(type[State], state(NamedTuple(f"State{width}", fields)))  # type: ignore[misc]


State64, State128, State192 = state_class(64), state_class(128), state_class(192)


class Hex(Game):
    """Connect your two edges before the other player connects his."""

    name = "hex"
    symmetries = 2

    def __init__(self, size: int = 11, swap: bool = False) -> None:
        if not 1 <= size <= 13:
            raise CounterplayError(f"hex: a board of size {size} is not played: size is 1 to 13")
        self.size, self.swap = size, swap
        self.cells = size * size  # as an action: to swap
        width = -(-self.cells // 64) * 64
        self.Board, self.State = Wide(width), state_class(width)
        self.full = self.Board((1 << self.cells) - 1)
        self.top = self.Board((1 << size) - 1)
        self.bottom = self.top << size * (size - 1)
        self.left = self.Board(sum(1 << size * row for row in range(size)))
        self.right = self.left << (size - 1)
        self.plane_shape = (3, size, size)

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
        linked = s.my_linked
        if (self.near(stone) & linked) | (stone & self.first_edge(player)):
            linked |= self.spread(stone, s.mine ^ linked)
        won = bool(linked & self.far_edge(player))
        return self.State(s.theirs, s.mine | stone, s.their_linked, linked, s.ply + 1, won)

    def swapped(self, s: State) -> State:
        """The first stone, reflected, as the second player's."""
        none = self.Board(0)
        stone = self.reflect(s.theirs)
        return self.State(none, stone, none, stone & self.left, s.ply + 1, False)

    def is_terminal(self, s: State) -> bool:
        return s.won

    def utility(self, s: State, player: int) -> float:
        return -1.0 if player == s.ply % 2 else 1.0

    # The board: bits row by row from the top. The first player's first edge is the top, the second's the left.

    def first_edge(self, player: int) -> Any:
        """Where the chains of `player` start."""
        return self.top if player == 0 else self.left

    def far_edge(self, player: int) -> Any:
        """Where the chains of `player` end."""
        return self.bottom if player == 0 else self.right

    def near(self, cells: Any) -> Any:
        """The cells beside `cells`, in all six directions (and perhaps bits beyond the board)."""
        n = self.size
        forth, back = cells & ~self.right, cells & ~self.left
        return cells << n | cells >> n | forth << 1 | back >> 1 | forth >> (n - 1) | back << (n - 1)

    def spread(self, start: Any, cells: Any) -> Any:
        """`start` and those of `cells` that are connected to it."""
        reached, edge = start, start
        while edge:
            cells ^= edge & cells
            edge = self.near(edge) & cells
            reached |= edge
        return reached

    def reflect(self, cells: Any) -> Any:
        """The cells reflected in the long diagonal, rows to columns."""
        seen = self.Board(0)
        for cell in ones(cells):
            seen |= self.Board(1) << (cell % self.size * self.size + cell // self.size)
        return seen
