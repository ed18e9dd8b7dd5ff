"""`bench`: the signature of the chess engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.games.chess.game import Chess
from counterplay.games.chess.samples import SAMPLES
from counterplay.search.engine.decide import decide
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.suitability import DEPTH


class BenchRow(NamedTuple):
    """One fixed search."""

    position: str
    move: str
    nodes: int

    def __str__(self) -> str:
        return f"{self.nodes:>12,}  {self.move:7} {self.position}"


@dataclass(frozen=True, repr=False)
class BenchResult(Result):
    """The node counts of fixed searches: the same on every machine as long as search, rules and evaluation do not
    change."""

    depth: int
    positions: tuple[BenchRow, ...]
    seconds: float  # of processor time

    @property
    def nodes(self) -> int:
        """The signature."""
        return sum(row.nodes for row in self.positions)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        rows = [row._asdict() for row in self.positions]
        return {"depth": self.depth, "nodes": self.nodes, "seconds": round(self.seconds, 3), "positions": rows}

    def __str__(self) -> str:
        rate = self.nodes / self.seconds / 1e6
        return f"{self.nodes:>12,}  nodes in {self.seconds:.2f} s of processor time, {rate:.2f} million/s"


def bench(*, depth: int = 10, progress: Callable[[BenchRow], None] | None = None) -> BenchResult:
    """The chess engine's signature: the node counts of fixed searches to `depth`. `progress` receives each search."""
    if not 1 <= depth <= DEPTH:
        raise CounterplayError(f"depth={depth}: a search looks 1 to {DEPTH} plies ahead")
    game = Chess()
    decide(game, game.initial(), depth=1)  # compiles
    rows: list[BenchRow] = []
    table, seconds = TranspositionTable(16), 0.0
    for fen in SAMPLES:
        s = game.parse_position(fen)
        table.clear()
        started = time.process_time()
        found = decide(game, s, depth=depth, table=table)
        seconds += time.process_time() - started
        rows.append(BenchRow(fen, game.action_text(s, found.action), found.nodes))
        if progress is not None:
            progress(rows[-1])
    return BenchResult(depth, tuple(rows), seconds)
