"""Training by temporal differences as a run: batches of games, rates that fall, an average that plays.

The final model is an average of the weights over the last batches, which is steadier than any of them. The rate falls
linearly from its first to its last value, and the trace from its first to 0 within the first twelfth, as the budget of
games or time is spent; by games, the same seed gives the same weights. Several threads play their own games, each with
a copy of the weights, and after every batch continue from the mean of what they learned: this is steadier, so the rate
may be higher. A thread's work in a batch is a unit of work: other processes, or a cluster, do the same with the same
result.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.evaluation.encoding import usual_encoding
from counterplay.evaluation.judged import encoded, require_learnable
from counterplay.evaluation.model import Model, find_model, require_shapes
from counterplay.learning.heads import Head, new_head
from counterplay.learning.runs import Run
from counterplay.learning.td_lambda import TemporalDifferences, duel
from counterplay.learning.td_units import learn_elsewhere, temporal_job
from counterplay.learning.training import MOST_SEED, Training, require_ranges
from counterplay.scale.crew import Fleet, WorkCrew, crew_for

EARLY = 1 / 12
"""After this share of the budget, targets are a single step ahead."""
STEADY = 0.99
"""The maximum fraction of the average of the weights that is kept from batch to batch."""
LEAP = 0x632BE59BD9B4E019
"""The distance between the seeds of threads."""
OPENING = 4
"""Without dice, comparison games begin with this many random actions."""


@dataclass(frozen=True)
class Recipe:
    """The options of temporal-difference learning."""

    encoding: str = ""
    """What the game offers to learn from: features, raw, patterns or planes; empty: the first that it has, except raw."""
    evaluation: str = ""
    """The model whose weights are the start; empty: drawn at random."""
    hidden: int = 40
    """Units of the hidden layer; 0: a weighted sum."""
    deeper: int = 0
    """Units of a second hidden layer; 0: none."""
    rate: float = 0.1
    last_rate: float = 0.01
    trace: float = 0.7
    """How far ahead targets look (lambda): 0, to the next state; 1, to the end of the game."""
    gamble: float = 0.1
    """How often an action is drawn at random."""
    batch: int = 200
    """Games between two looks at the clock, over all threads."""
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        require_ranges(
            self,
            hidden=(0, 4096), deeper=(0, 4096), rate=(0, 10), last_rate=(0, 10), trace=(0, 1), gamble=(0, 1),
            batch=(1, 1_000_000), threads=(1, 256), seed=(0, MOST_SEED),
        )  # fmt: skip
        if self.deeper and not self.hidden:
            raise CounterplayError(f"deeper={self.deeper}: there is no second hidden layer without a first (hidden=0)")


PRESETS: dict[str, tuple[str, Recipe]] = {
    "td-gammon": (
        "backgammon",
        Recipe(encoding="raw", hidden=40, rate=0.04, last_rate=0.0005, trace=0.7, gamble=0.0, batch=500),
    ),
    "samuel": (
        "checkers",
        Recipe(encoding="features", hidden=0, rate=0.02, last_rate=0.002, trace=0.8, gamble=0.1, batch=100),
    ),
}
"""Trainings with a history, by name: the game, and the settings."""


class TemporalTraining(Training):
    """The training in progress."""

    method = "td"
    settings: Recipe

    def __init__(self, game: Game, recipe: Recipe, games: int | None = None, seconds: float | None = None) -> None:
        require_learnable(game)
        if game.forbids_repetition:
            raise Unsuitable(f"{game.spec} forbids repetition, which no feature shows: td does not suit it")
        super().__init__(game, recipe, games, seconds)
        self.encoding = recipe.encoding or usual_encoding(game)
        self.seen = encoded(game, self.encoding)
        self.average = self.first_head()
        self.plays = [
            TemporalDifferences(self.seen, self.first_head(), recipe.seed + LEAP * k) for k in range(recipe.threads)
        ]
        self.rngs = [each.rng for each in self.plays]
        self.counts = np.zeros(4, np.int64)
        self.crew: WorkCrew | None = None

    def untrained(self) -> Head:
        """Random weights."""
        return new_head(self.seen, self.settings.hidden, self.settings.deeper, self.settings.seed)

    def first_head(self) -> Head:
        """The initial weights."""
        head = self.untrained()
        if self.settings.evaluation:
            model = find_model(self.settings.evaluation, self.game)
            shapes = {name: part.shape for name, part in head.arrays().items()}
            if (model.encoding, model.link) != (self.encoding, "logistic") or {
                name: part.shape for name, part in model.arrays.items()
            } != shapes:
                raise CounterplayError(
                    f"evaluation={self.settings.evaluation}: td did not make it from {self.encoding} with "
                    f"hidden={self.settings.hidden} and deeper={self.settings.deeper}, as these settings require"
                )
            require_shapes(model, shapes, self.game)  # and that all are numbers
            for name, part in head.arrays().items():
                part[...] = model.arrays[name]
        return head

    @property
    def played(self) -> int:
        return int(self.counts[0])

    def advance(self) -> dict[str, Any]:
        recipe, share = self.settings, self.share
        rate = recipe.rate + (recipe.last_rate - recipe.rate) * share
        trace = recipe.trace * max(0.0, 1.0 - share / EARLY) if share < 1 else 0.0
        started = time.perf_counter()
        batch = recipe.batch if self.games is None else min(recipe.batch, self.games - self.played)
        shares = [(batch + k) // len(self.plays) for k in range(len(self.plays))]
        if self.crew is None:
            with ThreadPoolExecutor(len(self.plays)) as threads:
                running = [
                    threads.submit(each.learn, games, trace, rate, recipe.gamble)
                    for each, games in zip(self.plays, shares, strict=True)
                ]
                for each in running:
                    each.result()
        elif not learn_elsewhere(self.crew, self.plays, shares, trace, rate, recipe.gamble, self.stop):
            return {}  # stopped
        self.meet()
        kept = min(STEADY, 1.0 - 1.0 / (self.step + 2))
        for name, part in self.average.arrays().items():
            part += np.float32(1.0 - kept) * (self.head.arrays()[name] - part)
        passed = time.perf_counter() - started
        self.spent += passed
        self.step += 1
        news = np.sum([each.diary.counts() for each in self.plays], axis=0)
        _, positions, judged, _ = map(int, news)
        surprise = sum(float(each.diary.errors) for each in self.plays)
        self.counts += news
        return {
            "step": self.step,
            "games": self.played,
            "seconds": round(self.spent, 3),
            "games_per_second": round(batch / passed, 1),
            "positions_per_second": round(positions / passed),
            "judged_per_second": round(judged / passed),
            "length": round(positions / max(batch, 1), 2),
            "loss": round(surprise / max(positions, 1), 6),
            "rate": round(rate, 6),
        } | ({} if self.crew is None else self.crew.figures())

    def model(self) -> Model:
        return self.average.model(
            self.game, self.encoding, method="td", games=self.played, seconds=round(self.spent, 1)
        )

    def gain(self, games: int = 400, seed: int = 1) -> tuple[float, float]:
        """The average's payoff per game against its untrained self, and the standard error."""
        fresh = self.untrained()
        opening = 0 if self.game.has_chance else OPENING
        play = self.plays[0]
        return duel(self.seen, self.average, fresh, play.diary, games, opening, Rng(seed), play.out)

    def prepare(self) -> None:
        if self.crew is None:
            self.plays[0].learn(0, 0.0, 0.0, 0.0)
        else:
            learn_elsewhere(self.crew, self.plays, [0] * len(self.plays), 0.0, 0.0, 0.0, self.stop)

    def employ(self, fleet: Fleet) -> None:
        """Let a crew learn each thread's part of a batch."""
        if self.settings.threads == 1:
            raise CounterplayError(
                "td divides a batch among its threads, and there is only 1: --set threads=4 occupies 4 workers or cores"
            )
        job = temporal_job(self.game, fleet.spec, self.encoding, self.settings.hidden, self.settings.deeper)
        self.crew = crew_for(job, fleet.workers, fleet.cluster)

    def close(self) -> None:
        """End all processes that learn."""
        if self.crew is not None:
            self.crew.stop()

    @property
    def head(self) -> Head:
        """The weights that all threads start the next batch with."""
        return self.plays[0].head

    def meet(self) -> None:
        """Every thread continues from the mean of all weights."""
        for name, part in self.head.memory().items():
            others = [each.head.memory()[name] for each in self.plays[1:]]
            for other in others:
                part += other
            part /= part.dtype.type(len(self.plays))
            for other in others:
                other[...] = part

    # The run.

    def resume(self, run: Run) -> None:
        super().resume(run)
        for each in self.plays[1:]:
            for name, part in each.head.memory().items():
                part[...] = self.head.memory()[name]

    def parts(self) -> dict[str, np.ndarray]:
        parts = {f"now_{name}": part for name, part in self.head.memory().items()}
        parts |= {f"average_{name}": part for name, part in self.average.arrays().items()}
        return parts | {"counts": self.counts}
