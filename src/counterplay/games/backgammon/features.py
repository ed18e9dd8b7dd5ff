"""What a network sees of a backgammon position: who stands where, and what an expert would count.

The checkers of each point as Tesauro (1992) wrote them down: one, two, three, and how many more. Beside them the race, the
chance to hit and to be hit, what gets past a blockade, and primes, as GNU Backgammon's inputs have them in kind. All is in
view of the side on roll.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.bits import count, last, ones
from counterplay.core.features import Features, note
from counterplay.games.backgammon.board import (
    BAR,
    CHECKERS,
    INNER,
    WIDTH,
    Board,
    State,
    blots,
    count_at,
    made,
    mirrored,
    occupied,
)

KINDS = 4
"""One checker, two, three, and half of what is more."""
SIDE = BAR * KINDS
OTHERS = 2 * SIDE
(
    OFF, THEIR_OFF, PIPS, THEIR_PIPS, LEAD, ESCAPE, THEIR_ESCAPE, HIT, HIT_PIPS, THEIR_HIT, THEIR_HIT_PIPS, HOME,
    THEIR_HOME, PRIME, THEIR_PRIME, BACK, THEIR_BACK, BLOCKADE, THEIR_BLOCKADE,
) = range(OTHERS, OTHERS + 19)  # fmt: skip
POINTS_SEEN = 12
"""A blockade is looked at so far ahead."""

FEATURES = (
    *(
        f"{whose} {point}: {kind}"
        for whose in ("mine", "theirs")
        for point in range(1, BAR + 1)
        for kind in ("one", "two", "three", "more")
    ),
    *("off", "their off", "pips", "their pips", "lead in the race", "escapes", "their escapes", "shots", "pips to hit"),
    *("their shots", "pips they may hit", "home points", "their home points", "prime", "their prime", "rearmost"),
    *("their rearmost", "blockade", "their blockade"),
)


def escapes() -> np.ndarray:
    """For each set of blocked points among the next twelve, how many of 36 rolls move a checker beyond its reach: the first
    die or the second is free, and so is where both lead."""
    rolls = np.zeros(1 << POINTS_SEEN, np.float32)
    blocked = np.arange(1 << POINTS_SEEN)
    for a in range(6):
        for b in range(a + 1):
            both = a + b + 1
            there = blocked >> both & 1 if both < POINTS_SEEN else 0
            stuck = (blocked >> a & 1) & (blocked >> b & 1)
            rolls += np.where((there == 0) & (stuck == 0), 1 if a == b else 2, 0)
    return rolls / np.float32(36)


def list_features(s: State, rolls: np.ndarray, out: Features) -> None:
    """Write the features of `s`."""
    pips, there = list_side(s.mine, 0, out)
    their_pips, their_there = list_side(s.theirs, SIDE, out)
    note(out, OFF, count_at(s.mine, 0) / CHECKERS)
    note(out, THEIR_OFF, count_at(s.theirs, 0) / CHECKERS)
    note(out, PIPS, pips / 100.0)
    note(out, THEIR_PIPS, their_pips / 100.0)
    note(out, LEAD, (pips - their_pips) / 25.0)
    back, their_back = last(there | 1) // WIDTH, last(their_there | 1) // WIDTH
    if back + their_back <= BAR:
        return  # a race
    points, their_points = made(s.mine), made(s.theirs)
    seen, their_seen = packed(points), packed(their_points)
    note(out, ESCAPE, rolls[their_seen >> BAR + 1 - back & 4095])
    note(out, THEIR_ESCAPE, rolls[seen >> BAR + 1 - their_back & 4095])
    hits, hit_pips = shots(there, count_at(s.mine, BAR), mirrored(blots(s.theirs)), INNER & ~mirrored(their_points))
    note(out, HIT, hits / 36.0)
    note(out, HIT_PIPS, hit_pips / 432.0)
    hits, hit_pips = shots(their_there, count_at(s.theirs, BAR), mirrored(blots(s.mine)), INNER & ~mirrored(points))
    note(out, THEIR_HIT, hits / 36.0)
    note(out, THEIR_HIT_PIPS, hit_pips / 432.0)
    note(out, HOME, count(seen & 126) / 6.0)
    note(out, THEIR_HOME, count(their_seen & 126) / 6.0)
    note(out, PRIME, longest(seen) / 6.0)
    note(out, THEIR_PRIME, longest(their_seen) / 6.0)
    note(out, BACK, back / 24.0)
    note(out, THEIR_BACK, their_back / 24.0)
    least = their_least = rolls[0]  # all rolls get past nothing
    for point in range(15, BAR + 1):
        least = min(least, rolls[seen >> BAR + 1 - point & 4095])
        their_least = min(their_least, rolls[their_seen >> BAR + 1 - point & 4095])
    note(out, BLOCKADE, least)
    note(out, THEIR_BLOCKADE, their_least)


def list_side(side: Board, base: int, out: Features) -> tuple[int, Board]:
    """Write where the checkers of a side stand: its pips, and the points that it occupies."""
    there, pips = occupied(side), 0
    for place in ones(there):
        number = int(side >> place & 15)
        at = base + (place // WIDTH - 1) * KINDS
        pips += number * (place // WIDTH)
        note(out, at + min(number, 3) - 1, 1.0)
        if number > 3:
            note(out, at + 3, (number - 3) / 2.0)
    return pips, there


def packed(points: Board) -> int:
    """A set of points with one bit for each: bit p for point p."""
    found = 0
    for place in ones(points):
        found |= 1 << place // WIDTH
    return found


def longest(points: int) -> int:
    """The length of the longest row of points."""
    length = 0
    while points:
        points &= points >> 1
        length += 1
    return length


def shots(attackers: Board, on_bar: int, targets: Board, free: Board) -> tuple[int, int]:
    """Of 36 rolls, how many hit one of `targets`, and how many pips they cost, added up over these rolls. All is in the
    attackers' numbering; they land on points that are `free`."""
    number, lost = 0, 0
    if not targets:
        return number, lost
    for a in range(1, 7):
        for b in range(1, a + 1):
            hit = landings(attackers, on_bar, free, a, b) & targets
            if hit:
                weight = 1 if a == b else 2
                number += weight
                lost += weight * (last(hit) // WIDTH)
    return number, lost


def landings(attackers: Board, on_bar: int, free: Board, a: int, b: int) -> Board:
    """Where the dice `a` and `b` bring a checker; who is on the bar enters first."""
    one, two = WIDTH * a, WIDTH * b
    bar = Board(1) << WIDTH * BAR
    if on_bar > 1:
        return (bar >> one | bar >> two) & free
    rest = attackers & ~bar
    if on_bar == 1:
        entered, other = bar >> one & free, bar >> two & free
        found = Board(0)
        if entered:
            found |= entered | (rest | entered) >> two
        if other and a != b:
            found |= other | (rest | other) >> one
        if entered and a == b:
            third = (rest | entered) >> one & free
            found |= third | third >> one
        return found
    here, there = attackers >> one, attackers >> two
    found = here | there | (here & free) >> two | (there & free) >> one
    if a == b:
        second = (here & free) >> one & free
        found |= second >> one | (second >> one & free) >> one
    return found
