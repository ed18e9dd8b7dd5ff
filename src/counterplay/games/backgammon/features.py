"""What a network sees of a backgammon position: where the checkers stand, and what an expert would count.

The checkers of each point, nearly as Tesauro (1992) encoded them: one, two, three, and how many more. Beside them the
race, the chances to hit and to be hit, escapes from blockades, and primes, similar to GNU Backgammon's inputs. All are
from the point of view of the side on roll. Separate from these features are Tesauro's own inputs, which contain no
expert's counts.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.language.bits import count, first, last, ones
from counterplay.core.language.features import Features, note
from counterplay.games.backgammon.board import (
    BAR,
    CHECKERS,
    HOME,
    POINTS,
    WIDTH,
    Board,
    State,
    count_at,
    made,
    occupied,
)

KINDS = 4
"""One checker, two, three, and half of any more."""
SIDE = BAR * KINDS
OTHERS = 2 * SIDE
COUNTED = (
    "off", "pips", "escapes", "shots", "pips to hit", "double shots", "home points", "prime", "rearmost", "blockade",
    "shut out", "mobility", "still to pass", "spread", "anchor",
)  # fmt: skip
"""What is counted for each side, apart from where its checkers stand."""
(
    OFF, PIPS, ESCAPE, HIT, HIT_PIPS, DOUBLE_HIT, HOMES, PRIME, BACK, BLOCKADE, SHUT, MOBILITY, TO_PASS, SPREAD, ANCHOR,
) = range(len(COUNTED))  # fmt: skip
LEAD = OTHERS + 2 * len(COUNTED)
POINTS_SEEN = 12
"""How far ahead a blockade is searched for."""
AHEAD = (1 << POINTS_SEEN) - 1
HALF = 15
"""The number of points packed at once."""
LOWER = (Board(1) << HALF * WIDTH) - 1
ENTRY = 1 << BAR
POINTS_ALONE = (1 << POINTS + 1) - 2
"""Every point, without the bar, packed."""
HOME_POINTS = (1 << HOME + 1) - 2
ANCHORS = POINTS_ALONE & ~((1 << POINTS - HOME) - 1)
"""The other side's home and bar-point, from behind."""
FARTHEST = 15
"""Blockades are searched for in front of checkers from this point on."""

FEATURES = (
    *(
        f"{whose} {point}: {kind}"
        for whose in ("mine", "theirs")
        for point in range(1, BAR + 1)
        for kind in ("one", "two", "three", "more")
    ),
    *(f"{whose}: {what}" for whose in ("mine", "theirs") for what in COUNTED),
    "lead in the race",
)

RAW_SIDE = POINTS * KINDS + 2
RAW_BAR, RAW_OFF = POINTS * KINDS, POINTS * KINDS + 1
RAW_FEATURES = tuple(
    f"{whose} {what}"
    for whose in ("mine", "theirs")
    for what in (
        *(f"{point}: {kind}" for point in range(1, POINTS + 1) for kind in ("one", "two", "three", "more")),
        *("on the bar", "off"),
    )
)
"""Tesauro's 198 inputs except for the two that say whose turn it is: here it is always the viewer's."""


def escapes() -> np.ndarray:
    """For each set of blocked points among the next twelve, how many of 36 rolls move a checker beyond them: the first
    or the second die's point is free, and so is the point where both lead."""
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
    pips, spread, there = list_side(s.mine, 0, out)
    their_pips, their_spread, their_there = list_side(s.theirs, 1, out)
    note(out, LEAD, (pips - their_pips) / 25.0)
    if last(there | 1) + last(their_there | 1) > BAR:  # otherwise it is a race
        seen, their_seen = packed(made(s.mine)), packed(made(s.theirs))
        list_contact(s.mine, there, seen, spread, their_there, their_seen, rolls, OTHERS, out)
        list_contact(s.theirs, their_there, their_seen, their_spread, there, seen, rolls, OTHERS + len(COUNTED), out)


def list_raw(s: State, out: Features) -> None:
    """Write Tesauro's inputs: for each point, whether there are one, two and three checkers, and half of how many more."""
    list_raw_side(s.mine, 0, out)
    list_raw_side(s.theirs, RAW_SIDE, out)


def list_raw_side(side: Board, base: int, out: Features) -> None:
    """Write the raw inputs of one side."""
    for point in ones(packed(occupied(side)) & POINTS_ALONE):
        number, at = count_at(side, point), base + (point - 1) * KINDS
        for kind in range(min(number, 3)):
            note(out, at + kind, 1.0)
        if number > 3:
            note(out, at + 3, (number - 3) / 2.0)
    if count_at(side, BAR):
        note(out, base + RAW_BAR, count_at(side, BAR) / 2.0)
    if count_at(side, 0):
        note(out, base + RAW_OFF, count_at(side, 0) / CHECKERS)


def list_side(side: Board, whose: int, out: Features) -> tuple[int, float, int]:
    """Write where a side's checkers stand; returns its pips, the variance of its points, and the set of its points."""
    there, pips, squares = packed(occupied(side)), 0, 0
    for point in ones(there):
        number = count_at(side, point)
        at = whose * SIDE + (point - 1) * KINDS
        pips += number * point
        squares += number * point * point
        note(out, at + min(number, 3) - 1, 1.0)
        if number > 3:
            note(out, at + 3, (number - 3) / 2.0)
    at, off = OTHERS + whose * len(COUNTED), count_at(side, 0)
    number = max(CHECKERS - off, 1)
    if off:
        note(out, at + OFF, off / CHECKERS)
    note(out, at + PIPS, pips / 100.0)
    return pips, squares / number - (pips / number) ** 2, there


