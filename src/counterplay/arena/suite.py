"""Test suites: positions with moves to find or to avoid, and the time when a player finds them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision


class Attempt(NamedTuple):
    """A player's result on one position."""

    is_solved: bool
    action: int  # the player's choice
    found: float | None  # seconds after which it had a solution and kept it; None: never
    depth: int  # the depth at which that was
    seconds: float
    nodes: int


def attempt(p: Playthrough, player: Player, seconds: float | None, is_solved: Callable[[int], bool]) -> Attempt:
    """Let a player search a position, and record when it settled on a solution."""
    started = time.perf_counter()
    since: list[tuple[float, int]] = []  # the time and depth since when the choice is a solution

    def watch(best: Decision) -> None:
        if not is_solved(best.action):
            since.clear()
        elif not since:
            since.append((time.perf_counter(), best.depth))

    chosen = player.choose(p, watch, None if seconds is None else Clock(move=seconds))
    if chosen.seconds:
        started = time.perf_counter() - chosen.seconds  # compiling before it does not count
    solved = is_solved(chosen.action)
    if solved and not since:  # found in an iteration that was not complete
        since.append((started + chosen.seconds, chosen.depth + 1))
    found, depth = (max(0.0, since[0][0] - started), since[0][1]) if solved else (None, chosen.depth)
    return Attempt(solved, chosen.action, found, depth, chosen.seconds, chosen.nodes)
