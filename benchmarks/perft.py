"""Counting the tree: leaves a second against OpenSpiel, whose states are walked from Python. Counts must be equal."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks import openspiel
from benchmarks.measure import Comparison, Differs, Duration, Outcome, Skipped, race, turn
from counterplay.core.perft import perft
from counterplay.core.registry import load

NAME = "perft"

EVENTS = [("connect-four", "connect_four", 7), ("othello", "othello", 6)]
KNOWN = ("checkers", 9, 3_963_680, 5.0)  # OpenSpiel's jumps are several actions; the leaves are published


def run(quick: bool) -> Iterator[Outcome]:
    """All games."""
    for ours, theirs, depth in EVENTS:
        yield compare(ours, theirs, depth - 1 if quick else depth, turns=2 if quick else 7)
    yield alone(*KNOWN)


def alone(ours: str, depth: int, known: int, limit: float) -> Outcome:
    """A game whose tree no peer counts: the leaves must be those that are known, within seconds."""
    game = load(ours)
    perft(game, game.initial(), 1)  # compile
    started, cpu = time.perf_counter(), time.process_time()
    leaves = perft(game, game.initial(), depth)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    work = f"{ours}, depth {depth}: {known:,} leaves"
    if leaves != known:
        return Differs(NAME, work, "published", f"{leaves:,} leaves here")
    return Duration(NAME, work, seconds, cpu, limit)


def compare(ours: str, theirs: str, depth: int, turns: int) -> Outcome:
    """One game."""
    work = f"{ours}, depth {depth}"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel", openspiel.MISSING)
    game, start = load(ours), openspiel.pyspiel.load_game(theirs).new_initial_state()
    s = game.initial()
    leaves, their_leaves = perft(game, s, depth), openspiel.perft(start, depth)
    if leaves != their_leaves:
        return Differs(NAME, work, "OpenSpiel", f"{leaves:,} leaves here, {their_leaves:,} there")
    seconds, their_seconds = race(
        turn(lambda: perft(game, s, depth)), turn(lambda: openspiel.perft(start, depth)), turns
    )
    work = f"{work}: {leaves:,} leaves"
    return Comparison(NAME, work, "leaves/s", leaves / seconds, "OpenSpiel", leaves / their_seconds, None)
