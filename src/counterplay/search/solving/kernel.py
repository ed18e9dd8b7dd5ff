"""The kernel of exact solving: alpha-beta to the end of the game, with a table of proven bounds.

There is no horizon, and no estimate decides anything: `evaluate` only helps to guess which action to try first. What
the game itself can prove about a position (`Game.candidates`) cuts before anything is searched. Most calls have a
window that contains no value ("is it worth at least t?"), as solve.py asks.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.bits import last, signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.marks import inlined
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.rules import payoff
from counterplay.core.types import State
from counterplay.search.memory import INFINITY, MAX_PLY
from counterplay.search.solving.memory import NO_ACTION, NOTHING, TOO_DEEP, SolveContext

SHALLOW = 6
"""With no more plies left than this, searching is cheaper than probing the table."""
DEEPEST_LOOK = 3
"""The maximum depth of a look-ahead, in plies."""
FINE = 2.0**40
"""The weight of the best result in an action's rank."""


@kernel
def prove(game: Game, s: State, ply: int, alpha: float, beta: float, context: SolveContext) -> float:
    """Value of `s` to the side to move: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from above.

    Meaningless once `context.stopped()`.
    """
    # 1. Give up if stopped, and count.
    if context.stopped():
        return 0.0
    context.nodes += 1
    if ply >= MAX_PLY:
        context.give_up(TOO_DEEP)
        return 0.0

    # 2. The end of the game.
    mover, out = game.to_move(s), context.out
    if game.is_terminal(s):
        return context.terminal(game, s, mover, ply)
    if context.repeated(game, s, ply):
        return context.dated(payoff(game, s, mover), ply)

    # 3. What the game knows about the position, and the actions left to try.
    start = len(out)
    low, high = consider(game, s, ply, context)
    end = len(out)
    if low >= beta or low >= high or high <= alpha:
        out.truncate(start)
        return high if high <= alpha else low
    if start == end:  # every action would repeat a position
        return context.dated(payoff(game, s, mover), ply)

    # 4. What the table knows. If there is no choice, there is nothing to remember.
    left = game.remaining(s)
    remember = context.keyed and end - start > 1 and left > SHALLOW
    key, form, hint = 0, 0, NO_ACTION
    if remember:
        key, form = table_key(game, s, ply, context)
        entry = context.find(key)
        if entry != NOTHING:
            context.table_hits += 1
            low = max(low, context.postponed(context.lower(entry), ply))
            high = min(high, context.postponed(context.upper(entry), ply))
            hint = context.hint(entry)
            if low >= beta or low >= high or high <= alpha:
                context.table_cuts += 1
                out.truncate(start)
                return high if high <= alpha else low

    # 5. What the table knows about the position after each action: one may already be good enough.
    if remember and left > SHALLOW + 4:
        value = known_behind(game, s, mover, ply, start, end, context)
        if value >= beta:
            context.keep(key, context.postponed(value, -ply), context.postponed(high, -ply), hint, 1)
            out.truncate(start)
            return value

    # 6. The actions, most promising first.
    before = context.nodes
    if end - start > 1:
        rank(game, s, mover, left, form, hint, start, end, context)
    value, best = try_actions(game, s, ply, alpha, beta, start, end, context)
    out.truncate(start)

    # 7. Remember what is proven.
    if remember and not context.stopped():
        if value > alpha:
            low = value
        if value < beta:
            high = value
        kept = hint if best == NO_ACTION else game.symmetric_action(best, form)
        effort = 1 + last(u64(context.nodes - before + 1))
        context.keep(key, context.postponed(low, -ply), context.postponed(high, -ply), kept, effort)
    return value


@inlined
def try_actions(
    game: Game, s: State, ply: int, alpha: float, beta: float, start: int, end: int, context: SolveContext
) -> tuple[float, int]:
    """The value of the actions from `start` to `end`, by their ranks, and the best, or NO_ACTION if none is above
    alpha."""
    value, best, mover = -INFINITY, NO_ACTION, game.to_move(s)
    for i in range(start, end):
        action = next_action(context.out, i, end, end - start)
        after = game.result(s, action)
        if game.to_move(after) == mover:
            v = prove(game, after, ply + 1, alpha, beta, context)
        else:
            v = -prove(game, after, ply + 1, -beta, -alpha, context)
        if v > value:
            value = v
            if value > alpha:
                alpha, best = value, action
                if alpha >= beta:
                    context.cuts += 1
                    context.first_cuts += i == start
                    break
    return value, best


