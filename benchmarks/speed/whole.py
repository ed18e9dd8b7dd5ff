"""Exact solving of whole boards from the start. This takes minutes, so it runs only if named."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.measure import Differs, Duration, Outcome
from counterplay import load
from counterplay.search.solving.solve import solve

NAME = "whole"


class Board(NamedTuple):
    """The published facts about a board."""

    spec: str
    value: float  # to the first player
    plies: int | None  # to the end, if published
    limit: float  # seconds


SMALL = (Board("othello:4,score=on", -8.0, None, 1.0),)
LARGE = (Board("connect-four", 1.0, 41, 300.0), Board("othello:6,score=on", -4.0, None, 1800.0))


def run(quick: bool) -> Iterator[Outcome]:
    """Each board within `solve`'s default memory."""
    for board in SMALL if quick else SMALL + LARGE:
        yield measure(board)


def measure(board: Board) -> Outcome:
    """The waiting time for a board."""
    game = load(board.spec)
    solve(game, game.initial(), nodes=1)  # compiles
    started, worked = time.perf_counter(), time.process_time()
    found = solve(game, game.initial())
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    if found.value != board.value or board.plies not in (None, found.plies):
        return Differs(NAME, board.spec, "published", f"we find {found.value} in {found.plies} plies")
    return Duration(NAME, f"{board.spec} solved: {found.nodes:,} nodes", seconds, cpu, board.limit)
