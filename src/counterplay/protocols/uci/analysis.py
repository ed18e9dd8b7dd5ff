"""A search that another thread can stop, for the best line or several, among all moves or some."""

from __future__ import annotations

import threading
import time as clocks
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.players.clock import Allowance
from counterplay.search.background import run
from counterplay.search.deepening import Deepening, Patience
from counterplay.search.engine.iterative_deepening import Searcher, prepare
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.techniques import default_for
from counterplay.search.engine.transposition_table import BUCKET, EXACT, NO_ACTION, TOLD, TranspositionTable, age_of
from counterplay.search.memory import UNLIMITED
from counterplay.search.suitability import DEPTH

CORRECTIONS = 16
"""How often a depth is searched again because tables corrected its line."""


class AnalysisLine(NamedTuple):
    """One of the best lines at a depth."""

    rank: int  # 1: the best
    depth: int
    value: float
    actions: tuple[int, ...]
    nodes: int = 0  # of all threads, when it was reported
    deepest: int = 0
    fullness: int = 0  # the part of the table that this search has filled, in thousandths
    seconds: float = 0.0


class Analysis(Deepening):
    """A search of one position by several threads."""

    patience: Patience

    def __init__(
        self,
        game: Game,
        s: Any,
        before: Sequence[int],
        table: TranspositionTable,
        threads: int,
        barred: Sequence[int],
        truth: Callable[[Any], float | None] | None = None,
    ) -> None:
        self.table, self.barred = table, list(barred)
        self.truth = truth
        """The exact value of a position to the side to move; None if unknown."""
        self.settled: set[int] = set()  # the keys of positions whose exact values the table has
        self.contexts = [EngineContext(game, default_for(game), table, before=before) for _ in range(threads)]
        self.searchers = [Searcher(game, s, context) for context in self.contexts]
        self.lines: list[AnalysisLine] = []
        """The best lines as last reported, the best first."""
        self.told = threading.Event()
        self.answerable = threading.Event()
        """Set once there is a move to play: before, neither `stop` nor a limit of nodes counts."""
        self.started, self.patience = clocks.perf_counter(), Patience()
        self.wanted, self.share = 1, UNLIMITED  # the number of lines; the nodes that a thread may search
        self.found: list[AnalysisLine] = []  # the lines of the depth just completed
        self.is_whole = False  # it searched the whole tree
        prepare(self.searchers[0])
        for context in self.contexts:
            context.bar(self.barred)

    @classmethod
    def that_fits(
        cls, game: Game, s: Any, before: Sequence[int], table: TranspositionTable, threads: int, *more: Any
    ) -> Analysis:
        """An analysis with `threads` threads or, if there is no memory for them, half of them, and so on."""
        while True:
            try:
                return cls(game, s, before, table, threads, *more)
            except MemoryError:
                if threads == 1:
                    raise CounterplayError("there is no memory for a search; a smaller Hash leaves more") from None
                threads //= 2

    def limit(self, time: Allowance) -> None:
        """Set a limit, from now on, for a search that has none."""
        self.patience.soft, self.patience.started = time.soft, clocks.perf_counter()
        if time.hard is not None and not self.told.is_set():
            timer = threading.Timer(time.hard, self.stop)
            timer.daemon = True
            timer.start()

    def stop(self) -> None:
        """End the search, but not before its first depth is complete; any thread may call this."""
        self.told.set()
        for context in self.contexts if self.answerable.is_set() else self.contexts[1:]:
            context.stop()

    def run(
        self,
        report: Callable[[AnalysisLine], None],
        *,
        depth: int | None = None,
        time: Allowance = Allowance(None),  # noqa: B008 (it is a value)
        nodes: int | None = None,
        mate: int | None = None,
        lines: int = 1,
        endless: bool = False,
    ) -> None:
        """Search until a limit is reached or `stop` is called. The best move at depth 1 is always found. With `mate`, a
        number of plies, only a win within that many ends the search earlier; with `depth`, nothing does; otherwise a
        certain mate does, unless the search is to be `endless`."""
        self.started = clocks.perf_counter()
        self.table.grow_old()
        if time.soft is not None:
            self.patience = Patience(time.soft)
        self.report, self.wanted = report, lines
        self.share = UNLIMITED if nodes is None else nodes // len(self.contexts)
        for context in self.contexts[1:]:
            context.node_limit = self.share

        def is_enough(whole: bool) -> bool:
            if mate is not None:
                plies = self.searchers[0].scale.plies(self.lines[0].value)
                return self.lines[0].value > 0 and plies is not None and plies <= mate
            if depth is not None or endless:
                return whole and endless
            return all(self.searchers[0].is_settled(whole, line.value, line.depth) for line in self.lines)

        self.goal = is_enough
        helpers = [
            (lambda searcher=searcher, first=1 + i % 2: searcher.deepen(range(first, DEPTH + 1)))
            for i, searcher in enumerate(self.searchers[1:], 1)
        ]
        run([lambda: self.deepen(range(1, (depth or DEPTH) + 1)), *helpers], self.stop, time.hard)

    def look(self, depth: int, guess: float) -> tuple[float, tuple[int, ...]]:
        """The value of the root at `depth` and the expected line, searched again if an exact value on the line is new."""
        searcher, context = self.searchers[0], self.contexts[0]
        value, actions = searcher.iterate(depth, guess), context.expected(0)
        for _ in range(CORRECTIONS if self.truth else 0):
            if context.stopped() or not self.settle(actions):
                break
            again, line = searcher.iterate(depth, value), context.expected(0)
            if line or not context.stopped():
                value, actions = again, line
        return value, actions

    def settle(self, line: Sequence[int]) -> bool:
        """Write the exact value of the first position of a line that has one into the table, for every depth; returns
        whether it is new."""
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
                self.table.store(key, value, TOLD, EXACT, NO_ACTION)
                return True
        return False

    def heed(self) -> None:
        """From now on, there is a move to play: heed the limit of nodes, and `stop`, even if it was called before."""
        self.contexts[0].node_limit = self.share
        self.answerable.set()
        if self.told.is_set():
            self.stop()

    def complete(self, depth: int) -> bool:
        """At each depth, first the best line, then the best of all other moves, and so on."""
        context = self.contexts[0]
        doubts, found = context.doubts, list[AnalysisLine]()
        for rank in range(1, self.wanted + 1):
            taken = [line.actions[0] for line in found]
            last = next((line for line in self.lines if line.actions[0] not in taken), None)
            context.bar([*self.barred, *taken])
            context.first = last.actions[0] if last else NO_ACTION
            value, actions = self.look(depth, last.value if last else 0.0)
            if context.stopped():
                self.break_off(found, actions)
                return False
            if not actions:
                break
            found.append(AnalysisLine(rank, depth, value, actions))
            if not self.answerable.is_set():
                self.heed()
        self.found, self.is_whole = ranked(found), context.doubts == doubts
        return bool(found)

    def tell(self, report: Callable[[AnalysisLine], None] | None, seconds: float) -> None:
        self.take(self.found)

    @property
    def choice(self) -> int:
        return self.lines[0].actions[0]

    def is_enough(self) -> bool:
        return self.goal(self.is_whole)

    def break_off(self, found: list[AnalysisLine], actions: tuple[int, ...]) -> None:
        """Leave an incomplete depth: the last depth's lines are preceded by those that were `found` or, if there are
        none, by `actions`, the best so far: better than the last depth's best, which was tried first."""
        if actions and not found:
            found = [self.lines[0]._replace(actions=actions)]
        moves = [line.actions[0] for line in found]
        lines = ranked(found) + [line for line in self.lines if line.actions[0] not in moves]
        lines = lines[: max(len(found), len(self.lines))]
        if [(line.depth, line.actions) for line in lines] != [(line.depth, line.actions) for line in self.lines]:
            self.take(lines)

    def take(self, lines: Sequence[AnalysisLine]) -> None:
        """Report these lines as the best, in this order."""
        nodes = sum(context.nodes for context in self.contexts)
        deepest, seconds = self.contexts[0].deepest, clocks.perf_counter() - self.started
        data = self.table.words[2 : 1000 * BUCKET : BUCKET]
        fullness = int(1000 * np.count_nonzero((data != 0) & (age_of(data) == self.table.age)) / len(data))
        self.lines = [
            line._replace(rank=rank, nodes=nodes, deepest=deepest, fullness=fullness, seconds=seconds)
            for rank, line in enumerate(lines, 1)
        ]
        for line in self.lines:
            self.report(line)


def ranked(lines: Sequence[AnalysisLine]) -> list[AnalysisLine]:
    """The best first; among equals, the one found first."""
    return sorted(lines, key=lambda line: -line.value)
