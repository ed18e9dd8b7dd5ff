"""What the methods of exact solving share: budgets, a table that grows, and stopping with what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.search.background import rehearse
from counterplay.search.memory import MAX_PLY, UNLIMITED
from counterplay.search.solving.memory import TOO_DEEP
from counterplay.search.solving.solution import Solution
from counterplay.search.suitability import unfit_for_deepening, unfit_for_retrograde

SMALL, GROWTH = 1.0, 8.0
"""A table's first size in megabytes, and the factor by which it grows whenever it is too small."""
PATIENCE = 4
"""A table is too small when this many nodes have been searched for each of its entries."""


class OutOfBudget(Exception):
    """The budget has run out: what is proven so far is the answer."""


class EndlessLine(CounterplayError):
    """A line of play continues for longer than the method can follow it."""


class SolvingMethod:
    """The work on one root. Subclasses set `context` and write `warm`, `find`, `larger` and `solution`."""

    name = ""
    deepest = MAX_PLY  # the longest line that is followed
    keyed = True  # each state has a key, so there is a table
    context: Any

    def __init__(
        self, game: Game, s: State, before: Sequence[int], every: bool, nodes: int | None, megabytes: float
    ) -> None:
        self.game, self.s, self.before, self.every = game, s, before, every
        self.budget, self.megabytes = nodes or UNLIMITED, megabytes
        self.halted = self.done = False
        self.ran_out = ""

    # Called by solve().

    def prepare(self) -> None:
        """Compile, or load from the cache, before the clock starts."""
        rehearse(self.context, self.warm)
        self.set_limit()

    def stop(self) -> None:
        """End the search soon; any thread can call this."""
        self.halted = True
        self.context.stop()  # (after setting `halted`, as the context may be replaced at this moment)

    def work(self) -> None:
        """Solve, as far as the budget allows."""
        try:
            self.find()
            self.done = True
        except OutOfBudget:
            pass
        except RecursionError:  # from rules that run uncompiled
            raise self.too_deep() from None

    def solution(self) -> Solution:
        """All that is proven so far."""
        raise NotImplementedError

    # Written by each method.

    def warm(self) -> None:
        """Call each kernel once."""
        raise NotImplementedError

    def find(self) -> None:
        """Find everything that was asked for; may raise OutOfBudget."""
        raise NotImplementedError

    def larger(self, megabytes: float, why: int) -> Any:
        """A context with a larger table, to replace the one in use, which stopped for the reason `why`."""
        raise NotImplementedError

    # Continuing.

    def has_answer(self) -> bool:
        """Whether the kernel finished. If it gave up, either there is now more room and it may be called again, or this
        raises."""
        context = self.context
        if not context.stopped():
            return True
        why = context.why
        if why == TOO_DEEP:
            raise self.too_deep()
        if not self.halted and context.nodes >= self.budget:
            self.ran_out = "nodes"
            raise OutOfBudget
        context.interrupted, context.why = False, 0
        if self.halted:  # checked only now: stop() may have been called a moment ago
            raise OutOfBudget
        try:
            self.exchange(self.larger(min(context.words.nbytes / 2**20 * GROWTH, self.megabytes), why))
        except MemoryError:  # continue with the present table
            self.megabytes = context.words.nbytes / 2**20
        self.set_limit()
        return False

    def exchange(self, context: Any) -> None:
        """Continue with another context."""
        self.context = context
        if self.halted:  # stop() may have reached only the old one
            raise OutOfBudget

    def too_deep(self) -> EndlessLine:
        """The error for an endless line of play, with what works instead."""
        if self.name != "deepening" and not unfit_for_deepening(self.game, self.before):
            instead = "the methods `retrograde` and `deepening` handle such lines"
        elif not unfit_for_retrograde(self.game, self.before):
            instead = "the method `retrograde` handles such lines if all positions fit in memory"
        else:
            best = "a shortest solution" if self.game.players == 1 else "a win"
            instead = f"no method of `solve` handles such lines here, but `search` goes ever deeper and proves {best}"
        return EndlessLine(
            f"{self.game.spec} cannot be solved from here: a line of play continues for more than {self.deepest} plies; "
            f"{instead}"
        )

    @property
    def may_grow(self) -> bool:
        """Whether a larger table is allowed."""
        return bool(self.keyed and self.context.words.nbytes * 2 <= self.megabytes * 2**20)

    def set_limit(self) -> None:
        """Set how many nodes may be searched before the budget is spent or a larger table pays off."""
        context, limit = self.context, self.budget
        if self.may_grow:
            limit = min(limit, context.nodes + PATIENCE * context.entries)
        context.node_limit = limit
