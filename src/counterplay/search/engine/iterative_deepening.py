"""One thread's search of one position: one depth after another, each with the chosen kind of window."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.search.background import rehearse
from counterplay.search.decision import Decision
from counterplay.search.deepening import Deepening
from counterplay.search.engine.engine import value_of
from counterplay.search.engine.killers_and_history import EVERYTHING, EngineContext
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, Scale
from counterplay.search.suitability import DEPTH


class Searcher(Deepening):
    """A search of one position by one thread."""

    def __init__(self, game: Game, s: State, context: EngineContext) -> None:
        self.game, self.state, self.context = game, s, context
        self.scale = Scale.of(game)
        self.best = Decision(NO_ACTION, 0.0)
        self.value, self.is_whole = 0.0, False  # of the last iteration, and whether it searched the whole tree
        self.window = game.swing / 4 or (self.scale.high - self.scale.low) / 16  # half the width of the first window

    def look(self, depth: int, alpha: float, beta: float) -> float:
        """Search the root to `depth` within a window."""
        self.context.root_depth = depth
        return value_of(self.game, self.state, depth, float(alpha), float(beta), self.context)

    def iterate(self, depth: int, guess: float) -> float:
        """The value of the root at `depth`, by the chosen kind of window."""
        if self.context.uses(Technique.MTDF) and self.context.uses(Technique.TABLE):
            return self.mtdf(depth, guess)
        if self.context.uses(Technique.ASPIRATION) and depth >= 4:
            return self.aspire(depth, guess)
        return self.look(depth, -INFINITY, INFINITY)

    def aspire(self, depth: int, guess: float) -> float:
        """Begin with a narrow window around `guess` and widen the side that fails."""
        alpha, beta, width = guess - self.window, guess + self.window, self.window
        while True:
            value = self.look(depth, alpha, beta)
            width *= 8
            if value <= alpha and not self.context.stopped():
                alpha = value - width if width < self.scale.high - self.scale.low else -INFINITY
            elif value >= beta and not self.context.stopped():
                beta = value + width if width < self.scale.high - self.scale.low else INFINITY
            else:
                return value

    def mtdf(self, depth: int, guess: float) -> float:
        """MTD(f) (Plaat et al. 1996): close in on the value by null windows."""
        low, high, step = -INFINITY, INFINITY, self.scale.unit / 2
        while low < high and not self.context.stopped():
            beta = guess + step if guess == low else guess
            guess = self.look(depth, beta - step, beta)
            if guess >= beta:
                low = guess
            elif guess <= beta - step:
                high = guess
            else:
                low = high = guess
        return self.look(depth, guess - step, guess + step)  # for its line; the table knows the rest

    def complete(self, depth: int) -> bool:
        context, doubts = self.context, self.context.doubts
        value, line = self.iterate(depth, self.value), context.expected(0)
        if context.stopped():
            if line and self.best.depth:  # better than the last iteration's, which was tried first
                self.best = self.best._replace(action=line[0], line=line)
            return False
        self.value, self.is_whole = value, context.doubts == doubts
        if line:
            context.first = line[0]
        self.best = Decision(
            line[0] if line else self.best.action,
            self.scale.plain(value),
            line,
            depth,
            proven=self.is_whole or self.is_decisive(value),
            plies=self.scale.plies(value),
        )
        return True

    def is_enough(self) -> bool:
        return self.is_settled(self.is_whole, self.value, self.best.depth)

    def is_settled(self, whole: bool, value: float, depth: int) -> bool:
        """Whether a deeper search has nothing to add. A win further away than the search depth may be a detour: if
        positions repeat, following it may never get there."""
        is_near = not self.game.has_repetition or (self.scale.plies(value) or 0) <= depth
        return whole or (is_near and self.is_decisive(value))

    def is_decisive(self, value: float) -> bool:
        """Whether a value is a win or a loss that a deeper search cannot change."""
        sees_all = self.context.beam >= EVERYTHING
        return sees_all and self.game.repetition in ("none", "draw") and self.scale.plies(value) is not None


def prepare(searcher: Searcher) -> None:
    """Compile, or load from the cache, before the clock starts."""
    rehearse(searcher.context, lambda: searcher.look(1, -INFINITY, INFINITY))


def deepen_within(game: Game, s: State, context: EngineContext) -> tuple[int, float, bool]:
    """The same inside a kernel, with full windows and within the node limit of `context`: the action, the value of `s`
    from the last complete iteration, and whether the result is known."""
    context.table.grow_old()
    context.nodes = 0
    context.first = NO_ACTION
    settled, best = False, 0.0
    for depth in range(1, DEPTH + 1):
        context.root_depth = depth
        value = value_of(game, s, depth, -INFINITY, INFINITY, context)
        if context.line[0, 0] != NO_ACTION:
            context.first = context.line[0, 0]
        if context.stopped():
            break
        best = value
        settled = abs(value) > context.high - context.margin
        if settled:
            break
    return context.first, best, settled
