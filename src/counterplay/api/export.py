"""`export`: a game as a file that Gambit reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import require_writable, write_whole
from counterplay.games import gambit
from counterplay.games.matrix import Matrix


@dataclass(frozen=True, repr=False)
class ExportResult(Result):
    """The file written."""

    game: str
    file: Path
    bytes: int

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"game": self.game, "file": str(self.file), "bytes": self.bytes}

    def __str__(self) -> str:
        return f"{self.bytes:,} bytes: {self.file}"


def export(game: AnyGame, file: str | Path, *, progress: Callable[[int], None] | None = None) -> ExportResult:
    """Export a game for Gambit: a matrix game as .nfg, any game as .efg, its whole tree. `matrix:FILE.nfg` and
    `tree:FILE.efg` read such files. `progress` receives the number of nodes of the tree so far."""
    path, rules = Path(file), game_of(game)
    kind = path.suffix.lower()
    if kind not in (".nfg", ".efg"):
        raise CounterplayError(f"the file must end in .nfg (a table) or .efg (a tree), not {str(path)!r}")
    require_writable(path)
    if kind == ".efg":
        text = gambit.efg_text(rules, progress)
    elif isinstance(rules, Matrix):
        text = gambit.nfg_text(rules)
    else:
        raise CounterplayError(f"{rules.spec} is not a matrix game: export it as a tree, .efg")
    write_whole(path, text)
    return ExportResult(rules.spec, path, len(text.encode()))
