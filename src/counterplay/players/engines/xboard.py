"""Engines that speak XBoard's protocol, the Chess Engine Communication Protocol (Mann & Muller 2009), such as Sjeng and
Phalanx.

`xboard:phalanx,time=1`: the engine receives a time for each move, a depth, or the match's clocks. The protocol has only
whole seconds for a move; shorter times are sent as clocks. Moves are coordinates, or SAN if the engine asks for it. GNU
Shogi speaks a dialect older than the protocol, with a clock for a hundred moves.
"""

from __future__ import annotations

import math
import re
import time as clocks

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import SECONDS, Clock
from counterplay.players.engines.engine import PATIENCE, Engine, Nonsense
from counterplay.players.engines.process import NoAnswer, Process
from counterplay.players.player import Forfeit
from counterplay.search.decision import Decision
from counterplay.search.suitability import require_budget

GNU_SHOGI = 100
"""The number of moves for which GNU Shogi receives its time at once: it has only whole seconds."""
FEATURES = 2.0
"""Seconds in which an engine declares its features; a silent one speaks the protocol's first version."""
ANSWER = re.compile(r"(?:move|my move is\s*:|\d+\.\s*\.\.\.)\s*(\S+)(?:\s+-?\d+)?", re.IGNORECASE)
REFUSAL = re.compile(r"(?:illegal move|error \()", re.IGNORECASE)


class Xboard(Engine):
    """An XBoard engine, within a depth or a time in seconds (1 second by default)."""

    protocol = "xboard"

    def __init__(
        self, command: str, depth: int | None = None, time: float | None = None, patience: float = PATIENCE
    ) -> None:
        require_budget(depth, time, None)
        self.depth = depth
        self.otherwise = SECONDS if depth is None and time is None else None
        super().__init__(command, time, patience, {"depth": depth, "time": time or self.otherwise})
        self._features: dict[str, str] = {}
        self._told: list[str] | None = None  # the moves that the engine knows, from its starting position on

    def require(self, game: Game) -> None:
        super().require(game)
        if game.protocol_settings:
            raise Unsuitable(
                f"{self.spec} plays standard chess or shogi only; `uci` and `usi` engines play {game.spec}"
            )
        if self.is_gnu_shogi and (game.name != "shogi" or self.depth is not None):
            raise Unsuitable(f"{self.spec} plays shogi, within a time in seconds, and nothing else")

    @property
    def is_gnu_shogi(self) -> bool:
        """Whether the program is GNU Shogi, which knows only some of the commands."""
        return self._words[0].rpartition("/")[2] == "gnushogi"

    def greet(self, process: Process) -> None:
        self._features, self._told = {}, None
        if self.is_gnu_shogi:
            return
        process.send("xboard")
        process.send("protover 2")
        deadline = clocks.monotonic() + FEATURES
        try:
            while self._features.get("done") != "1":
                line = process.hear(deadline)
                if line.startswith("feature"):
                    self._features |= {
                        name: value.strip('"') for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)
                    }
        except NoAnswer:
            pass

    def converse(self, process: Process, p: Playthrough, clock: Clock | None, deadline: float) -> Decision:
        start = p.game.position_text(p.states[0])
        moves = [self.text(p, ply) for ply in range(len(p.actions))]
        if self._told is None or [start, *moves][: len(self._told)] != self._told:
            for line in self.setup(p, clock):
                process.send(line)
            self._told = [start]
        for move in moves[len(self._told) - 1 :]:
            process.send(f"usermove {move}" if self._features.get("usermove") == "1" else move)
        for line in [*self.times(p, clock), "go"]:
            process.send(line)
        while True:
            line = process.hear(deadline)
            answer = ANSWER.fullmatch(line.strip())
            if answer:
                break
            if line.startswith("resign") or "{resign" in line.lower():
                raise Forfeit(f"{self.spec} resigns", "resigned")
            if REFUSAL.match(line):
                raise Nonsense(f"refuses: {line[:80]!r}")
        process.send("force")
        action = self.legal(p, answer[1])
        self._told = [start, *moves, self.written(p.game, p.state, action)]
        return Decision(action)

    def text(self, p: Playthrough, ply: int) -> str:
        """The move made at `ply` as the engine reads it."""
        return self.written(p.game, p.states[ply], p.actions[ply])

    def written(self, game: Game, s: object, action: int) -> str:
        """A move as the engine reads it."""
        return game.action_text(s, action) if self._features.get("san") == "1" else game.protocol_text(s, action)

    def setup(self, p: Playthrough, clock: Clock | None) -> list[str]:
        """The lines that start a new game."""
        if self.is_gnu_shogi:
            if p.states[0] != p.game.initial():
                raise Unsuitable(f"{self.spec} plays from the usual start only")
            minutes, seconds = divmod(max(1, round(GNU_SHOGI * (self.time or SECONDS))), 60)
            return ["new", f"clock {GNU_SHOGI} {minutes}:{seconds:02}", "force"]
        lines = ["new", "easy", "nopost", "force"]
        if p.states[0] != p.game.initial():
            lines.append(f"setboard {p.game.position_text(p.states[0])}")
        if clock is not None and clock.left and self.time is None:
            minutes, seconds = divmod(max(1, round(clock.left[p.to_move])), 60)
            lines.append(f"level 0 {minutes}:{seconds:02} {int(clock.increment)}")
        elif clock is not None or self.depth is None:
            own = self.time or self.otherwise or SECONDS
            limit = own if clock is None else min(own, clock.share(p.to_move))
            lines.append(f"st {max(1, math.floor(limit))}")
        if self.depth is not None:
            lines.append(f"sd {self.depth}")
        return lines

    def times(self, p: Playthrough, clock: Clock | None) -> list[str]:
        """The times left on the clocks, in hundredths of a second."""
        if clock is None or not clock.left or self.time is not None or self.is_gnu_shogi:
            return []
        mine, theirs = clock.left[p.to_move], clock.left[1 - p.to_move]
        return [f"time {max(1, round(100 * mine))}", f"otim {max(1, round(100 * theirs))}"]

    def farewell(self, process: Process) -> None:
        process.send("quit")
