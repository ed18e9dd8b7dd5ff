"""Checkers endings of two to five pieces by number: the class of material that a position belongs to, and its index
there.

A class such as KM-K has a king and a man against a king. The first side is Black; a position with the colours exchanged
is the same with the board turned. An index encodes who is to move, then where Black's men, Black's kings, White's men
and White's kings stand, each group as a combination of squares: of 28 for men, which are crowned on the last four, and
of 32 for kings.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from counterplay.core.language.bits import count, ones
from counterplay.core.language.wide import u64
from counterplay.games.checkers.board import BLACK, SQUARES, State
from counterplay.games.checkers.board import index as index_of

CLASS, SWAPPED = 41, 40
"""The bit at which a number's class begins, and the bit that says that the colours were exchanged."""
MOST = 5
"""Pieces."""
MAN, KING = 28, 32
"""The squares that a piece may stand on."""


class CheckersEndings:
    """A part for `derive`: positions by class and index. `endings_tables` has its attributes."""

    def ending_number(self: Any, s: State) -> int:
        """The class and the index of `s`, and whether its colours were exchanged; -1 if it has none."""
        black, white = (s.mine, s.theirs) if s.player == BLACK else (s.theirs, s.mine)
        if count(black | white) > MOST or not black or not white:
            return -1
        men, kings = black & ~s.kings, black & s.kings
        their_men, their_kings = white & ~s.kings, white & s.kings
        known = self.ending_class[count(men), count(kings), count(their_men), count(their_kings)]
        if known & 1:
            index = self.ending_turned(1 - s.player, their_men, MAN, 0)
            index = self.ending_turned(index, their_kings, KING, 0)
            index = self.ending_turned(index, men, MAN, 1)
            index = self.ending_turned(index, kings, KING, 0)
        else:
            index = self.ending_places(s.player, men, MAN, 0)
            index = self.ending_places(index, kings, KING, 0)
            index = self.ending_places(index, their_men, MAN, 1)
            index = self.ending_places(index, their_kings, KING, 0)
        return known >> 1 << CLASS | (known & 1) << SWAPPED | index

    def ending_places(self: Any, index: int, pieces: u64, squares: int, forward: int) -> int:
        """An index extended by the squares of some pieces: the number of their combination (Pascal, Lehmer), the sum of
        the binomials of each square in order over 1, 2, ..."""
        rank, i = 0, 0
        for cell in ones(pieces):
            i += 1
            rank += self.ending_ranks[forward, i, cell]
        return index * self.ending_binomials[squares, i] + rank

    def ending_turned(self: Any, index: int, pieces: u64, squares: int, forward: int) -> int:
        """The same with the board turned, which reverses the order of squares."""
        rank, i = 0, count(pieces)
        radix = self.ending_binomials[squares, i]
        for cell in ones(pieces):
            rank += self.ending_ranks[2 + forward, i, cell]
            i -= 1
        return index * radix + rank

    def ending_state(self: Any, k: int, index: int) -> State:
        """The state of an index of a class; `is_ending` says whether there is one."""
        black, white, kings = u64(0), u64(0), u64(0)
        for group in range(3, -1, -1):
            pieces = self.ending_counts[k, group]
            if pieces:
                radix = self.ending_binomials[KING if group & 1 else MAN, pieces]
                here = self.ending_sets[self.ending_first[group, pieces] + index % radix]
                index //= radix
                if group < 2:
                    black |= here
                else:
                    white |= here
                if group & 1:
                    kings |= here
        mine, theirs = (black, white) if index == BLACK else (white, black)
        return State(mine, theirs, kings, index, 0)

    def is_ending(self: Any, k: int, index: int, s: State) -> bool:
        """Whether `s`, the state of an index, is a position: no two pieces on a square. (Each has only one index.)"""
        total = 0
        for group in range(4):
            total += self.ending_counts[k, group]
        return count(s.mine | s.theirs) == total and not s.mine & s.theirs

    def ending_clock(self: Any, s: State) -> int:
        """How many plies are left before the draw clock runs out."""
        return self.limit - s.quiet


