"""Engines that speak our own plain protocol of lines: the shortest way to let any program, in any language, play any game.

`line:COMMAND` starts the program and sends these lines:

    counterplay 1            the protocol's version; the program answers `ready`
    option NAME VALUE        for each option of the spec that is not ours
    game SPEC                a new game begins
    position TEXT            its start, if not the usual one
    player 1                 who you are, counted from 1
    moves 4 4 3              all moves so far, including chance events; ? for what you may not see
    board LINE               the board as you may see it, a line each
    legal 1 2 3 4 5 6 7      what you may answer
    time 0.500               seconds for this answer, if they are limited
    choose                   your turn: answer `move 4`, or `resign`
    quit                     good-bye

Before `move` the program may say `value 0.25` (its expected payoff) and any number of lines `info ...`, which are
skipped. Everything from `player` to `choose` is sent again each time, so a program need not remember anything.
"""

from __future__ import annotations

import time as clocks

from counterplay.core.formats.text import shorten
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock, thinking_time
from counterplay.players.engines.engine import GREETING, PATIENCE, Engine, Nonsense
from counterplay.players.engines.process import Process
from counterplay.players.player import Forfeit
from counterplay.search.decision import Decision

VERSION = 1


class LineProtocol(Engine):
    """A program that speaks the line protocol, with a time limit in seconds for each choice."""

    protocol = "line"

    def __init__(self, command: str, time: float | None = None, patience: float = PATIENCE, **options: str) -> None:
        super().__init__(command, time, patience, {"time": time, **options})
        self.options = options
        self._told: list[str] | None = None  # the moves of the game that the program knows

    def require(self, game: Game) -> None:
        """Every game: the program receives what its player may see."""

    def greet(self, process: Process) -> None:
        deadline = clocks.monotonic() + GREETING
        process.send(f"counterplay {VERSION}")
        line = process.hear(deadline).strip()
        if line.split()[:1] != ["ready"]:
            raise Nonsense(f"greets with {shorten(line)!r} instead of `ready`")
        for name, value in self.options.items():
            process.send(f"option {name} {value}")
        self._told = None

    def converse(self, process: Process, p: Playthrough, clock: Clock | None, deadline: float) -> Decision:
        for line in self.situation(p, clock):
            process.send(line)
        value = None
        while True:
            word, _, rest = process.hear(deadline).strip().partition(" ")
            if word == "value":
                value = number(rest)
            elif word == "resign":
                raise Forfeit(f"{self.spec} resigns", "resigned")
            elif word == "move":
                break
            elif word not in ("info", ""):
                raise Nonsense(f"answers {shorten(f'{word} {rest}'.strip())!r} instead of `move ...`")
        action = self.legal(p, rest)
        return Decision(action, value)

    def situation(self, p: Playthrough, clock: Clock | None) -> list[str]:
        """Everything that the program receives before it chooses."""
        me, moves = p.to_move, p.moves_seen_by(p.to_move)
        lines = []
        if self._told is None or moves[: len(self._told)] != self._told:
            lines.append(f"game {p.game.spec}")
            if p.states[0] != p.game.initial() and not p.game.has_secrets:
                lines.append(f"position {p.game.position_text(p.states[0])}")
        self._told = moves
        lines += [f"player {me + 1}", f"moves {' '.join(moves)}".strip()]
        lines += [f"board {line}" for line in p.game.board(p.state, me if p.game.has_secrets else None).splitlines()]
        lines.append(f"legal {' '.join(p.legal())}")
        seconds = thinking_time(me, clock, self.time, None)
        if seconds is not None:
            lines.append(f"time {seconds:.3f}")
        return [*lines, "choose"]

    def farewell(self, process: Process) -> None:
        process.send("quit")


def number(text: str) -> float:
    """A number from a program."""
    try:
        return float(text)
    except ValueError:
        raise Nonsense(f"reports the value {shorten(text)!r}, which is not a number") from None
