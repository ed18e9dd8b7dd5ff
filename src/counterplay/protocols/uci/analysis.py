"""A search that another thread can stop, of the best line or of several, among all moves or some."""

from __future__ import annotations

import threading
import time as clocks
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from counterplay.core.bits import signed
from counterplay.core.game import Game
from counterplay.players.clock import Allowance
from counterplay.search.experience import EngineMemory
from counterplay.search.memory import DEEPEST, NODE_LIMIT, NODES, UNLIMITED
from counterplay.search.running import run
from counterplay.search.searcher import Patience, Searcher, prepare
from counterplay.search.suitable import DEPTH
from counterplay.search.table import EXACT, NO_ACTION, TOLD, Table
from counterplay.search.technique import default_for
from counterplay.search.tracer import Silent

CORRECTIONS = 16
"""So often a depth is searched again because the truth about its line came out."""


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
        self,
        game: Game,
        s: Any,
        before: Sequence[int],
        table: Table,
        threads: int,
        barred: Sequence[int],
        truth: Callable[[Any], float | None] | None = None,
    ) -> None:
        self.barred = list(barred)
        self.truth = truth
        """What is known for certain of a position, to the side to move, and where nothing is, None."""
        self.settled: set[int] = set()  # the keys of positions whose truth the table has
        self.memories = [EngineMemory(game, default_for(game), None, 0, before) for _ in range(threads)]
        self.searchers = [Searcher(game, s, table, memory, Silent()) for memory in self.memories]
        self.best = Line(1, 0, 0.0, (), 0, 0, 0.0)
        self.lines: list[Line] = []
        """The best lines of the last complete depth, the best first."""
        self.told = threading.Event()
        self.answerable = threading.Event()
        """Set when there is a move to play: before, neither `stop` nor a limit of nodes counts."""
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
        """End the search, but not before its first depth is complete; any thread may call this."""
        self.told.set()
        for memory in self.memories if self.answerable.is_set() else self.memories[1:]:
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
        """Search until a limit is reached or `stop` is called; `mate` is a number of plies within which a win suffices.
        The best move at depth 1 is always found."""
        if time.soft is not None:
            self.patience = Patience(time.soft)
        deepest = depth or DEPTH
        helpers = [
            (lambda searcher=searcher, first=1 + i % 2: searcher.deepen(DEPTH, None, first))
            for i, searcher in enumerate(self.searchers[1:], 1)
        ]
        run([lambda: self.deepen(deepest, lines, mate, nodes, report), *helpers], self.stop, time.hard)

    def look(self, depth: int, guess: float) -> tuple[float, tuple[int, ...]]:
        """The value of the root at `depth` and the expected line, searched again where the truth about the line is new."""
        searcher, memory = self.searchers[0], self.memories[0]
        value, actions = searcher.iterate(depth, guess), memory.expected(0)
        for _ in range(CORRECTIONS if self.truth else 0):
            if memory.stopped() or not self.settle(actions):
                break
            again, line = searcher.iterate(depth, value), memory.expected(0)
            if line or not memory.stopped():
                value, actions = again, line
        return value, actions

    def settle(self, line: Sequence[int]) -> bool:
        """Write what is known for certain of the first position of a line of which something is into the table, for every
        depth; whether it is new."""
        assert self.truth is not None
        game, s = self.searchers[0].game, self.searchers[0].state
        for action in line:
            s = game.result(s, action)
            key = signed(game.key(s))
            if key in self.settled:
                return False
            value = self.truth(s)
            if value is not None:
                self.settled.add(key)
                self.searchers[0].table.store(key, value, TOLD, EXACT, NO_ACTION)
                return True
        return False

    def heed(self, nodes: int | None) -> None:
        """From now on there is a move to play: heed a limit of nodes, and `stop`, even if it was called before."""
        self.memories[0].limits[NODE_LIMIT] = UNLIMITED if nodes is None else nodes
        self.answerable.set()
        if self.told.is_set():
            self.stop()

    def deepen(
        self, deepest: int, lines: int, mate: int | None, nodes: int | None, report: Callable[[Line], None]
    ) -> None:
        """Go deeper, the best line first at each depth."""
        searcher, memory, started = self.searchers[0], self.memories[0], clocks.perf_counter()
        known: list[Line] = []
        for depth in range(1, deepest + 1):
            found: list[Line] = []
            for rank in range(1, lines + 1):
                last = known[rank - 1] if rank <= len(known) else None
                memory.bar([*self.barred, *(line.actions[0] for line in found)])
                memory.first[0] = last.actions[0] if last else NO_ACTION
                value, actions = self.look(depth, last.value if last else 0.0)
                is_cut = memory.stopped()
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
                self.heed(nodes)
            self.lines = known = sorted(found, key=lambda line: -line.value)
            plies = searcher.scale.plies(self.best.value)
            if lines == 1 and searcher.is_decisive(self.best.value):
                return
            if mate is not None and plies is not None and self.best.value > 0 and plies <= mate:
                return
            if self.patience.is_over(self.best.actions[0]):
                return
