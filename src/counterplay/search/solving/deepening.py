"""Exact solving by deepening: what a side can force within a number of plies, and then within more.

Each question is an attack (attack.py): can this side get more than it is known to get, by an end, or by what the game
itself assures it (`Game.assured`), within this many plies? Nothing beyond counts, so endless lines of play do no harm.
What one side can force bounds the value from below, what the other can force bounds it from above; if both meet, it is
exact.
"""

from __future__ import annotations

import math
from typing import Any

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.solving.attack import DEEPEST, AttackContext, forces
from counterplay.search.solving.memory import greatest_result
from counterplay.search.solving.method import SMALL, OutOfBudget, SolvingMethod
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import unfit_for_deepening


class Deepener(SolvingMethod):
    """What each side can force from the root, or after each action of it."""

    name = "deepening"
    deepest = DEEPEST

    def __init__(self, game: Game, s: State, *options: Any) -> None:
        super().__init__(game, s, *options)
        if reason := unfit_for_deepening(game, self.before):
            raise Unsuitable(f"{reason}; the method `search` does if no line of play is endless")
        self.mover, self.greatest = game.to_move(s), greatest_result(game)
        self.context: AttackContext = AttackContext(game, s, min(SMALL, self.megabytes))
        self.context.repeated(game, s, 0)  # records it on the path
        self.context.marks[0] = signed(game.mark(s))
        self.answers = dict.fromkeys(legal(game, s), (-self.greatest, self.greatest))
        self.bounds = (-self.greatest, self.greatest)
        self.action: int | None = None

    def warm(self) -> None:
        forces(self.game, self.s, self.mover, 1, 0, 1, self.context)

    def larger(self, megabytes: float, why: int) -> AttackContext:
        return AttackContext(self.game, self.s, megabytes, self.context)

    def find(self) -> None:
        if not self.every:
            self.close_in(self.s, None)
        for action in self.answers if self.every else ():
            self.close_in(self.game.result(self.s, action), action)

    def close_in(self, s: State, action: int | None) -> None:
        """Ask at increasing depth what each side can force, at the root or after an action, until both agree."""
        low = [-self.greatest, -self.greatest]  # [sides] what each can force
        mover, other = self.mover, 1 - self.mover
        self.context.words[:] = 0
        for depth in range(action is None, DEEPEST):
            for side in (mover, other):
                while low[0] + low[1] < 0:
                    goal = math.nextafter(low[side], math.inf)
                    if side == other and low[mover] > -self.greatest:
                        goal = -low[mover]  # that would decide it
                    self.context.aim(side, goal)
                    if not self.succeeds(s, side, depth, int(action is not None)):
                        break
                    low[side] = float(self.context.least[side])
                    self.conclude(action, low[mover], 0.0 - low[other])
            if low[0] + low[1] >= 0:
                return
        self.ran_out = "depth"
        raise OutOfBudget

    def succeeds(self, s: State, side: int, depth: int, ply: int) -> bool:
        """Whether a side can force its goal within `depth` plies."""
        symmetric = 1 if ply else (1 << self.game.symmetries) - 1
        while True:
            success = forces(self.game, s, side, depth, ply, symmetric, self.context)
            if self.has_answer():
                return bool(success)

    def conclude(self, action: int | None, low: float, high: float) -> None:
        """Record what is proven so far."""
        if action is not None:
            self.answers[action] = low, high
            low, high = (max(bounds) for bounds in zip(*self.answers.values(), strict=True))
            self.action = max(self.answers, key=lambda each: self.answers[each])
        elif low > -self.greatest:
            if low > self.bounds[0]:
                self.action = int(self.context.chosen[0])
            assert self.action is not None
            self.answers[self.action] = low, high
        elif high == low:
            self.action = next(iter(self.answers))  # all are as bad as possible
        self.bounds = low, high

    def solution(self) -> Solution:
        """All that is proven so far."""
        answers = best_first([Answer(action, bounds) for action, bounds in self.answers.items()])
        low, high = self.bounds
        return Solution(
            bounds=self.bounds,
            plies=None,
            action=self.action,
            actions=answers if self.every else tuple(each for each in answers if each.action == self.action),
            proven=low == high,
            complete=self.done,
            method=self.name,
            nodes=self.context.nodes,
            ran_out=self.ran_out,
        )