@inlined
def consider(game: Game, s: State, ply: int, context: SolveContext) -> tuple[float, float]:
    """List the actions worth solving; returns bounds of the value of `s` that the game itself knows."""
    if game.has_repetition:  # what came before may forbid an action, which the game's own bounds do not know
        context.list_options(game, s, ply)
        return context.dated(-INFINITY, ply + 1), context.dated(INFINITY, ply + 1)
    worst, soon, best, late = game.candidates(s, context.out.fresh())
    return context.dated(worst, ply + soon), context.dated(best, ply + late)


def table_key(game: Game, s: State, ply: int, context: SolveContext) -> tuple[int, int]:
    """The key of `s`, near the root the least key of its symmetric forms, and the number of that form.

    If the rules depend on earlier positions, so does a value, and they are part of the key.
    """
    key, form = game.key(s), 0
    if ply < context.folds:
        for k in range(1, game.symmetries):
            other = game.key(game.symmetric(s, k))
            if other < key:
                key, form = other, k
    if game.has_repetition:
        met, here = u64(0), context.past + ply
        # If repeating is forbidden, a later position may repeat what `s` itself (after a pass) cannot.
        since = 0 if game.forbids_repetition else max(0, here - game.lookback(s))
        for earlier in range(since, here):
            met = met + mix(u64(context.path[earlier]))  # a sum, as their order does not matter
        return signed(mix(key ^ mix(met))), form
    return signed(key), form


def known_behind(game: Game, s: State, mover: int, ply: int, start: int, end: int, context: SolveContext) -> float:
    """The most that the table proves for `mover` after one of the actions from `start` to `end`."""
    out, value = context.out, -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.has_repetition:
            context.path[context.past + ply + 1] = signed(game.repetition_key(after))
        key, _ = table_key(game, after, ply + 1, context)
        entry = context.find(key)
        if entry != NOTHING:
            if game.to_move(after) == mover:
                value = max(value, context.postponed(context.lower(entry), ply + 1))
            else:
                value = max(value, -context.postponed(context.upper(entry), ply + 1))
    return value


@inlined
def rank(
    game: Game, s: State, mover: int, left: int, form: int, hint: int, start: int, end: int, context: SolveContext
) -> None:
    """Push a rank for each of the actions from `start` to `end`, the higher the earlier: the table's best, then by a
    look-ahead, then by the game's hint."""
    out = context.out
    for i in range(start, end):
        order = game.solving_order(s, out[i])
        if game.foresight:
            if left >= game.foresight:
                depth = min((left - game.foresight + 1) // 3, DEEPEST_LOOK)
                after = game.result(s, out[i])
                seen = glance(game, after, depth, -INFINITY, INFINITY, context)
                if game.to_move(after) != mover:
                    seen = -seen
                order += int(seen / context.high * FINE)
        out.push(order)
    if hint != NO_ACTION:
        for i in range(start, end):
            if (game.symmetric_action(out[i], form) & 0xFFFF) == hint:
                out[end - start + i] = 1 << 60


@kernel
def glance(game: Game, s: State, depth: int, alpha: float, beta: float, context: SolveContext) -> float:
    """An estimate of `s` for the side to move, by plain alpha-beta to a small depth."""
    context.nodes += 1
    mover = game.to_move(s)
    if game.is_terminal(s):
        return game.utility(s, mover)
    if depth == 0:
        return game.evaluate(s, mover)
    out = context.out
    start = len(out)
    game.actions(s, out.fresh())
    end = len(out)
    value = -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = glance(game, after, depth - 1, alpha, beta, context)
        else:
            v = -glance(game, after, depth - 1, -beta, -alpha, context)
        value = max(value, v)
        alpha = max(alpha, v)
        if alpha >= beta:
            break
    out.truncate(start)
    return value


@inlined
def next_action(out: ActionStack, i: int, end: int, ranks: int) -> int:
    """Bring the action with the highest rank among out[i:end] to the front and return it; ranks are stored `ranks`
    slots further on."""
    if i + 1 == end:
        return out[i]
    top = i
    for j in range(i + 1, end):
        if out[j + ranks] > out[top + ranks]:
            top = j
    action = out[top]
    out[top] = out[i]
    out[top + ranks] = out[i + ranks]
    out[i] = action
    return action


@kernel
def follow(game: Game, s: State, action: int) -> Any:
    """The state after an action."""
    return game.result(s, action)


@kernel
def promise(game: Game, s: State, action: int) -> int:
    """The game's hint of how early to try an action."""
    return game.solving_order(s, action)


@kernel
def recall(game: Game, s: State, ply: int, context: SolveContext) -> int:
    """The last 16 bits of the table's best action in `s`, or NO_ACTION."""
    if context.keyed:
        key, form = table_key(game, s, ply, context)
        entry = context.find(key)
        if entry != NOTHING and form == 0:
            return context.hint(entry)
    return NO_ACTION
