"""Exact solving by deepening: what a side can force within so many plies, and then within more.

Each question is an attack: can this side get more than it is known to get, with the end, or what the game itself assures it
(`Game.assured`), at most so many plies away? Beyond that nothing counts, so lines of play without end do no harm. What
the one side can force bounds the value from below, what the other can force from above; where both meet, it is exact.

Only an attack that succeeds proves anything; that one failed is remembered to save time. So where the rules forbid to
repeat a position, and a value depends on the way (the graph history interaction; Kishimoto & Müller 2004), only what is
remembered of successes must hold on every way. Two things may make it fail on another one:

- The defender was barred from an action by a position that is not on the other way. A success is remembered only where
  every position that barred him stands at or below the one that it is about, and so is on every way through it.
- The attacker is barred from an action by a position that is on the other way only. A success is remembered together with
  the marks (`Game.mark`) that all positions have in common to which the attacker's actions lead, and with those that any
  has: it is used on a way none of whose positions has all of the former and none but the latter.

Symmetric actions are tried once where the whole way is symmetric.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.bits import last, signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.rules import legal
from counterplay.search.memory import CUTS, FIRST_CUTS, HITS, INFINITY, NODES, TABLE_CUTS
from counterplay.search.solving.kernel import next_action, rank
from counterplay.search.solving.memory import NO_ACTION, NOTHING, SolveMemory, greatest_result
from counterplay.search.solving.method import SMALL, Method, Stopped
from counterplay.search.solving.solution import Answer, Solution, best_first
from counterplay.search.suitability import unfit_for_deepening

DEEPEST = 250
"""So many plies ahead an attack is planned at most."""
NEVER = 255
"""In place of a number of plies: no success is known."""
FAILED, WON = 0x7FF << 52 | 255 << 8, 0xFFF << 40 | 255 << 16
"""The bits of an entry's second word that tell when an attack failed, and when it succeeded."""
ANYWHERE = 1 << 30
"""In place of a ply: nothing depends on what came before."""


