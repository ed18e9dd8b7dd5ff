"""The strength of chess: games against programs that Debian has, on clocks, every opening from each side.

Each side has the same clock and one core. The programs speak UCI or XBoard's protocol; their own books are left as they
are, and games begin from random openings, which books seldom know. A rating is only as good as the number of games: the
interval says how good.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from benchmarks.measure import Match, Outcome, Skipped
from counterplay.arena.openings import random_opening
from counterplay.arena.referee import Control, play
from counterplay.core.registry import load
from counterplay.players.specs import player

NAME = "chess-strength"
PEERS = {
    "GNU Chess 6": "uci:gnuchess",
    "Phalanx XXV": "xboard:phalanx",
    "Sjeng 11": "xboard:sjeng",
    "Toga II 3": "uci:toga2",
    "Glaurung 2": "uci:glaurung",
    "Stockfish at 2000": "uci:stockfish,elo=2000",
}
GAMES, PLIES = 100, 6
CLOCK = Control(base=10.0, increment=0.1, margin=5.0)
"""The margin forgives what a busy machine takes."""
TARGETS = {"GNU Chess 6": 0.0, "Phalanx XXV": 0.0, "Sjeng 11": 0.0}
"""Ahead of these; the others are measured."""
HOPE = -1000.0


def run(quick: bool) -> Iterator[Outcome]:
    """All matches."""
    for peer, spec in PEERS.items():
        yield match(peer, spec, 2 if quick else GAMES, CLOCK._replace(base=1.0) if quick else CLOCK)


def match(peer: str, spec: str, games: int, control: Control) -> Outcome:
    """Our scores against a program."""
    work = f"chess, {control.base:g} s + {control.increment:g} s a move"
    program = spec.partition(":")[2].partition(",")[0]
    if shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])) is None:
        return Skipped(NAME, work, peer, f"{program} is not installed")
    game, pairs = load("chess"), []
    for number in range(games // 2):
        opening, scores = random_opening(game, PLIES, number), []
        for seat in (0, 1):
            with player("alphabeta:table=64") as us, player(spec) as them:
                us.time = us.otherwise = None  # type: ignore[attr-defined]
                seats = [us, them] if seat == 0 else [them, us]
                played = play(game, seats, opening, number, control)
            scores.append((1 + played.returns[seat]) / 2)
        pairs.append((scores[0], scores[1]))
    return Match(NAME, work, peer, pairs, TARGETS.get(peer, HOPE))
