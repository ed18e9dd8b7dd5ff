"""The option `tables=FOLDER` of a player: it plays positions in tables perfectly, and its search probes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.search.decision import Decision, Option

if TYPE_CHECKING:
    from counterplay.endgame.store import Tables


class TablesOption:
    """The tables in a folder, or none."""

    def __init__(self, folder: str | None) -> None:
        if folder == "":
            raise CounterplayError("no folder of tables is named; `tables build GAME -o FOLDER` creates one")
        self.folder = folder
        self._seen: tuple[Game, Tables, Game] | None = None

    def of(self, game: Game) -> Game:
        """The game to search: unchanged, or with endings that tables know."""
        return game if self.folder is None else self._open(game)[1]

    def decision(self, p: Playthrough) -> Decision | None:
        """The best action of a position that the tables know: the soonest win, a draw, or the latest loss."""
        if self.folder is None:
            return None
        found = self._open(p.game)[0].ranked(p.state)
        if found is None or not found[1]:
            return None
        here, mover = found[0], p.to_move
        options = tuple(Option(action, entry.to(mover), plies=entry.plies) for action, entry in found[1])
        best = options[0]
        return Decision(
            best.action, here.to(mover), (best.action,), proven=True, plies=here.plies, options=options, nodes=1
        )

    def _open(self, game: Game) -> tuple[Tables, Game]:
        assert self.folder is not None
        if self._seen is None or (self._seen[0] is not game and self._seen[0] != game):
            from counterplay.endgame.store import Tables
            from counterplay.endgame.tabled import tabled

            tables = Tables(Path(self.folder), game)
            self._seen = game, tables, game if tables.endings is None else tabled(game, tables.endings)
        return self._seen[1:]
