"""Engines that speak UCI, the Universal Chess Interface (Meyer-Kahlen & Huber 2006), such as Stockfish.

`uci:stockfish,elo=1500,hash=64,time=0.1`: every option that the engine declares is also an option here, in any case and
with _ for spaces (`skill_level=5`); `elo` limits its strength. Positions and moves are written as the game writes them.
"""

from __future__ import annotations

import difflib
import re
import time as clocks
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import FALSE, TRUE
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import SECONDS, Clock, thinking_time
from counterplay.players.engines.engine import GREETING, PATIENCE, Engine, Nonsense
from counterplay.players.engines.process import NoAnswer, Process
from counterplay.players.player import Forfeit
from counterplay.search.decision import Decision
from counterplay.search.suitability import require_budget

ARGUMENTS = {"gnuchess": ["--uci"]}
"""Arguments that make some programs speak UCI."""
READINESS = 60.0
"""Seconds in which an engine that has introduced itself must be ready: some compile first, or read large files."""


class Declared(NamedTuple):
    """An option that an engine declares."""

    name: str
    kind: str  # check, spin, combo, button, string
    low: str
    high: str
    words: list[str]


class Uci(Engine):
    """A UCI engine, within a depth, a time in seconds or a number of nodes (1 second by default)."""

    protocol = "uci"
    position_word = "fen"
    sides = "wb"
    """The letters of the players' clocks."""

    def __init__(
        self,
        command: str,
        elo: int | None = None,
        depth: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        patience: float = PATIENCE,
        **options: str,
    ) -> None:
        require_budget(depth, time, nodes)
        self.depth, self.nodes, self.elo, self.options = depth, nodes, elo, options
        self.otherwise = SECONDS if depth is None and time is None and nodes is None else None
        told = {"elo": elo, "depth": depth, "time": time or self.otherwise, "nodes": nodes, **options}
        super().__init__(command, time, patience, told)
        self._game_settings: dict[str, str] = {}  # what the game itself needs
        self._told: list[str] = []  # the game that the engine knows: its start and its moves

    def arguments(self) -> list[str]:
        return ARGUMENTS.get(self._words[0].rpartition("/")[2], []) if len(self._words) == 1 else []

    def prepare(self, p: Playthrough) -> None:
        if p.game.protocol_settings != self._game_settings:
            self.close()  # some engines read it only when they start
            self._game_settings = dict(p.game.protocol_settings)
        super().prepare(p)

    def greet(self, process: Process) -> None:
        deadline = clocks.monotonic() + GREETING
        process.send(self.protocol)
        declared: dict[str, Declared] = {}
        while (line := process.hear(deadline)).strip() != f"{self.protocol}ok":
            if line.startswith("option name "):
                option = read_option(line)
                declared[plain(option.name)] = option
        for line in self.settings(declared):
            process.send(line)
        self._told = []
        try:
            self.synchronize(process, clocks.monotonic() + READINESS)
        except NoAnswer:
            raise Forfeit(f"{self.spec} hangs: not ready within {READINESS:g} s", "silent") from None

    def settings(self, declared: dict[str, Declared]) -> list[str]:
        """The lines that set the spec's options."""
        wanted = {**self._game_settings, **self.options}
        if self.elo is not None:
            wanted |= {"UCI_LimitStrength": "on", "UCI_Elo": str(self.elo)}
        lines = []
        for name, value in wanted.items():
            option = declared.get(plain(name)) or declared.get(plain(name.replace("UCI_", "USI_")))
            if option is None:
                near = difflib.get_close_matches(plain(name), declared, n=1)
                hint = f"did you mean {near[0].replace(' ', '_')}?" if near else "it has " + ", ".join(sorted(declared))
                raise CounterplayError(f"{self.spec}: the engine has no option {name!r}; {hint}")
            setting = self.value(option, value)
            lines.append(f"setoption name {option.name}" + (f" value {setting}" if option.kind != "button" else ""))
        return lines

    def value(self, option: Declared, text: str) -> str:
        """A value in the engine's form, checked against its declaration."""
        if option.kind == "check":
            if text.lower() not in TRUE | FALSE:
                raise CounterplayError(f"{self.spec}: {option.name}={text!r} must be on or off")
            return "true" if text.lower() in TRUE else "false"
        if option.kind == "spin":
            low, high = int(option.low or -(1 << 31)), int(option.high or 1 << 31)
            if not re.fullmatch(r"-?\d+", text) or not low <= int(text) <= high:
                raise CounterplayError(f"{self.spec}: {option.name}={text} must be a number from {low} to {high}")
        if option.kind == "combo":
            for word in option.words:
                if plain(word) == plain(text):
                    return word
            raise CounterplayError(f"{self.spec}: {option.name}={text!r} must be one of {', '.join(option.words)}")
        return text

    def synchronize(self, process: Process, deadline: float) -> None:
        """Wait until the engine has carried out all commands."""
        process.send("isready")
        while process.hear(deadline).strip() != "readyok":
            pass

    def converse(self, process: Process, p: Playthrough, clock: Clock | None, deadline: float) -> Decision:
        start = p.game.position_text(p.states[0])
        moves = [p.game.protocol_text(s, action) for s, action in zip(p.states, p.actions, strict=False)]
        if not self._told or [start, *moves][: len(self._told)] != self._told:
            process.send(f"{self.protocol}newgame")
            self.synchronize(process, deadline)
        self._told = [start, *moves]
        process.send(f"position {self.position_word} {start}" + (f" moves {' '.join(moves)}" if moves else ""))
        process.send(self.go(p, clock))
        told: dict[str, Any] = {}
        while True:
            line = process.hear(deadline)
            if line.startswith("info "):
                told |= read_info(line)
            elif line.startswith("bestmove"):
                break
        words = line.split()
        if len(words) < 2:
            raise Nonsense("says `bestmove` without a move")
        if words[1] in ("(none)", "0000", "resign"):
            raise Forfeit(f"{self.spec} resigns", "resigned")
        action = self.legal(p, words[1])
        counts = {"centipawns": told["cp"]} if "cp" in told else {}
        return Decision(action, told.get("value"), (action,), told.get("depth", 0), told.get("nodes", 0), counts=counts)

    def go(self, p: Playthrough, clock: Clock | None) -> str:
        """The command that starts a search."""
        words = ["go"]
        if clock is not None and clock.left:
            for side, left in zip(self.sides, clock.left, strict=True):
                words += [f"{side}time", f"{max(left, 0.001) * 1000:.0f}"]
                words += [f"{side}inc", f"{clock.increment * 1000:.0f}"]
        seconds = thinking_time(p.to_move, clock, self.time, self.otherwise)
        if seconds is not None and (clock is None or not clock.left or self.time is not None):
            words += ["movetime", f"{max(seconds * 1000, 1):.0f}"]
        if self.depth is not None:
            words += ["depth", str(self.depth)]
        if self.nodes is not None:
            words += ["nodes", str(self.nodes)]
        return " ".join(words)

    def farewell(self, process: Process) -> None:
        process.send("quit")


