"""Iterative deepening (Slate & Atkin 1977): one depth after another, each improving the move ordering of the next.

An anytime search: stopped at any moment, it answers with the last depth that it completed, or better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from counterplay.search.decision import Decision
from counterplay.search.engine.transposition_table import NO_ACTION

STEADY = 4
"""After this many iterations with the same best action, a search is sure of it."""


class Patience:
    """Decides when to start no further iteration: each takes longer than all before it, so one that starts late would
    only be interrupted. While the best action changes, the search gets more time; once it stays the same, less."""

    def __init__(self, soft: float | None = None) -> None:
        self.soft, self.started = soft, time.perf_counter()
        self.action, self.steady = NO_ACTION, 0

    def is_over(self, action: int) -> bool:
        """Whether to stop, now that an iteration has ended with `action` as the best."""
        self.steady = self.steady + 1 if action == self.action else 0
        self.action = action
        if self.soft is None:
            return False
        worth = 0.5 if self.steady >= STEADY else 0.7 if self.steady else 1.0
        return time.perf_counter() - self.started >= worth * self.soft


class Deepening:
    """A search of one position; a subclass completes a depth and says when that is enough."""

    context: Any
    best: Decision
    """The best decision so far."""
    patience: Patience | None = None

    def complete(self, depth: int) -> bool:
        """Search to `depth` and record the result; returns False if stopped."""
        raise NotImplementedError

    def is_enough(self) -> bool:
        """Whether a greater depth has nothing to add."""
        raise NotImplementedError

    @property
    def choice(self) -> int:
        """The best action so far."""
        return self.best.action

    def tell(self, report: Callable[[Any], None] | None, seconds: float) -> None:
        """Report a completed depth and its time."""
        self.best = self.measured(seconds)
        if report:
            report(self.best)

    def measured(self, seconds: float) -> Decision:
        """The best so far, with the effort it took."""
        return self.best._replace(nodes=self.context.nodes, seconds=seconds)

    def deepen(self, depths: range, report: Callable[[Any], None] | None = None) -> None:
        """Search to one depth after another, until all are done, one is enough, or the search is stopped."""
        started = time.perf_counter()
        for depth in depths:
            if not self.complete(depth):
                break
            self.tell(report, time.perf_counter() - started)
            if self.is_enough() or (self.patience is not None and self.patience.is_over(self.choice)):
                break
