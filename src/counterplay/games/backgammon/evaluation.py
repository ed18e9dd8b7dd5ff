"""The static value of a backgammon position: the race, blots and shots, primes and points, checkers sent back.

The expectation of the side on roll, in points, is a weighted sum of how the two sides differ in a few things that
players count. The weights are rounded from least-squares fits to GNU Backgammon's own estimates (its network, without
look-ahead) of positions from play: one fit for positions with contact, one for races.
"""

from __future__ import annotations

from math import tanh

from counterplay.core.language.bits import count, last, ones
from counterplay.games.backgammon.board import (
    BAR,
    CHECKERS,
    HOME,
    WIDTH,
    Board,
    State,
    blots,
    count_at,
    made,
    occupied,
    pips,
)

SHOTS = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3)
"""How many of 36 rolls hit a blot at each distance, if nothing is in the way."""
ROLL = 8.2
"""Pips of a roll, on average."""
FAR = 19
"""A checker from here on is in the other side's home."""
LATE = 7
"""A side with this many checkers off or on its three lowest points is late."""
MOST = 2.5
STAGES = 7
"""Kinds of positions, see `stage_of`."""

CONTACT = (0.13, -0.31, 0.1, 0.12, -0.23, -0.17, -0.05, -0.11, -0.04, -0.005, 0.14, -0.03, 0.02)


def chances(s: State) -> float:
    """The expectation of the side on roll, in points of the cube's stake."""
    value = 0.0
    if meet(s.mine, s.theirs):
        mine, theirs = assets(s.mine, s.theirs), assets(s.theirs, s.mine)
        value = CONTACT[0]
        for i in range(len(mine)):
            value += CONTACT[i + 1] * (mine[i] - theirs[i])
    else:
        value = race(s)
    return min(max(value, -MOST), MOST)


def meet(mine: Board, theirs: Board) -> bool:
    """Whether checkers of the two sides still have to pass each other."""
    return last(occupied(mine) | 1) // WIDTH + last(occupied(theirs) | 1) // WIDTH > BAR


def is_late(side: Board) -> bool:
    """Whether a side is nearly done or its board is breaking up: many of its checkers are off or on its lowest points."""
    return count_at(side, 0) + count_at(side, 1) + count_at(side, 2) + count_at(side, 3) >= LATE


def stage_of(mine: Board, theirs: Board) -> int:
    """The kind of position, which selects the weights: contact, early or late, by whose checkers are still behind (both
    sides' or neither's, mine, theirs), and races."""
    if not meet(mine, theirs):
        return STAGES - 1
    start = 3 if is_late(mine) or is_late(theirs) else 0
    back, their_back = mine >> WIDTH * FAR != 0, theirs >> WIDTH * FAR != 0
    if back == their_back:
        return start
    return start + 1 if back else start + 2


def race(s: State) -> float:
    """The value of a race: the lead counts by how much is still to come, and a side that has borne off nothing may lose
    double."""
    mine, theirs = pips(s.mine) + 3.0 * left(s.mine), pips(s.theirs) + 3.0 * left(s.theirs)
    value = tanh(1.65 * (theirs - mine + 6.0) / (mine + theirs) ** 0.7)
    if not s.theirs & 15:
        value += late(s.theirs, s.mine, 1.75)
    if not s.mine & 15:
        value -= late(s.mine, s.theirs, 0.5)
    return value


def left(side: Board) -> int:
    """The number of a side's checkers still on the board."""
    return CHECKERS - count_at(side, 0)


def late(side: Board, winner: Board, start: float) -> float:
    """The probability that a side does not bring all its checkers home and bear one off before the winner is off.
    `start` says who rolls first."""
    way = 0
    for point in range(HOME + 1, BAR + 1):
        way += (point - HOME) * count_at(side, point)
    rolls = max(pips(winner) / ROLL, left(winner) / 2.0)
    return 0.5 + 0.5 * tanh(1.0 * (way / ROLL - rolls + start))


def assets(own: Board, other: Board) -> tuple[float, ...]:
    """A side's assets and liabilities, to be compared with the other side's."""
    points = made(own)
    home = count(points & (Board(1) << WIDTH * 7) - 1)
    back = behind(own)
    entry = count(made(other) & (Board(1) << WIDTH * 7) - 1)
    on_bar = count_at(own, BAR)
    return (
        pips(own) / 100.0,
        float(home),
        prime(points),
        danger(own, other),
        float(on_bar),
        on_bar * entry * entry / 10.0,
        float(back),
        float(count(points >> WIDTH * 18)),
        back * prime(made(other)),
        float(count_at(own, 0)),
        float(count(blots(own))),
        danger(own, other) * entry,
    )


def behind(own: Board) -> int:
    """How many checkers of a side are in the other side's home or on the bar."""
    number = 0
    for point in range(FAR, BAR + 1):
        number += count_at(own, point)
    return number


def prime(points: Board) -> float:
    """The longest row of made points, squared: it keeps a checker trapped."""
    longest, row = 0, points & (Board(1) << WIDTH * 13) - 1
    while row:
        longest += 1
        row &= row >> WIDTH
    return longest * longest / 10.0


def danger(own: Board, other: Board) -> float:
    """What the side may lose by shots at its blots: how often each is hit, times the loss."""
    lost = 0.0
    hunters = occupied(other)
    for lowest in ones(blots(own)):
        point = lowest // WIDTH
        for hunter in ones(hunters):
            away = hunter // WIDTH - (BAR - point)
            if 0 < away < len(SHOTS):
                lost += SHOTS[away] * (BAR - point)
    return lost / 1000.0
