"""`study`: what each search technique is worth in a position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterplay.api.position import AnyPosition, position_of
from counterplay.api.result import Result
from counterplay.players.player import require_choice
from counterplay.search.engine.study import Row, Study
from counterplay.search.engine.study import study as measure


@dataclass(frozen=True, repr=False)
class StudyResult(Result):
    """One position searched to the same depth by ever more techniques."""

    game: str
    study: Study

    @property
    def rows(self) -> list[Row]:
        """One search per row."""
        return list(self.study.rows)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        found = self.study
        rows = [as_data(row) for row in found.rows]
        return {"game": self.game, "depth": found.depth, "value": found.value, "rows": rows}

    def __str__(self) -> str:
        return f"{self.game} to depth {self.study.depth}, {len(self.study.rows)} sets of techniques"


def study(
    game: AnyPosition,
    *,
    position: str | None = None,
    moves: str = "",
    depth: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> StudyResult:
    """Measure what each search technique is worth: by minimax, by plain alpha-beta, with one more technique each time, then
    with all but one. The default `depth` is what plain alpha-beta reaches in a moment. `progress` receives the technique
    being measured."""
    p = position_of(game, position, moves)
    require_choice(p)
    return StudyResult(p.game.spec, measure(p.game, p.state, depth, report=progress))


def as_data(row: Row) -> dict[str, Any]:
    """A row as plain data."""
    found = row.decision
    return {
        "group": row.group,
        "name": row.name,
        "techniques": row.techniques.words.split(", ") if row.techniques else [],
        "nodes": found.nodes,
        "seconds": round(found.seconds, 6),
        "value": found.value,
        "plies": found.plies,
        "sound": row.is_sound,
        "agrees": row.agrees,
    }
