"""The common part of all external engines: a process that is started when needed, and whose failures lose its game."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from counterplay.core.errors import CounterplayError, IllegalAction, InvalidAction, Unsuitable
from counterplay.core.formats.options import written
from counterplay.core.formats.text import shorten
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.engines.process import Died, NoAnswer, Process, find_command
from counterplay.players.player import Forfeit, Player
from counterplay.search.decision import Decision, Report
from counterplay.search.suitability import require_budget

PATIENCE = 60.0
"""Seconds beyond the time for its answer after which an engine without a clock counts as hanging."""
GRACE = 1.0
"""The same with a clock: whoever holds the clock decides sooner."""
GREETING = 10.0
"""Seconds in which an engine must answer at its start."""


class Nonsense(Exception):
    """The engine broke its protocol; the text is part of a sentence."""


class Engine(Player):
    """A program that plays. A subclass speaks its protocol: `greet`, `converse`, `farewell`."""

    protocol = ""
    outside = "starts a program"

    def __init__(self, command: str, time: float | None, patience: float, told: Mapping[str, Any]) -> None:
        """`told` are the options to show."""
        require_budget(None, time, None)
        if not patience > 0:
            raise CounterplayError(f"patience={patience:g}: an engine needs a number of seconds, more than 0")
        self.command, self.time, self.patience = command.strip(), time, patience
        said = {k: v for k, v in told.items() if v is not None} | (
            {} if patience == PATIENCE else {"patience": patience}
        )
        self.spec = ",".join([f"{self.protocol}:{self.command}", *(f"{k}={written(v)}" for k, v in said.items())])
        self._words = find_command(self.command)
        self._process: Process | None = None

    # What a subclass writes.

    def arguments(self) -> list[str]:
        """Arguments beyond the command line that the user gave."""
        return []

    def greet(self, process: Process) -> None:
        """Start the conversation."""

    def converse(self, process: Process, p: Playthrough, clock: Clock | None, deadline: float) -> Decision:
        """Get its choice."""
        raise NotImplementedError

    def farewell(self, process: Process) -> None:
        """End the conversation."""

    # What all engines share.

    def require(self, game: Game) -> None:
        if game.has_secrets:  # the protocol would give them away
            raise Unsuitable(f"{self.spec} does not suit {game.spec}, which hides information; a `line` engine does")
        if game.players != 2 or game.has_chance:
            name = self.protocol.upper()
            raise Unsuitable(f"{name} is for two-player games without dice: {self.spec} cannot play {game.spec}")

    def prepare(self, p: Playthrough) -> None:
        self.require(p.game)
        self.running()

    def running(self) -> Process:
        """The process, started if it is not running."""
        if self._process is None:
            self._process = Process([*self._words, *self.arguments()])
            try:
                self.greet(self._process)
            except BaseException as wrong:
                self.close()
                raise self.trouble(wrong, f"no greeting within {GREETING:g} s") from None
        return self._process

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.prepare(p)
        if clock is None:
            limit = (self.time or 0.0) + self.patience
        else:
            limit = max(clock.limit(p.to_move), 0.0) + clock.margin + GRACE
        process, started = self.running(), time.monotonic()
        try:
            found = self.converse(process, p, clock, started + limit)
        except BaseException as wrong:
            self.close()  # its next words would answer an earlier question
            raise self.trouble(wrong, f"no answer within {limit:g} s", "silent" if clock is None else "time") from None
        return found._replace(seconds=time.monotonic() - started)

    def trouble(self, wrong: BaseException, silence: str, kind: str = "silent") -> BaseException:
        """A failure as a forfeit."""
        if isinstance(wrong, NoAnswer):
            return Forfeit(f"{self.spec} hangs: {silence}", kind)
        if isinstance(wrong, Died):
            return Forfeit(f"{self.spec} died ({wrong})", "died")
        if isinstance(wrong, Nonsense):
            return Forfeit(f"{self.spec} {wrong}", "nonsense")
        return wrong

    def legal(self, p: Playthrough, text: str) -> int:
        """The legal action that an engine's answer means."""
        try:
            action = p.game.parse_action(p.state, text)
        except (InvalidAction, IllegalAction):
            action = None
        if action is None or action not in p.options():
            raise Forfeit(f"{self.spec} plays {shorten(text)!r}, which is not legal here", "illegal")
        return action

    def close(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            try:
                self.farewell(process)
            except (Died, NoAnswer):
                pass
            process.end()