class AttackMemory(SolveMemory):
    """The memory of attacks by one side. Of an entry's four words the second holds, from below, the effort, the depths at
    which the attack failed and succeeded, the action, how often the goal had been raised at the success and lowered at the
    failure; the others, the marks of the success."""

    words_each = 4

    def __init__(self, game: Game, root: Any, megabytes: float, earlier: AttackMemory | None = None) -> None:
        if earlier is None:
            plies = DEEPEST + 2
            self.goal: Any = np.full(2, -INFINITY)  # [sides] what each is to get
            self.least: Any = np.full(2, INFINITY)  # [sides] the least result not below that which was met
            self.raised: Any = np.zeros(2, np.int64)  # [sides] how often the goal was raised: what succeeded may fail
            self.lowered: Any = np.zeros(2, np.int64)  # [sides] how often it was lowered: what failed may succeed
            self.marks: Any = np.zeros(plies, np.int64)  # [plies] of the positions on the way
            self.common: Any = np.zeros(plies, np.int64)  # [plies] marks that all positions of the last success have
            self.some: Any = np.zeros(plies, np.int64)  # [plies] marks that any of them has
            self.since: Any = np.zeros(plies, np.int64)  # [plies] the first position that it depends on
            self.chosen: Any = np.zeros(plies, np.int64)  # [plies] the attacker's action
        else:
            self.goal, self.least, self.raised, self.lowered = (
                earlier.goal,
                earlier.least,
                earlier.raised,
                earlier.lowered,
            )
            self.marks, self.chosen = earlier.marks, earlier.chosen
            self.common, self.some, self.since = earlier.common, earlier.some, earlier.since
        super().__init__(game, root, megabytes, earlier=earlier)  # which takes the entries over

    def aim(self, side: int, goal: float) -> None:
        """Let a side attack for more or for less than before."""
        if goal > self.goal[side]:
            self.raised[side] += 1
            self.least[side] = INFINITY
        elif goal < self.goal[side]:
            self.lowered[side] += 1
        self.goal[side] = goal

    # What kernels call.

    def reaches(self, value: float, attacker: int) -> bool:
        """Whether a result is what the attacker wants."""
        if value < self.goal[attacker]:
            return False
        self.least[attacker] = min(self.least[attacker], value)
        return True

    def barred_by(self, game: Any, after: Any, ply: int) -> int:
        """The ply of the last position that `after`, at `ply`, would repeat; NOTHING where it is new."""
        key = signed(game.repetition_key(after))
        for earlier in range(ply - 1, max(0, ply - game.lookback(after)) - 1, -1):
            if self.path[earlier] == key:
                return earlier
        return NOTHING

    def begin(self, ply: int) -> None:
        """Nothing is known of an attack at `ply`."""
        self.common[ply] = -1
        self.some[ply] = 0
        self.since[ply] = ANYWHERE

    def join(self, ply: int) -> None:
        """A success at `ply` rests on the one behind it."""
        self.common[ply] &= self.common[ply + 1]
        self.some[ply] |= self.some[ply + 1]

    def lead(self, game: Any, after: Any, ply: int) -> None:
        """A success at `ply` goes through `after`, where the attacker's action leads."""
        if game.forbids_repetition and game.lookback(after) > 0:
            mark = signed(game.mark(after))
            self.common[ply] &= mark
            self.some[ply] |= mark

    def succeeds(self, entry: int, attacker: int, depth: int, ply: int) -> bool:
        """Whether the attack succeeded in a position that is at `ply` now, so that it would again."""
        word = self.words[entry + 1]
        if (word >> 16 & 255) > depth or (word >> 40 & 0xFFF) != self.raised[attacker]:
            return False
        common, some = self.words[entry + 2], self.words[entry + 3]
        for earlier in range(ply):
            mark = self.marks[earlier]
            if common & ~mark == 0 and mark & ~some == 0:
                return False
        return True

    def recall(self, entry: int, ply: int) -> None:
        """What an entry's success rests on."""
        self.common[ply] = self.words[entry + 2]
        self.some[ply] = self.words[entry + 3]
        self.since[ply] = ANYWHERE

    def fails(self, entry: int, attacker: int, depth: int) -> bool:
        """Whether the attack failed at this depth or deeper."""
        word = self.words[entry + 1]
        return (word >> 8 & 255) >= depth and word >> 52 == self.lowered[attacker]

    def hint(self, entry: int) -> int:
        """The best action's last 16 bits."""
        return self.words[entry + 1] >> 24 & 0xFFFF

    def note(self, key: int, attacker: int, depth: int, ply: int, success: bool, action: int, effort: int) -> None:
        """Remember how an attack on the position at `ply` went."""
        entry = self.place(key)
        failed, won = 0, NEVER << 16  # depths and rounds, in their places
        if self.words[entry] == key:
            failed, won = self.words[entry + 1] & FAILED, self.words[entry + 1] & WON
        if success:
            won = self.raised[attacker] << 40 | depth << 16
            self.words[entry + 2] = self.common[ply]
            self.words[entry + 3] = self.some[ply]
        else:
            failed = self.lowered[attacker] << 52 | depth << 8
        self.words[entry] = key
        self.words[entry + 1] = failed | won | (action & 0xFFFF) << 24 | effort