def list_contact(
    side: Board, there: int, seen: int, spread: float, their_there: int, their_seen: int, rolls: np.ndarray, at: int,
    out: Features,
) -> None:  # fmt: skip
    """Write a side's features against the other side, which it still has to pass; both sides' occupied points (`there`)
    and made points (`seen`) are given, each in its own numbering."""
    back, line, on_bar = last(there | 1), BAR - last(their_there | 1), count_at(side, BAR)
    targets = turned(their_there & POINTS_ALONE & ~their_seen)
    hits, twice, lost = shots(there, on_bar, targets, POINTS_ALONE & ~turned(their_seen))
    if hits:
        note(out, at + HIT, hits / 36.0)
        note(out, at + HIT_PIPS, lost / 432.0)
    if twice:
        note(out, at + DOUBLE_HIT, twice / 36.0)
    note(out, at + ESCAPE, rolls[their_seen >> BAR + 1 - back & AHEAD])
    note(out, at + HOMES, count(seen & HOME_POINTS) / 6.0)
    note(out, at + PRIME, longest(seen) / 6.0)
    note(out, at + BACK, back / 24.0)
    least = rolls[0]  # all rolls get past an empty blockade
    for point in range(FARTHEST, BAR + 1):
        least = min(least, rolls[seen >> BAR + 1 - point & AHEAD])
    note(out, at + BLOCKADE, least)
    if on_bar:
        note(out, at + SHUT, (count(their_seen & HOME_POINTS) / 6.0) ** 2)
    to_pass, mobility = 0, 0.0
    for point in ones(there >> min(line, HOME) + 1 << min(line, HOME) + 1):  # lower ones have passed and are home
        checkers = count_at(side, point)
        to_pass += checkers * max(point - line, 0)
        mobility += checkers * max(point - HOME, 0) * rolls[their_seen >> BAR + 1 - point & AHEAD]
    note(out, at + MOBILITY, mobility / 50.0)
    note(out, at + TO_PASS, to_pass / 80.0)
    note(out, at + SPREAD, spread / 60.0)
    anchors = seen & ANCHORS
    if anchors:
        note(out, at + ANCHOR, (BAR - first(anchors)) / 7.0)


def packed(points: Board) -> int:
    """A set of points with one bit for each: bit p for point p."""
    return gathered(int(points & LOWER)) | gathered(int(points >> HALF * WIDTH)) << HALF


def gathered(x: int) -> int:
    """Every fourth bit of `x`, side by side."""
    x = (x | x >> 3) & 0x0303030303030303
    x = (x | x >> 6) & 0x000F000F000F000F
    x = (x | x >> 12) & 0x000000FF000000FF
    return (x | x >> 24) & 0xFFFF


def turned(points: int) -> int:
    """A packed set of points in the other side's numbering."""
    points = points >> 1 & 0x55555555 | (points & 0x55555555) << 1
    points = points >> 2 & 0x33333333 | (points & 0x33333333) << 2
    points = points >> 4 & 0x0F0F0F0F | (points & 0x0F0F0F0F) << 4
    points = points >> 8 & 0x00FF00FF | (points & 0x00FF00FF) << 8
    return (points >> 16 | (points & 0xFFFF) << 16) >> 31 - BAR


def longest(points: int) -> int:
    """The length of the longest row of points."""
    length = 0
    while points:
        points &= points >> 1
        length += 1
    return length


def shots(attackers: int, on_bar: int, targets: int, free: int) -> tuple[int, int, int]:
    """How many of 36 rolls hit one of `targets`, how many can hit more than one, and how many pips they cost, summed
    over these rolls. Everything is in the attackers' numbering; they land on points that are `free`."""
    number, twice, lost = 0, 0, 0
    if not targets:
        return number, twice, lost
    for a in range(1, 7):
        here = attackers >> a
        for b in range(1, a):
            there = attackers >> b
            hit = (here | there | (here & free) >> b | (there & free) >> a) & targets
            if on_bar:
                hit = entering(attackers, on_bar, free, a, b) & targets
            if hit:
                number += 2
                lost += 2 * last(hit)
                twice += 2 if hit & (hit - 1) else 0
        hit = doubles(attackers, on_bar, free, a) & targets
        if hit:
            number += 1
            lost += last(hit)
            twice += 1 if hit & (hit - 1) else 0
    return number, twice, lost


def entering(attackers: int, on_bar: int, free: int, a: int, b: int) -> int:
    """Where two different dice can bring a checker while some are on the bar, which enter first."""
    one, other = ENTRY >> a & free, ENTRY >> b & free
    if on_bar > 1:
        return one | other
    rest, found = attackers & ~ENTRY, 0
    if one:
        found |= one | (rest | one) >> b
    if other:
        found |= other | (rest | other) >> a
    return found


def doubles(attackers: int, on_bar: int, free: int, die: int) -> int:
    """Where four moves by `die` can bring a checker; those on the bar enter first."""
    found, steps = 0, 4
    if on_bar:
        found = ENTRY >> die & free
        if on_bar > 1 or not found:
            return found
        attackers, steps = attackers & ~ENTRY | found, 3
    for _ in range(steps):
        attackers >>= die
        found |= attackers
        attackers &= free
    return found
