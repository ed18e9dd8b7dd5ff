"""Proof-number search, depth first: df-pn (Allis 1994; Nagai 2002).

It proves who wins, not by how much. A position's proof number is the least number of unknown positions that would have
to turn out well to prove the goal, its disproof number the same for refuting it. The search always goes where proof or
refutation is nearest, which suits games in which one side is forced along narrow lines, and keeps both numbers in the
table of solve_memory.py (as lower and upper bound of nothing else).

Positions that are reached in several ways are counted several times, which misleads the order of the search but never a
proof. A game with a repetition rule is refused, because there a value depends on the way; a line that goes on for ever
is an error.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.bits import last, signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.wide import u64
from counterplay.core.rules import legal
from counterplay.search.memory import INFINITY, MAX_PLY, NODES, STOP
from counterplay.search.solving.memory import GREATEST, NO_ACTION, NOTHING, TOO_DEEP, WideMemory
from counterplay.search.solving.method import SMALL, Method
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import has_key

WON = math.nextafter(0.0, math.inf)
LEAST, MOST = 0, 1
"""Slots of `results`: the least result above 0 and the greatest below 0 that was met, in view of the attacker."""
STEP = 1.25
"""How far beyond the second-best position a search goes on: less jumping to and fro (Pawlewicz and Lew 2007)."""


class ProofMemory(WideMemory):
    """Proof and disproof numbers."""

    def __init__(self, game: Game, root: Any, megabytes: float, earlier: ProofMemory | None = None) -> None:
        self.results: Any = np.array([INFINITY, -INFINITY]) if earlier is None else earlier.results
        super().__init__(game, root, megabytes, earlier=earlier)

    def judge(self, game: Any, s: Any, attacker: int, goal: float) -> tuple[float, float]:
        """Proof and disproof number of `s` before it is searched: what the rules, the table or nobody knows."""
        if game.is_terminal(s):
            result = game.utility(s, attacker)
            if result > 0:
                self.results[LEAST] = min(self.results[LEAST], result)
            elif result < 0:
                self.results[MOST] = max(self.results[MOST], result)
            return (0.0, INFINITY) if result >= goal else (INFINITY, 0.0)
        entry = self.find(signed(game.key(s)))
        if entry != NOTHING:
            return self.lower(entry), self.upper(entry)
        return 1.0, 1.0


@kernel
def df_pn(
    game: Any, s: Any, attacker: int, goal: float, proof: float, disproof: float, ply: int, memory: Any, out: Any
) -> float:
    """Search `s` until its proof number is at least `proof` or its disproof number at least `disproof`; both are in the
    table then. Returns the proof number: 0 where it is proven that `attacker` gets at least `goal`, infinite where that
    is refuted. Meaningless once `memory.stopped()`.
    """
    memory.counts[NODES] += 1
    if ply >= MAX_PLY:
        memory.limits[STOP] = TOO_DEEP
    before = memory.counts[NODES]
    attacks = game.to_move(s) == attacker
    start = len(out)
    game.actions(s, out.fresh())
    end = len(out)
    pn, dn = 1.0, 1.0
    while not memory.stopped():
        # One good action proves a position of the attacker, all are needed to refute it; for the defender vice versa.
        least, second, total, share, nearest = INFINITY, INFINITY, 0.0, 0.0, NO_ACTION
        for i in range(start, end):
            p, d = memory.judge(game, game.result(s, out[i]), attacker, goal)
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
            df_pn(game, after, attacker, goal, min(proof, few), disproof - total + share, ply + 1, memory, out)
        else:
            df_pn(game, after, attacker, goal, proof - total + share, min(disproof, few), ply + 1, memory, out)
    out.truncate(start)
    if not memory.stopped():
        effort = 1 + last(u64(memory.counts[NODES] - before + 1))
        memory.keep(signed(game.key(s)), pn, dn, NO_ACTION, effort)
    return pn


@kernel
def try_to_prove(game: Any, s: Any, attacker: int, goal: float, memory: Any, out: Any) -> float:
    """The proof number of `s` in the end: 0 or infinite."""
    p, d = memory.judge(game, s, attacker, goal)
    if p == 0.0 or d == 0.0:
        return p
    return df_pn(game, s, attacker, goal, INFINITY, INFINITY, 0, memory, out)


class Prover(Method):
    """Is the root won, and if not, is it lost?"""

    name = "pns"

    def __init__(self, game: Game, s: Any, *options: Any) -> None:
        super().__init__(game, s, *options)
        if game.has_repetition:
            raise Unsuitable(f"pns suits games without a repetition rule, not {game.spec}; the method `search` does")
        if not has_key(game):
            raise Unsuitable(f"pns needs a `key` for each state, which {game.spec} lacks; the method `search` does not")
        self.mover = game.to_move(s)
        self.memory: ProofMemory = ProofMemory(game, s, min(SMALL, self.megabytes))
        self.greatest = float(self.memory.dates[GREATEST])
        self.bounds = (-self.greatest, self.greatest)
        self.answers = dict.fromkeys(legal(game, s), self.bounds)
        self.action: int | None = None

    def warm(self) -> None:
        try_to_prove(self.game, self.s, self.mover, WON, self.memory, self.out)

    def larger(self, megabytes: float, why: int) -> ProofMemory:
        return ProofMemory(self.game, self.s, megabytes, self.memory)

    def find(self) -> None:
        if self.every:
            for action in self.answers:
                self.settle(action)
        else:
            self.settle(None)

    def settle(self, action: int | None) -> None:
        """Prove or refute that the root, or one action of it, wins; else that it does not lose."""
        low, high = -self.greatest, self.greatest
        for goal in (WON, 0.0):
            proven = self.prove(self.s if action is None else self.game.result(self.s, action), goal)
            least, most = (float(result) for result in self.memory.results)
            if proven:
                low = max(low, min(least, self.greatest) if goal > 0 else 0.0)
            else:
                high = min(high, 0.0 if goal > 0 else max(most, -self.greatest))
            self.note(action, low, high)
            if proven:
                return

    def note(self, action: int | None, low: float, high: float) -> None:
        """Write down what is proven by now."""
        if action is not None:
            self.answers[action] = (low, high)
            lows, highs = zip(*self.answers.values(), strict=True)
            low, high = max(lows), max(highs)
            self.action = max(self.answers, key=lambda each: self.answers[each])
        elif low > -self.greatest:  # the action that was proven good enough last
            self.action = next((each for each in self.answers if self.is_proven(each)), None)
            if self.action is not None:
                self.answers[self.action] = (low, high)
        elif high < 0:
            self.action = next(iter(self.answers))  # all lose, and no method here tells which last
        self.bounds = low, high

    def is_proven(self, action: int) -> bool:
        """Whether the last goal is proven of an action."""
        after = self.game.result(self.s, action)
        return self.memory.judge(self.game, after, self.mover, self.goal)[0] == 0.0

    def prove(self, s: Any, goal: float) -> bool:
        """Whether the side to move at the root gets at least `goal` from `s`."""
        self.goal = goal
        self.memory.words[:] = 0  # what is known about one goal says nothing about another
        self.memory.results[:] = INFINITY, -INFINITY
        self.set_limit()
        while True:
            proof = try_to_prove(self.game, s, self.mover, goal, self.memory, self.out)
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
            nodes=int(self.memory.counts[NODES]),
            ran_out=self.ran_out,
        )
