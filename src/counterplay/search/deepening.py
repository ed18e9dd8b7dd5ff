"""Iterative deepening: ever deeper searches, each of which finds the order of actions for the next (Slate & Atkin 1977).

An anytime search: it may be stopped at any moment, by time, nodes, depth or a person, and answers with the best that
it has completed. Several threads search at once and help each other through one table (lazy SMP).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from counterplay.core.actions import action_list
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.rules import legal
from counterplay.search.decision import Decision, Option
from counterplay.search.engine import INFINITY, LINE, EngineMemory, value_of
from counterplay.search.memory import COUNTS, NODES, ROOT_DEPTH, STOP, Scale
from counterplay.search.running import run
from counterplay.search.suitable import DEPTH, require_budget, require_suitable
from counterplay.search.table import NO_ACTION, Table
from counterplay.search.technique import Technique, default_for
from counterplay.search.tracer import Recorder, Silent

Report = Callable[[Decision], None]


class Searcher:
    """A search of one position by one thread."""

    def __init__(self, game: Game, s: Any, table: Table, memory: EngineMemory, tracer: Any) -> None:
        self.game, self.state, self.table, self.memory, self.tracer = game, s, table, memory, tracer
        self.scale = Scale.of(game)
        self.out = action_list(game)
        self.best = Decision(NO_ACTION, 0.0)
        self.window = (self.scale.high - self.scale.low) / 16  # half the width of the first aspiration window

    def look(self, depth: int, alpha: float, beta: float) -> float:
        """Search the root to `depth` within a window."""
        self.memory.limits[ROOT_DEPTH] = depth
        return value_of(
            self.game, self.state, depth, float(alpha), float(beta), self.table, self.memory, self.tracer, self.out
        )

    def iterate(self, depth: int, guess: float) -> float:
        """The value of the root at `depth`, by the chosen kind of window."""
        techniques = int(self.memory.techniques[0])
        if techniques & Technique.MTDF and techniques & Technique.TABLE:
            return self.mtdf(depth, guess)
        if techniques & Technique.ASPIRATION and depth >= 4:
            return self.aspire(depth, guess)
        return self.look(depth, -INFINITY, INFINITY)

    def aspire(self, depth: int, guess: float) -> float:
        """Begin with a narrow window around `guess` and widen the side that fails."""
        alpha, beta, width = guess - self.window, guess + self.window, self.window
        while True:
            value = self.look(depth, alpha, beta)
            width *= 8
            if value <= alpha and not self.memory.stopped():
                alpha = value - width if width < self.scale.high - self.scale.low else -INFINITY
            elif value >= beta and not self.memory.stopped():
                beta = value + width if width < self.scale.high - self.scale.low else INFINITY
            else:
                return value

    def mtdf(self, depth: int, guess: float) -> float:
        """MTD(f) (Plaat et al. 1996): close in on the value by null windows."""
        low, high, step = -INFINITY, INFINITY, self.scale.unit / 2
        while low < high and not self.memory.stopped():
            beta = guess + step if guess == low else guess
            guess = self.look(depth, beta - step, beta)
            if guess >= beta:
                low = guess
            elif guess <= beta - step:
                high = guess
            else:
                low = high = guess
        return self.look(depth, guess - step, guess + step)  # for its line; the table knows the rest

    def deepen(self, depth: int, report: Report | None, first: int = 1) -> None:
        """Search deeper and deeper until told to stop; `best` is always the last completed answer."""
        started, value = time.perf_counter(), 0.0
        for d in range(first, depth + 1):
            doubts = int(self.memory.doubts[0])
            value = self.iterate(d, value)
            line = self.line()
            if self.memory.stopped():
                if line and self.best.depth and int(self.memory.techniques[0]) & Technique.TABLE:
                    self.best = self.best._replace(action=line[0], line=line)  # better than the last iteration's
                break
            decisive = self.scale.plies(value) is not None and int(self.memory.techniques[1]) >= 1 << 30
            proven = decisive or int(self.memory.doubts[0]) == doubts
            self.best = Decision(
                line[0] if line else self.best.action,
                self.scale.plain(value),
                line,
                d,
                int(self.memory.counts[NODES]),
                time.perf_counter() - started,
                proven,
                self.scale.plies(value),
            )
            if report:
                report(self.best)
            if proven:
                break

    def line(self) -> tuple[int, ...]:
        """The actions that the search expects."""
        found = []
        for action in self.memory.line[:LINE]:
            if action == NO_ACTION:
                break
            found.append(int(action))
        return tuple(found)


def decide(
    game: Game,
    s: Any,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    techniques: Technique | None = None,
    table: Table | float = 64,
    threads: int = 1,
    beam: int = 0,
    secondary: int = 0,
    first: int = 1,
    tracer: Silent | Recorder | None = None,
    report: Report | None = None,
) -> Decision:
    """The best action in `s` within a budget; without one, until the value is proven or `depth` is at its limit.

    `table` is a Table to use again or its size in MB; `beam` keeps the so many best-ordered actions of each node (0:
    all); `secondary` verifies the chosen action so many plies deeper and falls back to the next where it disappoints;
    `first` is the depth to begin with.
    """
    require_suitable(game, s, "alphabeta")
    require_budget(depth, seconds, nodes)
    if threads < 1:
        raise CounterplayError(f"threads={threads}: at least 1 thread searches")
    chosen = default_for(game) if techniques is None else techniques
    if table == 0:
        chosen &= ~Technique.TABLE
    shared = table if isinstance(table, Table) else Table(table if chosen & Technique.TABLE else 0.001)
    shared.grow_old()
    memories = [EngineMemory(game, chosen, nodes, beam) for _ in range(threads)]
    tracer = tracer or Silent()
    searchers = [Searcher(game, s, shared, memory, tracer if i == 0 else Silent()) for i, memory in enumerate(memories)]
    prepare(searchers[0])
    started = time.perf_counter()
    deepest = depth or DEPTH

    def worker(i: int) -> Callable[[], None]:
        return lambda: searchers[i].deepen(deepest, report if i == 0 else None, min(first + i % 2, deepest))

    def stop() -> None:
        for memory in memories:
            memory.stop()

    run([worker(i) for i in range(threads)], stop, seconds)
    best = searchers[0].best
    if best.action == NO_ACTION:  # stopped before the first iteration was complete
        best = best._replace(action=legal(game, s)[0], value=None)
    if secondary and best.depth and not best.proven:
        best = _verify(searchers[0], best, secondary)
    counts = {name: sum(int(memory.counts[i]) for memory in memories) for i, name in enumerate(COUNTS)}
    return best._replace(nodes=counts["nodes"], seconds=time.perf_counter() - started, counts=counts)


def prepare(searcher: Searcher) -> None:
    """Compile, or load what was compiled, before the clock runs: a search that is stopped at its first node."""
    tracer, searcher.tracer = searcher.tracer, type(searcher.tracer)()
    searcher.memory.stop()
    searcher.look(1, -INFINITY, INFINITY)
    searcher.memory.limits[STOP] = 0
    searcher.memory.counts[:] = 0
    searcher.tracer = tracer


def values_of(
    game: Game, s: Any, depth: int, *, techniques: Technique | None = None, table: Table | float = 64
) -> tuple[Option, ...]:
    """Every action of `s` with its exact value at `depth`, best first (the order of equals is the game's)."""
    require_suitable(game, s, "alphabeta")
    require_budget(depth)
    chosen = default_for(game) if techniques is None else techniques
    shared = table if isinstance(table, Table) else Table(table)
    mover, found = game.to_move(s), []
    scale = Scale.of(game)
    for action in legal(game, s):
        after = game.result(s, action)
        memory = EngineMemory(game, chosen)
        searcher = Searcher(game, after, shared, memory, Silent())
        value = searcher.look(depth - 1, -INFINITY, INFINITY)
        value = value if game.to_move(after) == mover else -value
        found.append(Option(action, scale.plain(value), int(memory.counts[NODES])))
    return tuple(sorted(found, key=lambda option: -option.value))


def _verify(searcher: Searcher, best: Decision, deeper: int) -> Decision:
    """Secondary search (Greenblatt 1967): look further behind the chosen action; where it disappoints, try the next."""
    game, s = searcher.game, searcher.state
    mover, chosen = game.to_move(s), best
    ranked = values_of(game, s, best.depth, table=searcher.table)
    hopes = [option for option in ranked if option.action == best.action]
    hopes += [option for option in ranked if option.action != best.action]
    top = -INFINITY
    for k, option in enumerate(hopes[:3]):
        behind = Searcher(
            game, game.result(s, option.action), searcher.table, EngineMemory(game, default_for(game)), Silent()
        )
        value = behind.look(best.depth - 1 + deeper, -INFINITY, INFINITY)
        value = value if game.to_move(behind.state) == mover else -value
        if value > top:
            top = value
            chosen = best._replace(
                action=option.action, value=searcher.scale.plain(value), line=(option.action, *behind.line())
            )
        following = hopes[k + 1].value if k + 1 < len(hopes) else -INFINITY
        if top >= following:
            break  # still at least as good as the next one promises
    return chosen
