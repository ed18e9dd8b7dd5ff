"""Backgammon, looking two plies ahead (own play, the other's roll, their reply) by Star2: the waiting time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.measure import Duration, Outcome
from counterplay.core.registry import load
from counterplay.search.chance.expectiminimax import expectiminimax

NAME = "backgammon"
POSITIONS = ("4HPwATDgc/ABMA", "LtbgEAkbxhMMUA", "PZkCpAlvwCBkRg", "//4AAACAqqqqCg")
"""The start, two from play, and one with 1,814 plays of a double."""
TARGET = 1.0


def run(quick: bool) -> Iterator[Outcome]:
    """The longest wait over all rolls in some positions."""
    game = load("backgammon")
    rolls = [f"{a}{b}" for a in range(1, 7) for b in range(1, a + 1)]
    texts = [f"{position} {roll}" for position in POSITIONS for roll in (rolls[::5] if quick else rolls)]
    states = [game.parse_position(text) for text in texts]
    expectiminimax(game, states[0], 2)  # compile
    longest, cpu = 0.0, 0.0
    for s in states:
        started, worked = time.perf_counter(), time.process_time()
        expectiminimax(game, s, 2)
        longest, cpu = max(longest, time.perf_counter() - started), max(cpu, time.process_time() - worked)
    yield Duration(NAME, f"Star2, 2 plies, the longest of {len(states)} rolls", longest, cpu, TARGET)
