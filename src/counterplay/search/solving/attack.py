"""Attacks: what one side can force within a number of plies, on whatever way a position was reached.

Only an attack that succeeds proves anything; that one failed is remembered to save time. So where the rules forbid to
repeat a position, and a value depends on the way (the graph history interaction; Kishimoto & Müller 2004), only what is
remembered of successes must hold on every way. Two things may make it fail on another one:

- The defender was barred from an action by a position that is not on the other way. A success is remembered only where
  every position that barred them stands at or below the one that it is about, and so is on every way through it.
- The attacker is barred from an action by a position that is on the other way only. A success is remembered together with
  the marks (`Game.mark`) that all positions have in common to which the attacker's actions lead, and with those that any
  has: it is used on a way none of whose positions has all of the former and none but the latter.

Symmetric actions are tried once where the whole way is symmetric.
"""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.bits import last, signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import Array, f64, i64
from counterplay.core.types import State
from counterplay.search.memory import INFINITY
from counterplay.search.solving.kernel import next_action, rank
from counterplay.search.solving.memory import NO_ACTION, NOTHING, SolveContext

DEEPEST = 250
"""This many plies ahead an attack is planned at most."""
NEVER = 255
"""Instead of a number of plies: no success is known."""
FAILED, WON = 0x7FF << 52 | 255 << 8, 0xFFF << 40 | 255 << 16
"""The bits of an entry's second word for when an attack failed, and when it succeeded."""
ANYWHERE = 1 << 30
"""Instead of a ply: nothing depends on what came before."""


class AttackContext(SolveContext):
    """The context of attacks by one side. Of an entry's four words the second holds, from below, the effort, the depths at
    which the attack failed and succeeded, the action, how often the goal had been raised at the success and lowered at the
    failure; the others, the marks of the success."""

    words_each = 4
    goal: Array[f64, 2]  # [sides] what each is to get
    least: Array[f64, 2]  # [sides] the least result not below that which was met
    raised: Array[i64, 2]  # [sides] how often the goal was raised: what succeeded may fail
    lowered: Array[i64, 2]  # [sides] how often it was lowered: what failed may succeed
    marks: Array[i64, DEEPEST + 2]  # [plies] of the positions on the way
    common: Array[i64, DEEPEST + 2]  # [plies] marks that all positions of the last success have
    some: Array[i64, DEEPEST + 2]  # [plies] marks that any of them has
    since: Array[i64, DEEPEST + 2]  # [plies] the first position that it depends on
    chosen: Array[i64, DEEPEST + 2]  # [plies] the attacker's action

    def __init__(self, game: Game, root: State, megabytes: float, earlier: AttackContext | None = None) -> None:
        if earlier is None:
            self.goal[:], self.least[:] = -INFINITY, INFINITY
        else:
            self.goal, self.least = earlier.goal, earlier.least
            self.raised, self.lowered = earlier.raised, earlier.lowered
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

    def barred_by(self, game: Game, after: State, ply: int) -> int:
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

    def lead(self, game: Game, after: State, ply: int) -> None:
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
        entry = self.slot(key)
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
def forces(game: Game, s: State, attacker: int, depth: int, ply: int, symmetric: int, context: AttackContext) -> bool:
    """Whether `attacker` can force what they want from `s` on within `depth` plies. If so, `context` says at `ply` on what
    it rests. `symmetric` has a bit for each symmetry that all earlier positions have.

    A success is certain, a failure is not: what failed may succeed on another way. Meaningless once `context.stopped()`.
    """
    # 1. Count the node, and stop when asked to.
    context.begin(ply)
    if context.stopped():
        return False
    context.nodes += 1

    # 2. The end of the game, or what is as good; the end of our sight.
    if game.is_terminal(s):
        return context.reaches(game.utility(s, attacker), attacker)
    if ply > 0 and context.reaches(game.assured(s, attacker), attacker):
        return True
    if depth == 0 or -game.assured(s, 1 - attacker) < context.goal[attacker]:
        return False
    if game.forbids_repetition:
        context.path[ply] = signed(game.repetition_key(s))
        context.marks[ply] = signed(game.mark(s))

    # 3. What the table knows.
    key, hint = attack_key(game, s, attacker), NO_ACTION
    entry = context.find(key)
    if entry != NOTHING and ply > 0:
        context.table_hits += 1
        hint = context.hint(entry)
        if context.succeeds(entry, attacker, depth, ply):
            context.table_cuts += 1
            context.recall(entry, ply)
            return True
        if context.fails(entry, attacker, depth):
            context.table_cuts += 1
            return False

    # 4. The actions, and what is known behind each.
    mover, out, before = game.to_move(s), context.out, context.nodes
    start = len(out)
    attacks = mover == attacker
    symmetric = still_symmetric(game, s, symmetric)
    barred = list_allowed(game, s, attacks, ply, symmetric, context)
    end = len(out)
    if start == end:  # every action would repeat a position: the game is over
        context.since[ply] = barred
        return context.reaches(0.0, attacker)
    success, best, since = not attacks, NO_ACTION, barred
    decided = known_behind(game, s, attacker, depth, ply, start, end, context)
    if decided != NOTHING:
        success, best, since = attacks, out[decided], ANYWHERE
    else:
        # 5. Attack behind each: one success is enough for the attacker, one failure for the defender.
        rank(game, s, mover, 0, 0, hint, start, end, context)
        for i in range(start, end):
            action = next_action(out, i, end, end - start)
            after = game.result(s, action)
            if forces(game, after, attacker, depth - 1, ply + 1, symmetric, context) != success:
                success, best, since = not success, action, context.since[ply + 1]
                context.cuts += 1
                context.first_cuts += i == start
                break
            since = min(since, context.since[ply + 1])
            if success:
                context.join(ply)
    out.truncate(start)

    # 6. Remember.
    context.since[ply] = since
    if success and attacks:
        context.join(ply)
        context.lead(game, game.result(s, best), ply)
        context.chosen[ply] = best
    if since >= ply and not (success and symmetric != 1) and not context.stopped():
        effort = 1 + last(u64(context.nodes - before + 1))
        context.note(key, attacker, depth, ply, success, best, effort)
    return success


