"""The sequential probability ratio test (Wald 1945): play until it is clear which of two differences is true.

The ratio is that of the generalized test (Van den Bergh 2017): each hypothesis is represented by the distribution of
round scores with its claimed mean under which the results are likeliest.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from counterplay.arena.result import GameResult
from counterplay.arena.statistics import Interval, Sample, expected, log_likelihood


class Sprt(NamedTuple):
    """A sequential test (Wald 1945): play until it is clear whether the difference is `elo0` or `elo1`.

    If the truth is elo0 or less, elo1 is accepted with a probability of at most `alpha`; if it is elo1 or more, elo0 is
    accepted with a probability of at most `beta`.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> Interval:
        """The test continues while the log-likelihood ratio is between these."""
        return Interval(math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha))

    def ratio(self, sample: Sample) -> float:
        """The log-likelihood ratio of elo1 against elo0."""
        return log_likelihood(sample, expected(self.elo1)) - log_likelihood(sample, expected(self.elo0))

    def verdict(self, sample: Sample) -> str:
        """`elo1` or `elo0` once one is accepted; otherwise empty."""
        ratio, bounds = self.ratio(sample), self.bounds
        return "elo1" if ratio >= bounds.high else "elo0" if ratio <= bounds.low else ""


class Trial:
    """A running test of the first contestant against the second.

    It takes the rounds in the order of the plan, whichever finishes first, so it ends at the same round however many
    games are played at once.
    """

    def __init__(self, test: Sprt) -> None:
        self.test = test
        self.rounds = 0
        """The number of rounds that count so far."""
        self.counts: Counter[float] = Counter()
        """The number of rounds with each score."""
        self.ratio = 0.0
        self.verdict = ""
        self._open: dict[int, list[float]] = {}  # by round: the scores of games that do not count yet

    def add(self, result: GameResult) -> None:
        """Record a game."""
        score = result.scores[result.players.index(0)]
        self._open.setdefault(result.round, []).append(score)
        while not self.verdict and len(self._open.get(self.rounds, [])) == 2:
            self.counts[sum(self._open.pop(self.rounds)) / 2] += 1
            self.rounds += 1
            sample = Sample(self.counts)
            self.ratio, self.verdict = self.test.ratio(sample), self.test.verdict(sample)
