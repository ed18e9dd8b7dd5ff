"""Go: random moves per second beside OpenSpiel, and the time of numbers of playouts.

The moves differ: OpenSpiel draws from all legal moves, we from those that fill no own eye, as usual in Go playouts. The
time limits are for one otherwise idle core.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from benchmarks import openspiel
from benchmarks.measure import Comparison, Duration, Outcome, Skipped, race, turn
from counterplay.core.playout import playouts
from counterplay.core.registry import load

NAME = "go"
TARGET = 20.0


class Event(NamedTuple):
    """The number of playouts that should take a second."""

    spec: str
    playouts: int


EVENTS = [Event("go:9,playouts=uniform", 80_000), Event("go:19,playouts=uniform", 5_000), Event("go:9", 9_500)]


def run(quick: bool) -> Iterator[Outcome]:
    """Beside OpenSpiel, then by the clock."""
    yield beside_openspiel(20 if quick else 400, 2 if quick else 7)
    for event in EVENTS:
        yield by_the_clock(event, 2 if quick else 7)


def beside_openspiel(count: int, turns: int) -> Outcome:
    """Moves per second in random games on 9x9."""
    work = "9x9, random moves"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel", openspiel.MISSING)
    game, theirs = load(EVENTS[0].spec), openspiel.pyspiel.load_game("go(board_size=9)")
    s, ours = game.initial(), 20 * count
    plies = playouts(game, s, ours).plies
    their_plies = sum(length for length, _ in openspiel.playouts(theirs, count, Random(1)))
    seconds, their_seconds = race(
        turn(lambda: playouts(game, s, ours)), turn(lambda: openspiel.playouts(theirs, count, Random(1))), turns
    )
    return Comparison(NAME, work, "moves/s", plies / seconds, "OpenSpiel", their_plies / their_seconds, TARGET)


def by_the_clock(event: Event, turns: int) -> Outcome:
    """The best of several turns at an event."""
    game = load(event.spec)
    s = game.initial()
    playouts(game, s, 10)
    taken = []
    for seed in range(turns):
        wall, cpu = time.perf_counter(), time.process_time()
        playouts(game, s, event.playouts, seed)
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    return Duration(NAME, f"{event.playouts:,} playouts of {event.spec}", *min(taken), 1.0)
