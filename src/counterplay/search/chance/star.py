"""Star1 and Star2: alpha-beta at chance nodes (Ballard, The *-minimax search procedure, 1983; Hauk, Buro & Schaeffer,
Rediscovering *-minimax search, 2004).

No value is outside the bounds of utility. So a chance node can be decided before all its events are searched: the rest,
at best, cannot lift the average above alpha, or at worst cannot bring it below beta. Star1 searches one event after
another with the window that still matters. Star2 first probes one action after each event, of the player who moves
there: that bounds the value from one side and is often enough. Turns need not alternate: after some events one player
may move, after others the other, and the game may be over.

A probe's result is not thrown away: if the node after the event is searched after all, the probed action is not
searched again. So both visit no state twice for the same reason, and none that expectiminimax would not visit.

The table keeps a position's values at different depths apart; only the value of a subtree searched to its end also
serves at every greater depth. So it changes no value at a fixed depth, and the time to search a game with few states
grows with their number and the depth.
"""

from __future__ import annotations

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.search.chance.chance_nodes import ChanceContext
from counterplay.search.engine.transposition_table import (
    EXACT,
    LOWER,
    NO_ACTION,
    NONE,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    kept,
)
from counterplay.search.memory import INFINITY
from counterplay.search.tracing.tracer import HORIZON, PROBED, SEARCHED, TABLE, TERMINAL

STEP = 0x1E3779B97F4B
"""Separates the keys of a position at different depths; a depth times this is far below 64 bits."""
NO_EVENT = -1
TOP = 1 << 62


@kernel
def star(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, event: int, context: ChanceContext
) -> float:
    """Value of `s` to the hero: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from above.

    `last` is the action or event that led to `s`, `event` its index in the action list, if it is an event, or NO_EVENT:
    a probe may already have tried an action here. Meaningless once `context.stopped()`.
    """
    doubts = context.doubts
    first, head = NO_ACTION, 0.0
    if event != NO_EVENT:
        first, head = context.probed[event], context.heads[event]
        doubts -= context.doubted[event]
    known = first
    if first == NO_ACTION:
        context.enter(ply)
        if context.stopped():
            return 0.0
    mover, tracer = game.to_move(s), context.tracer
    announce(ply, last, mover, depth, alpha, beta, context)
    if first == NO_ACTION:
        is_leaf, value = context.leaf(game, s, depth, ply)
        if is_leaf:
            tracer.leave(ply, context.to(mover, value), TERMINAL if game.is_terminal(s) else HORIZON)
            return value
        bound, value, known = recall(game, s, depth, ply, context)
        if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
            context.table_cuts += 1
            tracer.leave(ply, context.to(mover, value), TABLE)
            return value
        if bound == LOWER:
            alpha = max(alpha, value)
        elif bound == UPPER:
            beta = min(beta, value)
    if game.has_chance and mover == CHANCE:
        value, best = average(game, s, depth, alpha, beta, ply, context), NO_ACTION
    else:
        value, best = choose(game, s, depth, alpha, beta, ply, known, first, head, context)
    tracer.leave(ply, context.to(mover, value), SEARCHED)
    if context.remembers and not context.stopped():
        retain(game, s, depth, alpha, beta, ply, value, best, context.doubts == doubts, context)
    return value


@kernel
def choose(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, known: int, first: int, head: float,
    context: ChanceContext,
) -> tuple[float, int]:  # fmt: skip
    """Value of a player's choice in `s`, as `star` gives it, and the best action; the action `known` is tried first. The
    action `first` has been tried already, and is worth `head`."""
    out, is_hero = context.out, game.to_move(s) == context.hero
    start = len(out)
    list_promising(game, s, ply, known, context)
    value, best = -INFINITY if is_hero else INFINITY, NO_ACTION
    for i in range(start, len(out)):
        action = out[i]
        v = head
        if action != first:
            after = game.result(s, action)
            v = star(game, after, depth - 1, alpha, beta, ply + 1, action, NO_EVENT, context)
            if context.stopped():
                break
        if is_hero and v > value:
            value, best = v, action
            context.follow(ply, action)
            alpha = max(alpha, v)
        elif not is_hero and v < value:
            value, best = v, action
            context.follow(ply, action)
            beta = min(beta, v)
        if alpha >= beta:
            context.cuts += 1
            context.first_cuts += i == start
            context.tracer.cut(ply, out, i + 1, len(out))
            break  # the other side, or chance, already has better elsewhere
    if start == len(out):  # every action is forbidden by repetition
        value = 0.0
    out.truncate(start)
    return value, best


@kernel
def average(game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, context: ChanceContext) -> float:
    """Value of a chance node, as `star` gives it."""
    out = context.out
    start = len(out)
    context.list_events(game, s)
    end = len(out)
    low, high = 0.0, 0.0  # bounds of the average, from what is known so far
    for i in range(start, end):
        context.lower[i], context.upper[i], context.probed[i] = context.low, context.high, NO_ACTION
        context.doubted[i] = 0
        low += context.weights[i] * context.low
        high += context.weights[i] * context.high
    if context.probes:
        for i in range(start, end):
            p, lower, upper = context.weights[i], context.lower[i], context.upper[i]
            fall, rise = (alpha - (high - p * upper)) / p, (beta - (low - p * lower)) / p
            probe(game, game.result(s, out[i]), depth, fall, rise, ply + 1, i, context)
            low += p * (context.lower[i] - lower)
            high += p * (context.upper[i] - upper)
            if high <= alpha or low >= beta or context.stopped():
                context.cuts += 1
                context.first_cuts += i == start
                context.tracer.cut(ply, out, i + 1, end)
                out.truncate(start)
                return high if high <= alpha else low
    value = 0.0
    for i in range(start, end):
        p, lower, upper = context.weights[i], context.lower[i], context.upper[i]
        v = lower
        if lower < upper:
            # If the value after the event is `fall` or less, the average is alpha or less, however good the rest is.
            fall, rise = (alpha - (high - p * upper)) / p, (beta - (low - p * lower)) / p
            after, near, far = game.result(s, out[i]), max(fall, lower), min(rise, upper)
            v = star(game, after, depth, near, far, ply + 1, out[i], i, context)
            if v <= fall or v >= rise or context.stopped():
                context.cuts += 1
                context.first_cuts += i == start
                context.tracer.cut(ply, out, i + 1, end)
                out.truncate(start)
                # Rounding must not lift a value that failed low above alpha, nor push one that failed high below beta.
                return min(alpha, high + p * (v - upper)) if v <= fall else max(beta, low + p * (v - lower))
            low += p * (v - lower)
            high += p * (v - upper)
        value += p * v
    out.truncate(start)
    return value