@kernel
def forces(game: Any, s: Any, attacker: int, depth: int, ply: int, symmetric: int, memory: Any, out: Any) -> bool:
    """Whether `attacker` can force what he wants from `s` on within `depth` plies. If so, `memory` says at `ply` on what it
    rests. `symmetric` has a bit for each symmetry that all earlier positions have.

    A success is certain, a failure is not: what failed may succeed on another way. Meaningless once `memory.stopped()`.
    """
    # 1. Count, and give up when told.
    memory.begin(ply)
    if memory.stopped():
        return False
    memory.counts[NODES] += 1

    # 2. The end of the game, or what is as good; the end of our sight.
    if game.is_terminal(s):
        return memory.reaches(game.utility(s, attacker), attacker)
    if ply > 0 and memory.reaches(game.assured(s, attacker), attacker):
        return True
    if depth == 0 or -game.assured(s, 1 - attacker) < memory.goal[attacker]:
        return False
    if game.forbids_repetition:
        memory.path[ply] = signed(game.repetition_key(s))
        memory.marks[ply] = signed(game.mark(s))

    # 3. What the table knows.
    key, hint = attack_key(game, s, attacker), NO_ACTION
    entry = memory.find(key)
    if entry != NOTHING and ply > 0:
        memory.counts[HITS] += 1
        hint = memory.hint(entry)
        if memory.succeeds(entry, attacker, depth, ply):
            memory.counts[TABLE_CUTS] += 1
            memory.recall(entry, ply)
            return True
        if memory.fails(entry, attacker, depth):
            memory.counts[TABLE_CUTS] += 1
            return False

    # 4. The actions, and what is known behind each.
    mover, start, before = game.to_move(s), len(out), memory.counts[NODES]
    attacks = mover == attacker
    symmetric = still_symmetric(game, s, symmetric)
    barred = list_allowed(game, s, attacks, ply, symmetric, memory, out)
    end = len(out)
    if start == end:  # every action would repeat a position: the game is over
        memory.since[ply] = barred
        return memory.reaches(0.0, attacker)
    success, best, since = not attacks, NO_ACTION, barred
    decided = known_behind(game, s, attacker, depth, ply, start, end, memory, out)
    if decided != NOTHING:
        success, best, since = attacks, out[decided], ANYWHERE
    else:
        # 5. Attack behind each: one success is enough for the attacker, one failure for the defender.
        rank(game, s, mover, 0, 0, hint, start, end, memory, out)
        for i in range(start, end):
            action = next_action(out, i, end, end - start)
            after = game.result(s, action)
            if forces(game, after, attacker, depth - 1, ply + 1, symmetric, memory, out) != success:
                success, best, since = not success, action, memory.since[ply + 1]
                memory.counts[CUTS] += 1
                memory.counts[FIRST_CUTS] += i == start
                break
            since = min(since, memory.since[ply + 1])
            if success:
                memory.join(ply)
    out.truncate(start)

    # 6. Remember.
    memory.since[ply] = since
    if success and attacks:
        memory.join(ply)
        memory.lead(game, game.result(s, best), ply)
        memory.chosen[ply] = best
    if since >= ply and not (success and symmetric != 1) and not memory.stopped():
        effort = 1 + last(u64(memory.counts[NODES] - before + 1))
        memory.note(key, attacker, depth, ply, success, best, effort)
    return success


def attack_key(game: Any, s: Any, attacker: int) -> int:
    """What the table calls a position that one side attacks."""
    return signed(mix(u64(game.key(s)) + u64(attacker)))


def still_symmetric(game: Any, s: Any, symmetric: int) -> int:
    """Those symmetries that `s` has, too; the lowest bit, of what changes nothing, is always set."""
    left = 1
    if symmetric != 1:
        for k in range(1, game.symmetries):
            if symmetric >> k & 1 and game.key(game.symmetric(s, k)) == game.key(s):
                left |= 1 << k
    return left


def list_allowed(game: Any, s: Any, attacks: bool, ply: int, symmetric: int, memory: Any, out: Any) -> int:
    """List the actions to try, of symmetric ones one, of the attacker's none that gives up what is assured. Returns the
    first ply whose position bars some other, or ANYWHERE."""
    barred, start = ANYWHERE, len(out)
    game.actions(s, out.fresh())
    kept = start
    for i in range(start, len(out)):
        action = out[i]
        keep = not (attacks and game.squanders(s, action))
        if symmetric != 1:
            for k in range(1, game.symmetries):
                if symmetric >> k & 1 and game.symmetric_action(action, k) < action:
                    keep = False
        if keep and game.forbids_repetition:
            by = memory.barred_by(game, game.result(s, action), ply + 1)
            if by != NOTHING:
                barred = min(barred, by)
                keep = False
        if keep:
            out[kept] = action
            kept += 1
    out.truncate(kept)
    return barred


