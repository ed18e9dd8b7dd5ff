"""Tables of endings: positions numbered by the game itself, class by class.

A game that numbers its endings has a part (for chess `games/chess/endings.py`) with three methods that compile,
`ending_number(s)`, `ending_state(k, index)` and `is_ending(k, index, s)`, along with the classes' names, their numbers
of indices, and the classes that each leads to. Classes are solved in order of dependence: `unfolding.py` makes a graph
of one, and `class_build.py` goes back through it from the ends.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.derived import derive
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.workspace import Array, Workspace, i16, i64

NUMBERED = {"chess": "counterplay.games.chess.endings", "checkers": "counterplay.games.checkers.endings"}
"""The built-in games that number their endings, and the modules that do it."""
CLASS, SWAPPED = 41, 40
"""The bit at which a number's class begins, and the bit that says that the sides were exchanged."""
NOTHING = -32768
"""The entry of an index that is not a position."""


class Numbering(NamedTuple):
    """How a game numbers its endings."""

    game: Any  # with the part that numbers them
    names: tuple[str, ...]
    sizes: tuple[int, ...]  # indices of each class
    counts: tuple[int, ...]  # pieces of each class
    leads_to: Callable[[int], list[int]]
    example: str  # the name of a class

    def wanted(self, text: str) -> list[int]:
        """The class with this name, or all classes with this number of pieces."""
        if text in self.names:
            return [self.names.index(text)]
        found = [k for k, count in enumerate(self.counts) if text == str(count)]
        if not found:
            raise CounterplayError(
                f"{self.game.spec} has no class {text!r} of endgames: there are {len(self.names)}, such as "
                f"{self.example}; a number from {min(self.counts)} to {max(self.counts)} means all of that many pieces"
            )
        return found

    def order(self, wanted: list[int]) -> list[int]:
        """Classes and everything that they lead to, each after those that it leads to itself."""
        found: list[int] = []

        def visit(one: int) -> None:
            for below in self.leads_to(one):
                if below not in found:
                    visit(below)
            if one not in found:
                found.append(one)

        for k in wanted:
            visit(k)
        return found


def numbering(game: Game) -> Numbering | None:
    """How a game numbers its endings; None if it does not."""
    module = NUMBERED.get(type(game)._spec_name())
    return None if module is None else numbered_by(module, game, game.compiled)


@functools.lru_cache(8)
def numbered_by(module: str, game: Game, compiled: bool) -> Numbering:
    """The same for a module, made once: hashing the rules takes longer than building a small table. Equal games may
    differ in whether they are `compiled`."""
    found = importlib.import_module(module)
    numbered = derive(game, found.PART, **found.endings_tables())
    return Numbering(numbered, found.NAMES, found.SIZES, found.COUNTS, found.leads_to, found.EXAMPLE)


class SolvedEndings(Workspace):
    """The entries of the solved classes: 0 for a draw, n + 1 if the first side wins in n plies, -n - 1 if the second
    does."""

    entries: Array[i16, "room"]
    offset: Array[i64, "classes"]  # where the entries of a class begin, or -1

    def __init__(self, tables: dict[int, np.ndarray], classes: int) -> None:
        self.offset = np.full(classes, -1, np.int64)
        at = 0
        for k, entries in tables.items():
            self.offset[k] = at
            at += len(entries)
        self.entries = np.concatenate([*tables.values(), np.zeros(1, np.int16)])

    # What kernels call.

    def entry(self, number: int) -> int:
        """The entry of a numbered position whose class is solved."""
        found = self.entries[self.offset[number >> CLASS] + (number & ((1 << SWAPPED) - 1))]
        return -found if number >> SWAPPED & 1 else found


def summary(numbered: Numbering, name: str, mover: np.ndarray, entries: np.ndarray) -> list[dict[str, Any]]:
    """How many positions are won, drawn and lost for each side to move, and the longest way to an end."""
    told = []
    for player in range(2):
        seen = entries[mover == player] * (1 if player == 0 else -1)
        if len(seen):
            told.append(
                {
                    "class": name,
                    "to_move": numbered.game.player_name(player),
                    "positions": len(seen),
                    "won": int((seen > 0).sum()),
                    "drawn": int((seen == 0).sum()),
                    "lost": int((seen < 0).sum()),
                    "longest": int(max(0, np.abs(seen).max() - 1)),
                }
            )
    return told
