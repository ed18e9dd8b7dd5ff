"""The kernel of exact solving: alpha-beta to the end of the game, with a table of proven bounds.

There is no horizon and no estimate decides anything: `evaluate` only helps to guess which action to try first. What the
game itself can prove of a position (`Game.candidates`) cuts before anything is searched. Most calls have a window that
no value lies in ("is it worth at least t?"), which is what solve.py asks.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.language.bits import last, signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.marks import inlined
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.rules import payoff
from counterplay.search.memory import CUTS, FIRST_CUTS, HIGH, HITS, INFINITY, MAX_PLY, NODES, STOP, TABLE_CUTS
from counterplay.search.solving.memory import FOLDS, NO_ACTION, NOTHING, TOO_DEEP

SHALLOW = 6
"""Where no more plies remain, searching is cheaper than asking the table."""
DEEPEST_LOOK = 3
"""How many plies a look ahead goes at most."""
FINE = 2.0**40
"""What the best result weighs in the rank of an action."""


@kernel
def prove(game: Any, s: Any, ply: int, alpha: float, beta: float, memory: Any, out: Any) -> float:
    """Value of `s` to the side to move: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from above.

    Meaningless once `memory.stopped()`.
    """
    # 1. Give up when told, and count.
    if memory.stopped():
        return 0.0
    memory.counts[NODES] += 1
    if ply >= MAX_PLY:
        memory.limits[STOP] = TOO_DEEP
        return 0.0

    # 2. The end of the game.
    mover = game.to_move(s)
    if game.is_terminal(s):
        return memory.terminal(game, s, mover, ply)
    if memory.repeated(game, s, ply):
        return memory.dated(payoff(game, s, mover), ply)

    # 3. What the game knows of the position, and the actions that it leaves.
    start = len(out)
    low, high = consider(game, s, ply, memory, out)
    end = len(out)
    if low >= beta or low >= high or high <= alpha:
        out.truncate(start)
        return high if high <= alpha else low
    if start == end:  # every action would repeat a position
        return memory.dated(payoff(game, s, mover), ply)

    # 4. What the table knows. Where there is nothing to choose, there is nothing to remember.
    left = game.remaining(s)
    remember = memory.keyed and end - start > 1 and left > SHALLOW
    key, form, hint = 0, 0, NO_ACTION
    if remember:
        key, form = table_key(game, s, ply, memory)
        entry = memory.find(key)
        if entry != NOTHING:
            memory.counts[HITS] += 1
            low = max(low, memory.postponed(memory.lower(entry), ply))
            high = min(high, memory.postponed(memory.upper(entry), ply))
            hint = memory.hint(entry)
            if low >= beta or low >= high or high <= alpha:
                memory.counts[TABLE_CUTS] += 1
                out.truncate(start)
                return high if high <= alpha else low

    # 5. What the table knows of the positions behind each action: one may be good enough already.
    if remember and left > SHALLOW + 4:
        value = known_behind(game, s, mover, ply, start, end, memory, out)
        if value >= beta:
            memory.keep(key, memory.postponed(value, -ply), memory.postponed(high, -ply), hint, 1)
            out.truncate(start)
            return value

    # 6. The actions, most promising first.
    before = memory.counts[NODES]
    if end - start > 1:
        rank(game, s, mover, left, form, hint, start, end, memory, out)
    value, best, floor = -INFINITY, NO_ACTION, alpha
    for i in range(start, end):
        action = next_action(out, i, end, end - start)
        after = game.result(s, action)
        if game.to_move(after) == mover:
            v = prove(game, after, ply + 1, alpha, beta, memory, out)
        else:
            v = -prove(game, after, ply + 1, -beta, -alpha, memory, out)
        if v > value:
            value = v
            if value > alpha:
                alpha, best = value, action
                if alpha >= beta:
                    memory.counts[CUTS] += 1
                    if i == start:
                        memory.counts[FIRST_CUTS] += 1
                    break
    out.truncate(start)

    # 7. Remember what is proven now.
    if remember and not memory.stopped():
        if value > floor:
            low = value
        if value < beta:
            high = value
        kept = hint if best == NO_ACTION else game.symmetric_action(best, form)
        effort = 1 + last(u64(memory.counts[NODES] - before + 1))
        memory.keep(key, memory.postponed(low, -ply), memory.postponed(high, -ply), kept, effort)
    return value


@inlined
def consider(game: Any, s: Any, ply: int, memory: Any, out: Any) -> tuple[float, float]:
    """List the actions worth solving; what `s` is worth at least and at most for reasons of the game itself."""
    if game.has_repetition:  # what came before may forbid an action: the game's own reasons do not know it
        memory.list_options(game, s, ply, out)
        return memory.dated(-INFINITY, ply + 1), memory.dated(INFINITY, ply + 1)
    worst, soon, best, late = game.candidates(s, out.fresh())
    return memory.dated(worst, ply + soon), memory.dated(best, ply + late)


def table_key(game: Any, s: Any, ply: int, memory: Any) -> tuple[int, int]:
    """The key of `s`, near the root the least of its symmetric forms', and the number of that form.

    Where the rules look at earlier positions, a value depends on them, so they are part of the key.
    """
    key, form = game.key(s), 0
    if ply < memory.shape[FOLDS]:
        for k in range(1, game.symmetries):
            other = game.key(game.symmetric(s, k))
            if other < key:
                key, form = other, k
    if game.has_repetition:
        met, here = u64(0), memory.past[0] + ply
        # Where repeating is forbidden, a later position may repeat what `s` itself (after a pass) cannot.
        since = 0 if game.forbids_repetition else max(0, here - game.lookback(s))
        for earlier in range(since, here):
            met = met + mix(u64(memory.path[earlier]))  # a sum, as their order makes no difference
        return signed(mix(key ^ mix(met))), form
    return signed(key), form


def known_behind(game: Any, s: Any, mover: int, ply: int, start: int, end: int, memory: Any, out: Any) -> float:
    """The most that the table grants `mover` behind one of the actions out[start:end]."""
    value = -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.has_repetition:
            memory.path[memory.past[0] + ply + 1] = signed(game.repetition_key(after))
        key, _ = table_key(game, after, ply + 1, memory)
        entry = memory.find(key)
        if entry != NOTHING:
            if game.to_move(after) == mover:
                value = max(value, memory.postponed(memory.lower(entry), ply + 1))
            else:
                value = max(value, -memory.postponed(memory.upper(entry), ply + 1))
    return value


@inlined
def rank(
    game: Any, s: Any, mover: int, left: int, form: int, hint: int, start: int, end: int, memory: Any, out: Any
) -> None:
    """Append a rank for each of the actions out[start:end], the higher the earlier: the table's best, then what a look
    ahead says, then the game's hint."""
    for i in range(start, end):
        order = game.solving_order(s, out[i])
        if game.foresight:
            if left >= game.foresight:
                depth = min((left - game.foresight + 1) // 3, DEEPEST_LOOK)
                after = game.result(s, out[i])
                seen = glance(game, after, depth, -INFINITY, INFINITY, memory, out)
                if game.to_move(after) != mover:
                    seen = -seen
                order += int(seen / memory.scale[HIGH] * FINE)
        out.push(order)
    if hint != NO_ACTION:
        for i in range(start, end):
            if (game.symmetric_action(out[i], form) & 0xFFFF) == hint:
                out[end - start + i] = 1 << 60


@kernel
def glance(game: Any, s: Any, depth: int, alpha: float, beta: float, memory: Any, out: Any) -> float:
    """An estimate of `s` for the side to move, by plain alpha-beta to a small depth."""
    memory.counts[NODES] += 1
    mover = game.to_move(s)
    if game.is_terminal(s):
        return game.utility(s, mover)
    if depth == 0:
        return game.evaluate(s, mover)
    start = len(out)
    game.actions(s, out.fresh())
    end = len(out)
    value = -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = glance(game, after, depth - 1, alpha, beta, memory, out)
        else:
            v = -glance(game, after, depth - 1, -beta, -alpha, memory, out)
        value = max(value, v)
        alpha = max(alpha, v)
        if alpha >= beta:
            break
    out.truncate(start)
    return value


@inlined
def next_action(out: Any, i: int, end: int, ranks: int) -> int:
    """Bring the action of the highest rank among out[i:end] to the front and return it; ranks lie so many slots behind."""
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
def follow(game: Any, s: Any, action: int) -> Any:
    """The state after an action."""
    return game.result(s, action)


@kernel
def promise(game: Any, s: Any, action: int) -> int:
    """The game's hint how early to try an action."""
    return game.solving_order(s, action)


@kernel
def recall(game: Any, s: Any, ply: int, memory: Any) -> int:
    """The last 16 bits of the action that the table holds best in `s`, or NO_ACTION."""
    if memory.keyed:
        key, form = table_key(game, s, ply, memory)
        entry = memory.find(key)
        if entry != NOTHING and form == 0:
            return memory.hint(entry)
    return NO_ACTION
