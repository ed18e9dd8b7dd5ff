"""Attacks: what one side can force within a number of plies, however the position was reached.

Only an attack that succeeds proves anything; failures are remembered to save time. So if the rules forbid repeating a
position, and a value depends on the path (graph history interaction; Kishimoto & Müller 2004), only remembered
successes must hold on every path. Two things can make one fail on another path:

- The defender was barred from an action by a position that is not on the other path. A success is remembered only if
every position that barred the defender is at or below the success's own position, and so on every path through it.
- The attacker is barred from an action by a position that is only on the other path. A success is remembered with two
sets of marks (`Game.mark`) of the positions that the attacker's actions lead to: those that all have and those that any
has. It is used on a path if no position there has all of the former and none but the latter.

Symmetric actions are tried once if the whole path is symmetric.
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
"""The maximum depth of an attack, in plies."""
NEVER = 255
"""Instead of a number of plies: no success is known."""
FAILED, WON = 0x7FF << 52 | 255 << 8, 0xFFF << 40 | 255 << 16
"""The bits of an entry's second word for the depths at which an attack failed and succeeded."""
ANYWHERE = 1 << 30
"""Instead of a ply: nothing depends on earlier positions."""


class AttackContext(SolveContext):
    """The context of attacks by one side. The second of an entry's four words holds, from the lowest bits up, the
    effort, the depths at which the attack failed and succeeded, the action, how often the goal had been raised at the
    success and lowered at the failure; the others hold the marks of the success."""

    words_each = 4
    goal: Array[f64, 2]  # [sides] the result that each aims for
    least: Array[f64, 2]  # [sides] the least result met that is not below the goal
    raised: Array[i64, 2]  # [sides] how often the goal was raised: what succeeded may fail
    lowered: Array[i64, 2]  # [sides] how often it was lowered: what failed may succeed
    marks: Array[i64, DEEPEST + 2]  # [plies] of the positions on the path
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
        super().__init__(game, root, megabytes, earlier=earlier)  # takes over the entries

    def aim(self, side: int, goal: float) -> None:
        """Change the result that a side's attacks aim for."""
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
        """The ply of the last position that `after`, at `ply`, would repeat; NOTHING if it is new."""
        key = signed(game.repetition_key(after))
        for earlier in range(ply - 1, max(0, ply - game.lookback(after)) - 1, -1):
            if self.path[earlier] == key:
                return earlier
        return NOTHING

    def begin(self, ply: int) -> None:
        """Begin an attack at `ply`, of which nothing is known yet."""
        self.common[ply] = -1
        self.some[ply] = 0
        self.since[ply] = ANYWHERE

    def join(self, ply: int) -> None:
        """Let a success at `ply` rest on the one after it."""
        self.common[ply] &= self.common[ply + 1]
        self.some[ply] |= self.some[ply + 1]

    def lead(self, game: Game, after: State, ply: int) -> None:
        """Let a success at `ply` go through `after`, the state after the attacker's action."""
        if game.forbids_repetition and game.lookback(after) > 0:
            mark = signed(game.mark(after))
            self.common[ply] &= mark
            self.some[ply] |= mark

    def succeeds(self, entry: int, attacker: int, depth: int, ply: int) -> bool:
        """Whether the attack succeeded in this position, now at `ply`, so that it would succeed again."""
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
        """Recall what an entry's success rests on."""
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
        failed, won = 0, NEVER << 16  # depths and rounds, in their bits
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
    """Whether `attacker` can force their goal from `s` within `depth` plies. If so, `context` holds at `ply` what that
    rests on. `symmetric` has a bit for each symmetry that all earlier positions have.

    A success is certain, a failure is not: what failed may succeed on another path. Meaningless once
    `context.stopped()`.
    """
    # 1. Count the node, and stop if asked to.
    context.begin(ply)
    if context.stopped():
        return False
    context.nodes += 1

    # 2. The end of the game, or a decided result; the horizon.
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

    # 4. The actions, and what is known after each.
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
        # 5. Attack after each: one success is enough for the attacker, one failure for the defender.
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
    """The table's key for a position that one side attacks."""
    return signed(mix(u64(game.key(s)) + u64(attacker)))


def still_symmetric(game: Game, s: State, symmetric: int) -> int:
    """The symmetries that `s` has as well; the lowest bit, of the identity, is always set."""
    left = 1
    if symmetric != 1:
        for k in range(1, game.symmetries):
            if symmetric >> k & 1 and game.key(game.symmetric(s, k)) == game.key(s):
                left |= 1 << k
    return left


def list_allowed(game: Game, s: State, attacks: bool, ply: int, symmetric: int, context: AttackContext) -> int:
    """List the actions to try: one among symmetric ones, and none of the attacker's that gives up what is assured.
    Returns the first ply whose position bars another action, or ANYWHERE."""
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
    """Which of the actions from `start` to `end` is known to decide the attack for the side to move, or NOTHING. What a
    success rests on is recorded at the next ply."""
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