def plain(name: str) -> str:
    """A name for comparison: in lower case, with spaces for _."""
    return name.replace("_", " ").strip().lower()


def read_option(line: str) -> Declared:
    """The option that a line `option name ... type ...` declares."""
    found = re.match(r"option name (.+?) type (\w+)(.*)", line)
    if not found:
        raise Nonsense(f"declares an invalid option: {line[:80]!r}")
    name, kind, rest = found.groups()
    values = dict(re.findall(r"\b(min|max) (-?\d+)", rest))
    words = [word.strip() for word in re.findall(r"\bvar (.+?)(?= var |$)", rest)]
    return Declared(name, kind, values.get("min", ""), values.get("max", ""), words)


def read_info(line: str) -> dict[str, Any]:
    """Depth, nodes and value of a line `info ...` (centipawns as an expectation: 400 are odds of ten to one)."""
    found: dict[str, Any] = {
        key: int(number) for key, number in re.findall(r"\b(depth|nodes) (\d+)", line.partition(" string ")[0])
    }
    score = re.search(r"\bscore (cp|mate) (-?\d+)", line)
    if score:
        number = int(score[2])
        if score[1] == "cp":
            found |= {"cp": number, "value": 2 / (1 + 10 ** (-number / 400)) - 1}
        else:
            found["value"] = 1.0 if number > 0 else -1.0
    return found
