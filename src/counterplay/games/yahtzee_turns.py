"""Yahtzee solved turn by turn: the expected score from every position between two turns, by backward induction.

Within a turn, there are 252 different rolls of five dice and 462 choices of some dice to keep. The value of a choice is
an average over the next die, of choices with one die more; the best choice from some dice either keeps all or is the
best after leaving out one die. So a turn takes a few thousand steps. There are 536,448 positions between turns
(Verhoeff 1999); in 128 of them, the game is over, and the other 536,320 are solved.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.language.kernel import kernel
from counterplay.games.yahtzee import ALL, BONUS, COUNT, DICE, ENOUGH, EXTRA, FACES, REROLLS, YAHTZEE, State, Yahtzee

UPPER = ENOUGH + 1
SIZE = (ALL + 1) * UPPER * 2
CHUNK = 64
"""Sets of full boxes between two reports."""


class TurnDice(NamedTuple):
    """Choices of dice by number, those of five first, then those of four, and so on."""

    packed: np.ndarray  # int64 [462]
    after: np.ndarray  # int64 [462, 6], with one die more; -1 if there are five
    without: np.ndarray  # int64 [462, 6], with one die less; -1 if none shows the face
    points: np.ndarray  # int64 [252, 13, 2], in each box, as a joker or not
    yahtzee: np.ndarray  # int64 [252], the face that all five show, or -1


@functools.cache
def turn_dice() -> TurnDice:
    """All choices of dice."""
    kept = [
        sum(1 << 3 * face for face in faces)
        for size in range(DICE, -1, -1)
        for faces in combinations_with_replacement(range(FACES), size)
    ]
    number = {dice: i for i, dice in enumerate(kept)}
    after = [[number.get(dice + (1 << 3 * face), -1) for face in range(FACES)] for dice in kept]
    without = [
        [number[dice - (1 << 3 * face)] if dice >> 3 * face & 7 else -1 for face in range(FACES)] for dice in kept
    ]
    full = sum(1 for dice in kept if sum(dice >> 3 * face & 7 for face in range(FACES)) == DICE)
    game = Yahtzee()
    points = np.zeros((full, COUNT, 2), np.int64)
    face = np.full(full, -1, np.int64)
    for i, dice in enumerate(kept[:full]):
        for box in range(COUNT):
            points[i, box, 0] = game.points(0, dice, box)
            points[i, box, 1] = game.points(ALL, dice, box)
        for each in range(FACES):
            if dice >> 3 * each & 7 == DICE:
                face[i] = each
    return TurnDice(np.array(kept), np.array(after), np.array(without), points, face)


class Turn(NamedTuple):
    """The values of a turn's positions, in points from here on."""

    rolled: np.ndarray  # float64 [3, 252], after a roll, by the number of rolls left
    kept: np.ndarray  # float64 [3, 462], keeping these and rolling the others, by the number of rolls left after that


def index_of(used: int, upper: int, fifty: int) -> int:
    """The number of a position between two turns."""
    return (used * UPPER + upper) * 2 + fifty


@kernel
def play_turn(
    used: int, upper: int, fifty: int, values: Any, after: Any, without: Any, points: Any, face: Any,
    rolled: Any, kept: Any, best: Any,
) -> float:  # fmt: skip
    """Fill in the values of a turn's positions; returns the value before its first roll."""
    for i in range(len(points)):
        rolled[0, i] = score(used, upper, fifty, values, points, face, i)
    for left in range(REROLLS + 1):
        for i in range(len(after)):
            if i < len(points):
                kept[left, i] = rolled[left, i]
            else:
                total = 0.0
                for each in range(FACES):
                    total += kept[left, after[i, each]]
                kept[left, i] = total / FACES
        if left < REROLLS:
            for i in range(len(after) - 1, -1, -1):
                best[i] = kept[left, i]
                for each in range(FACES):
                    if without[i, each] >= 0 and best[without[i, each]] > best[i]:
                        best[i] = best[without[i, each]]
            for i in range(len(points)):
                rolled[left + 1, i] = max(best[i], rolled[0, i])
    return float(kept[REROLLS, len(after) - 1])


