"""Running a match or tournament: from a plan and a file to results, continuing where it stopped."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator

from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played
from counterplay.arena.result import result_of
from counterplay.arena.sprt import Sprt, Trial
from counterplay.arena.store import Store
from counterplay.arena.worker import event_job, play_fixture, rehearse
from counterplay.core.fingerprint import rules_mark
from counterplay.core.game import Game
from counterplay.scale.crew import WorkCrew, crew_for


class Event:
    """A match or tournament that is being played."""

    def __init__(self, game: Game, plan: Plan, store: Store) -> None:
        plan.check(game)
        self.game, self.plan, self.store = game, plan, store
        store.hold()
        store.begin(plan, rules_mark(game))
        self.total = plan.total(game.players)
        self.played = store.done()
        self.before = len(self.played)
        """How many games were there already."""
        self.began = time.monotonic()
        self.trial = Trial(Sprt(*plan.sprt)) if plan.sprt else None
        if self.trial:
            for result in store.results():
                self.trial.add(result)
        self.crew: WorkCrew | None = None
        self._guard, self._stopped = threading.Lock(), False

    @property
    def is_decided(self) -> bool:
        """Whether the sequential test has its answer."""
        return self.trial is not None and bool(self.trial.verdict)

    @property
    def seconds_left(self) -> float | None:
        """The estimated time to the end."""
        new = len(self.played) - self.before
        left = self.total - len(self.played)
        return (time.monotonic() - self.began) / new * left if new else None

    def missing(self) -> Iterator[Fixture]:
        """The games still to be played, in order."""
        done = frozenset(self.played)
        for number in range(self.total):
            if number not in done:
                if self.is_decided:
                    return
                yield self.plan.fixture(self.game, number)

    def run(
        self, workers: int = 1, finished: Callable[[Fixture, Played], None] | None = None, cluster: str = ""
    ) -> None:
        """Play all missing games in `workers` processes (0: this one) or on a `cluster`; games are stored in the order
        of the plan, and `finished` receives each."""

        def note(fixture: Fixture, played: Played) -> bool:
            with self._guard:
                if self._stopped:
                    return True
                self.store.add(fixture, played)
                self.played.add(fixture.number)
            if self.trial:
                self.trial.add(result_of(fixture, played))
            if finished:
                finished(fixture, played)
            return self.is_decided

        if len(self.played) >= self.total or self.is_decided:
            return
        if workers == 0 and not cluster:
            rehearse(self.game, self.plan)
            for fixture in self.missing():
                if note(fixture, play_fixture(self.game, self.plan, fixture)):
                    break
            return
        workers = min(workers, self.total - len(self.played))
        with self._guard:
            self.crew = self.hire(workers, cluster)
            if self._stopped:
                self.crew.stop()
        given, planned = itertools.tee(self.missing())
        with self.crew as crew, contextlib.closing(crew.map(given)) as games:
            for fixture, played in zip(planned, games, strict=False):
                if note(fixture, played):
                    break

    def hire(self, workers: int, cluster: str) -> WorkCrew:
        """The crew that plays."""
        return crew_for(event_job(self.game, self.plan), workers, cluster)

    def stop(self) -> None:
        """End all processes and store nothing more; games in progress are lost."""
        with self._guard:
            self._stopped = True
            crew = self.crew
        if crew:
            crew.stop()
