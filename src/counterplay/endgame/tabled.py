"""A game that knows its endings: a position whose table is loaded counts as over, with the table's result.

This is the one hook by which searches use tables. It is a game like any other, so alpha-beta and Monte Carlo tree
search trust a table as they trust the rules: its values are proven and take a few nanoseconds. Without tables, the
compiled code contains nothing of it. It does not say how long the rest takes: at the root, `Tables.ranked` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.derived import derive
from counterplay.core.game import Game
from counterplay.endgame.ending_tables import EndingTables
from counterplay.endgame.endings import CLASS, SWAPPED


class Tabled:
    """A part for `derive`: the end of the game, by the rules or by tables."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other  # with other tables it is a different game

    def is_terminal(self: Any, s: Any) -> bool:
        """Whether the game is over in `s`, or a table knows how it ends."""
        return self.rules_is_terminal(s) or self.table_knows(s)

    def utility(self: Any, s: Any, player: int) -> float:
        """The payoff of `player`, by the rules or by a table."""
        if self.rules_is_terminal(s):
            return float(self.rules_utility(s, player))
        entry = self.table_entry(self.ending_number(s))
        if entry == 0:
            return 0.0
        return float(self.utility_bounds[1] if (entry > 0) == (player == 0) else self.utility_bounds[0])

    def table_knows(self: Any, s: Any) -> bool:
        """Whether a table has `s`, and any win comes before a clock ends the game."""
        number = self.ending_number(s)
        if number < 0 or self.table_offset[number >> CLASS] < 0:
            return False
        entry = self.table_entry(number)
        return entry == 0 or abs(entry) - 1 <= self.ending_clock(s)

    def table_entry(self: Any, number: int) -> int:
        """The entry of a numbered position, to player 0."""
        found = int(self.table_entries[self.table_offset[number >> CLASS] + (number & ((1 << SWAPPED) - 1))])
        return -found if number >> SWAPPED & 1 else found


def tabled(game: Game, endings: EndingTables) -> Any:
    """The game with its tables of endings, all read into memory."""
    cls, numbered = type(game), endings.numbering
    offset, parts, used = np.full(len(numbered.names), -1, np.int64), [], 0
    for k in endings.files:
        offset[k] = used
        parts.append(endings.entries(k))
        used += len(parts[-1])
    room = 1 << max(10, (used - 1).bit_length())  # tables of similar size share their compiled code
    entries = np.zeros(room, np.int16)
    entries[:used] = np.concatenate(parts)
    rules = type("Rules", (), {"rules_is_terminal": cls.is_terminal, "rules_utility": cls.utility})
    part = type(numbered.game).__mro__[1]
    attributes = {name: value for name, value in vars(numbered.game).items() if name.startswith("ending_")}
    return derive(game, Tabled, rules, part, table_entries=entries, table_offset=offset, **attributes)