@kernel
def probe(game: Game, s: State, depth: int, fall: float, rise: float, ply: int, i: int, context: ChanceContext) -> None:
    """Narrow the bounds of the event `i`, which leads to `s`: by the end of the game, the horizon, the table, or one
    action of the player who moves there. A value of at most `fall` or at least `rise` decides the chance node."""
    if not game.is_terminal(s) and game.to_move(s) == CHANCE:
        return
    context.enter(ply)
    if context.stopped():
        return
    mover, tracer, out = game.to_move(s), context.tracer, context.out
    announce(ply, out[i], mover, depth, fall, rise, context)
    is_leaf, value = context.leaf(game, s, depth, ply)
    if is_leaf:
        tracer.leave(ply, context.to(mover, value), TERMINAL if game.is_terminal(s) else HORIZON)
        context.lower[i] = context.upper[i] = value
        return
    doubts = context.doubts
    bound, value, known = recall(game, s, depth, ply, context)
    if bound & LOWER:
        context.lower[i] = value
    if bound & UPPER:
        context.upper[i] = value
    lower, upper = context.lower[i], context.upper[i]
    if lower >= upper or upper <= fall or lower >= rise:
        context.table_cuts += 1
        tracer.leave(ply, context.to(mover, value), TABLE)
        return
    start = len(out)
    list_promising(game, s, ply, known, context)
    if start == len(out):  # every action is forbidden by repetition
        context.lower[i] = context.upper[i] = 0.0
        tracer.leave(ply, 0.0, TERMINAL)
        return
    action = out[start]
    out.truncate(start)
    after = game.result(s, action)
    if mover == context.hero:
        v = star(game, after, depth - 1, lower, min(rise, upper), ply + 1, action, NO_EVENT, context)
        context.lower[i] = max(lower, v)
    else:
        v = star(game, after, depth - 1, max(fall, lower), upper, ply + 1, action, NO_EVENT, context)
        context.upper[i] = min(upper, v)
    tracer.leave(ply, context.to(mover, v), PROBED)
    context.probed[i], context.heads[i], context.doubted[i] = action, v, context.doubts - doubts


def announce(ply: int, last: int, mover: int, depth: int, alpha: float, beta: float, context: ChanceContext) -> None:
    """Report to a tracer that a node is entered, with its window from the point of view of the side to move there."""
    if context.to(mover, 1.0) < 0.0:
        context.tracer.enter(ply, last, mover, depth, -beta, -alpha)
    else:
        context.tracer.enter(ply, last, mover, depth, alpha, beta)


def recall(game: Game, s: State, depth: int, ply: int, context: ChanceContext) -> tuple[int, float, int]:
    """What the table knows of `s` at this depth: the kind of bound, the value, and a best action."""
    if not context.remembers:
        return NONE, 0.0, NO_ACTION
    table = context.table
    key = signed(game.key(s)) ^ context.salt
    data, value = table.probe(key ^ depth * STEP)
    bound = bound_of(data)
    if bound == NONE:
        data, value = table.probe(key)
        if depth_of(data) <= depth:
            bound = bound_of(data)
        if bound == NONE:
            data, value = table.probe(key ^ (depth - 1) * STEP)  # of the iteration before
            return NONE, 0.0, action_of(data)
    else:
        context.doubts += 1
    context.table_hits += 1
    if not game.has_chance:
        value = context.to_path(value, ply)
    return bound, value, action_of(data)


def retain(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, value: float, best: int, is_whole: bool,
    context: ChanceContext,
) -> None:  # fmt: skip
    """Store in the table what a search of `s` in the window (alpha, beta) found."""
    bound = LOWER if value >= beta else (UPPER if value <= alpha else EXACT)
    if not game.has_chance:
        value = context.to_node(value, ply)
    key = signed(game.key(s)) ^ context.salt
    if not is_whole:
        key ^= depth * STEP
    context.table.store(key, value, depth, bound, best)


def list_promising(game: Game, s: State, ply: int, known: int, context: ChanceContext) -> None:
    """Put the actions of `s` on the stack: `known` first, then by the game's hint, else in the game's order."""
    out = context.out
    start = len(out)
    context.list_options(game, s, ply)
    if not game.has_ordering and known == NO_ACTION:
        return
    for i in range(start, len(out)):
        action = out[i]
        score = TOP if kept(action) == kept(known) else (game.ordering(s, action) if game.has_ordering else 0)
        at = i
        while at > start and context.scores[at - 1] < score:
            out[at] = out[at - 1]
            context.scores[at] = context.scores[at - 1]
            at -= 1
        out[at] = action
        context.scores[at] = score
