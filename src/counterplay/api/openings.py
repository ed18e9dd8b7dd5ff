"""`openings`: a book of solved openings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.players.wording import plural
from counterplay.search.solving.method import EndlessLine
from counterplay.search.solving.openings import HABIT, Openings, require_foldable
from counterplay.search.suitability import require_table

MEGABYTES = 1024.0


@dataclass(frozen=True, repr=False)
class OpeningsResult(Result):
    """A book of solved openings."""

    game: str
    file: Path
    positions: int

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"game": self.game, "file": str(self.file), "positions": self.positions}

    def __str__(self) -> str:
        return f"{self.positions:,} solved positions in {self.file}"


def openings(
    game: AnyGame,
    *,
    output: str | Path,
    plies: int = 6,
    memory: float = MEGABYTES,
    progress: Callable[[str], None] | None = None,
) -> OpeningsResult:
    """Solve the openings of a game and store them in the book `output`, a new one or one to extend.

    It has the proven value of every action in all positions up to `plies` from the start that are reachable with at most
    one mistake; `solve(p, book=output)` answers from it. The table takes `memory` MB. The book is saved regularly; after
    Ctrl-C the same call continues. `progress` receives the progress.
    """
    builder = OpeningsBuilder(game_of(game), Path(output), plies, memory)
    try:
        builder.run(progress)
    finally:
        builder.save()
    return builder.result()


class OpeningsBuilder:
    """A book that grows, and its file."""

    def __init__(self, game: Game, file: Path, plies: int, megabytes: float) -> None:
        require_foldable(game)
        require_table(megabytes)
        if plies < 0:
            raise CounterplayError(f"--plies {plies}: a book begins at the start, 0 plies from it")
        self.game, self.file, self.plies, self.megabytes = game, file, plies, megabytes
        self.book = Openings.read(file, game) if file.exists() else Openings(game.spec)
        self.save()  # if the file cannot be written, better now than after hours

    def save(self) -> None:
        """Write what is solved so far."""
        self.book.save(self.file)
        self.saved = time.monotonic()

    def run(self, progress: Callable[[str], None] | None = None) -> None:
        """Solve all missing positions; the book is saved regularly."""

        def hear(mistakes: int, ply: int) -> None:
            if progress is not None:
                line = "a line with a mistake" if mistakes else "best play"
                progress(f"{len(self.book.entries):,} positions, {plural(ply)} into {line}")
            if time.monotonic() - self.saved > HABIT:
                self.save()

        try:
            self.book.extend(self.game, self.plies, self.megabytes, hear)
        except EndlessLine:
            raise CounterplayError(
                f"{self.game.spec} has no book of openings: a line of play may never end; `tables build {self.game.spec}` "
                "solves such games if all positions fit in memory"
            ) from None

    def result(self) -> OpeningsResult:
        """The book as it is now."""
        return OpeningsResult(self.game.spec, self.file, len(self.book.entries))
