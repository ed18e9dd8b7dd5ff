"""Impartial games by Grundy values (Sprague 1935, Grundy 1939).

If both players have the same actions and whoever cannot move loses, a position is worth one heap of Nim: the least size
that no action leads to. The side to move wins if and only if that is not 0. The value of a sum of independent games is
the exclusive or of theirs, so a game that says how it splits (`Game.parts`) is solved part by part.

Every position below the root is visited once. Its remoteness is found as well: how many plies best play takes if
winners hurry and losers delay. The remoteness of a sum does not follow from its parts, so if the whole is too large, it
stays open.
"""

from __future__ import annotations

from typing import Any, cast

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.pointer import cache_lines
from counterplay.core.language.workspace import Array, Flag, Workspace, i64
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.memory import UNLIMITED
from counterplay.search.solving.memory import FULL, TOO_DEEP, greatest_result
from counterplay.search.solving.method import SMALL, OutOfBudget, SolvingMethod
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import has_key

PLIES = 16
"""The bits of the remoteness in a position's result: value << PLIES | remoteness."""
DEEPEST = 1 << 13
"""The longest line that is followed."""
MOST_ACTIONS = 1 << 20
DISTANCE_MEGABYTES = 4.0
"""The maximum effort spent on the distance of a game whose value is known from its parts."""

NOTHING = -1


