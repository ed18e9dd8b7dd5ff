"""From the values of the root's actions to a decision: at a fixed depth, or by iterative deepening within a budget.

What the searches for chance and for many players share. Each of them values what follows an action of the root for the
hero, the player who moves at the root (if chance moves, who acts next); the rest (deepening, stopping in time, results)
is the same. Of equally good actions the first is taken: the first in the game's order or, when deepening, the one that
the previous iteration preferred."""

from __future__ import annotations

import time
from collections.abc import Sequence

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.workspace import i64
from counterplay.core.rules import is_over, legal, payoff
from counterplay.core.types import State
from counterplay.search.background import rehearse, run
from counterplay.search.decision import Decision, Option, Report, ranked
from counterplay.search.deepening import Deepening
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, MAX_PLY, LineContext, Scale
from counterplay.search.suitability import DEPTH, is_opposed, require_budget
from counterplay.search.tracing.tracer import RecordingTracer

COUNTED = ("nodes", "leaves", "cuts", "first_cuts", "table_hits", "table_cuts", "deepest")


class RootContext(LineContext):
    """What these searches use."""

    hero: i64

    def __init__(self, game: Game, hero: int, nodes: int | None = None, before: Sequence[int] = ()) -> None:
        super().__init__(game, nodes, before)
        self.hero = hero

    # What kernels call.

    def enter(self, ply: int) -> None:
        """Count a node."""
        self.nodes += 1
        self.expect_nothing(ply)
        if ply > self.deepest:
            self.deepest = ply

    def to(self, mover: int, value: float) -> float:
        """A value to the hero from the mover's point of view; if chance moves, from the hero's."""
        return value if mover == self.hero or mover == CHANCE else -value

    def final(self, game: Game, value: float, ply: int) -> float:
        """A result of the game at `ply`. Without chance the best counts more the sooner it comes; with chance, results
        are averaged as they are."""
        if game.has_chance:
            return value
        return self.dated(value, ply)

    def estimate(self, game: Game, s: State, player: int) -> float:
        """What `player` can expect from `s`. Between two opponents the mover's own estimate counts."""
        if game.players == 2 and game.zero_sum:
            mover = game.to_move(s)
            if mover != player and mover != CHANCE:
                return -self.horizon(game, s, mover)
        return self.horizon(game, s, player)

    def leaf(self, game: Game, s: State, depth: int, ply: int) -> tuple[bool, float]:
        """Whether the search ends in `s`, and its value to the hero."""
        if game.is_terminal(s):
            self.leaves += 1
            return True, self.final(game, game.utility(s, self.hero), ply)
        if self.repeated(game, s, ply):
            self.leaves += 1
            self.doubts += 1  # another path might get here without a repetition
            return True, self.final(game, payoff(game, s, self.hero), ply)
        if depth <= 0 or ply >= MAX_PLY:
            self.leaves += 1
            self.doubts += 1
            return True, self.estimate(game, s, self.hero)
        return False, 0.0


def hero_of(game: Game, s: State) -> int:
    """The player for whom a search values `s`: the mover or, if chance moves, the player who acts next."""
    mover = game.to_move(s)
    return game.viewer(s) if mover == CHANCE else mover


