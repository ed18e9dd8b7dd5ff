"""The games of a plan as units of work: a process's setup, and its work for each game."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from counterplay.arena.judge import Judge
from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played, is_haunted, play
from counterplay.core.calling import file_of
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.registry import describe, where
from counterplay.players.engines.process import end_all
from counterplay.players.specs import player
from counterplay.scale.job import GameParcel, Job, parcel


class EventShared(NamedTuple):
    """Data shared by all games of a match."""

    game: GameParcel
    plan: Plan


def event_job(game: Game, plan: Plan) -> Job:
    """The games of a plan as a job; its units are fixtures."""
    names, shared = " and ".join(plan.contestants), EventShared(parcel(game, plan.game), plan)
    return Job(names, "counterplay.arena.worker:MatchHall", shared, "game")


class MatchHall:
    """A process that plays games of one plan."""

    def __init__(self, shared: EventShared) -> None:
        self.plan, self.game = shared.plan, shared.game.open()
        with self.told():
            rehearse(self.game, self.plan)

    def __call__(self, fixture: Fixture) -> Played:
        """Play one game."""
        with self.told():
            return play_fixture(self.game, self.plan, fixture)

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Turn an error that a rule of a user's game raises into a sentence."""
        try:
            yield
        except CounterplayError:
            raise
        except Exception as wrong:
            location = where(wrong, file_of(self.game))
            begin = f"{location}: the rules raise" if location else f"{self.plan.game} raises"
            raise CounterplayError(f"{begin} {describe(wrong)}") from None

    def is_spent(self) -> bool:
        """Whether a player who lost on time is still thinking in this process."""
        return is_haunted()

    def close(self) -> None:
        """End the engines that were started here."""
        end_all()


def play_fixture(game: Game, plan: Plan, fixture: Fixture) -> Played:
    """Play one game of a plan, with new players."""
    with contextlib.ExitStack() as stack:
        seats = [
            stack.enter_context(player(plan.contestants[contestant], seed=lot))
            for contestant, lot in zip(fixture.seats, fixture.lots, strict=True)
        ]
        judge = Judge(stack.enter_context(player(plan.judge))) if plan.judge else None
        return play(game, seats, fixture.opening, fixture.seed, plan.control, judge)


def rehearse(game: Game, plan: Plan) -> None:
    """Create each player once before the first game, so that errors are reported before anything is played."""
    first = plan.fixture(game, 0)
    for spec in dict.fromkeys([*plan.contestants, plan.judge] if plan.judge else plan.contestants):
        with player(spec) as each:
            each.require(game)
            each.prepare(first.opening.start(game, first.seed).roll())
