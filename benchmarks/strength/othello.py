"""The strength of Othello: games against GRhino, which also evaluates by patterns, every opening from each side.

GRhino takes as long as its level does. We have as much: the time that it uses is credited to our account, and we spend
a fraction of that on each move, in CPU time, turned into nodes by the speed of the last move, so a busy machine does
not matter.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Match, Outcome, Skipped
from counterplay.arena.openings import random_opening
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import load
from counterplay.players.engines.gtp import Gtp
from counterplay.players.specs import player

NAME = "othello-strength"
OURS = "alphabeta:evaluation=othello"
PAIRS, LEVEL, PLIES = 50, 3, 8
PART = 0.25
"""The fraction of our account that a move may cost."""
LEAST = 0.01
"""The maximum seconds of a move, whatever the account."""
FIRST_PACE = 300_000.0
"""Nodes per second, until measured."""


def run(quick: bool) -> Iterator[Outcome]:
    """The match."""
    yield match(1 if quick else PAIRS, 1 if quick else LEVEL)


def match(pairs: int, level: int, spec: str = OURS) -> Outcome:
    """Our scores."""
    work = f"othello, {spec}, at the time that GRhino takes at level {level}"
    program = shutil.which("gtp-rhino", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if program is None:
        return Skipped(NAME, work, "GRhino", "grhino is not installed")
    us = Ours(spec)
    us.player.prepare(load("othello").start())
    scores = [(play(us, program, level, 0, pair), play(us, program, level, 1, pair)) for pair in range(pairs)]
    return Match(NAME, work, "GRhino", scores, 0.0)


def play(us: Ours, program: str, level: int, side: int, seed: int) -> float:
    """Our score, as `side`, in one game: 1, 0 or 1/2."""
    p = random_opening(load("othello"), PLIES, seed).start(load("othello"))
    with Gtp(f"{program} --book 0 --level {level}", patience=600) as them:
        them.prepare(p)
        while not p.is_over:
            if p.to_move == side:
                p.play(us.choose(p))
                continue
            before = used(them)
            p.play(them.choose(p).action)
            us.account += used(them) - before
    return (1 + p.returns[side]) / 2


def used(them: Gtp) -> float:
    """The CPU seconds that their program has used."""
    return int(Path(f"/proc/{them.running().popen.pid}/schedstat").read_text().split()[0]) / 1e9


class Ours:
    """Our search, with an account of seconds."""

    def __init__(self, spec: str) -> None:
        self.player, self.account, self.pace = player(spec), 0.0, FIRST_PACE
        self.player.otherwise = None  # type: ignore[attr-defined]

    def choose(self, p: Playthrough) -> int:
        """The action to play."""
        started = time.process_time()
        nodes = int(self.pace * max(PART * self.account, LEAST))
        self.player.nodes = nodes  # type: ignore[attr-defined]
        found = self.player.choose(p)
        spent = time.process_time() - started
        self.account -= spent
        if found.nodes > nodes / 2:  # (fewer, if everything is searched to the end)
            self.pace = found.nodes / spent
        return found.action
