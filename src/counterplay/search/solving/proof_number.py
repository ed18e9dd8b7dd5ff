"""Proof-number search, depth first: df-pn (Allis 1994; Nagai 2002).

It proves who wins, not by how much. A position's proof number is the least number of unknown positions that would have
to turn out well to prove the goal; its disproof number is the same for refuting it. The search always goes where a
proof or refutation is nearest, which suits games in which one side is forced along narrow lines. It keeps both numbers
in the table of memory.py, in place of the lower and upper bound.

Positions that are reached in several ways are counted several times, which can mislead the order of the search but
never a proof. A game with a repetition rule is refused, because its values depend on the path; an endless line is an
error.
"""

from __future__ import annotations

import math
from typing import Any

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.bits import last, signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import f64
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.memory import INFINITY, MAX_PLY
from counterplay.search.solving.memory import NO_ACTION, NOTHING, TOO_DEEP, WideContext
from counterplay.search.solving.method import SMALL, SolvingMethod
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import has_key

WON = math.nextafter(0.0, math.inf)
STEP = 1.25
"""How far beyond the second-best position a search continues: less jumping back and forth (Pawlewicz & Lew 2007)."""


class ProofContext(WideContext):
    """Proof and disproof numbers."""

    least: f64  # the least result above 0 that was met, from the attacker's point of view
    most: f64  # the greatest below 0

    def __init__(self, game: Game, root: State, megabytes: float, earlier: ProofContext | None = None) -> None:
        super().__init__(game, root, megabytes, earlier=earlier)
        self.least, self.most = (INFINITY, -INFINITY) if earlier is None else (earlier.least, earlier.most)

    def judge(self, game: Game, s: State, attacker: int, goal: float) -> tuple[float, float]:
        """Proof and disproof number of `s` before it is searched: from the rules, the table, or 1 and 1 if unknown."""
        if game.is_terminal(s):
            result = game.utility(s, attacker)
            if result > 0:
                self.least = min(self.least, result)
            elif result < 0:
                self.most = max(self.most, result)
            return (0.0, INFINITY) if result >= goal else (INFINITY, 0.0)
        entry = self.find(signed(game.key(s)))
        if entry != NOTHING:
            return self.lower(entry), self.upper(entry)
        return 1.0, 1.0


@kernel
def df_pn(
    game: Game, s: State, attacker: int, goal: float, proof: float, disproof: float, ply: int, context: ProofContext
) -> float:
    """Search `s` until its proof number is at least `proof` or its disproof number at least `disproof`; both are in the
    table then. Returns the proof number: 0 if it is proven that `attacker` gets at least `goal`, infinite if that is
    refuted. Meaningless once `context.stopped()`.
    """
    context.nodes += 1
    if ply >= MAX_PLY:
        context.give_up(TOO_DEEP)
    before = context.nodes
    attacks = game.to_move(s) == attacker
    out = context.out
    start = len(out)
    game.actions(s, out.fresh())
    end = len(out)
    pn, dn = 1.0, 1.0
    while not context.stopped():
        # One good action proves a position of the attacker, all are needed to refute it; for the defender vice versa.
        least, second, total, share, nearest = INFINITY, INFINITY, 0.0, 0.0, NO_ACTION
        for i in range(start, end):
            p, d = context.judge(game, game.result(s, out[i]), attacker, goal)
            one, all_of = (p, d) if attacks else (d, p)
            total += all_of
            if one < least or nearest == NO_ACTION:
                least, second, share, nearest = one, least, all_of, out[i]
            elif one < second:
                second = one
        pn, dn = (least, total) if attacks else (total, least)
        if pn >= proof or dn >= disproof:
            break
        few = math.floor(second * STEP) + 1.0 if second < INFINITY else INFINITY
        after = game.result(s, nearest)
        if attacks:
            df_pn(game, after, attacker, goal, min(proof, few), disproof - total + share, ply + 1, context)
        else:
            df_pn(game, after, attacker, goal, proof - total + share, min(disproof, few), ply + 1, context)
    out.truncate(start)
    if not context.stopped():
        effort = 1 + last(u64(context.nodes - before + 1))
        context.keep(signed(game.key(s)), pn, dn, NO_ACTION, effort)
    return pn


