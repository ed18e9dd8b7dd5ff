"""Star1 and Star2: alpha-beta at chance nodes (Ballard, The *-minimax search procedure, 1983; Hauk, Buro & Schaeffer,
Rediscovering *-minimax search, 2004).

No value is outside the bounds of utility. So a chance node is decided before all of its events are looked at: the rest,
at its best, cannot lift the average above alpha, or at its worst not below beta. Star1 looks at event after event with
the window that still matters. Star2 first probes behind each event one action of the player who moves there: that
bounds the value from one side, and often is enough. Turns need not alternate: behind some events one player may move,
behind others the other, and the game may be over.

What a probe found is not thrown away: where the node behind the event is searched after all, the probed action is done.
So both look at no state twice for the same reason, and at none that expectiminimax would not look at.

The table keeps a position's values at different depths apart; only that of a subtree seen to its end serves at every
greater depth, too. So it changes no value at a fixed depth, and a game with few states is searched in a time that grows
with their number and the depth.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.search.chance.chance_nodes import PROBES, REMEMBERS, SALT
from counterplay.search.engine.engine import to_node, to_path
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
from counterplay.search.memory import CUTS, FIRST_CUTS, HIGH, HITS, INFINITY, LOW, TABLE_CUTS
from counterplay.search.tracing.tracer import HORIZON, PROBED, SEARCHED, TABLE, TERMINAL

STEP = 0x1E3779B97F4B
"""Sets the keys of a position at different depths apart; a depth times this is far from 64 bits."""
NO_EVENT = -1
TOP = 1 << 62


@kernel
def star(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, last: int, event: int, table: Any, memory: Any,
    tracer: Any, out: Any,
) -> float:  # fmt: skip
    """Value of `s` to the hero: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from above.

    `last` is the action or event that led to `s`, `event` where that lies in the action list, if it is an event, or
    NO_EVENT: a probe may have been here and tried an action. Meaningless once `memory.stopped()`.
    """
    doubts = memory.doubts[0]
    first, head = NO_ACTION, 0.0
    if event != NO_EVENT:
        first, head = memory.probed[event], memory.heads[event]
        doubts -= memory.doubted[event]
    known = first
    if first == NO_ACTION:
        memory.enter(ply)
        if memory.stopped():
            return 0.0
    mover = game.to_move(s)
    announce(ply, last, mover, depth, alpha, beta, memory, tracer)
    if first == NO_ACTION:
        is_leaf, value = memory.leaf(game, s, depth, ply)
        if is_leaf:
            tracer.leave(ply, memory.to(mover, value), TERMINAL if game.is_terminal(s) else HORIZON)
            return value
        bound, value, known = recall(game, s, depth, ply, table, memory)
        if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
            memory.counts[TABLE_CUTS] += 1
            tracer.leave(ply, memory.to(mover, value), TABLE)
            return value
        if bound == LOWER:
            alpha = max(alpha, value)
        elif bound == UPPER:
            beta = min(beta, value)
    if game.has_chance and mover == CHANCE:
        value, best = average(game, s, depth, alpha, beta, ply, table, memory, tracer, out), NO_ACTION
    else:
        is_hero = mover == memory.hero[0]
        value, best = choose(game, s, is_hero, depth, alpha, beta, ply, known, first, head, table, memory, tracer, out)
    tracer.leave(ply, memory.to(mover, value), SEARCHED)
    if memory.settings[REMEMBERS] and not memory.stopped():
        retain(game, s, depth, alpha, beta, ply, value, best, memory.doubts[0] == doubts, table, memory)
    return value


@kernel
def choose(
    game: Any, s: Any, is_hero: bool, depth: int, alpha: float, beta: float, ply: int, known: int, first: int,
    head: float, table: Any, memory: Any, tracer: Any, out: Any,
) -> tuple[float, int]:  # fmt: skip
    """Value of a player's choice in `s`, as `star` gives it, and the best action; the action `known` is tried first."""
    start = len(out)
    list_promising(game, s, ply, known, memory, out)
    value, best = -INFINITY if is_hero else INFINITY, NO_ACTION
    for i in range(start, len(out)):
        action = out[i]
        v = head
        if action != first:
            after = game.result(s, action)
            v = star(game, after, depth - 1, alpha, beta, ply + 1, action, NO_EVENT, table, memory, tracer, out)
            if memory.stopped():
                break
        if is_hero and v > value:
            value, best = v, action
            memory.follow(ply, action)
            alpha = max(alpha, v)
        elif not is_hero and v < value:
            value, best = v, action
            memory.follow(ply, action)
            beta = min(beta, v)
        if alpha >= beta:
            memory.counts[CUTS] += 1
            memory.counts[FIRST_CUTS] += i == start
            tracer.cut(ply, out, i + 1, len(out))
            break  # the other side, or chance, already has better elsewhere
    if start == len(out):  # every action is forbidden by repetition
        value = 0.0
    out.truncate(start)
    return value, best


