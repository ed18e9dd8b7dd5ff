"""The tables in a folder, and what they know of a position and its actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.rules import listed
from counterplay.endgame.ending_tables import EndingTables
from counterplay.endgame.endings import numbering
from counterplay.endgame.table import REACHED, Table, TableEntry
from counterplay.endgame.table_file import SUFFIX, TableFile
from counterplay.endgame.turns import TURNS, TurnByTurn

TABLES = Path("tables")
"""The default folder of tables."""
SHIPPED = Path(__file__).parents[1] / "tables"
"""Folders of tables shipped with the package, by name."""


def require_folder(folder: Path) -> None:
    """Make a folder for tables, or report why that fails, before the work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise CounterplayError(f"cannot write to {str(folder)!r}: {(wrong.strerror or str(wrong)).lower()}") from None


def found_folder(folder: Path) -> Path:
    """A folder of tables: the given path, or else one of this name shipped with the package."""
    return SHIPPED / folder if not folder.exists() and (SHIPPED / folder).is_dir() else folder


def table_files(folder: Path) -> list[TableFile]:
    """The tables in a folder, by name; a file counts as a folder of one."""
    folder = found_folder(folder)
    if folder.is_file():
        return [TableFile(folder)]
    if not folder.is_dir():
        raise CounterplayError(f"no folder {str(folder)!r}; `tables build GAME -o FOLDER` creates one")
    return [TableFile(file) for file in sorted(folder.glob(f"*{SUFFIX}"))]


class Tables:
    """What the tables in a folder know of a game: all that follows a position, or endings by class."""

    def __init__(self, folder: Path, game: Game) -> None:
        self.folder, self.game = found_folder(folder), game
        files = [file for file in table_files(folder) if file.head.get("game") == game.spec]
        if not files:
            numbered = numbering(game)
            command = f"tables build {game.spec}{f' --class {numbered.example}' if numbered else ''} -o FOLDER"
            raise CounterplayError(f"no table of {game.spec} in {str(folder)!r}; `{command}` makes one")
        self.reached = [Table.read(file, game) for file in files if file.head.get("class") == REACHED]
        turns = [file for file in files if file.head.get("class") == TURNS]
        self.turns = TurnByTurn.read(turns[0], game) if turns else None
        self.endings = EndingTables(self.folder, game) if len(self.reached) + len(turns) < len(files) else None

    def probe(self, s: Any) -> TableEntry | None:
        """The entry for `s`; None if no table has it, or if a clock may end the game in a draw before the promised win."""
        found = self.lookup(s)
        if found is None or found.plies is None or self.endings is None:
            return found
        return found if self.endings.in_time(s, found.plies + 1) else None

    def lookup(self, s: Any) -> TableEntry | None:
        """The same, ignoring any clock."""
        if self.turns is not None:
            return self.turns.probe(s)
        for table in self.reached:
            if found := table.probe(s):
                return found
        entry = None if self.endings is None else self.endings.probe(s)
        if entry is None:
            return None
        return TableEntry(float(np.sign(entry)), abs(entry) - 1 if entry else None)

    def ranked(self, s: Any) -> tuple[TableEntry, list[tuple[int, TableEntry]]] | None:
        """The entries of `s` and of each of its actions, the best first, plies counted from `s`; None if any is missing."""
        here = self.probe(s)
        if here is None:
            return None
        if self.game.is_terminal(s):
            return here, []
        answers = []
        for action in listed(self.game, s):
            after = self.lookup(self.game.result(s, action))
            if after is None:  # a class without a table
                return None
            answers.append((action, TableEntry(after.value, None if after.plies is None else after.plies + 1)))
        mover = max(self.game.to_move(s), 0)
        return here, sorted(answers, key=lambda answer: worth(answer[1], mover), reverse=True)


def worth(entry: TableEntry, player: int) -> tuple[float, int]:
    """A sort key: the greater value first; then the sooner if it is good, the later if it is not."""
    value, plies = entry.to(player), entry.plies or 0
    return value, -plies if value > 0 else plies
