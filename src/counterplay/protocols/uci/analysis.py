"""A search that another thread can stop, of the best line or of several, among all moves or some."""

from __future__ import annotations

import threading
import time as clocks
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from counterplay.core.game import Game
from counterplay.players.clock import Allowance
from counterplay.search.experience import EngineMemory
from counterplay.search.memory import DEEPEST, NODE_LIMIT, NODES, UNLIMITED
from counterplay.search.running import run
from counterplay.search.searcher import Patience, Searcher, prepare
from counterplay.search.suitable import DEPTH
from counterplay.search.table import NO_ACTION, Table
from counterplay.search.technique import default_for
from counterplay.search.tracer import Silent


class Line(NamedTuple):
    """One of the best lines at a depth."""

    rank: int  # 1: the best
    depth: int
    value: float
    actions: tuple[int, ...]
    nodes: int
    deepest: int
    seconds: float


class Analysis:
    """A search of one position by several threads."""

    def __init__(
        self, game: Game, s: Any, before: Sequence[int], table: Table, threads: int, barred: Sequence[int]
    ) -> None:
        self.barred = list(barred)
        self.memories = [EngineMemory(game, default_for(game), None, 0, before) for _ in range(threads)]
        self.searchers = [Searcher(game, s, table, memory, Silent()) for memory in self.memories]
        self.best = Line(1, 0, 0.0, (), 0, 0, 0.0)
        self.lines: list[Line] = []
        """The best lines of the last complete depth, the best first."""
        self.told = threading.Event()
        self.patience = Patience()
        prepare(self.searchers[0])
        for memory in self.memories:
            memory.bar(self.barred)
        table.grow_old()

    def limit(self, time: Allowance) -> None:
        """Set a limit from now on to a search that has none."""
        self.patience.soft, self.patience.started = time.soft, clocks.perf_counter()
        if time.hard is not None and not self.told.is_set():
            timer = threading.Timer(time.hard, self.stop)
            timer.daemon = True
            timer.start()

    def stop(self) -> None:
        """End the search; any thread may call this."""
        self.told.set()
        for memory in self.memories:
            memory.stop()

    def run(
        self,
        report: Callable[[Line], None],
        *,
        depth: int | None = None,
        time: Allowance = Allowance(None),  # noqa: B008 (it is a value)
        nodes: int | None = None,
        mate: int | None = None,
        lines: int = 1,
    ) -> None:
        """Search until a limit is reached or `stop` is called; `mate` is a number of plies within which a win suffices."""
        self.memories[0].limits[NODE_LIMIT] = UNLIMITED if nodes is None else nodes
        if self.told.is_set():
            return
        if time.soft is not None:
            self.patience = Patience(time.soft)
        deepest = depth or DEPTH
        helpers = [
            (lambda searcher=searcher, first=1 + i % 2: searcher.deepen(DEPTH, None, first))
            for i, searcher in enumerate(self.searchers[1:], 1)
        ]
        run([lambda: self.deepen(deepest, lines, mate, report), *helpers], self.stop, time.hard)

    def deepen(self, deepest: int, lines: int, mate: int | None, report: Callable[[Line], None]) -> None:
        """Go deeper, the best line first at each depth."""
        searcher, memory, started = self.searchers[0], self.memories[0], clocks.perf_counter()
        known: list[Line] = []
        for depth in range(1, deepest + 1):
            found: list[Line] = []
            for rank in range(1, lines + 1):
                last = known[rank - 1] if rank <= len(known) else None
                memory.bar([*self.barred, *(line.actions[0] for line in found)])
                memory.first[0] = last.actions[0] if last else NO_ACTION
                value = searcher.iterate(depth, last.value if last else 0.0)
                actions, is_cut = memory.expected(0), memory.stopped()
                counts = int(memory.counts[NODES]), int(memory.counts[DEEPEST])
                if is_cut:
                    if (
                        rank == 1 and actions and self.best.actions
                    ):  # better than the last depth's, which was tried first
                        self.best = self.best._replace(actions=actions)
                    return
                if not actions:
                    break
                if depth == 1:
                    self.lines = found  # better a few than none
                found.append(Line(rank, depth, value, actions, *counts, clocks.perf_counter() - started))
                if rank == 1:
                    self.best = found[0]
                report(found[-1])
            self.lines = known = sorted(found, key=lambda line: -line.value)
            plies = searcher.scale.plies(self.best.value)
            if lines == 1 and searcher.is_decisive(self.best.value):
                return
            if mate is not None and plies is not None and self.best.value > 0 and plies <= mate:
                return
            if self.patience.is_over(self.best.actions[0]):
                return
