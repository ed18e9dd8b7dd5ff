"""`perft`: count a game's tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from counterplay.api.position import AnyPosition, position_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.perft import perft as leaves_of
from counterplay.core.repetition import repetition_word

DEEPEST = 1000
"""No greater depth would ever finish, and each ply takes some of the call stack."""


@dataclass(frozen=True, repr=False)
class PerftResult(Result):
    """How many sequences of `depth` actions there are."""

    game: str
    depth: int
    leaves: int
    seconds: float
    divide: dict[str, int] | None  # after each first action, if requested

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        divided = {} if self.divide is None else {"divide": self.divide}
        count = {"game": self.game, "depth": self.depth, "leaves": self.leaves, "seconds": round(self.seconds, 6)}
        return count | divided

    def __str__(self) -> str:
        unit = "leaf" if self.leaves == 1 else "leaves"
        return f"{self.leaves:,} {unit} at depth {self.depth}, counted in {self.seconds:.3f} s"


def perft(
    game: AnyPosition,
    depth: int,
    *,
    position: str | None = None,
    moves: str = "",
    divide: bool = False,
    progress: Callable[[PerftResult], None] | None = None,
) -> PerftResult:
    """Count the sequences of exactly `depth` actions, including chance events; with `divide`, after each first action.

    `progress` receives the counts so far after each first action.
    """
    lowest = 1 if divide else 0
    if not lowest <= depth <= DEEPEST:
        raise CounterplayError(f"DEPTH must be from {lowest} to {DEEPEST}, not {depth}")
    p = position_of(game, position, moves)
    rules, s = p.game, p.state
    leaves_of(rules, s, min(depth, 1), p.before)  # compiles, so that the clock below measures only the counting
    started = perf_counter()
    counts: dict[str, int] = {}

    def counted(leaves: int) -> PerftResult:
        return PerftResult(rules.spec, depth, leaves, perf_counter() - started, dict(counts) if divide else None)

    if not divide and (progress is None or depth < 1):
        return counted(leaves_of(rules, s, depth, p.before))
    path = (*p.before, repetition_word(rules, s)) if rules.has_repetition else ()
    for text, action in zip(p.legal(), p.options(), strict=True):
        counts[text] = leaves_of(rules, rules.result(s, action), depth - 1, path)
        if progress is not None:
            progress(counted(sum(counts.values())))
    return counted(sum(counts.values()))