@kernel
def average(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, table: Any, memory: Any, tracer: Any, out: Any
) -> float:
    """Value of a chance node, as `star` gives it."""
    start = len(out)
    memory.list_events(game, s, out)
    end = len(out)
    low, high = 0.0, 0.0  # bounds of the average by what is known so far
    for i in range(start, end):
        memory.lower[i], memory.upper[i], memory.probed[i] = memory.scale[LOW], memory.scale[HIGH], NO_ACTION
        memory.doubted[i] = 0
        low += memory.weights[i] * memory.scale[LOW]
        high += memory.weights[i] * memory.scale[HIGH]
    if memory.settings[PROBES]:
        for i in range(start, end):
            p, lower, upper = memory.weights[i], memory.lower[i], memory.upper[i]
            fall, rise = (alpha - (high - p * upper)) / p, (beta - (low - p * lower)) / p
            probe(game, game.result(s, out[i]), depth, fall, rise, ply + 1, i, table, memory, tracer, out)
            low += p * (memory.lower[i] - lower)
            high += p * (memory.upper[i] - upper)
            if high <= alpha or low >= beta or memory.stopped():
                memory.counts[CUTS] += 1
                memory.counts[FIRST_CUTS] += i == start
                tracer.cut(ply, out, i + 1, end)
                out.truncate(start)
                return high if high <= alpha else low
    value = 0.0
    for i in range(start, end):
        p, lower, upper = memory.weights[i], memory.lower[i], memory.upper[i]
        v = lower
        if lower < upper:
            # If the value behind the event is `fall` or less, the average is alpha or less, however good the rest is.
            fall, rise = (alpha - (high - p * upper)) / p, (beta - (low - p * lower)) / p
            after, near, far = game.result(s, out[i]), max(fall, lower), min(rise, upper)
            v = star(game, after, depth, near, far, ply + 1, out[i], i, table, memory, tracer, out)
            if v <= fall or v >= rise or memory.stopped():
                memory.counts[CUTS] += 1
                memory.counts[FIRST_CUTS] += i == start
                tracer.cut(ply, out, i + 1, end)
                out.truncate(start)
                # Rounding must not lift a value that failed above alpha, nor press one below beta.
                return min(alpha, high + p * (v - upper)) if v <= fall else max(beta, low + p * (v - lower))
            low += p * (v - lower)
            high += p * (v - upper)
        value += p * v
    out.truncate(start)
    return value


