"""The value of every action of a position, not only of the best: by iterative deepening, with a full window for each
action."""

from __future__ import annotations

import time
from collections.abc import Sequence

from counterplay.core.game import Game
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.background import run
from counterplay.search.decision import Decision, Option, Report, ranked
from counterplay.search.deepening import Deepening
from counterplay.search.engine.iterative_deepening import Searcher, prepare
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.probcut import Cuts
from counterplay.search.engine.techniques import Technique, default_for
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.memory import INFINITY, Scale
from counterplay.search.suitability import DEPTH, require_budget, require_suitable


def rank(
    game: Game,
    s: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    techniques: Technique | None = None,
    table: TranspositionTable | float = 64,
    beam: int = 0,
    chip: int = 0,
    cuts: Cuts | None = None,
    before: Sequence[int] = (),
    report: Report | None = None,
) -> Decision:
    """The best action in `s` within a budget, as `decide` finds it, with every action's value in `options`."""
    require_suitable(game, s, "alphabeta", before)
    require_budget(depth, seconds, nodes)
    chosen = default_for(game) if techniques is None else techniques
    shared = table if isinstance(table, TranspositionTable) else TranspositionTable(table)
    shared.grow_old()
    ranking = Ranking(game, s, shared, chosen, nodes, beam, chip, cuts, before)
    prepare(ranking.searchers[0])
    started = time.perf_counter()
    run([lambda: ranking.deepen(range(1, (depth or DEPTH) + 1), report)], ranking.context.stop, seconds)
    counts = ranking.context.counts
    seconds = time.perf_counter() - started
    return ranking.best._replace(nodes=counts["nodes"], seconds=seconds, counts=counts)


class Ranking(Deepening):
    """One searcher for each action, all with one context."""

    def __init__(
        self,
        game: Game,
        s: State,
        table: TranspositionTable,
        techniques: Technique,
        nodes: int | None = None,
        beam: int = 0,
        chip: int = 0,
        cuts: Cuts | None = None,
        before: Sequence[int] = (),
    ) -> None:
        self.game, self.scale, self.mover = game, Scale.of(game), game.to_move(s)
        self.actions = legal(game, s, before)
        behind = [*before, repetition_word(game, s)] if game.has_repetition else []
        self.context = EngineContext(
            game, techniques, table, nodes=nodes, beam=beam, chip=chip, cuts=cuts, before=behind
        )
        after = [game.result(s, action) for action in self.actions]
        self.searchers = [Searcher(game, state, self.context) for state in after]
        self.best = Decision(self.actions[0])
        self.is_settled = False  # the last iteration settled everything

    def complete(self, depth: int) -> bool:
        """Search what follows each action."""
        doubts, options, decided = self.context.doubts, [], {}
        for action, searcher in zip(self.actions, self.searchers, strict=True):
            before = self.context.nodes
            value = self.value(searcher, depth)
            if self.context.stopped():
                return False
            plies = self.scale.plies(value)
            after = None if plies is None else plies + 1
            line = (action, *searcher.context.expected(0))
            options.append(Option(action, self.scale.plain(value), self.context.nodes - before, after, line=line))
            decided[action] = searcher.is_decisive(value)
        ordered = ranked(options)
        top, whole = ordered[0], self.context.doubts == doubts
        self.best = Decision(
            top.action,
            top.value,
            top.line,
            depth,
            proven=whole or decided[top.action],
            plies=top.plies,
            options=ordered,
        )
        self.is_settled = whole or all(decided.values())
        return True

    def is_enough(self) -> bool:
        return self.is_settled

    def value(self, searcher: Searcher, depth: int) -> float:
        """The value of the action that a searcher follows, at `depth` counted from the position itself."""
        value = searcher.look(depth - 1, -INFINITY, INFINITY)
        return value if self.game.to_move(searcher.state) == self.mover else -value
