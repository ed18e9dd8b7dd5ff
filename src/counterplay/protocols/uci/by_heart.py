"""Tables built by `tables build chess`, for the engine: the best move at the root, and a game whose searches probe them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.game import Game
from counterplay.endgame.store import Tables
from counterplay.endgame.tabled import tabled


class TableMove(NamedTuple):
    """A table's answer for a position."""

    action: int
    score: str  # in UCI's form


class ByHeart:
    """The tables in a folder, or none."""

    def __init__(self, game: Game, folder: str = "") -> None:
        self.tables = Tables(Path(folder), game) if folder else None
        endings = self.tables.endings if self.tables else None
        self.searched: Any = tabled(game, endings) if endings else game

    def best(self, s: Any) -> TableMove | None:
        """The best move of a position that the tables know."""
        found = None if self.tables is None else self.tables.ranked(s)
        if found is None or not found[1]:
            return None
        action, entry = found[1][0]
        worth = entry.to(s.ply % 2)
        if entry.plies is None or not worth:
            return TableMove(action, "cp 0")
        return TableMove(action, f"mate {(entry.plies + 1) // 2 if worth > 0 else -(entry.plies // 2)}")
