"""Exact solving by retrograde analysis: every reachable position, from the ends backwards. Endless lines of play, in
which a search gets lost, are simply those that neither side can force to an end."""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.endgame.enumeration import Enumeration
from counterplay.endgame.table import Table, TableEntry, build_table
from counterplay.search.memory import Scale
from counterplay.search.solving.method import SolvingMethod
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import unfit_for_retrograde


class Retrograde(SolvingMethod):
    """A table of everything from the root on."""

    name = "retrograde"

    def __init__(self, game: Game, s: State, *options: Any) -> None:
        super().__init__(game, s, *options)
        if reason := unfit_for_retrograde(game, self.before):
            raise Unsuitable(reason)
        self.positions = Enumeration(game, s, self.megabytes)
        self.mover, self.scale = game.to_move(s), Scale.of(game)
        self.table: Table | None = None

    def prepare(self) -> None:
        self.positions.prepare()

    def stop(self) -> None:
        self.positions.stop()

    def work(self) -> None:
        if self.positions.run(most=self.budget):
            self.table = build_table(self.game, self.s, positions=self.positions)
            self.done = True
        elif self.positions.space.count >= self.budget:
            self.ran_out = "nodes"

    def solution(self) -> Solution:
        """What is proven so far: nothing until the end, and then everything."""
        options = legal(self.game, self.s, self.before)
        if self.table is None:
            bounds = self.scale.low, self.scale.high
            answers = tuple(Answer(action, bounds) for action in options)
            return Solution(bounds, None, None, answers, False, False, self.name, self.met, ran_out=self.ran_out)
        root = self.entry(self.s)
        found = best_first([self.answer(action) for action in options])
        best = found[0]
        shown = found if self.every else tuple(each for each in found if each[1:] == best[1:])
        value = root.to(self.mover)
        return Solution((value, value), root.plies, best.action, shown, True, True, self.name, self.met)

    def answer(self, action: int) -> Answer:
        """The value of an action."""
        after = self.entry(self.game.result(self.s, action))
        value = after.to(self.mover)
        return Answer(action, (value, value), None if after.plies is None else after.plies + 1)

    def entry(self, s: State) -> TableEntry:
        """The table's entry for a state."""
        assert self.table is not None
        found = self.table.probe(s)
        assert found is not None  # everything reachable from the root is there
        return found

    @property
    def met(self) -> int:
        """The number of positions met."""
        return int(self.positions.space.count)