class RootSearch(Deepening):
    """A search of one position: a subclass values the state after an action."""

    exact = True
    """Whether a tree searched to its end gives the true value, not one that assumes something about the opponents."""
    judges_all = False
    """Whether each action of the root gets its value; otherwise, once one is good, only those that may be better."""

    def __init__(self, game: Game, s: State, context: RootContext) -> None:
        self.game, self.state, self.context = game, s, context
        self.scale = Scale.of(game)
        self.actions = legal(game, s, context.before)  # if chance moves, its events
        self.is_chance = game.to_move(s) == CHANCE
        self.best = Decision(NO_ACTION) if self.is_chance else Decision(self.actions[0], 0.0)
        self.looking = self.actions[0]  # the root action being searched
        self.is_complete = False  # the last iteration searched the whole tree

    def value(self, after: State, depth: int, alpha: float) -> float:
        """The value of `after` to the hero, `depth` decisions ahead; if it is alpha or less, an upper bound of at most
        alpha."""
        raise NotImplementedError

    def complete(self, depth: int) -> bool:
        context, value = self.context, -INFINITY
        options: list[Option] = []
        doubts = context.doubts
        context.nodes += 1
        context.repeated(self.game, self.state, 0)
        found = self.best
        if self.is_chance:
            value, options = self.average(depth)
            found = Decision(NO_ACTION, self.shown(value), depth=depth)
        for action in self.actions if not self.is_chance else ():
            before = context.nodes
            alpha = -INFINITY if self.judges_all else value
            self.looking = action
            v = self.value(self.game.result(self.state, action), depth - 1, alpha)
            if context.stopped():
                break
            line = (action, *context.expected(1)) if self.judges_all else ()
            options.append(Option(action, self.shown(v), context.nodes - before, self.plies(v), line=line))
            if v > value:
                value = v
                found = Decision(action, self.shown(v), (action, *context.expected(1)), depth, plies=self.plies(v))
                if v >= self.ceiling and not self.judges_all:
                    break
        if context.stopped():
            if value > -INFINITY and not self.is_chance and (found.action != self.best.action or not self.best.depth):
                # The first action was the last iteration's choice, so this one is better than that.
                self.best = found._replace(depth=self.best.depth)
            return False
        self.is_complete = context.doubts == doubts
        self.best = found._replace(
            proven=self.exact and (self.is_complete or self.is_decisive(value)),
            options=ranked(options) if self.judges_all else (),
        )
        if not self.is_chance:
            self.actions.remove(found.action)
            self.actions.insert(0, found.action)
        return True

    def average(self, depth: int) -> tuple[float, list[Option]]:
        """The value to the hero of a root where chance moves, and of each of its events."""
        mean, options = 0.0, []
        for event in self.actions:
            before = self.context.nodes
            self.looking = event
            v = self.value(self.game.result(self.state, event), depth, -INFINITY)
            if self.context.stopped():
                break
            mean += self.game.probability(self.state, event) * v
            options.append(Option(event, self.shown(v), self.context.nodes - before))
        return mean, options

    def is_decisive(self, value: float) -> bool:
        """Whether a value is a win or a loss that a deeper search can neither change nor reach sooner: a puzzle's
        shortest solution, for example."""
        alone = self.game.players == 1 or is_opposed(self.game)
        return alone and self.game.repetition in ("none", "draw") and self.plies(value) is not None

    @property
    def ceiling(self) -> float:
        """A value that no other action of the root can surpass."""
        high = self.scale.high
        return high if self.game.has_chance else high - self.scale.unit

    def shown(self, value: float) -> float:
        """A value in the game's own units."""
        return (value if self.game.has_chance else self.scale.plain(value)) + 0.0  # -0.0 is 0.0

    def plies(self, value: float) -> int | None:
        """How far away the end is, if the value encodes it."""
        return None if self.game.has_chance else self.scale.plies(value)

    def prepare(self) -> None:
        """Compile, or load from the cache, before the clock starts."""
        after = self.game.result(self.state, self.actions[0])
        rehearse(self.context, lambda: self.value(after, 0, -INFINITY))

    def answer(self, depths: range, seconds: float | None = None, report: Report | None = None) -> Decision:
        """The decision once `depths` are done, nothing is left to search, or a budget is spent."""
        self.prepare()
        started = time.perf_counter()
        run([lambda: self.deepen(depths, report)], self.context.stop, seconds)
        return self.measured(time.perf_counter() - started)

    def tell_unseen(self, tracer: RecordingTracer) -> None:
        """Report to a tracer the root actions that were not searched, because the best possible value was found
        first."""
        seen = {event["action"] for event in tracer.events() if event["event"] == "enter" and event["ply"] == 1}
        if tracer.complete and not self.context.stopped():
            for action in legal(self.game, self.state, self.context.before):
                if action not in seen:
                    tracer.pruned(0, action)

    def is_enough(self) -> bool:
        return self.is_complete or (self.best.proven and not self.judges_all)

    def measured(self, seconds: float) -> Decision:
        counts = {name: count for name, count in self.context.counts.items() if name in COUNTED}
        return self.best._replace(nodes=counts["nodes"], seconds=seconds, counts=counts)


class RootMethod:
    """A search method with its options; a subclass says which games it suits and how it begins."""

    def require(self, game: Game) -> None:
        """Refuse a game that the method does not suit, naming one that does."""
        raise NotImplementedError

    def begin(self, game: Game, s: State, nodes: int | None, before: Sequence[int]) -> RootSearch:
        """A search of `s`, in which a player has a choice or chance moves."""
        raise NotImplementedError

    def search(self, game: Game, s: State, depth: int) -> Decision:
        """The best action in `s`, looking exactly `depth` decisions ahead."""
        return self.started(game, s, depth).answer(range(depth, depth + 1))

    def deepen(
        self,
        game: Game,
        s: State,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        every: bool = False,
        before: Sequence[int] = (),
        report: Report | None = None,
    ) -> Decision:
        """The best action in `s` found within a budget, by iterative deepening. If `every`, the value of each action is
        found, not only that of the best; `before` are the repetition keys of the positions before `s`; `report`
        receives each completed iteration."""
        search = self.started(game, s, depth, seconds, nodes, before)
        search.judges_all |= every
        return search.answer(range(1, (depth or DEPTH) + 1), seconds, report)

    def started(
        self,
        game: Game,
        s: State,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        before: Sequence[int] = (),
    ) -> RootSearch:
        """`begin`, after checking its arguments."""
        require_budget(depth, seconds, nodes)
        self.require(game)
        if is_over(game, s, before):
            raise CounterplayError("there is nothing to search: the game is over")
        return self.begin(game, s, nodes, before)
