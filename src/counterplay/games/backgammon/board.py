"""The backgammon board as numbers: a side's checkers are 26 counts of four bits each.

Each side counts points from its own end: 1 to 6 are its home, 24 is the farthest point, 25 the bar, and 0 holds what
was borne off. Point p of one side is point 25 - p of the other. Moving a checker is one subtraction and one addition; a
set of points is a number with bit 4p for point p.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from counterplay.core.language.bits import last
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt

if TYPE_CHECKING:
    Board = WideInt
else:
    Board = Wide(128)

CHECKERS = 15
OFF, HOME, POINTS, BAR = 0, 6, 24, 25
WIDTH = 4
"""Bits of a count."""

EACH = Board(sum(1 << WIDTH * p for p in range(1, BAR + 1)))
"""Every point and the bar."""
INNER = Board(sum(1 << WIDTH * p for p in range(1, POINTS + 1)))
"""Every point."""
SWAPS = tuple(
    (step, Board(sum(((1 << step) - 1) << at for at in range(0, 128, 2 * step)))) for step in (4, 8, 16, 32, 64)
)

OPENING, ROLLING, PLAYING, DECIDING, OFFERED, DROPPED = range(6)
"""What comes next: the first roll, a roll, a play, to roll or double, to take or drop; or nothing, after a double was
dropped."""
CENTRED = -1
"""The owner of a cube that either player may turn."""


@state
class State(NamedTuple):
    """A position, seen by the side on roll."""

    mine: Board  # checkers of the side on roll, in its own numbering
    theirs: Board  # checkers of the other side, in its own numbering
    player: int  # the side on roll
    dice: int  # the higher die * 8 + the lower one while it plays, else 0
    stage: int
    cube: int  # how often the cube was turned
    owner: int  # who may turn it next: 0, 1 or CENTRED


def checkers(*counts: tuple[int, int]) -> Board:
    """A side's checkers from (point, count) pairs; the rest is borne off."""
    side = Board(0)
    for point, number in counts:
        side += Board(number) << WIDTH * point
    return side + (CHECKERS - sum(number for _, number in counts))


START = checkers((24, 2), (13, 5), (8, 3), (6, 5))


def count_at(side: Board, point: int) -> int:
    """How many checkers of a side are on a point."""
    return int(side >> WIDTH * point & 15)


def occupied(side: Board) -> Board:
    """Where a side has checkers, including the bar."""
    some = side | side >> 1
    return (some | some >> 2) & EACH


def made(side: Board) -> Board:
    """The points where a side has two or more checkers."""
    return (side >> 1 | side >> 2 | side >> 3) & INNER


def blots(side: Board) -> Board:
    """The points where a side has a single checker."""
    return occupied(side) & INNER & ~made(side)


def mirrored(points: Board) -> Board:
    """A set of points in the other side's numbering."""
    for step, low in SWAPS:
        points = points >> step & low | (points & low) << step
    return points >> 128 - WIDTH * (BAR + 1)


def free_points(theirs: Board) -> Board:
    """The points, in the mover's numbering, where the other side has fewer than two checkers."""
    return INNER & ~mirrored(made(theirs))


def sources(mine: Board, free: Board, die: int) -> Board:
    """The points from which a checker may move by `die`."""
    there = occupied(mine)
    if mine >> WIDTH * BAR:
        return Board(1) << WIDTH * BAR & free << WIDTH * die  # enter first
    found = there & free << WIDTH * die
    if not mine >> WIDTH * (HOME + 1):  # all are home: bearing off
        if there >> WIDTH * die:
            found |= there & Board(1) << WIDTH * die
        elif there:
            found |= Board(1) << last(there)  # no checker is farther away, so the farthest may go
    return found


def moved(side: Board, point: int, die: int) -> Board:
    """The checkers after one of them has moved from a point."""
    return side - (Board(1) << WIDTH * point) + (Board(1) << WIDTH * max(point - die, OFF))


def pips(side: Board) -> int:
    """The total distance that all checkers have to go."""
    total = 0
    side >>= WIDTH
    for point in range(1, BAR + 1):
        total += point * int(side & 15)
        side >>= WIDTH
    return total
