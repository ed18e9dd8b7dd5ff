"""Checkers endings of two to five pieces by number: which class of material a position belongs to, and which place it has
there.

A class such as KM-K has a king and a man against a king; the first side is Black, and a position with the colours the
other way round is the same with the board turned. An index has who is to move, then where Black's men, Black's kings,
White's men and White's kings stand, each group as a combination of squares: of 28 for men, which are crowned on the last
four, and of 32 for kings.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from counterplay.core.language.bits import bit, count, first, last
from counterplay.core.language.wide import u64
from counterplay.games.checkers.board import BLACK, State

CLASS, SWAPPED = 41, 40
"""Where in a number its class begins, and the bit that says that the colours were exchanged."""
MOST = 5
"""Pieces."""
MAN, KING = 28, 32
"""The squares that a piece may stand on."""


class CheckersEndings:
    """A part for `derive`: positions by class and index. `endings_tables` has its attributes."""

    def ending_number(self: Any, s: State) -> int:
        """The class and the index of `s`, and whether its colours were exchanged; -1 where it has none."""
        black, white = (s.mine, s.theirs) if s.player == BLACK else (s.theirs, s.mine)
        if count(black | white) > MOST or not black or not white:
            return -1
        kings = s.kings
        known = self.ending_class[
            count(black & ~kings), count(black & kings), count(white & ~kings), count(white & kings)
        ]
        k, swapped, side = known >> 1, known & 1, s.player
        if swapped:
            black, white, side = white, black, 1 - side
        index = self.ending_places(side, black & ~kings, swapped, MAN, 0)
        index = self.ending_places(index, black & kings, swapped, KING, 0)
        index = self.ending_places(index, white & ~kings, swapped, MAN, KING - MAN)
        index = self.ending_places(index, white & kings, swapped, KING, 0)
        return k << CLASS | swapped << SWAPPED | index

    def ending_places(self: Any, index: int, pieces: u64, turned: int, squares: int, low: int) -> int:
        """An index with the squares of some pieces behind it, the board perhaps turned: the number of their combination
        (Pascal, Lehmer), the sum of the binomials of each square in order over 1, 2, ..."""
        rest, rank, i = pieces, 0, 0
        while rest:
            cell = last(rest) if turned else first(rest)
            rest ^= bit(cell)
            square = cell - cell // 9
            i += 1
            rank += self.ending_binomials[(31 - square if turned else square) - low, i]
        return index * self.ending_binomials[squares, i] + rank

    def ending_state(self: Any, k: int, index: int) -> State:
        """The state of an index of a class; see `is_ending` whether there is one."""
        black, white, kings = u64(0), u64(0), u64(0)
        for group in range(3, -1, -1):
            squares = KING if group & 1 else MAN
            low = KING - MAN if group == 2 else 0
            pieces = self.ending_counts[k, group]
            rank, index = (
                index % self.ending_binomials[squares, pieces],
                index // self.ending_binomials[squares, pieces],
            )
            square = squares
            for i in range(pieces, 0, -1):
                square -= 1
                while self.ending_binomials[square, i] > rank:
                    square -= 1
                rank -= self.ending_binomials[square, i]
                here = bit(square + low + (square + low) // 8)
                if group < 2:
                    black |= here
                else:
                    white |= here
                if group & 1:
                    kings |= here
        mine, theirs = (black, white) if index == BLACK else (white, black)
        return State(mine, theirs, kings, index, 0)

    def is_ending(self: Any, k: int, index: int, s: State) -> bool:
        """Whether `s`, the state of an index, is a position: no two pieces on a square. (Each has one index only.)"""
        total = 0
        for group in range(4):
            total += self.ending_counts[k, group]
        return count(s.mine | s.theirs) == total and not s.mine & s.theirs

    def ending_clock(self: Any, s: State) -> int:
        """How many plies the clock that ends in a draw still allows."""
        return self.limit - s.quiet


Side = tuple[int, int]
"""Men and kings."""
SIDES: list[Side] = [(men, kings) for men, kings in itertools.product(range(MOST), repeat=2) if 0 < men + kings < MOST]


def strength(side: Side) -> tuple[int, int]:
    """What comes first in the name of a class: more pieces, then more kings."""
    return sum(side), side[1]


CLASSES = tuple(
    (*one, *two)
    for one, two in sorted(itertools.product(SIDES, repeat=2), key=lambda pair: (sum(pair[0] + pair[1]), pair))
    if sum(one) + sum(two) <= MOST and strength(one) >= strength(two)
)
NAMES = tuple(f"{'K' * b}{'M' * a}-{'K' * d}{'M' * c}" for a, b, c, d in CLASSES)


def class_of(one: Side, two: Side) -> int:
    """The class of two sides, either of which may be first."""
    return int(class_table()[one + two]) >> 1


def leads_to(k: int) -> list[int]:
    """The classes that jumps and crownings lead to."""
    one, two = CLASSES[k][:2], CLASSES[k][2:]
    found = {class_of(*after) for mover, other in ((one, two), (two, one)) for after in afterwards(mover, other)}
    return sorted(found - {k})


def afterwards(mover: Side, other: Side) -> list[tuple[Side, Side]]:
    """What both sides may have after a move."""
    crowned = [mover, *([(mover[0] - 1, mover[1] + 1)] if mover[0] else [])]
    left = [(men, kings) for men in range(other[0] + 1) for kings in range(other[1] + 1) if men + kings]
    return list(itertools.product(crowned, left))


@functools.cache
def class_table() -> np.ndarray:
    """[men, kings, men, kings] of Black and White: the class, doubled, plus 1 where colours are to be exchanged."""
    table = np.full((MOST + 1,) * 4, -1, np.int64)
    for k, (a, b, c, d) in enumerate(CLASSES):
        table[c, d, a, b] = 2 * k + 1
        table[a, b, c, d] = 2 * k
    return table


def endings_tables() -> dict[str, Any]:
    """The attributes of `CheckersEndings`."""
    binomials = np.array([[math.comb(n, i) for i in range(MOST + 1)] for n in range(KING + 1)], np.int64)
    return {
        "ending_class": class_table(),
        "ending_counts": np.array(CLASSES, np.int64),
        "ending_binomials": binomials,
    }


PART = CheckersEndings
SIZES = tuple(
    2 * math.comb(MAN, a) * math.comb(KING, b) * math.comb(MAN, c) * math.comb(KING, d) for a, b, c, d in CLASSES
)
COUNTS = tuple(sum(each) for each in CLASSES)
EXAMPLE = "K-K"