@kernel
def score(used: int, upper: int, fifty: int, values: Any, points: Any, face: Any, i: int) -> float:
    """The value of scoring dice now."""
    joker = face[i] >= 0 and used >> YAHTZEE & used >> face[i] & 1 == 1
    found = -1.0
    for box in range(COUNT):
        if used >> box & 1:
            continue
        here = points[i, box, 1 if joker else 0]
        total, above = float(here), upper
        if face[i] >= 0 and fifty == 1:
            total += EXTRA
        if box < FACES:
            above = min(ENOUGH, upper + here)
            if upper < ENOUGH <= above:
                total += BONUS
        now = 1 if fifty == 1 or (box == YAHTZEE and here > 0) else 0
        total += values[((used | 1 << box) * UPPER + above) * 2 + now]
        found = max(found, total)
    return found


@kernel
def solve_turns(
    first: int, last: int, values: Any, possible: Any, after: Any, without: Any, points: Any, face: Any,
    rolled: Any, kept: Any, best: Any,
) -> int:  # fmt: skip
    """Fill in the values of all positions whose full boxes are a set from `first` down to `last`; returns their number."""
    solved = 0
    for used in range(first, last - 1, -1):
        for upper in range(UPPER):
            if possible[used & 63, upper] == 0:
                continue
            for fifty in range(1 + (used >> YAHTZEE & 1)):
                values[(used * UPPER + upper) * 2 + fifty] = play_turn(
                    used, upper, fifty, values, after, without, points, face, rolled, kept, best
                )
                solved += 1
    return solved


def possible_sums() -> np.ndarray:
    """uint8 [64, 64]: the sums, capped at 63, that sets of upper boxes can have."""
    found = np.zeros((1 << FACES, UPPER), np.uint8)
    found[0, 0] = 1
    for boxes in range(1, 1 << FACES):
        face = boxes.bit_length() - 1
        for before in np.flatnonzero(found[boxes & ~(1 << face)]).tolist():
            for many in range(DICE + 1):
                found[boxes, min(ENOUGH, before + many * (face + 1))] = 1
    return found


def expected_scores(report: Callable[[str], None] | None = None, least: int = 0) -> np.ndarray:
    """float64 [SIZE]: the expected score of best play from every position between two turns on, for sets of full boxes
    from `least` on."""
    values, dice = np.zeros(SIZE), turn_dice()
    room = (
        np.zeros((REROLLS + 1, len(dice.points))),
        np.zeros((REROLLS + 1, len(dice.after))),
        np.zeros(len(dice.after)),
    )
    possible = possible_sums()
    for first in range(ALL - 1, least - 1, -CHUNK):
        last = max(least, first - CHUNK + 1)
        solve_turns(first, last, values, possible, dice.after, dice.without, dice.points, dice.yahtzee, *room)
        if report:
            report(f"{ALL - last:,} of {ALL:,} sets of boxes")
    return values


class TurnTable:
    """The value of every position of Yahtzee, by the values between turns."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.turn = functools.lru_cache(64)(self._turn)

    def _turn(self, used: int, upper: int, fifty: bool) -> Turn:
        """The positions of a turn."""
        dice = turn_dice()
        rolled, kept = np.zeros((REROLLS + 1, len(dice.points))), np.zeros((REROLLS + 1, len(dice.after)))
        play_turn(
            used, upper, int(fifty), self.values, dice.after, dice.without, dice.points, dice.yahtzee,
            rolled, kept, np.zeros(len(dice.after)),
        )  # fmt: skip
        return Turn(rolled, kept)

    def expected(self, s: State) -> float:
        """The expected final score of best play."""
        if s.used == ALL:
            return float(s.score)
        turn = self.turn(s.used, s.upper, s.fifty)
        at = number_of()[s.dice]
        return s.score + float(turn.kept[s.left, at] if s.rolling else turn.rolled[s.left, at])


@functools.cache
def number_of() -> dict[int, int]:
    """The number of each choice of dice."""
    return {int(dice): i for i, dice in enumerate(turn_dice().packed)}


def is_between_turns(s: State) -> bool:
    """Whether a turn begins in `s`."""
    return s.rolling and s.left == REROLLS