class GrundyContext(Workspace):
    """Every position met so far: a table that forgets nothing."""

    out: ActionStack
    nodes: i64
    node_limit: i64
    interrupted: Flag
    why: i64  # why it stopped itself, or 0
    mask: i64  # of an entry's number
    used: i64  # entries
    words: Array[i64, "length"]  # each entry's key, and its result plus 1
    seen: Array[i64, MOST_ACTIONS + 1]  # by value: the last position that reaches it in one action
    stamp: i64  # of that position

    def __init__(self, game: Game, megabytes: float, earlier: GrundyContext | None = None, empty: bool = False) -> None:
        self.out = cast(ActionStack, action_stack(game))
        entries = 1 << max(6, int(megabytes * 2**20 / 16).bit_length() - 1)
        self.words = cache_lines(entries // 4)
        self.mask = entries - 1
        self.node_limit = UNLIMITED
        if earlier is not None:
            self.nodes, self.node_limit = earlier.nodes, earlier.node_limit
            if not empty:
                copy_positions(earlier, self)

    def stop(self) -> None:
        """Make the search end at its next node; any thread can call this."""
        self.interrupted = True

    def renew(self) -> None:
        """Let a search that was stopped begin again, and count from 0."""
        self.interrupted, self.nodes = False, 0

    def stopped(self) -> bool:
        """Whether the search was stopped."""
        return self.interrupted or self.nodes >= self.node_limit

    def give_up(self, why: int) -> None:
        """Stop the search for its own reason."""
        self.why = why
        self.interrupted = True

    def slot(self, key: int) -> int:
        """Where `key` is, or where it would be."""
        at = key & self.mask
        while self.words[2 * at + 1] != 0 and self.words[2 * at] != key:
            at = (at + 1) & self.mask
        return at

    def find(self, key: int) -> int:
        """The result for the position with this key, or NOTHING."""
        return self.words[2 * self.slot(key) + 1] - 1

    def keep(self, key: int, found: int) -> None:
        """Store a result; stops the search if three quarters of the table are full."""
        at = self.slot(key)
        if self.words[2 * at + 1] == 0:
            self.used += 1
            if self.used * 4 > (self.mask + 1) * 3:
                self.give_up(FULL)
        self.words[2 * at] = key
        self.words[2 * at + 1] = found + 1

    def least_missing(self, start: int, end: int) -> int:
        """The least number not among those from `start` to `end` on the stack."""
        out = self.out
        self.stamp += 1
        for i in range(start, end):
            if out[i] <= MOST_ACTIONS:
                self.seen[out[i]] = self.stamp
        missing = 0
        while self.seen[missing] == self.stamp:
            missing += 1
        return missing


@kernel
def copy_positions(old: GrundyContext, new: GrundyContext) -> int:
    """Copy the positions of a smaller table; returns how many there are."""
    for at in range(old.mask + 1):
        if old.words[2 * at + 1] != 0:
            new.keep(old.words[2 * at], old.words[2 * at + 1] - 1)
    return new.used


@kernel
def grundy(game: Game, s: State, ply: int, apart: bool, context: GrundyContext) -> int:
    """The Grundy value of `s`, shifted, and its remoteness: grundy << PLIES | remoteness.

    With `apart` a sum is solved part by part, and the remoteness means nothing. So does everything once
    `context.stopped()`.
    """
    if context.stopped():
        return 0
    context.nodes += 1
    if game.is_terminal(s):
        return 0
    if ply >= DEEPEST:
        context.give_up(TOO_DEEP)
        return 0
    if apart:
        parts = game.parts(s)
        if parts != 1:
            total = 0
            for k in range(parts):
                total ^= grundy(game, game.part(s, k), ply + 1, apart, context)
            return total
        s = game.part(s, 0)  # the same wherever it is and whoever moves
    key = signed(game.key(s))
    found = context.find(key)
    if found != NOTHING:
        return found
    out = context.out
    start = len(out)
    game.actions(s, out.fresh())
    end = len(out)
    soonest, latest = DEEPEST, 0
    for i in range(start, end):
        below = grundy(game, game.result(s, out[i]), ply + 1, apart, context)
        out[i] = below >> PLIES  # the action itself is no longer needed
        away = 1 + (below & ((1 << PLIES) - 1))
        latest = max(latest, away)
        if out[i] == 0:
            soonest = min(soonest, away)
    value = context.least_missing(start, end)
    out.truncate(start)
    found = value << PLIES | (soonest if value else latest)
    if not context.stopped():
        context.keep(key, found)
    return found


class Grundy(SolvingMethod):
    """The value of the root and of every action."""

    name = "grundy"
    deepest = DEEPEST

    def __init__(self, game: Game, s: State, *options: Any) -> None:
        super().__init__(game, s, *options)
        if not game.impartial:
            raise Unsuitable(f"grundy suits impartial games, not {game.spec}; the method `search` does")
        if not has_key(game):
            raise Unsuitable(f"grundy needs a `key` for each state, which {game.spec} lacks; `search` does not")
        self.context: GrundyContext = GrundyContext(self.game, min(SMALL, self.megabytes))
        self.best = greatest_result(game)
        self.falls_apart = type(game).parts is not Game.parts
        self.value: int | None = None  # of the root
        self.below: dict[int, int] = {}  # of each action: the Grundy value after it
        self.plies: dict[int, int] = {}  # of each action: how long best play takes with it

    def warm(self) -> None:
        grundy(self.game, self.s, 0, self.falls_apart, self.context)

    def larger(self, megabytes: float, why: int) -> GrundyContext:
        if not self.may_grow:
            self.ran_out = "memory"
            raise OutOfBudget
        return GrundyContext(self.game, megabytes, self.context)

    def set_limit(self) -> None:
        self.context.node_limit = self.budget

    def find(self) -> None:
        if not self.falls_apart:
            self.measure()
            return
        for action in legal(self.game, self.s):
            self.below[action] = self.look(self.game.result(self.s, action), True) >> PLIES
        self.value = self.look(self.s, True) >> PLIES
        self.exchange(GrundyContext(self.game, min(SMALL, self.megabytes), self.context, empty=True))
        self.megabytes = min(self.megabytes, DISTANCE_MEGABYTES)
        try:
            self.measure()
        except OutOfBudget:
            if self.ran_out != "memory":
                raise
            self.ran_out = ""  # the winner is known; how soon stays open

    def measure(self) -> None:
        """Solve the game as a whole, with distances."""
        for action in legal(self.game, self.s):
            found = self.look(self.game.result(self.s, action), False)
            self.below[action], self.plies[action] = found >> PLIES, 1 + (found & ((1 << PLIES) - 1))
        self.value = self.look(self.s, False) >> PLIES

    def look(self, s: State, apart: bool) -> int:
        """The result of `grundy` for `s`, with a table as large as it needs."""
        while True:
            found = grundy(self.game, s, 0, apart, self.context)
            if self.has_answer():
                return int(found)

    # What is proven.

    def solution(self) -> Solution:
        """All that is proven so far."""
        options = legal(self.game, self.s)
        answers = best_first([self.answer(action) for action in options])
        if self.value is None:
            wins = any(answer.bounds[0] > 0 for answer in answers)
            bounds = (self.best if wins else -self.best, self.best)
        else:
            bounds = (self.best, self.best) if self.value else (-self.best, -self.best)
        known = len(self.plies) == len(options)
        top = answers[0]
        best = [each for each in answers if each.bounds == top.bounds and (not known or each.plies == top.plies)]
        proven = bounds[0] == bounds[1]
        return Solution(
            bounds=bounds,
            plies=top.plies if known else None,
            action=top.action if proven else None,
            actions=answers if self.every or not proven else tuple(best),
            proven=proven,
            complete=self.done,
            method=self.name,
            nodes=self.context.nodes,
            grundy=self.value,
            ran_out=self.ran_out,
        )

    def answer(self, action: int) -> Answer:
        """What is proven of one action: it wins if the position after it is worth an empty heap."""
        if action not in self.below:
            return Answer(action, (-self.best, self.best))
        value = -self.best if self.below[action] else self.best
        return Answer(action, (value, value), self.plies.get(action))
