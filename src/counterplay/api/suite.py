"""`suite`: chess test positions, and when the engine solves them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.api.position import player_for
from counterplay.api.result import Result
from counterplay.arena.suite import attempt
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import read_whole
from counterplay.games.chess.epd import EpdLine, read_suite
from counterplay.games.chess.game import Chess
from counterplay.scale.crew import crew_for
from counterplay.scale.job import Job


class SuiteRow(NamedTuple):
    """The outcome of one position."""

    id: str
    solved: bool
    move: str | None  # None if the game is over
    seconds: float | None  # after which it was found and kept
    depth: int
    goal: str = ""  # moves to find or to avoid

    def __str__(self) -> str:
        if self.move is None:
            return f"- {self.id}: the game is over here"
        after = f" ({self.goal})" if self.seconds is None else f" after {self.seconds:.2f} s, depth {self.depth}"
        return f"{'+' if self.solved else '-'} {self.id}: {self.move}{after}"


@dataclass(frozen=True, repr=False)
class SuiteResult(Result):
    """How many positions a player solved."""

    player: str
    rows: tuple[SuiteRow, ...]

    @property
    def solved(self) -> int:
        """The number solved."""
        return sum(row.solved for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        rows = [{name: value for name, value in row._asdict().items() if name != "goal"} for row in self.rows]
        return {"player": self.player, "solved": self.solved, "positions": len(rows), "rows": rows}

    def __str__(self) -> str:
        return f"{self.solved} of {len(self.rows)} solved by {self.player}"


def suite(
    file: str | Path,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    player: str = "",
    workers: int = 0,
    cluster: str = "",
    progress: Callable[[SuiteRow], None] | None = None,
) -> SuiteResult:
    """Solve a suite of chess positions, an EPD file with moves to find (bm) or to avoid (am), and measure how fast. One
    second per position, unless `time`, `depth` or `nodes` says otherwise. Positions are searched in `workers` processes or
    on a Ray `cluster`, if given. `progress` receives each position."""
    game = Chess()
    asked = [
        record
        for record in read_suite(game, read_whole(Path(file)).decode(errors="replace"))
        if record.best or record.avoid
    ]
    if not asked:
        raise CounterplayError(f"{file} has no position with a best move (bm) or one to avoid (am)")
    budget = {"depth": depth, "time": time, "nodes": nodes}
    with player_for(game.start(), player, **budget) as made:
        spec = made.spec
    job = Job("the suite", "counterplay.api.suite:SuiteRoom", SuiteShared(player, budget), "position")
    rows = []
    with crew_for(job, workers, cluster) as crew:
        for row in crew.map(enumerate(asked, 1)):
            rows.append(row)
            if progress is not None:
                progress(row)
    return SuiteResult(spec, tuple(rows))


class SuiteShared(NamedTuple):
    """The player, and its time for each position."""

    player: str
    budget: dict[str, Any]


class SuiteRoom:
    """A process that solves positions, each with a fresh player."""

    def __init__(self, shared: SuiteShared) -> None:
        self.shared, self.game = shared, Chess()

    def __call__(self, unit: tuple[int, EpdLine]) -> SuiteRow:
        """Solve one position."""
        (number, record), game = unit, self.game
        p = game.start(position=game.position_text(record.state))
        name = record.name or f"position {number}"
        if p.is_over:
            return SuiteRow(name, False, None, None, 0)
        with player_for(game.start(), self.shared.player, **self.shared.budget) as made:
            tried = attempt(p, made, None, record.is_solved_by)
        goal = [f"bm {record.operations['bm']}"] if record.best else []
        goal += [f"am {record.operations['am']}"] if record.avoid else []
        when = None if tried.found is None else round(tried.found, 3)
        return SuiteRow(
            name, tried.is_solved, game.action_text(record.state, tried.action), when, tried.depth, ", ".join(goal)
        )
