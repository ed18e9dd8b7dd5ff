"""Games of many players and any sum: max^n, paranoid search and best-reply search.

    maxn(game, s, depth=5)        everyone maximizes their own payoff
    paranoid(game, s, depth=5)    everyone else is against me (Sturtevant & Korf 2000)
    best_reply(game, s, depth=5)  one of the others at a time is against me

Paranoid search sees only two sides, so it prunes like alpha-beta, at chance nodes by Star2: it is expectiminimax with a
coalition as the opponent. All three average over chance. Depth counts decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.search.chance.expectiminimax import MEGABYTES, Expectiminimax, require_open
from counterplay.search.decision import Decision, Option
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.many_players.best_reply import NOBODY, ReplyContext, reply_value
from counterplay.search.many_players.maxn import VectorContext, maxn_values
from counterplay.search.memory import INFINITY
from counterplay.search.root import RootMethod, RootSearch, hero_of
from counterplay.search.tracing.tracer import SEARCHED
from counterplay.search.tracing.vector_tracer import VectorRecorder


def maxn(game: Game, s: State, depth: int, *, prune: bool = True) -> Decision:
    """The best action in `s`, looking `depth` decisions ahead, if everyone does what is best for themselves."""
    return MaxN(prune).search(game, s, depth)


def paranoid(
    game: Game, s: State, depth: int, *, prune: str = "star2", samples: int = 0, table: float = MEGABYTES, seed: int = 0
) -> Decision:
    """The best action in `s`, looking `depth` decisions ahead, if all others do what is worst for the player to move."""
    return Paranoid(prune, samples, table, seed).search(game, s, depth)


def best_reply(game: Game, s: State, depth: int, *, prune: bool = True) -> Decision:
    """The best action in `s`, looking `depth` decisions ahead, if one opponent hurts the player to move as much as
    possible before each of that player's turns."""
    return BestReply(prune).search(game, s, depth)


@dataclass(frozen=True)
class MaxN(RootMethod):
    """max^n; `search` looks to a depth, `deepen` within a budget."""

    prune: bool = True

    def require(self, game: Game) -> None:
        require_open("maxn", game)

    def begin(self, game: Game, s: State, nodes: int | None, before: Sequence[int]) -> VectorSearch:
        return VectorSearch(game, s, VectorContext(game, hero_of(game, s), self.prune, nodes, before))

    def values(self, game: Game, s: State, depth: int) -> tuple[float, ...]:
        """What each player gets from `s` by max^n."""
        search = self.started(game, s, depth)
        assert isinstance(search, VectorSearch)
        search.answer(range(depth, depth + 1))
        return search.vector


@dataclass(frozen=True)
class Paranoid(Expectiminimax):
    """Paranoid search; `search` looks to a depth, `deepen` within a budget."""

    def require(self, game: Game) -> None:
        require_open("paranoid", game)

    def begin(self, game: Game, s: State, nodes: int | None, before: Sequence[int]) -> RootSearch:
        search = super().begin(game, s, nodes, before)
        search.exact = game.players == 1 or (game.players == 2 and game.zero_sum)
        return search


@dataclass(frozen=True)
class BestReply(RootMethod):
    """Best-reply search; `search` looks to a depth, `deepen` within a budget."""

    prune: bool = True

    def require(self, game: Game) -> None:
        require_open("bestreply", game)

    def begin(self, game: Game, s: State, nodes: int | None, before: Sequence[int]) -> RootSearch:
        search = ReplySearch(game, s, ReplyContext(game, hero_of(game, s), self.prune, nodes, before))
        search.exact = game.players == 1 or (game.players == 2 and game.zero_sum)
        search.judges_all = not self.prune
        return search


class VectorSearch(RootSearch):
    """A search by max^n."""

    context: VectorContext

    def __init__(self, game: Game, s: State, context: VectorContext) -> None:
        super().__init__(game, s, context)
        self.judges_all = not context.prunes
        self.vector = (0.0,) * game.players  # of the best action
        self.most = -INFINITY  # the hero's part of it

    def complete(self, depth: int) -> bool:
        self.most = -INFINITY
        return super().complete(depth)

    def average(self, depth: int) -> tuple[float, list[Option]]:
        self.vector = (0.0,) * self.game.players
        return super().average(depth)

    def value(self, after: State, depth: int, alpha: float) -> float:
        context, hero = self.context, self.context.hero
        context.allow(self.game, depth + 1)
        maxn_values(self.game, after, depth, 1, self.looking, hero, alpha, context)
        found = context.values[1]
        if self.is_chance:
            p = self.game.probability(self.state, self.looking)
            self.vector = tuple(
                so_far + p * self.shown(v) for so_far, v in zip(self.vector, found.tolist(), strict=True)
            )
        elif found[hero] > self.most and not context.stopped():
            self.most = float(found[hero])
            self.vector = tuple(map(self.shown, found.tolist()))
        return float(found[hero])

    def recorded(self, depth: int, tracer: VectorRecorder) -> Decision:
        """The search to a depth, recorded."""
        self.context.tracer = tracer
        tracer.enter(0, NO_ACTION, self.context.hero, depth, -INFINITY, INFINITY)
        found = self.answer(range(depth, depth + 1))
        self.tell_unseen(tracer)
        for player, value in enumerate(self.vector):
            tracer.worth(player, value)
        tracer.leave(0, found.value or 0.0, SEARCHED)
        return found


class ReplySearch(RootSearch):
    """A search by best replies."""

    context: ReplyContext

    def value(self, after: State, depth: int, alpha: float) -> float:
        self.context.allow(self.game, depth + 1)
        low = max(alpha, self.scale.low)
        return float(reply_value(self.game, after, depth, low, self.scale.high, 1, NOBODY, self.context))
