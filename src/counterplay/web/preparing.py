"""Preparing: a game and a player are compiled before anyone waits for their first move, once for everybody. Nobody
waits for the compiler: until it is done, the same source answers as plain Python. A player with little to do plays its
own moves that way; a strong one is replaced by one with little to do, and the answer says so."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from counterplay.core.conversation import Data
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import read_options
from counterplay.core.game import Game
from counterplay.players.specs import player_class
from counterplay.web.crew import READY, Crew, CrewWorker
from counterplay.web.strength import levels

SOON = 0.7
"""Seconds of preparing before a message is shown."""
PATIENCE = 3.0
"""Seconds of preparing after which another player stands in for a strong one."""
UNCOMPILED = 60.0
"""Seconds that an answer may take in plain Python: on a busy machine it can still come long before the compiler is done."""
LIGHT = {"depth": 2, "simulations": 50}
"""Budgets that plain Python can handle."""


def is_light(spec: str) -> bool:
    """Whether a player does so little work that it can play uncompiled without playing worse."""
    name, _, text = spec.partition(":")
    given = read_options(player_class(name), name, text)
    return "time" not in given and any(given.get(option, most + 1) <= most for option, most in LIGHT.items())


def stand_in(game: Game, player: str) -> str:
    """The player that plays uncompiled for one of a game's levels until that is compiled: the strongest light level.
    Empty for any other player, which is wanted for itself."""
    offered = [level.spec for level in levels(game)]
    light = [spec for spec in offered if is_light(spec)]
    return light[-1] if light and player in offered else ""


class Preparation:
    """A game and a player being compiled."""

    def __init__(self, crew: Crew, question: dict[str, Any]) -> None:
        self.since = time.monotonic()
        self.task = asyncio.create_task(crew.ask("prepare", **question))
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # the waiting page reports it

    @property
    def seconds(self) -> float:
        """The seconds that it has taken so far."""
        return time.monotonic() - self.since

    @property
    def is_done(self) -> bool:
        """Whether the wait is over."""
        return self.task.done()

    @property
    def failed(self) -> bool:
        """Whether to try again."""
        return self.is_done and (self.task.cancelled() or self.task.exception() is not None)

    def words(self, title: str) -> str:
        """The progress for a game by its title; empty if there is nothing to say."""
        told = not self.is_done and self.seconds > SOON
        return f"Preparing {title} for your machine, first time only ({self.seconds:.0f} s)" if told else ""

    async def wait(self) -> None:
        """Wait until it is ready; a visitor who leaves does not stop it for the others."""
        await asyncio.shield(self.task)

    async def wait_aloud(self, title: str, say: Callable[[str], object]) -> None:
        """The same, reporting progress."""
        while not self.is_done:
            if words := self.words(title):
                say(words)
            await asyncio.wait([self.task], timeout=0.5)
        await self.wait()

    async def is_done_after(self, seconds: float) -> bool:
        """Whether it is ready a given time after its start, or in a moment, as is everything compiled before."""
        await asyncio.wait({self.task}, timeout=max(SOON, seconds - self.seconds))
        return self.is_done


class Preparations:
    """All preparations, by game and player."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self.begun: dict[tuple[str, str], Preparation] = {}
        self.early = CrewWorker(compiles=False)
        """The process that answers uncompiled: it is not one of the crew, who may all be compiling."""
        self.turn = asyncio.Lock()

    def begin(self, game: str, player: str) -> Preparation:
        """The preparation of a game and a player, started if it has not been before."""
        key = game, player
        if key not in self.begun or self.begun[key].failed:
            while len(self.begun) > 200:
                del self.begun[next(iter(self.begun))]
            self.begun[key] = Preparation(self.crew, {"game": game, "player": player})
        return self.begun[key]

    async def choose(
        self, *, game: str, player: str, position: str | None, moves: str, seed: int, other: str, **more: Any
    ) -> Data | None:
        """The action of a player, as soon as it is compiled; if that takes longer, of a light one uncompiled, or of the
        `other` who stands in for a strong one. `more` says who asks, and how much time there is."""
        asked: dict[str, Any] = {"game": game, "position": position, "moves": moves, "seed": seed}
        preparation = self.begin(game, player)
        quick = is_light(player)
        if (quick or other) and not await preparation.is_done_after(SOON if quick else PATIENCE):
            early = asyncio.create_task(self.choose_uncompiled({**asked, "player": player if quick else other}))
            try:
                await asyncio.wait({early, preparation.task}, return_when=asyncio.FIRST_COMPLETED)
                if early.done() and early.exception() is None and (found := early.result()) is not None:
                    return found if quick else {**found, "stands_in": True}
            finally:
                early.cancel()
        await preparation.wait()
        return await self.crew.ask("choose", player=player, **asked, **more)

    async def choose_uncompiled(self, asked: Data) -> Data | None:
        """The action of a light player without compilation, one request at a time."""
        async with self.turn:
            return await self.early.answer({"task": "choose_uncompiled", **asked}, None, UNCOMPILED)

    def forget(self, game: str) -> None:
        """Drop a game's preparations after its file was saved."""
        self.begun.clear()
        self.early.write({"forget": game})

    async def warm(self) -> None:
        """Start the process that answers early, before anyone waits for it."""
        await self.early.running()

    async def close(self) -> None:
        """End the process that answers early."""
        self.early.kill()
        await self.early.bury()


LOWEST = 19
"""The niceness of the process that compiles what nobody has asked for yet."""


async def prepare_ahead(wanted: Sequence[tuple[str, str]]) -> None:
    """Compile games with their players before anyone asks for them, one after another, beside the crew and when nothing
    else computes: compiled code is on the disk, where every worker finds it."""
    worker = CrewWorker()
    try:
        process = await worker.running()
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, LOWEST)
        for game, player in wanted:
            with contextlib.suppress(CounterplayError):
                await worker.answer({"task": "prepare", "game": game, "player": player}, None, READY)
    finally:
        worker.kill()
        await worker.bury()
