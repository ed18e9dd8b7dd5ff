"""Classes of endings built by a crew: in other processes or on a cluster.

Small classes that do not depend on each other are a unit each. A large class is expanded part by part: a part, a range
of the class's indices, is a unit, and its edges come back. Going back from the ends takes little time in comparison, so
the threads of the process that owns the folder do it. Results are saved as when one process builds, so a build
continues where it was, on any machine.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.formats.saving import Saving
from counterplay.core.game import Game
from counterplay.endgame.class_build import PART, SOONEST, ClassBuild, Ending
from counterplay.endgame.ending_tables import EndingTables, where
from counterplay.endgame.endings import Numbering, SolvedEndings, numbering
from counterplay.endgame.kept import kept
from counterplay.endgame.unfolding import Part
from counterplay.scale.crew import WorkCrew
from counterplay.scale.job import GameParcel, Job, parcel

Tables = dict[int, np.ndarray]
"""Entries of solved classes, by class number."""


class SpreadShared(NamedTuple):
    """Data shared by all units."""

    game: GameParcel
    megabytes: float


class ClassUnit(NamedTuple):
    """A class to solve."""

    k: int
    tables: Any  # shared: the `Tables` of the classes that it leads to


class PartUnit(NamedTuple):
    """A range of a class's indices to expand."""

    k: int
    part: int
    tables: Any


class TableRoom:
    """A process that builds."""

    def __init__(self, shared: SpreadShared) -> None:
        found = numbering(shared.game.open())
        assert found is not None
        self.numbered: Numbering = found
        self.megabytes = shared.megabytes
        self._open: tuple[int, SolvedEndings, ClassBuild] | None = None

    def __call__(self, unit: ClassUnit | PartUnit) -> Ending | Part:
        """Solve a class, or expand a part of one."""
        if isinstance(unit, ClassUnit):
            with tempfile.TemporaryDirectory(prefix="counterplay-") as folder:
                build = ClassBuild(self.numbered, unit.k, Path(folder) / "class", self.megabytes, 1, None)
                return build.run(dict(unit.tables.get()))
        if self._open is None or self._open[0] != unit.k:
            solved = SolvedEndings(dict(unit.tables.get()), len(self.numbered.names))
            self._open = unit.k, solved, ClassBuild(self.numbered, unit.k, Path(), self.megabytes, 1, None)
        _, solved, build = self._open
        return build.follow_part(unit.part, solved, build.unfolding())[0]


def tables_job(game: Game, spec: str, megabytes: float) -> Job:
    """The job of building tables."""
    shared = SpreadShared(parcel(game, spec), megabytes)
    return Job("the tables", "counterplay.endgame.spread_build:TableRoom", shared, "class or part")


class SpreadBuild(ClassBuild):
    """A class whose parts a crew expands."""

    def __init__(self, crew: WorkCrew, *given: Any) -> None:
        super().__init__(*given)
        self.crew = crew

    def run(self, tables: Tables) -> Ending:
        """Solve the class."""
        self.tables = self.crew.share(dict(tables))
        return super().run(tables)

    def follow(self, solved: SolvedEndings) -> None:
        """Expand all parts that are missing."""
        missing = [i for i in range(self.parts) if kept(self.file(i), 0) is None]
        saving, started = Saving(self.keep_parts, SOONEST, SOONEST), time.perf_counter()
        units = (PartUnit(self.k, i, self.tables) for i in missing)
        for done, (i, part) in enumerate(zip(missing, self.crew.map(units), strict=True), 1):
            self.hold(i, part)
            saving.if_due()
            self.tell(len(missing), done, started)
        self.tables.release()


def build_spread(
    endings: EndingTables,
    classes: str,
    crew: WorkCrew,
    *,
    megabytes: float,
    threads: int,
    report: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """Solve classes and everything that they lead to, as `EndingTables.build` does, by a crew."""
    numbered = endings.numbering
    order = numbered.order(numbered.wanted(classes))
    missing = [k for k in order if k not in endings.files]
    while missing:
        ready = [k for k in missing if all(below in endings.files for below in numbered.leads_to(k))]
        place = f"{len(order) - len(missing)} of {len(order)} classes, "
        small = [k for k in ready if numbered.sizes[k] <= PART]
        held = [crew.share({one: endings.entries(one) for one in numbered.leads_to(k)}) for k in small]
        units = (ClassUnit(k, tables) for k, tables in zip(small, held, strict=True))
        for k, tables, ending in zip(small, held, crew.map(units), strict=True):
            endings.keep(k, ending)
            tables.release()
            if report is not None:
                report(f"{place}{ending.name} is there")
        for k in ready:
            if k not in small:
                build = SpreadBuild(crew, numbered, k, endings.building(k), megabytes, threads, where(report, place))
                endings.keep(k, build.run({one: endings.entries(one) for one in numbered.leads_to(k)}))
                build.finish()
        missing = [k for k in missing if k not in endings.files]
    return [row for k in order for row in endings.files[k].head["summary"]]