def attack_key(game: Game, s: State, attacker: int) -> int:
    """What the table calls a position that one side attacks."""
    return signed(mix(u64(game.key(s)) + u64(attacker)))


def still_symmetric(game: Game, s: State, symmetric: int) -> int:
    """Those symmetries that `s` has as well; the lowest bit, of what changes nothing, is always set."""
    left = 1
    if symmetric != 1:
        for k in range(1, game.symmetries):
            if symmetric >> k & 1 and game.key(game.symmetric(s, k)) == game.key(s):
                left |= 1 << k
    return left


def list_allowed(game: Game, s: State, attacks: bool, ply: int, symmetric: int, context: AttackContext) -> int:
    """List the actions to try, of symmetric ones one, of the attacker's none that gives up what is assured. Returns the
    first ply whose position bars some other, or ANYWHERE."""
    out, barred = context.out, ANYWHERE
    start = len(out)
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
            by = context.barred_by(game, game.result(s, action), ply + 1)
            if by != NOTHING:
                barred = min(barred, by)
                keep = False
        if keep:
            out[kept] = action
            kept += 1
    out.truncate(kept)
    return barred


def known_behind(
    game: Game, s: State, attacker: int, depth: int, ply: int, start: int, end: int, context: AttackContext
) -> int:
    """Which of the actions from `start` to `end` is known to decide the matter for the side to move: NOTHING where none
    is. What a success rests on is noted at the next ply."""
    attacks = game.to_move(s) == attacker
    for i in range(start, end):
        after = game.result(s, context.out[i])
        if game.is_terminal(after):
            if context.reaches(game.utility(after, attacker), attacker) == attacks:
                context.begin(ply + 1)
                return i
        else:
            entry = context.find(attack_key(game, after, attacker))
            if entry != NOTHING:
                if attacks and context.succeeds(entry, attacker, depth - 1, ply + 1):
                    context.recall(entry, ply + 1)
                    return i
                if not attacks and context.fails(entry, attacker, depth - 1):
                    return i
    return NOTHING
