"""Alternating runs of the same work, and their outcomes.

Rates come from CPU time, which a busy machine disturbs less than wall-clock time, and from the best of several turns:
disturbances only ever make a turn longer. The two sides alternate, so that a slow minute of the machine affects both.
For waiting times the wall clock counts, again the best of several.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.arena.statistics import Sample, elo, interval
from counterplay.core.formats.files import hold

SHORTEST_TURN = 0.05
"""Seconds: work that takes less is repeated within a turn."""


class Comparison(NamedTuple):
    """Two sides did the same work."""

    benchmark: str
    work: str
    unit: str
    ours: float  # units per second
    peer: str
    theirs: float
    target: float | None  # the required ratio

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.ratio >= self.target


class Duration(NamedTuple):
    """A waiting time."""

    benchmark: str
    work: str
    seconds: float  # on the wall clock
    cpu: float  # CPU time: about the wait on an idle machine
    target: float  # the limit

    @property
    def is_met(self) -> bool:
        return self.seconds < self.target


class Match(NamedTuple):
    """Games against another program."""

    benchmark: str
    work: str
    peer: str
    pairs: list[tuple[float, float]]  # our scores, 1, 1/2 or 0, in the two games of each opening
    target: float | None  # Elo
    certain: bool = False  # the whole interval must be above the target

    @property
    def elo(self) -> float:
        """Our advantage in Elo."""
        return elo(self.sample.mean)

    @property
    def bounds(self) -> tuple[float, float]:
        """Its 95% confidence interval."""
        low, high = interval(self.sample)
        return elo(low), elo(high)

    @property
    def sample(self) -> Sample:
        """The scores, with each pair as one observation."""
        return Sample.of(sum(pair) / 2 for pair in self.pairs)

    @property
    def is_met(self) -> bool | None:
        if self.target is None:
            return None
        return self.bounds[0] > self.target if self.certain else self.elo >= self.target


class Quota(NamedTuple):
    """A success rate."""

    benchmark: str
    work: str
    succeeded: int
    tried: int
    target: float  # the required share

    @property
    def is_met(self) -> bool:
        return self.succeeded >= self.target * self.tried


class Mean(NamedTuple):
    """An average result, the higher the better."""

    benchmark: str
    work: str
    peer: str
    unit: str
    mean: float
    error: float  # the standard error
    target: float | None  # the required mean

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.mean >= self.target


class Differs(NamedTuple):
    """The two sides did not do the same work, so no ratio would mean anything."""

    benchmark: str
    work: str
    peer: str
    reason: str


class Skipped(NamedTuple):
    """A benchmark whose requirements are missing here."""

    benchmark: str
    work: str
    peer: str
    reason: str


Outcome = Comparison | Duration | Match | Quota | Mean | Differs | Skipped

Turn = Callable[[], float]
"""Does the work, perhaps several times, and returns the CPU seconds of doing it once."""


def turn(work: Callable[[], Any]) -> Turn:
    """A turn at `work`, which must have been done once already, so that it is compiled."""
    calls = 1
    while True:
        spent = _cpu_seconds(work, calls)
        if spent >= SHORTEST_TURN / 2:
            break
        calls *= 2
    calls = max(1, math.ceil(calls * SHORTEST_TURN / spent))
    return lambda: _cpu_seconds(work, calls) / calls


def _cpu_seconds(work: Callable[[], Any], calls: int) -> float:
    started = time.process_time()
    for _ in range(calls):
        work()
    return time.process_time() - started


def race(ours: Turn, theirs: Turn, turns: int) -> tuple[float, float]:
    """The best time of each side in seconds."""
    pairs = [(ours(), theirs()) for _ in range(turns)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


@contextmanager
def held(log: Path) -> Iterator[None]:
    """A benchmark's log of games for this process alone: two runs in one folder would mix theirs."""
    log.touch()
    lock = hold(log, f"another run is using {str(log.parent)!r}: wait for it to end, or name another folder")
    with closing(lock) if lock else nullcontext():
        yield