@kernel
def probe(
    game: Any, s: Any, depth: int, fall: float, rise: float, ply: int, i: int, table: Any, memory: Any, tracer: Any,
    out: Any,
) -> None:  # fmt: skip
    """Narrow the bounds of the event `i`, which leads to `s`: by the end of the game or of our sight, by the table, or by
    one action of the player who moves there. With a value up to `fall` or from `rise` on, the chance node is decided."""
    if not game.is_terminal(s) and game.to_move(s) == CHANCE:
        return
    memory.enter(ply)
    if memory.stopped():
        return
    mover = game.to_move(s)
    announce(ply, out[i], mover, depth, fall, rise, memory, tracer)
    is_leaf, value = memory.leaf(game, s, depth, ply)
    if is_leaf:
        tracer.leave(ply, memory.to(mover, value), TERMINAL if game.is_terminal(s) else HORIZON)
        memory.lower[i] = memory.upper[i] = value
        return
    doubts = memory.doubts[0]
    bound, value, known = recall(game, s, depth, ply, table, memory)
    if bound & LOWER:
        memory.lower[i] = value
    if bound & UPPER:
        memory.upper[i] = value
    lower, upper = memory.lower[i], memory.upper[i]
    if lower >= upper or upper <= fall or lower >= rise:
        memory.counts[TABLE_CUTS] += 1
        tracer.leave(ply, memory.to(mover, value), TABLE)
        return
    start = len(out)
    list_promising(game, s, ply, known, memory, out)
    if start == len(out):  # every action is forbidden by repetition
        memory.lower[i] = memory.upper[i] = 0.0
        tracer.leave(ply, 0.0, TERMINAL)
        return
    action = out[start]
    out.truncate(start)
    after = game.result(s, action)
    if mover == memory.hero[0]:
        v = star(game, after, depth - 1, lower, min(rise, upper), ply + 1, action, NO_EVENT, table, memory, tracer, out)
        memory.lower[i] = max(lower, v)
    else:
        v = star(game, after, depth - 1, max(fall, lower), upper, ply + 1, action, NO_EVENT, table, memory, tracer, out)
        memory.upper[i] = min(upper, v)
    tracer.leave(ply, memory.to(mover, v), PROBED)
    memory.probed[i], memory.heads[i], memory.doubted[i] = action, v, memory.doubts[0] - doubts


def announce(ply: int, last: int, mover: int, depth: int, alpha: float, beta: float, memory: Any, tracer: Any) -> None:
    """Tell a tracer that a node is entered, its window in view of who moves there."""
    if memory.to(mover, 1.0) < 0.0:
        tracer.enter(ply, last, mover, depth, -beta, -alpha)
    else:
        tracer.enter(ply, last, mover, depth, alpha, beta)


def recall(game: Any, s: Any, depth: int, ply: int, table: Any, memory: Any) -> tuple[int, float, int]:
    """What the table knows of `s` at this depth: the kind of bound, the value, and a best action."""
    if memory.settings[REMEMBERS] == 0:
        return NONE, 0.0, NO_ACTION
    key = signed(game.key(s)) ^ memory.settings[SALT]
    data, value = table.probe(key ^ depth * STEP)
    bound = bound_of(data)
    if bound == NONE:
        data, value = table.probe(key)
        if depth_of(data) <= depth:
            bound = bound_of(data)
        if bound == NONE:
            data, value = table.probe(key ^ (depth - 1) * STEP)  # the iteration before
            return NONE, 0.0, action_of(data)
    else:
        memory.doubts[0] += 1
    memory.counts[HITS] += 1
    if not game.has_chance:
        value = to_path(memory, value, ply)
    return bound, value, action_of(data)


def retain(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, value: float, best: int, is_whole: bool,
    table: Any, memory: Any,
) -> None:  # fmt: skip
    """Put what a search of `s` in the window (alpha, beta) found into the table."""
    bound = LOWER if value >= beta else (UPPER if value <= alpha else EXACT)
    if not game.has_chance:
        value = to_node(memory, value, ply)
    key = signed(game.key(s)) ^ memory.settings[SALT]
    if not is_whole:
        key ^= depth * STEP
    table.store(key, value, depth, bound, best)


def list_promising(game: Any, s: Any, ply: int, known: int, memory: Any, out: Any) -> None:
    """Append the actions of `s`: `known` first, then by the game's hint, else in the game's order."""
    start = len(out)
    memory.list_options(game, s, ply, out)
    if not game.has_ordering and known == NO_ACTION:
        return
    for i in range(start, len(out)):
        action = out[i]
        score = TOP if kept(action) == kept(known) else (game.ordering(s, action) if game.has_ordering else 0)
        at = i
        while at > start and memory.scores[at - 1] < score:
            out[at] = out[at - 1]
            memory.scores[at] = memory.scores[at - 1]
            at -= 1
        out[at] = action
        memory.scores[at] = score