@kernel
def try_to_prove(game: Game, s: State, attacker: int, goal: float, context: ProofContext) -> float:
    """The final proof number of `s`: 0 or infinite."""
    p, d = context.judge(game, s, attacker, goal)
    if p == 0.0 or d == 0.0:
        return p
    return df_pn(game, s, attacker, goal, INFINITY, INFINITY, 0, context)


class Prover(SolvingMethod):
    """Is the root won, and if not, is it lost?"""

    name = "pns"

    def __init__(self, game: Game, s: State, *options: Any) -> None:
        super().__init__(game, s, *options)
        if game.has_repetition:
            raise Unsuitable(f"pns suits games without a repetition rule, not {game.spec}; the method `search` does")
        if not has_key(game):
            raise Unsuitable(f"pns needs a `key` for each state, which {game.spec} lacks; the method `search` does not")
        self.mover = game.to_move(s)
        self.context: ProofContext = ProofContext(game, s, min(SMALL, self.megabytes))
        self.greatest = self.context.greatest
        self.bounds = (-self.greatest, self.greatest)
        self.answers = dict.fromkeys(legal(game, s), self.bounds)
        self.action: int | None = None

    def warm(self) -> None:
        try_to_prove(self.game, self.s, self.mover, WON, self.context)

    def larger(self, megabytes: float, why: int) -> ProofContext:
        return ProofContext(self.game, self.s, megabytes, self.context)

    def find(self) -> None:
        if self.every:
            for action in self.answers:
                self.settle(action)
        else:
            self.settle(None)

    def settle(self, action: int | None) -> None:
        """Prove or refute that the root, or one of its actions, wins; if refuted, that it does not lose."""
        low, high = -self.greatest, self.greatest
        for goal in (WON, 0.0):
            proven = self.prove(self.s if action is None else self.game.result(self.s, action), goal)
            least, most = self.context.least, self.context.most
            if proven:
                low = max(low, min(least, self.greatest) if goal > 0 else 0.0)
            else:
                high = min(high, 0.0 if goal > 0 else max(most, -self.greatest))
            self.note(action, low, high)
            if proven:
                return

    def note(self, action: int | None, low: float, high: float) -> None:
        """Record what is proven so far."""
        if action is not None:
            self.answers[action] = (low, high)
            lows, highs = zip(*self.answers.values(), strict=True)
            low, high = max(lows), max(highs)
            self.action = max(self.answers, key=lambda each: self.answers[each])
        elif low > -self.greatest:  # the last action that was proven good enough
            self.action = next((each for each in self.answers if self.is_proven(each)), None)
            if self.action is not None:
                self.answers[self.action] = (low, high)
        elif high < 0:
            self.action = next(iter(self.answers))  # all lose, and this method does not say which loses last
        self.bounds = low, high

    def is_proven(self, action: int) -> bool:
        """Whether the last goal is proven for an action."""
        after = self.game.result(self.s, action)
        return self.context.judge(self.game, after, self.mover, self.goal)[0] == 0.0

    def prove(self, s: State, goal: float) -> bool:
        """Whether the side to move at the root gets at least `goal` from `s`."""
        self.goal = goal
        self.context.words[:] = 0  # what is known about one goal says nothing about another
        self.context.least, self.context.most = INFINITY, -INFINITY
        self.set_limit()
        while True:
            proof = try_to_prove(self.game, s, self.mover, goal, self.context)
            if self.has_answer():
                return bool(proof == 0.0)

    def solution(self) -> Solution:
        """All that is proven so far."""
        answers = best_first([Answer(action, bounds) for action, bounds in self.answers.items()])
        return Solution(
            bounds=self.bounds,
            plies=None,
            action=self.action,
            actions=answers if self.every else tuple(each for each in answers if each.action == self.action),
            proven=self.done,
            complete=self.done,
            method=self.name,
            nodes=self.context.nodes,
            ran_out=self.ran_out,
        )
