"""What scores say about strength: Elo differences, intervals, likelihood of superiority.

A sample is the average scores of whole rounds, each in [0, 1]: an opening played from both sides (so that what favours
one side cancels out) is one observation. In win-draw-loss games there are five of them, 0, 1/4, 1/2, 3/4 and 1, and
their counts are what chess programmers call the pentanomial.

Everything here rests on one function: the maximum likelihood of a sample if the true mean were m. It is the empirical
likelihood of a mean (Owen 1988) for outcomes known to lie in [0, 1]; for pentanomial counts it is the constrained
maximum likelihood behind the generalized SPRT (Van den Bergh 2017, "The generalized sequential probability ratio
test"). It assumes nothing about draws or openings, and stays honest if all games were won: five pairs of wins are no
proof of infinite strength.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

CONFIDENCE = 0.95


class Sample(NamedTuple):
    """Observations in [0, 1], equal ones counted together."""

    counts: dict[float, int]

    @classmethod
    def of(cls, observations: Iterable[float]) -> Sample:
        """The sample of these observations."""
        return cls(dict(sorted(Counter(observations).items())))

    @property
    def size(self) -> int:
        """The number of observations."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """Their average; 1/2 if there are none."""
        return sum(value * n for value, n in self.counts.items()) / self.size if self.counts else 0.5

    @property
    def deviation(self) -> float:
        """Their standard deviation."""
        mean = self.mean
        return math.sqrt(sum(n * (value - mean) ** 2 for value, n in self.counts.items()) / max(self.size, 1))


class Interval(NamedTuple):
    """A 95% confidence interval."""

    low: float
    high: float


def log_likelihood(sample: Sample, mean: float) -> float:
    """The log of the greatest likelihood that a distribution on [0, 1] with this `mean` gives the sample, relative to
    the greatest of all: 0 if `mean` is the sample's own, else less."""
    if not 0 < mean < 1:
        return 0.0 if all(value == mean for value in sample.counts) else -math.inf
    # The best distribution gives each observation the weight 1 / (1 + tilt (value - mean)); any weight left over, if
    # the tilt is at the end of its range, goes to the outcome 0 or 1.
    low, high = -1 / (1 - mean), 1 / mean

    parts = [(value - mean, n) for value, n in sample.counts.items()]
    tilt = 0.0
    for _ in range(100):  # Newton's method, kept between the ends
        slope = sum(n * d / (1 + tilt * d) for d, n in parts)
        curve = sum(n * (d / (1 + tilt * d)) ** 2 for d, n in parts)
        if slope > 0:
            low = tilt
        else:
            high = tilt
        step = slope / curve if curve else 0.0
        following = tilt + step if low < tilt + step < high else (low + high) / 2
        if abs(following - tilt) < 1e-12 * (1 + abs(tilt)):
            break
        tilt = following
    return -sum(n * math.log(max(1 + tilt * d, 1e-300)) for d, n in parts)


def interval(sample: Sample) -> Interval:
    """The confidence interval of the mean: all means that the sample does not contradict."""
    from scipy.special import stdtrit

    if sample.size < 2:
        return Interval(0.0, 1.0)
    deviate = float(stdtrit(sample.size - 1, (1 + CONFIDENCE) / 2))  # Student's t, because of small samples
    enough = -deviate * deviate / 2
    return Interval(_farthest(sample, 0.0, enough), _farthest(sample, 1.0, enough))


def _farthest(sample: Sample, end: float, enough: float) -> float:
    """The mean farthest towards `end` that is still likely enough."""
    inside, outside = sample.mean, end
    surplus, lack = -enough, log_likelihood(sample, end) - enough
    if lack >= 0:
        return end
    while abs(outside - inside) > 1e-9:  # false position, halving when it stalls (Dowell & Jarratt 1971)
        ratio = surplus / (surplus - lack) if math.isfinite(lack) else 0.5
        middle = inside + (outside - inside) * min(max(ratio, 1e-6), 1 - 1e-6)
        left = log_likelihood(sample, middle) - enough
        if left >= 0:
            inside, surplus, lack = middle, left, lack / 2
        else:
            outside, lack, surplus = middle, left, surplus / 2
    return inside


def superiority(sample: Sample) -> float:
    """The probability that the true mean is above 1/2: the signed root of the likelihood ratio as a normal deviate."""
    deviate = math.copysign(math.sqrt(max(0.0, -2 * log_likelihood(sample, 0.5))), sample.mean - 0.5)
    return 0.5 * math.erfc(-deviate / math.sqrt(2))


def elo(score: float) -> float:
    """The difference in rating that this score corresponds to (Elo 1978): 400 points are odds of ten to one."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected(difference: float) -> float:
    """The expected score at a difference in rating."""
    return 1 / (1 + 10 ** (-difference / 400))
