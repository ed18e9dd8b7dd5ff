"""Stones on a Go board as bitboards: chains, liberties, captures, eyes, area.

One integer holds the stones of a colour, row by row from the top, with an empty guard column to the right of each row:
a shift by one then never leads from one row into another, and bits on guards are masked away. A chain is followed by
shifting whole boards, all stones at once, so nothing must be kept up to date between moves.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, cast, get_type_hints

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.bits import count, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt, u64

NOWHERE = -1
"""No point."""


class State(NamedTuple):
    """A position, seen by the side to move; `state_class` makes the class for each board width."""

    mine: WideInt  # stones of the side to move
    theirs: WideInt  # stones of the other side
    stones: u64  # Zobrist's hash of both (1970), which may not recur
    ko: int  # the point that may not be retaken at once, or NOWHERE
    last: int  # the point of the last stone, or NOWHERE: at the start, after a pass, after a suicide
    passes: int  # consecutive passes; two end the game
    player: int  # the side to move: 0 is Black, 1 White


@cache
def state_class(width: int) -> type[State]:
    """The class of states whose boards have `width` bits."""
    fields = [(name, Wide(width) if kind is WideInt else kind) for name, kind in get_type_hints(State).items()]
    made: Any = NamedTuple(f"State{width}", fields)  # type: ignore[misc]
    return cast(type[State], state(made))


State64, State128, State192 = state_class(64), state_class(128), state_class(192)
State256, State320, State384 = state_class(256), state_class(320), state_class(384)


class Stones(Game):
    """A board of `size` rows and columns. A *point* is the index of a bit."""

    def __init__(self, size: int) -> None:
        if not 2 <= size <= 19:
            raise CounterplayError(f"go: a board of size {size} is not supported: size is 2 to 19")
        self.size, self.stride = size, size + 1
        self.skip = size * size  # the pass action; the others count the points row by row, without guards
        width = -(-size * self.stride // 64) * 64
        self.Board, self.State = Wide(width), state_class(width)
        row = (1 << size) - 1
        full = sum(row << self.stride * r for r in range(size))
        inner = sum((row >> 2 << 1) << self.stride * r for r in range(1, size - 1))
        self.full, self.edge = self.Board(full), self.Board(full & ~inner)
        rng = Rng(1970)
        self.zobrist = np.array([[rng.bits() for _ in range(size * self.stride)] for _ in range(2)], np.uint64)

    # Points and actions.

    def point(self, action: int) -> int:
        """The point where an action puts its stone."""
        return action + action // self.size

    def action(self, point: int) -> int:
        """The action that puts a stone on `point`."""
        return point - point // self.stride

    def at(self, point: int) -> Any:
        """The board with one stone."""
        return self.Board(1) << point

    def empty(self, s: State) -> Any:
        """The points without a stone."""
        return self.full ^ s.mine ^ s.theirs

    def hashed(self, black: Any, white: Any) -> u64:
        """Zobrist's hash of the stones on the board."""
        h = u64(0)
        for point in ones(black):
            h ^= u64(self.zobrist[0, point])
        for point in ones(white):
            h ^= u64(self.zobrist[1, point])
        return h

    # Chains.

    def near(self, points: Any) -> Any:
        """The points beside `points` in the four directions, including guards and bits off the board."""
        return points << 1 | points >> 1 | points << self.stride | points >> self.stride

    def airy(self, empty: Any) -> Any:
        """The points beside at least two empty ones: a new stone beside them leaves them one."""
        a, b, c, d = empty << 1, empty >> 1, empty << self.stride, empty >> self.stride
        return a & b | c & d | (a | b) & (c | d)

    def spread(self, start: Any, points: Any) -> Any:
        """`start` and those among `points` that are connected to it."""
        while True:
            more = start | self.near(start) & points
            if more == start:
                return start
            start = more

    def breathless(self, stone: Any, stones: Any, empty: Any) -> Any:
        """The chain of `stone` among `stones` if it touches no empty point, else nothing."""
        chain = stone
        while True:
            around = self.near(chain)
            if around & empty:
                return self.Board(0)
            more = chain | around & stones
            if more == chain:
                return chain
            chain = more

    def captured(self, stone: Any, theirs: Any, empty: Any) -> Any:
        """The stones of `theirs` that a `stone` on an empty point captures."""
        suspects = self.near(stone) & theirs & ~self.airy(empty)
        rest, taken = empty ^ stone, self.Board(0)
        while suspects:
            one = suspects & -suspects
            chain = self.breathless(one, theirs, rest)
            taken |= chain
            suspects &= ~(one | chain)
        return taken

    def is_safe(self, stone: Any, mine: Any, theirs: Any, empty: Any) -> bool:
        """Whether a `stone` of mine on an empty point without empty neighbours captures something or leaves its chain a
        liberty."""
        rest = empty ^ stone
        around, air = self.near(stone), self.airy(empty)
        friends = around & mine
        if friends & air:
            return True
        suspects = around & theirs & ~air
        while suspects:
            one = suspects & -suspects
            if self.breathless(one, theirs, rest):
                return True
            suspects ^= one
        while friends:
            one = friends & -friends
            if not self.breathless(one, mine, rest):
                return True
            friends ^= one
        return False

    def dead(self, stones: Any, empty: Any) -> Any:
        """The ones among `stones` whose chains have no liberty."""
        return stones & ~self.spread(stones & self.near(empty), stones)

    def in_danger(self, stones: Any, empty: Any) -> tuple[Any, Any]:
        """The ones among `stones` whose chains have one liberty, and those whose chains have two."""
        a, b, c, d = empty << 1, empty >> 1, empty << self.stride, empty >> self.stride
        three_beside = a & b & (c | d) | c & d & (a | b)
        rest = stones & ~self.spread(stones & three_beside, stones)
        alone, airy = rest & ~self.near(stones), self.airy(empty)
        one, two = alone & ~airy, alone & airy
        rest ^= alone
        while rest:
            chain = self.spread(rest & -rest, stones)
            rest &= ~chain
            air = self.near(chain) & empty
            if is_single(air):
                one |= chain
            elif is_single(air & (air - 1)):
                two |= chain
        return one, two

    def eyes(self, mine: Any, theirs: Any, empty: Any) -> Any:
        """The empty points that are eyes of `mine`: surrounded by own stones, with at most one diagonal point (at the
        edge, none) of the other side's."""
        eyes = empty & ~self.near(empty | theirs)
        if not eyes:
            return eyes
        n = self.stride
        a, b, c, d = theirs << (n + 1), theirs >> (n + 1), theirs << (n - 1), theirs >> (n - 1)
        some, two = a | b | c | d, a & b | c & d | (a | b) & (c | d)
        return eyes & ~two & ~(some & self.edge)

    def settled(self, mine: Any) -> Any:
        """The stones of `mine` that cannot be captured even if their owner always passes, and the regions that make
        them safe (after Benson 1976).

        A region is a connected set of points that are not `mine`. A chain is safe if it borders at least two regions
        all of whose points it touches and that touch only safe chains: the other side cannot fill both. Benson requires
        this of a region's empty points only; as it is required of all its points here, the owner can also capture
        whatever the other side plays there.
        """
        rest = self.full ^ mine
        safe, regions = mine, rest
        while True:
            kept, kept_regions, chains = self.Board(0), self.Board(0), safe
            while chains:
                chain = self.spread(chains & -chains, mine)
                chains &= ~chain
                eyes = self.enclosed(chain, regions, rest)
                if eyes and self.spread(eyes & -eyes, eyes) != eyes:
                    kept |= chain
                    kept_regions |= eyes
            if kept == safe:
                return kept | kept_regions
            safe = kept
            regions = rest & ~self.spread(self.near(mine ^ safe) & rest, rest)

    def enclosed(self, chain: Any, regions: Any, rest: Any) -> Any:
        """The regions, parts of `rest`, all of whose points `chain` touches."""
        return regions & ~self.spread(regions & ~self.near(chain), rest)

    def lead(self, mine: Any, theirs: Any) -> int:
        """The lead of `mine` in area: stones, and empty points that reach stones of only one colour."""
        empty = self.full ^ mine ^ theirs
        my_reach, their_reach = self.spread(mine, empty), self.spread(theirs, empty)
        return count(my_reach & ~their_reach) - count(their_reach & ~my_reach)


def is_single(points: Any) -> bool:
    """Whether there is at most one point."""
    return not points & (points - 1)
