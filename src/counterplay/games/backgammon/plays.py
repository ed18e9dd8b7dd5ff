"""All plays of a roll, each once: no two that lead to the same position.

A play is up to four checker moves, a byte each, first move lowest: the point it starts from and, in the lowest three
bits, the die. It is a number, and 0 is no move at all.

Of a roll of two different dice, two pairs of moves give the same position in two ways only: one checker runs, either die
first, and hits nothing on its way; or two checkers are borne off, either by either die. Of doubles, different sets of
moves give different positions, and every set can be played from the farthest point on.
"""

from __future__ import annotations

from counterplay.core.actions import Actions
from counterplay.core.bits import last, ones
from counterplay.games.backgammon.board import BAR, WIDTH, Board, count_at, free_points, moved, sources

PASS = 0
MOST = 4
"""Checker moves of a play."""


def move_of(point: int, die: int) -> int:
    """A checker's move as a byte."""
    return point << 3 | die


def list_plays(mine: Board, theirs: Board, dice: int, out: Actions) -> None:
    """Append every play of `dice`: as many moves as can be made; of two dice of which only one can be played, the
    higher one where that is possible."""
    free = free_points(theirs)
    high, low = dice >> 3, dice & 7
    start = len(out)
    if high == low:
        list_doubles(mine, free, high, out)
    else:
        list_pairs(mine, theirs, free, high, low, out)
        if len(out) == start:
            die = high if sources(mine, free, high) else low
            for place in ones(sources(mine, free, die)):
                out.append(move_of(place // WIDTH, die))
    if len(out) == start:
        out.append(PASS)


def list_pairs(mine: Board, theirs: Board, free: Board, high: int, low: int, out: Actions) -> None:
    """Append the plays of both dice: those that can begin with the higher one, then those that cannot."""
    by_high = sources(mine, free, high)
    for place in ones(by_high):
        p = place // WIDTH
        for other in ones(sources(moved(mine, p, high), free, low)):
            q = other // WIDTH
            if q == p + low and runs_alike(mine, theirs, free, q, high, low):
                continue
            if q > p and p <= high and q <= low and leaves_alike(mine, free, q, p, high, low):
                continue
            out.append(move_of(p, high) | move_of(q, low) << 8)
    for other in ones(sources(mine, free, low)):
        q = other // WIDTH
        for place in ones(sources(moved(mine, q, low), free, high) & ~by_high):
            p = place // WIDTH
            if q == p + low and runs_alike(mine, theirs, free, q, high, low):
                continue
            if p != q and p <= high and q <= low and leaves_alike(mine, free, q, p, high, low):
                continue
            out.append(move_of(q, low) | move_of(p, high) << 8)


def runs_alike(mine: Board, theirs: Board, free: Board, point: int, high: int, low: int) -> bool:
    """Whether the checker that runs from `point` by the lower die and then the higher one can as well run by the higher
    one first: it hits nothing where it touches down either way."""
    if point <= high:
        return False
    if count_at(theirs, BAR - point + high) == 1 or count_at(theirs, BAR - point + low) == 1:
        return False
    return follows(mine, free, point, high, point - high, low)


def leaves_alike(mine: Board, free: Board, point: int, other: int, high: int, low: int) -> bool:
    """Whether the checker on `point` can be borne off by the higher die and then that on `other` by the lower one."""
    if point > high or other > low:
        return False
    return follows(mine, free, point, high, other, low)


def follows(mine: Board, free: Board, point: int, die: int, other: int, next_die: int) -> bool:
    """Whether a checker may move from `point` by `die`, and then one from `other` by `next_die`."""
    if not sources(mine, free, die) >> WIDTH * point & 1:
        return False
    after = moved(mine, point, die)
    return (sources(after, free, next_die) >> WIDTH * other & 1) != 0


def list_doubles(mine: Board, free: Board, die: int, out: Actions) -> None:
    """Append the longest plays of doubles: a walk in depth, from far points to near ones, that finds its way back by
    the moves it made."""
    start, longest = len(out), 1
    play, length = PASS, 0
    left = sources(mine, free, die)
    while True:
        if left and length < MOST:
            point = last(left) // WIDTH
            play |= move_of(point, die) << 8 * length
            mine, length = moved(mine, point, die), length + 1
            left = sources(mine, free, die) & (Board(2) << WIDTH * point) - 1
            if length < MOST and left:
                continue
            if length > longest:
                out.truncate(start)
                longest = length
            if length == longest:
                out.append(play)
        elif length:
            length -= 1  # back, and on with the next point
            point = play >> 8 * length + 3 & 31
            play ^= move_of(point, die) << 8 * length
            mine = mine + (Board(1) << WIDTH * point) - (Board(1) << WIDTH * max(point - die, 0))
            left = sources(mine, free, die) & (Board(1) << WIDTH * point) - 1
        else:
            return
