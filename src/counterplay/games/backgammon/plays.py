"""All plays of a roll, without repeats: no two lead to the same position.

A play is up to four checker moves, a byte each, first move lowest: the point it starts from and, in the lowest three
bits, the die. As a number, 0 is no move at all.

With two different dice, two pairs of moves give the same position in only two cases: one checker runs, either die
first, and hits nothing on its way; or two checkers are borne off, each by either die. With doubles, different sets of
moves give different positions, and every set can be played from the farthest point on.
"""

from __future__ import annotations

from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import last, ones
from counterplay.games.backgammon.board import BAR, WIDTH, Board, count_at, free_points, moved, sources

PASS = 0
MOST = 4
"""Checker moves of a play."""


def move_of(point: int, die: int) -> int:
    """A checker's move as a byte."""
    return point << 3 | die


def list_plays(mine: Board, theirs: Board, dice: int, out: Actions) -> None:
    """Append every play of `dice`: as many moves as possible; if only one of two dice can be played, the higher one if
    possible."""
    free = free_points(theirs)
    high, low = dice >> 3, dice & 7
    if high == low:
        list_doubles(mine, free, high, out)
    else:
        list_pairs(mine, theirs, free, high, low, out)
        for die in (high, low):
            if not out:
                for lowest in ones(sources(mine, free, die)):
                    out.append(move_of(lowest // WIDTH, die))
    if not out:
        out.append(PASS)


def list_pairs(mine: Board, theirs: Board, free: Board, high: int, low: int, out: Actions) -> None:
    """Append the plays of both dice: those that can begin with the higher one, then those that cannot."""
    by_high = sources(mine, free, high)
    for die, other_die in ((high, low), (low, high)):
        for lowest in ones(sources(mine, free, die)):
            point = lowest // WIDTH
            ends = sources(moved(mine, point, die), free, other_die)
            if die == low:
                ends &= ~by_high
            for end in ones(ends):
                other = end // WIDTH
                p, q = (point, other) if die == high else (other, point)
                if not is_repeated(mine, theirs, free, by_high, p, q, high, low):
                    out.append(move_of(point, die) | move_of(other, other_die) << 8)


def is_repeated(mine: Board, theirs: Board, free: Board, by_high: Board, p: int, q: int, high: int, low: int) -> bool:
    """Whether a play that moves from `p` by the higher die and from `q` by the lower one leads to the same position as
    another play that begins with the higher die from `q`."""
    if q == p + low:  # one checker runs, and could take the higher die first if nothing is hit on the way
        if q <= high or count_at(theirs, BAR - q + high) == 1 or count_at(theirs, BAR - p) == 1:
            return False
        then = q - high
    elif p < q <= low:  # two checkers are borne off, and the dice could be exchanged
        then = p
    else:
        return False
    if not by_high >> WIDTH * q & 1:
        return False
    return (sources(moved(mine, q, high), free, low) >> WIDTH * then & 1) != 0


def list_doubles(mine: Board, free: Board, die: int, out: Actions) -> None:
    """Append the longest plays of doubles: a depth-first walk, from far points to near ones, that backtracks by the
    moves it made."""
    longest = 1
    play, length, is_end = PASS, 0, False
    below = Board(1) << WIDTH * (BAR + 1)
    while True:
        left = sources(mine, free, die) & below - 1
        if left and length < MOST:
            point = last(left) // WIDTH
            play |= move_of(point, die) << 8 * length
            mine, length, is_end = moved(mine, point, die), length + 1, True
            below = Board(2) << WIDTH * point
            continue
        if is_end and length >= longest:
            if length > longest:
                out.clear()
                longest = length
            out.append(play)
        if length == 0:
            return
        length, is_end = length - 1, False  # backtrack, and continue with the next point
        point = play >> 8 * length + 3 & 31
        play ^= move_of(point, die) << 8 * length
        mine = mine + (Board(1) << WIDTH * point) - (Board(1) << WIDTH * max(point - die, 0))
        below = Board(1) << WIDTH * point
