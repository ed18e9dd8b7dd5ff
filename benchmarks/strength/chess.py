"""The strength of chess: games against programs that Debian has, a second per move, every opening from each side.

Each side thinks on one core while the other waits. The programs speak UCI or XBoard's protocol; their own books stay
on, and games begin with random openings, which books seldom contain. A program that dies or hangs loses. Stockfish, if
it is installed, ends games in which it is sure of the winner or of a draw (`arena/judge.py`): in 31 games that had been
played out, it would have named every winner, and called two games drawn that the opponent lost in the end. The
opponents take turns, and the games are stored in files here: the same command continues them, and `counterplay results
FILE` shows the standings. A rating is only as good as the number of games: the interval says how good.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measure import Match, Outcome, Skipped
from counterplay.arena.event import Event
from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Control, Played
from counterplay.arena.standing import Standing
from counterplay.arena.store import Store
from counterplay.core.registry import load

NAME = "chess-strength"
RIVALS = {"GNU Chess 6": "uci:gnuchess", "Phalanx XXV": "xboard:phalanx", "Sjeng 11": "xboard:sjeng"}
"""Programs that we want to beat."""
MASTERS = {
    "Toga II 3": "uci:toga2",
    "Glaurung 2": "uci:glaurung",
    **{f"Stockfish at {elo}": f"uci:stockfish,elo={elo}" for elo in (1800, 2200, 2600)},
}
"""Programs to compare ourselves with."""
GAMES, PLIES, SEED = 100, 6, 1
JUDGE = "uci:stockfish,nodes=15000"
CONTROL = Control(move=1.0, margin=10.0)
"""The margin forgives delays on a busy machine."""
HASTE = Control(base=1.0, increment=0.1, margin=10.0)
"""For a smoke test: XBoard's protocol has no time below a second per move."""


def run(quick: bool) -> Iterator[Outcome]:
    """All matches."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if quick else Path()
        yield from gauntlet(folder / f"{NAME}.db", RIVALS, 0.0, quick)
        yield from gauntlet(folder / f"{NAME}-masters.db", MASTERS, None, quick)


def gauntlet(file: Path, peers: Mapping[str, str], target: float | None, quick: bool) -> Iterator[Outcome]:
    """Our scores against each program, with the games stored in a file."""
    control = HASTE if quick else CONTROL
    work = "chess, 1 s + 0.1 s a move" if quick else f"chess, {control.move:g} s a move"
    for peer in [peer for peer, spec in peers.items() if not is_here(spec)]:
        yield Skipped(NAME, work, peer, "the program is not installed")
    here = {peer: spec for peer, spec in peers.items() if is_here(spec)}
    if not here:
        return
    specs = ("alphabeta", *here.values())
    judge = JUDGE if is_here(JUDGE) else ""
    plan = Plan("chess", specs, 2 if quick else GAMES, "gauntlet", SEED, PLIES, control=control, judge=judge)
    game, store = load("chess"), Store(file)
    event = Event(game, plan, store)

    def tell(fixture: Fixture, played: Played) -> None:
        white, black = (specs[seat] for seat in fixture.seats)
        score = {1.0: "1-0", 0.0: "1/2-1/2", -1.0: "0-1"}[played.returns[0]]
        ending = f" ({played.note})" if played.note else ""
        print(f"game {fixture.number + 1} of {event.total}: {white} - {black} {score}{ending}", file=sys.stderr)

    try:
        event.run(finished=tell)
        standing = Standing(game, store)
    finally:
        event.stop()
        store.close()
    for number, peer in enumerate(here, 1):
        yield Match(NAME, work, peer, pairs(standing, number), target, certain=True)


def is_here(spec: str) -> bool:
    """Whether the program of a player is installed."""
    program = spec.partition(":")[2].partition(",")[0]
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])) is not None


def pairs(standing: Standing, peer: int) -> list[tuple[float, float]]:
    """Our scores in the two games of each opening against a contestant."""
    found: dict[int, list[float]] = {}
    for result in standing.rounds:
        if set(result.players) == {0, peer}:
            found.setdefault(result.round, []).append(result.scores[result.players.index(0)])
    return [(first, second) for first, second in found.values()]
