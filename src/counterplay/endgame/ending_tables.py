"""Tables of endings in a folder: one file per class, built in order of dependence, read block by block.

Everything built is saved at once, so a build that was ended, however abruptly, continues where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.rules import listed
from counterplay.endgame.class_build import ClassBuild, Ending
from counterplay.endgame.endings import CLASS, NOTHING, SWAPPED, numbering
from counterplay.endgame.enumeration import MEGABYTES
from counterplay.endgame.table_file import SUFFIX, TableFile, write_table
from counterplay.endgame.threads import require_threads

VERSION = 2
"""The version of how endings are numbered."""
RULES = f"endings {VERSION}"
"""The mark of a table whose positions the game numbers."""


class EndingTables:
    """The tables of a game's endings in a folder."""

    def __init__(self, folder: Path, game: Game) -> None:
        found = numbering(game)
        if found is None:
            raise CounterplayError(
                f"{game.spec} has no endgame classes, unlike chess and checkers; leave out --class to solve all that "
                "follows a position"
            )
        self.folder, self.game, self.numbering = folder, game, found
        spec = game.spec
        self.stem = re.sub(r"[^a-zA-Z0-9_.=-]+", "-", spec)
        self.files: dict[int, TableFile] = {}
        for k, name in enumerate(found.names):
            if self.file(name).is_file():
                opened = TableFile(self.file(name))
                if opened.head.get("game") != spec:
                    raise CounterplayError(
                        f"{str(opened.file)!r} is a table of {opened.head.get('game')}, not of {spec}"
                    )
                if opened.head.get("class") != name:
                    raise CounterplayError(
                        f"{str(opened.file)!r} is the table of {opened.head.get('class')}, not of {name}"
                    )
                if opened.head.get("rules") != RULES or opened.head["positions"] != found.sizes[k]:
                    raise CounterplayError(
                        f"{str(opened.file)!r} numbers positions differently from this program; delete it and run "
                        "`tables build` again"
                    )
                self.files[k] = opened
        for k in [k for k in self.files if not all(below in self.files for below in found.order([k]))]:
            del self.files[k]  # it leads to a missing class, and is rebuilt with it

    def file(self, name: str) -> Path:
        """The file of a class's table."""
        return self.folder / f"{self.stem}-{name}{SUFFIX}"

    # Building.

    def build(
        self,
        classes: str,
        *,
        megabytes: float = MEGABYTES,
        threads: int | None = None,
        report: Callable[[str], None] | None = None,
    ) -> list[dict[str, Any]]:
        """Solve classes and everything that they lead to, except for what exists already, on all cores by default;
        returns the summaries of all."""
        told: list[dict[str, Any]] = []
        order = self.numbering.order(self.numbering.wanted(classes))
        for number, k in enumerate(order):
            if k not in self.files:
                self.build_class(
                    k, megabytes, require_threads(threads), where(report, f"class {number + 1} of {len(order)}, ")
                )
            told += self.files[k].head["summary"]
        return told

    def build_class(self, k: int, megabytes: float, threads: int, report: Callable[[str], None] | None) -> None:
        """Solve one class, once everything that it leads to is solved."""
        build = ClassBuild(self.numbering, k, self.building(k), megabytes, threads, report)
        self.keep(k, build.run({one: self.entries(one) for one in self.numbering.leads_to(k)}))
        build.finish()

    def building(self, k: int) -> Path:
        """The folder of a class while it is being built."""
        file = self.file(self.numbering.names[k])
        return file.with_name(f".{file.name}.{VERSION}.building")

    def keep(self, k: int, ending: Ending) -> None:
        """Write the table of a class."""
        file = self.file(ending.name)
        head = {"game": self.game.spec, "rules": RULES, "class": ending.name, "summary": ending.summary}
        write_table(file, head, {"entry": ending.entries.reshape(-1, 1)})
        self.files[k] = TableFile(file)

    def entries(self, k: int) -> np.ndarray:
        """All entries of a class."""
        return np.ascontiguousarray(self.files[k].column("entry").ravel())

    # Looking up.

    def entry(self, s: Any) -> int | None:
        """The tables' entry for `s`: 0 for a draw, n + 1 if player 0 wins in n plies, -n - 1 if player 1 does; None if
        they do not have it."""
        number = self.numbering.game.ending_number(s)
        if number < 0:
            if self.game.is_terminal(s):
                return int(np.sign(self.game.utility(s, 0)))
            return None
        k, swapped, index = number >> CLASS, number >> SWAPPED & 1, number & ((1 << SWAPPED) - 1)
        if k not in self.files:
            return None
        rows = self.files[k].head["rows"]
        found = int(self.files[k].block(index // rows)["entry"][index % rows, 0])
        if found == NOTHING:
            raise self.files[k].damaged()
        return -found if swapped else found

    def probe(self, s: Any) -> int | None:
        """The same, also for a position without a number of its own between two that have one."""
        found = self.entry(s)
        if found is not None or self.game.is_terminal(s):
            return found
        after = [self.entry(self.game.result(s, action)) for action in listed(self.game, s)]
        known = [each for each in after if each is not None]
        if not known or len(known) < len(after):
            return None
        return earlier(best_entry(known, self.game.to_move(s)))

    def in_time(self, s: Any, entry: int) -> bool:
        """Whether a win comes before the clock that ends in a draw, however late the next capture is."""
        return entry == 0 or abs(entry) - 1 <= self.numbering.game.ending_clock(s)


def where(report: Callable[[str], None] | None, place: str) -> Callable[[str], None] | None:
    """A report whose lines begin with the progress of the whole."""
    return None if report is None else lambda line: report(place + line)


def earlier(entry: int) -> int:
    """An entry as seen one ply before."""
    return entry + 1 if entry > 0 else entry - 1 if entry < 0 else 0


def rank(entry: int) -> int:
    """Greater for what player 0 prefers: to win soon, to draw, to lose late."""
    return (1 << 20) - entry if entry > 0 else -(1 << 20) - entry if entry < 0 else 0


def best_entry(entries: list[int], mover: int) -> int:
    """The entry that a player chooses."""
    return max(entries, key=rank) if mover == 0 else min(entries, key=rank)
