"""Temporal differences as units of work: one thread's part of a batch, done by another process or machine.

A unit is a pure function of the shared initial weights, the thread's random state and the number of games. The
weights are sent once to each machine; those of each thread are returned.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game
from counterplay.evaluation.judged import encoded
from counterplay.learning.heads import new_head
from counterplay.learning.td_lambda import TemporalDifferences
from counterplay.scale.crew import WorkCrew
from counterplay.scale.job import GameParcel, Job, parcel


class TemporalShared(NamedTuple):
    """Data shared by all units."""

    game: GameParcel
    encoding: str
    hidden: int
    deeper: int


class TemporalUnit(NamedTuple):
    """One thread's work in a batch."""

    weights: Any  # shared: a head's memory
    word: int  # the random state
    games: int
    trace: float
    rate: float
    gamble: float


class TemporalLesson(NamedTuple):
    """A unit's result."""

    weights: dict[str, np.ndarray]
    word: int
    counts: np.ndarray
    errors: float


class TemporalWorkshop:
    """A process that learns."""

    def __init__(self, shared: TemporalShared) -> None:
        seen = encoded(shared.game.open(), shared.encoding)
        self.play = TemporalDifferences(seen, new_head(seen, shared.hidden, shared.deeper, 0), 0)
        self.play.learn(0, 0.0, 0.0, 0.0)  # compiles

    def __call__(self, unit: TemporalUnit) -> TemporalLesson:
        """Learn from a unit's games."""
        play, head = self.play, self.play.head
        for name, part in unit.weights.get().items():
            head.memory()[name][...] = part
        play.rng.word.value = unit.word
        play.learn(unit.games, unit.trace, unit.rate, unit.gamble)
        weights = {name: part.copy() for name, part in head.memory().items()}
        return TemporalLesson(weights, play.rng.word.value, play.diary.counts(), float(play.diary.errors))


def learn_elsewhere(
    crew: WorkCrew,
    plays: Sequence[TemporalDifferences],
    shares: Sequence[int],
    trace: float,
    rate: float,
    gamble: float,
    stop: threading.Event,
) -> bool:
    """Let a crew do each of `plays`; returns False if it was stopped early."""
    weights = crew.share({name: part.copy() for name, part in plays[0].head.memory().items()})
    units = [
        TemporalUnit(weights, play.rng.word.value, games, trace, rate, gamble)
        for play, games in zip(plays, shares, strict=True)
    ]
    lessons: list[TemporalLesson] = list(crew.map(units, stop))
    weights.release()
    if len(lessons) < len(plays):
        return False
    for play, lesson in zip(plays, lessons, strict=True):
        for name, part in play.head.memory().items():
            part[...] = lesson.weights[name]
        play.rng.word.value = lesson.word
        diary = play.diary
        diary.games, diary.positions, diary.judged, diary.unfinished = map(int, lesson.counts)
        diary.errors = lesson.errors
    return True


def temporal_job(game: Game, spec: str, encoding: str, hidden: int, deeper: int) -> Job:
    """The job of learning by temporal differences."""
    shared = TemporalShared(parcel(game, spec), encoding, hidden, deeper)
    return Job("the training", "counterplay.learning.td_units:TemporalWorkshop", shared)