Side = tuple[int, int]
"""Men and kings."""
SIDES: list[Side] = [(men, kings) for men, kings in itertools.product(range(MOST), repeat=2) if 0 < men + kings < MOST]


def strength(side: Side) -> tuple[int, int]:
    """The order of sides in the name of a class: more pieces, then more kings."""
    return sum(side), side[1]


CLASSES = tuple(
    (*one, *two)
    for one, two in sorted(itertools.product(SIDES, repeat=2), key=lambda pair: (sum(pair[0] + pair[1]), pair))
    if sum(one) + sum(two) <= MOST and strength(one) >= strength(two)
)
NAMES = tuple(f"{'K' * b}{'M' * a}-{'K' * d}{'M' * c}" for a, b, c, d in CLASSES)


def class_of(one: Side, two: Side) -> int:
    """The class of two sides, in either order."""
    return int(class_table()[one + two]) >> 1


@functools.cache
def leads_to(k: int) -> list[int]:
    """The classes that jumps and crownings lead to."""
    one, two = CLASSES[k][:2], CLASSES[k][2:]
    found = {class_of(*after) for mover, other in ((one, two), (two, one)) for after in afterwards(mover, other)}
    return sorted(found - {k})


def afterwards(mover: Side, other: Side) -> list[tuple[Side, Side]]:
    """What both sides can have after a move."""
    crowned = [mover, *([(mover[0] - 1, mover[1] + 1)] if mover[0] else [])]
    left = [(men, kings) for men in range(other[0] + 1) for kings in range(other[1] + 1) if men + kings]
    return list(itertools.product(crowned, left))


@functools.cache
def class_table() -> np.ndarray:
    """[men, kings, men, kings] of Black and White: the class, doubled, plus 1 if the colours must be exchanged."""
    table = np.full((MOST + 1,) * 4, -1, np.int64)
    for k, (a, b, c, d) in enumerate(CLASSES):
        table[c, d, a, b] = 2 * k + 1
        table[a, b, c, d] = 2 * k
    return table


@functools.cache
def endings_tables() -> dict[str, Any]:
    """The attributes of `CheckersEndings`."""
    sets, starts = combinations()
    return {
        "ending_class": class_table(),
        "ending_counts": np.array(CLASSES, np.int64),
        "ending_binomials": np.array([[math.comb(n, i) for i in range(MOST + 1)] for n in range(KING + 1)], np.int64),
        "ending_ranks": ranks(),
        "ending_sets": sets,
        "ending_first": starts,
    }


def ranks() -> np.ndarray:
    """[form, i, cell]: what the i-th piece of a group adds to the number of its combination. Forms from 2 on have the
    board turned; in odd forms, squares count from the second row on, as for White's men."""
    table = np.zeros((4, MOST + 1, index_of(SQUARES) + 1), np.int64)
    for form, i, square in itertools.product(range(4), range(1, MOST + 1), range(SQUARES)):
        seen = (SQUARES - 1 - square if form & 2 else square) - (KING - MAN if form & 1 else 0)
        table[form, i, index_of(square + 1)] = math.comb(max(seen, 0), i)
    return table


def combinations() -> tuple[np.ndarray, np.ndarray]:
    """The squares of every combination by group, number of pieces and number, as bits; and where those of each group
    and number of pieces begin."""
    sets: list[int] = []
    starts = np.zeros((4, MOST), np.int64)
    for group, pieces in itertools.product(range(4), range(MOST)):
        low, high = (KING - MAN if group == 2 else 0), (KING if group != 0 else MAN)
        starts[group, pieces] = len(sets)
        placed = (sorted(each, reverse=True) for each in itertools.combinations(range(low, high), pieces))
        sets += [sum(1 << index_of(square + 1) for square in each) for each in sorted(placed)]
    return np.array(sets, np.uint64), starts


PART = CheckersEndings
SIZES = tuple(
    2 * math.comb(MAN, a) * math.comb(KING, b) * math.comb(MAN, c) * math.comb(KING, d) for a, b, c, d in CLASSES
)
COUNTS = tuple(sum(each) for each in CLASSES)
EXAMPLE = "K-K"
