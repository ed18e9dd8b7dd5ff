"""The bear-off of one side alone, exactly: how many rolls it takes to bring all checkers off from the home board.

There are 54,264 ways to have up to 15 checkers on six points. From the fewest pips upwards, each roll is played to
minimize the expected number of further rolls, and the distribution of that number follows (dynamic programming, as in
GNU Backgammon's one-sided database). When two sides race and cannot meet any more, each plays as if alone, and their
distributions say who is off first.

    table = bear_off()
    table.expected(side)             # mean number of rolls
    table.win(mine, theirs)          # probability that the side on roll is off first

`backgammon:bearoff=on` evaluates such races by it.
"""

from __future__ import annotations

import functools
from math import comb
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.games.backgammon.board import CHECKERS, HOME, WIDTH, Board, checkers, count_at, moved
from counterplay.games.backgammon.plays import list_plays

SIZE = comb(CHECKERS + HOME, HOME)
"""Positions in the table."""
ROLLS = 32
"""Every bear-off takes fewer rolls."""
NOBODY = checkers()
"""The other side: out of the way."""


def _steps() -> np.ndarray:
    """[point, checkers left, number]: how many positions come before those with `number` checkers on `point`, with the
    same checkers on higher points and a given number left for this point and the lower ones."""
    steps = np.zeros((HOME + 1, CHECKERS + 1, CHECKERS + 2), np.int64)
    for point in range(1, HOME + 1):
        for left in range(CHECKERS + 1):
            for number in range(left + 1):
                before = comb(left - number + point - 1, point - 1)
                steps[point, left, number + 1] = steps[point, left, number] + before
    return steps.ravel()


STEPS = _steps()


def index_of(side: Board, steps: Any) -> int:
    """The index of a home board in the table: a play always leads to a smaller one."""
    found, left = 0, CHECKERS
    for point in range(HOME, 0, -1):
        number = count_at(side, point)
        found += steps[(point * (CHECKERS + 1) + left) * (CHECKERS + 2) + number]
        left -= number
    return found


def is_first(mine: int, theirs: int, rolls: Any) -> float:
    """The probability that, of two sides at these indices, the one on roll is off first: it needs no more rolls than
    the other."""
    won, others = 0.0, 1.0  # the other side needs k rolls or more
    for k in range(ROLLS):
        won += rolls[mine, k] * others
        others -= rolls[theirs, k]
    return float(won)


class BearOff:
    """For every home board, the distribution of the rolls that it needs."""

    def __init__(self, means: np.ndarray, rolls: np.ndarray) -> None:
        self.means = means  # [SIZE] the expected number of rolls
        self.rolls = rolls  # [SIZE, ROLLS] the probability of needing exactly this many

    def index(self, side: Board) -> int:
        """The index of a side in the table."""
        if side >> WIDTH * (HOME + 1):
            raise CounterplayError("the bear-off table has no position with a checker outside the home board")
        return index_of(side, STEPS)

    def expected(self, side: Board) -> float:
        """The mean number of rolls that the side needs."""
        return float(self.means[self.index(side)])

    def distribution(self, side: Board) -> np.ndarray:
        """[ROLLS] the probability of needing exactly that many rolls."""
        found: np.ndarray = self.rolls[self.index(side)]
        return found

    def win(self, mine: Board, theirs: Board) -> float:
        """The probability that the side on roll is off first."""
        return is_first(self.index(mine), self.index(theirs), self.rolls)


@functools.cache
def bear_off() -> BearOff:
    """The table; computed in a second or two on first use."""
    from counterplay.games.backgammon.rules import Backgammon

    game: Game = Backgammon()
    means, rolls = np.zeros(SIZE), np.zeros((SIZE, ROLLS))
    _solve(game, STEPS, action_stack(game), means, rolls)
    return BearOff(means, rolls)


@kernel
def _solve(game: Any, steps: Any, out: Any, means: Any, rolls: Any) -> None:
    """Fill the table, in the order of its indices; the first is the finished bear-off."""
    rolls[0, 0] = 1.0
    side, at = NOBODY, 0
    while at < SIZE - 1:
        side, at = following(side), at + 1
        for high in range(1, 7):
            for low in range(1, high + 1):
                best = best_play(side, high * 8 + low, steps, out, means)
                weight = 1.0 / 36.0 if high == low else 1.0 / 18.0
                means[at] += weight * (1.0 + means[best])
                for k in range(1, ROLLS):
                    rolls[at, k] += weight * rolls[best, k - 1]


def following(side: Board) -> Board:
    """The home board at the next index: one checker more on the lowest point; if all 15 are on the board, the checkers
    on the lowest point in use go off, and the next point gets one more."""
    if count_at(side, 0):
        return side - 1 + (Board(1) << WIDTH)
    point = 1
    while not count_at(side, point):
        point += 1
    number = count_at(side, point)
    side = side - (Board(number) << WIDTH * point) + number
    return side - 1 + (Board(1) << WIDTH * (point + 1))


def best_play(side: Board, dice: int, steps: Any, out: Any, means: Any) -> int:
    """The index of the best position that a roll leads to."""
    start = len(out)
    list_plays(side, NOBODY, dice, out.fresh())
    best = -1
    for i in range(start, len(out)):
        after, play = side, out[i]
        while play:
            after = moved(after, play >> 3 & 31, play & 7)
            play >>= 8
        there = index_of(after, steps)
        if best < 0 or means[there] < means[best]:
            best = there
    out.truncate(start)
    return best
