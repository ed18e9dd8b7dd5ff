"""Preparing: a game and a player are compiled before anybody waits for their first move, once for all who ask."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from counterplay.web.crew import Crew


class Preparation:
    """A game and a player on their way to be ready."""

    def __init__(self, crew: Crew, question: dict[str, Any]) -> None:
        self.since = time.monotonic()
        self.task = asyncio.create_task(crew.ask("prepare", **question))
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # whoever waits is told

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.since

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.task.done()

    @property
    def failed(self) -> bool:
        """Whether it must be tried again."""
        return self.is_done and (self.task.cancelled() or self.task.exception() is not None)

    async def wait(self) -> None:
        """Until it is ready; whoever leaves does not stop it for the others."""
        await asyncio.shield(self.task)


class Preparations:
    """All of them, by game and player."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self.begun: dict[tuple[str, str], Preparation] = {}

    def begin(self, game: str, player: str) -> Preparation:
        """The preparation of a game and a player, begun now unless it has been before."""
        key = game, player
        if key not in self.begun or self.begun[key].failed:
            while len(self.begun) > 200:
                del self.begun[next(iter(self.begun))]
            self.begun[key] = Preparation(self.crew, {"game": game, "player": player})
        return self.begun[key]
