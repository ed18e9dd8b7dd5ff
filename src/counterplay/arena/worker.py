"""A process that plays games for a match: `python -m counterplay.arena.worker`.

It reads a line of JSON for each game from stdin and answers with a line on stdout. The first line says what is played. When
stdin ends, because the match is over or its process is gone, the worker ends as well, and with it the engines it started.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from counterplay.arena.judge import Judge
from counterplay.arena.openings import Opening
from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played, Thought, is_haunted, play
from counterplay.core.calling import file_of
from counterplay.core.conversation import Conversation
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.registry import describe, load, where
from counterplay.players.engines.process import end_all
from counterplay.players.specs import player


def play_fixture(game: Game, plan: Plan, fixture: Fixture) -> Played:
    """Play one game of a plan, with players made for this game alone."""
    with contextlib.ExitStack() as stack:
        seats = [
            stack.enter_context(player(plan.contestants[contestant], seed=lot))
            for contestant, lot in zip(fixture.seats, fixture.lots, strict=True)
        ]
        judge = Judge(stack.enter_context(player(plan.judge))) if plan.judge else None
        return play(game, seats, fixture.opening, fixture.seed, plan.control, judge)


def rehearse(game: Game, plan: Plan) -> None:
    """Make each player once, for a first game: what is wrong with it is told before anything is played."""
    first = plan.fixture(game, 0)
    for spec in dict.fromkeys([*plan.contestants, plan.judge] if plan.judge else plan.contestants):
        with player(spec) as each:
            each.require(game)
            each.prepare(first.opening.start(game, first.seed).roll())


def fixture_data(fixture: Fixture) -> dict[str, Any]:
    """A fixture as JSON has it."""
    return fixture._asdict()


def read_fixture(data: dict[str, Any]) -> Fixture:
    """A fixture from JSON."""
    return Fixture(
        **data | {"seats": tuple(data["seats"]), "opening": Opening(*data["opening"]), "lots": tuple(data["lots"])}
    )


def read_played(data: dict[str, Any]) -> Played:
    """A game from JSON."""
    return Played(
        **data
        | {
            "returns": tuple(data["returns"]),
            "seconds": tuple(data["seconds"]),
            "thoughts": [Thought(*each) for each in data["thoughts"]],
        }
    )


def main() -> None:
    """Answer every line until stdin ends."""
    talk = Conversation(end_all)
    game: Game | None = None
    try:
        plan = Plan.from_data(talk.hear())
        game = load(plan.game)
        rehearse(game, plan)
        talk.say({"ready": True})
        while True:
            talk.say(play_fixture(game, plan, read_fixture(talk.hear()))._asdict())
            if is_haunted():
                os._exit(0)  # another worker takes over, and has the machine for itself
    except CounterplayError as wrong:
        talk.say({"error": str(wrong)})
    except Exception as wrong:  # a rule of a user's game, most likely
        location = where(wrong, file_of(game)) if game else ""
        talk.say(
            {"error": f"{location + ': the rules raise' if location else plan.game + ' raises'} {describe(wrong)}"}
        )


if __name__ == "__main__":
    main()
