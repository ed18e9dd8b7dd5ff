"""Iterative deepening within a budget, by one thread or several.

An anytime search: it can be stopped at any moment, by time, nodes, depth or the user, and answers with the best result
so far. Several threads search at once and help each other through one table (lazy SMP).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.background import run
from counterplay.search.decision import Decision, Report
from counterplay.search.deepening import Patience
from counterplay.search.engine.iterative_deepening import Searcher, prepare
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.multipv import Ranking
from counterplay.search.engine.probcut import Cuts
from counterplay.search.engine.techniques import Technique, default_for
from counterplay.search.engine.transposition_table import NO_ACTION, TranspositionTable
from counterplay.search.memory import COUNTS, INFINITY, UNLIMITED
from counterplay.search.suitability import DEPTH, require_budget, require_suitable
from counterplay.search.tracing.tracer import RecordingTracer, SilentTracer

FIRST_SHARE = 2 / 3
"""The share of a time or node budget that the search may take if its choice is to be verified."""
CANDIDATES = 3
"""The maximum number of actions that are verified."""


def decide(
    game: Game,
    s: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    soft: float | None = None,
    nodes: int | None = None,
    techniques: Technique | None = None,
    table: TranspositionTable | float = 64,
    threads: int = 1,
    beam: int = 0,
    chip: int = 0,
    cuts: Cuts | None = None,
    secondary: int = 0,
    first: int = 1,
    before: Sequence[int] = (),
    tracer: SilentTracer | RecordingTracer | None = None,
    report: Report | None = None,
) -> Decision:
    """The best action in `s` within a budget; without one, until the value is proven or `depth` is at its limit.

    `table` is a table to reuse or a size in MB; `beam` is how many of the best-ordered actions of each node are kept
    (0: all); `chip` is how many of the last plies are searched as Deep Blue's chips did; `cuts` are what ProbCut relies
    on; `secondary` verifies the chosen action this many plies deeper and falls back to the next if it disappoints;
    `first` is the first depth; `soft` is about how many seconds to use if the search can end with a depth; `before` are
    the repetition keys of the positions before `s`.
    """
    require_suitable(game, s, "alphabeta", before)
    require_budget(depth, seconds, nodes)
    if threads < 1:
        raise CounterplayError(f"threads={threads}: at least 1 thread searches")
    chosen = default_for(game) if techniques is None else techniques
    if table == 0:
        chosen &= ~Technique.TABLE
    shared = (
        table
        if isinstance(table, TranspositionTable)
        else TranspositionTable(table if chosen & Technique.TABLE else 0.001)
    )
    shared.grow_old()
    share = FIRST_SHARE if secondary else 1.0
    allowed = None if nodes is None else max(1, int(nodes * share))
    tracers = [tracer or SilentTracer(), *(SilentTracer() for _ in range(threads - 1))]
    contexts = [
        EngineContext(game, chosen, shared, tracer=each, nodes=allowed, beam=beam, chip=chip, cuts=cuts, before=before)
        for each in tracers
    ]
    searchers = [Searcher(game, s, context) for context in contexts]
    for searcher in searchers[:2]:  # the first may have a different tracer than the rest
        prepare(searcher)
    started = time.perf_counter()
    deepest, searchers[0].patience = depth or DEPTH, Patience(soft)

    def worker(i: int) -> Callable[[], None]:
        if i == 0:
            return lambda: searchers[0].deepen(range(min(first, deepest), deepest + 1), report)
        return lambda: searchers[i].deepen(range(min(first + i % 2, deepest), deepest + 1))

    def stop() -> None:
        for context in contexts:
            context.stop()

    run([worker(i) for i in range(threads)], stop, None if seconds is None else seconds * share)
    best = searchers[0].best
    if best.action == NO_ACTION:  # stopped before the first iteration was complete
        best = best._replace(action=legal(game, s, before)[0], value=None)
    if secondary and best.depth and not best.proven:
        left = None if seconds is None else max(0.001, seconds - (time.perf_counter() - started))
        checker = Checker(game, s, best, shared, chosen, beam, chip, cuts, before)
        checker.context.node_limit = UNLIMITED if nodes is None else nodes - contexts[0].nodes
        contexts.append(checker.context)
        run([lambda: checker.check(secondary)], checker.context.stop, left)
        best = checker.best
    counts = {name: sum(context.counts[name] for context in contexts) for name in COUNTS}
    return best._replace(nodes=counts["nodes"], seconds=time.perf_counter() - started, counts=counts)


class Checker(Ranking):
    """Secondary search (Greenblatt 1967): search deeper after the chosen action; if it disappoints, try the next."""

    def __init__(
        self,
        game: Game,
        s: State,
        best: Decision,
        table: TranspositionTable,
        techniques: Technique,
        beam: int,
        chip: int,
        cuts: Cuts | None,
        before: Sequence[int],
    ) -> None:
        super().__init__(game, s, table, techniques, None, beam, chip, cuts, before)
        self.first, self.best = best, best

    def check(self, deeper: int) -> None:
        """Set `best` to the action that stands up to a search `deeper` plies further; if stopped, to the best so
        far."""
        depth = self.first.depth
        behind = dict(zip(self.actions, self.searchers, strict=True))
        promises = {action: self.value(searcher, depth) for action, searcher in behind.items()}
        if self.context.stopped():
            return
        order = sorted(self.actions, key=lambda action: (action != self.first.action, -promises[action]))
        top = -INFINITY
        for k, action in enumerate(order[:CANDIDATES]):
            value = self.value(behind[action], depth + deeper)
            if self.context.stopped():
                return
            if value > top:
                top = value
                line = (action, *self.context.expected(0))
                self.best = self.first._replace(action=action, value=self.scale.plain(value), line=line)
            if all(top >= promises[other] for other in order[k + 1 :]):
                return  # still at least as good as the others' values
