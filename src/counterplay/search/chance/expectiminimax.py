"""Expectiminimax, with Star1 or Star2 and a table: the search for games of chance without hidden information.

expectiminimax(game, s, depth=4).action
Expectiminimax(samples=8).deepen(game, s, seconds=1).value
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import INFINITY, Game
from counterplay.core.types import State
from counterplay.search.chance.chance_nodes import ChanceContext, expectiminimax_value
from counterplay.search.chance.star import NO_EVENT, star
from counterplay.search.decision import Decision
from counterplay.search.engine.transposition_table import NO_ACTION, TranspositionTable
from counterplay.search.root import RootMethod, RootSearch, hero_of
from counterplay.search.suitability import has_key, has_lasting_key, is_opposed, what_suits
from counterplay.search.tracing.tracer import SEARCHED, RecordingTracer

PRUNINGS = ("none", "star1", "star2")
MEGABYTES = 16.0
LITTLE = 0.001
"""The megabytes of a table that is never probed."""
MOST_SAMPLES = 1 << 16


def expectiminimax(
    game: Game, s: State, depth: int, *, prune: str = "star2", samples: int = 0, table: float = MEGABYTES, seed: int = 0
) -> Decision:
    """The best action in `s`, looking `depth` decisions ahead and averaging over chance.

    `prune` is star2, star1 or none (the textbook's algorithm, which also gives the value of each action); all three
    find the same value. If chance has more than `samples` events, `samples` of them are searched (0: all). `table` is
    the transposition table's size in MB (0: none).
    """
    return Expectiminimax(prune, samples, table, seed).search(game, s, depth)


@dataclass(frozen=True)
class Expectiminimax(RootMethod):
    """Expectiminimax with its options; `search` looks to a depth, `deepen` within a budget."""

    prune: str = "star2"
    samples: int = 0
    table: float = MEGABYTES  # MB
    seed: int = 0

    def __post_init__(self) -> None:
        if self.prune not in PRUNINGS:
            raise CounterplayError(f"prune={self.prune!r} must be {', '.join(PRUNINGS[:-1])} or {PRUNINGS[-1]}")
        if not 0 <= self.samples <= MOST_SAMPLES:
            raise CounterplayError(f"samples={self.samples} must be from 1 to {MOST_SAMPLES}, or 0 for all events")
        if not 0 <= self.table < float("inf"):
            raise CounterplayError(f"table={self.table:g} must be a number of MB, or 0 for none")

    def require(self, game: Game) -> None:
        require_open("expectiminimax", game)
        if game.players > 1 and not is_opposed(game):
            raise Unsuitable(
                f"expectiminimax suits two players with opposite interests, not {game.spec}; {what_suits(game)}"
            )

    def begin(self, game: Game, s: State, nodes: int | None, before: Sequence[int]) -> RootSearch:
        keyed = has_key(game)
        if self.samples and not has_lasting_key(game):
            raise Unsuitable(
                f"sampling needs the position's key, and {game.spec} defines no `key`; leave out `samples`"
            )
        context = ChanceContext(
            game,
            hero_of(game, s),
            TranspositionTable(self.table or LITTLE if self.prune != "none" else LITTLE),
            probes=self.prune == "star2",
            # Table entries must hold for every path to a position; with a repetition rule they would not.
            remembers=self.prune != "none" and self.table > 0 and keyed and not game.has_repetition,
            samples=self.samples,
            seed=self.seed,
            nodes=nodes,
            before=before,
        )
        return ChanceSearch(game, s, context) if self.prune == "none" else StarSearch(game, s, context)


def require_open(method: str, game: Game) -> None:
    """Reject games in which a player does not see everything."""
    if game.traits.hidden:
        raise Unsuitable(f"{method} does not suit {game.spec}, which hides information; {what_suits(game)}")


class ChanceSearch(RootSearch):
    """Without pruning."""

    context: ChanceContext
    judges_all = True

    def value(self, after: State, depth: int, alpha: float) -> float:
        return float(expectiminimax_value(self.game, after, depth, 1, self.looking, self.context))

    def recorded(self, depth: int, tracer: RecordingTracer) -> Decision:
        """The search to a depth, recorded."""
        self.context.tracer = tracer
        tracer.enter(0, NO_ACTION, self.context.hero, depth, -INFINITY, INFINITY)
        found = self.answer(range(depth, depth + 1))
        self.tell_unseen(tracer)
        tracer.leave(0, found.value or 0.0, SEARCHED)
        return found


class StarSearch(ChanceSearch):
    """With pruning and a table."""

    judges_all = False

    def value(self, after: State, depth: int, alpha: float) -> float:
        return self.look(after, depth, max(alpha, self.scale.low), self.scale.high, ply=1)

    def look(self, s: State, depth: int, alpha: float, beta: float, ply: int = 0) -> float:
        """The value of `s` to the hero in a window, as `star` gives it."""
        return float(star(self.game, s, depth, alpha, beta, ply, self.looking, NO_EVENT, self.context))
