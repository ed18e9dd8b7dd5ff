"""Engines that speak GTP, the Go Text Protocol (Farnebäck 2002), such as GNU Go.

`gtp:gnugo,level=1,time=2`: settings outside GTP go on the command line, so `level=1` becomes `--level 1` and
`japanese_rules=on` becomes `--japanese-rules`. The board's size and komi are the game's parameters `size` and `komi`;
moves are written as the game writes them, and its first player is Black.
"""

from __future__ import annotations

import time as clocks

from counterplay.core.errors import Unsuitable
from counterplay.core.formats.options import FALSE, TRUE
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import listed
from counterplay.players.clock import Clock
from counterplay.players.engines.engine import GREETING, PATIENCE, Engine, Nonsense
from counterplay.players.engines.process import Process
from counterplay.players.player import Forfeit
from counterplay.search.decision import Decision

ARGUMENTS = {"gnugo": ["--mode", "gtp", "--chinese-rules", "--capture-all-dead"]}
"""Arguments that make some programs speak GTP and play a game to its end."""
SEED = "set_random_seed"


class CommandRefused(Exception):
    """The engine answered a command with an error."""


class Gtp(Engine):
    """A GTP engine, with a time in seconds for each move if it keeps to that."""

    protocol = "gtp"

    def __init__(
        self,
        command: str,
        time: float | None = None,
        seed: int | None = None,
        patience: float = PATIENCE,
        **options: str,
    ) -> None:
        super().__init__(command, time, patience, {"time": time, "seed": seed, **options})
        self.options, self.seed = options, seed
        self._known: set[str] = set()
        self._told: list[str] | None = None  # the moves on the engine's board

    def arguments(self) -> list[str]:
        found = list(ARGUMENTS.get(self._words[0].rpartition("/")[2], [])) if len(self._words) == 1 else []
        for name, value in self.options.items():
            if value.lower() not in FALSE - {"0"}:
                found.append(f"--{name.replace('_', '-')}")
                found += [] if value.lower() in TRUE - {"1"} else [value]
        return found

    def greet(self, process: Process) -> None:
        deadline = clocks.monotonic() + GREETING
        self._known = set(ask(process, "list_commands", deadline).split())
        if self.seed is not None and SEED in self._known:
            ask(process, f"{SEED} {self.seed % (1 << 31)}", deadline)
        self._told = None

    def prepare(self, p: Playthrough) -> None:
        if p.states[0] != p.game.initial():
            raise Unsuitable(f"GTP only knows moves: {self.spec} cannot begin from a position")
        super().prepare(p)

    def converse(self, process: Process, p: Playthrough, clock: Clock | None, deadline: float) -> Decision:
        try:
            if self._told is None or p.moves[: len(self._told)] != self._told:
                for line in self.setup(p, clock):
                    ask(process, line, deadline)
                self._told = []
            moves = p.moves
            for ply in range(len(self._told), len(moves)):
                self.show(process, p, ply, deadline)
            for line in self.times(p, clock):
                ask(process, line, deadline)
            answer = ask(process, f"genmove {'bw'[p.to_move]}", deadline).strip()
        except CommandRefused as wrong:
            raise Nonsense(f"refuses: {wrong}") from None
        if answer.lower() == "resign":
            raise Forfeit(f"{self.spec} resigns", "resigned")
        action = self.legal(p, answer)
        self._told = [*moves, p.game.action_text(p.state, action)]
        return Decision(action)

    def show(self, process: Process, p: Playthrough, ply: int, deadline: float) -> None:
        """Send the engine a move. A forced pass has already been made on some boards (GRhino's), which refuse it if sent
        it."""
        move, state = p.moves[ply], p.states[ply]
        try:
            ask(process, f"play {'bw'[p.game.to_move(state)]} {move}", deadline)
        except CommandRefused:
            if move != "pass" or len(listed(p.game, state)) > 1:
                raise

    def setup(self, p: Playthrough, clock: Clock | None) -> list[str]:
        """The lines that start a new game."""
        parameters, seconds = p.game.parameters, self.time
        lines = [f"boardsize {parameters['size']}"] if "size" in parameters else []
        lines.append("clear_board")
        lines += [f"komi {parameters['komi']}"] if "komi" in parameters else []
        if "time_settings" not in self._known:
            return lines
        if clock is not None:
            if clock.left and self.time is None:
                return [*lines, f"time_settings {clock.left[p.to_move]:.0f} 0 0"]
            seconds = min(clock.share(p.to_move), self.time or float("inf"))
        if seconds is not None:
            stones = 1 if seconds >= 1 else round(1 / seconds)  # GTP has only whole seconds, but for several moves
            lines.append(f"time_settings 0 {int(seconds * stones)} {stones}")
        return lines

    def times(self, p: Playthrough, clock: Clock | None) -> list[str]:
        """The line that reports the time left on a clock."""
        if clock is None or not clock.left or self.time is not None or "time_left" not in self._known:
            return []
        return [f"time_left {'bw'[p.to_move]} {max(clock.left[p.to_move], 0):.0f} 0"]

    def farewell(self, process: Process) -> None:
        process.send("quit")


def ask(process: Process, command: str, deadline: float) -> str:
    """An engine's answer to a command."""
    process.send(command)
    while not (line := process.hear(deadline)).startswith(("=", "?")):
        if line.strip():
            raise Nonsense(f"answers {command.split()[0]!r} by {line[:80]!r}, which is not GTP")
    answer = [line[1:].strip()]
    while (more := process.hear(deadline)).strip():
        answer.append(more)
    if line.startswith("?"):
        raise CommandRefused(f"{command!r}: {' '.join(answer)}")
    return "\n".join(answer)