def known_behind(
    game: Any, s: Any, attacker: int, depth: int, ply: int, start: int, end: int, memory: Any, out: Any
) -> int:
    """Which of out[start:end] is known to decide the matter for the side to move: NOTHING where none is. What a success
    rests on is noted at the next ply."""
    attacks = game.to_move(s) == attacker
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.is_terminal(after):
            if memory.reaches(game.utility(after, attacker), attacker) == attacks:
                memory.begin(ply + 1)
                return i
        else:
            entry = memory.find(attack_key(game, after, attacker))
            if entry != NOTHING:
                if attacks and memory.succeeds(entry, attacker, depth - 1, ply + 1):
                    memory.recall(entry, ply + 1)
                    return i
                if not attacks and memory.fails(entry, attacker, depth - 1):
                    return i
    return NOTHING


class Deepener(Method):
    """What each side can force from the root, or behind each action of it."""

    name = "deepening"
    deepest = DEEPEST

    def __init__(self, game: Game, s: Any, *options: Any) -> None:
        super().__init__(game, s, *options)
        if reason := unfit_for_deepening(game, self.before):
            raise Unsuitable(f"{reason}; the method `search` does, where no line of play goes on for ever")
        self.mover, self.greatest = game.to_move(s), greatest_result(game)
        self.memory: AttackMemory = AttackMemory(game, s, min(SMALL, self.megabytes))
        self.memory.repeated(game, s, 0)  # notes it on the path
        self.memory.marks[0] = signed(game.mark(s))
        self.answers = dict.fromkeys(legal(game, s), (-self.greatest, self.greatest))
        self.bounds = (-self.greatest, self.greatest)
        self.action: int | None = None

    def warm(self) -> None:
        forces(self.game, self.s, self.mover, 1, 0, 1, self.memory, self.out)

    def larger(self, megabytes: float, why: int) -> AttackMemory:
        return AttackMemory(self.game, self.s, megabytes, self.memory)

    def find(self) -> None:
        if not self.every:
            self.close_in(self.s, None)
        for action in self.answers if self.every else ():
            self.close_in(self.game.result(self.s, action), action)

    def close_in(self, s: Any, action: int | None) -> None:
        """Ask ever deeper what each side can force, at the root or behind an action, until both say the same."""
        low = [-self.greatest, -self.greatest]  # [sides] what each can force
        mover, other = self.mover, 1 - self.mover
        self.memory.words[:] = 0
        for depth in range(action is None, DEEPEST):
            for side in (mover, other):
                while low[0] + low[1] < 0:
                    goal = math.nextafter(low[side], math.inf)
                    if side == other and low[mover] > -self.greatest:
                        goal = -low[mover]  # that would settle it
                    self.memory.aim(side, goal)
                    if not self.succeeds(s, side, depth, int(action is not None)):
                        break
                    low[side] = float(self.memory.least[side])
                    self.conclude(action, low[mover], 0.0 - low[other])
            if low[0] + low[1] >= 0:
                return
        self.ran_out = "depth"
        raise Stopped

    def succeeds(self, s: Any, side: int, depth: int, ply: int) -> bool:
        """Whether a side can force what it aims at within `depth` plies."""
        symmetric = 1 if ply else (1 << self.game.symmetries) - 1
        while True:
            success = forces(self.game, s, side, depth, ply, symmetric, self.memory, self.out)
            if self.has_answer():
                return bool(success)

    def conclude(self, action: int | None, low: float, high: float) -> None:
        """Write down what is proven by now."""
        if action is not None:
            self.answers[action] = low, high
            low, high = (max(bounds) for bounds in zip(*self.answers.values(), strict=True))
            self.action = max(self.answers, key=lambda each: self.answers[each])
        elif low > -self.greatest:
            if low > self.bounds[0]:
                self.action = int(self.memory.chosen[0])
            assert self.action is not None
            self.answers[self.action] = low, high
        elif high == low:
            self.action = next(iter(self.answers))  # all are as bad as can be
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
            nodes=int(self.memory.counts[NODES]),
            ran_out=self.ran_out,
        )
