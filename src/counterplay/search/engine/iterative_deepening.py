"""One thread's search of one position: ever deeper, each iteration finding the order of actions for the next (Slate &
Atkin 1977), within the chosen kind of window."""

from __future__ import annotations

import time
from typing import Any

from counterplay.core.game import Game
from counterplay.search.decision import Decision, Report
from counterplay.search.engine.engine import value_of
from counterplay.search.engine.killers_and_history import EVERYTHING, EngineContext
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, Scale

STEADY = 4
"""After so many iterations with the same best action, a search is sure of it."""


class Patience:
    """When to begin no further iteration: each takes longer than all before it, so that one which begins late would only
    be broken off. While the best action changes, it is worth more time; once it has stayed the same, less."""

    def __init__(self, soft: float | None = None) -> None:
        self.soft, self.started = soft, time.perf_counter()
        self.action, self.steady = NO_ACTION, 0

    def is_over(self, action: int) -> bool:
        """Whether enough was seen, now that an iteration has ended with `action` as the best."""
        self.steady = self.steady + 1 if action == self.action else 0
        self.action = action
        if self.soft is None:
            return False
        worth = 0.5 if self.steady >= STEADY else 0.7 if self.steady else 1.0
        return time.perf_counter() - self.started >= worth * self.soft


class Searcher:
    """A search of one position by one thread."""

    def __init__(self, game: Game, s: Any, context: EngineContext) -> None:
        self.game, self.state, self.context = game, s, context
        self.scale = Scale.of(game)
        self.best = Decision(NO_ACTION, 0.0)
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

    def deepen(self, depth: int, report: Report | None, first: int = 1, patience: Patience | None = None) -> None:
        """Search deeper and deeper until told to stop; `best` is always the last completed answer."""
        started, value = time.perf_counter(), 0.0
        for d in range(first, depth + 1):
            doubts = self.context.doubts
            value = self.iterate(d, value)
            line = self.context.expected(0)
            if self.context.stopped():
                if line and self.best.depth:  # better than the last iteration's, which was tried first
                    self.best = self.best._replace(action=line[0], line=line)
                break
            whole = self.context.doubts == doubts
            if line:
                self.context.first = line[0]
            self.best = Decision(
                line[0] if line else self.best.action,
                self.scale.plain(value),
                line,
                d,
                self.context.nodes,
                time.perf_counter() - started,
                whole or self.is_decisive(value),
                self.scale.plies(value),
            )
            if report:
                report(self.best)
            if self.is_settled(whole, value, d) or (patience is not None and patience.is_over(self.best.action)):
                break

    def is_settled(self, whole: bool, value: float, depth: int) -> bool:
        """Whether a deeper search has nothing to add. A win that is further away than the search looked may be a way
        around: where positions come again, one who goes on with it may go around for ever."""
        is_near = not self.game.has_repetition or (self.scale.plies(value) or 0) <= depth
        return whole or (is_near and self.is_decisive(value))

    def is_decisive(self, value: float) -> bool:
        """Whether a value is a win or a loss that a deeper search cannot change."""
        sees_all = self.context.beam >= EVERYTHING
        return sees_all and self.game.repetition in ("none", "draw") and self.scale.plies(value) is not None


def prepare(searcher: Searcher) -> None:
    """Compile, or load what was compiled, before the clock runs: a search that is stopped at its first node."""
    searcher.context.stop()
    searcher.look(1, -INFINITY, INFINITY)
    searcher.context.renew()
