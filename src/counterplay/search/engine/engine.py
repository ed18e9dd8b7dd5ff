"""The alpha-beta engine: one recursive kernel with everything that sharpens it, each technique a switch.

Values are in the view of the side to move. Turns need not alternate: the window is turned around only where the player
changes. `memory.doubts` counts what a search did not see to the end (the horizon, gambles, shallow table entries): a
subtree that added none is known for certain, and so is its value.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import payoff
from counterplay.search.engine.killers_and_history import TRUST
from counterplay.search.engine.move_ordering import (
    T_COUNTERS,
    T_HISTORY,
    T_KILLERS,
    T_ORDERING,
    TRIED,
    drop_barred,
    next_action,
    promote,
    score_actions,
)
from counterplay.search.engine.quiescence import quiesce
from counterplay.search.engine.symmetry import folded_key, stored_action
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import (
    COMPLETE,
    EXACT,
    LOWER,
    NO_ACTION,
    TOLD,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    kept,
)
from counterplay.search.memory import (
    ACTIONS,
    ALL,
    CUTS,
    DEEPEST,
    FIRST_CUTS,
    HIGH,
    HITS,
    INFINITY,
    LEAVES,
    LEFT,
    LOW,
    MARGIN,
    MAX_PLY,
    NODES,
    ROOT_DEPTH,
    TABLE_CUTS,
    UNIT,
)
from counterplay.search.tracing.tracer import HORIZON, LATE, NULL, SEARCHED, TABLE, TERMINAL

NEAR = 6
"""So many plies before the horizon, estimates decide what is searched."""
FIRST_PLIES = 6
"""Symmetric positions are folded in the table this near to the root, where it pays."""
VERIFIED = 8
"""From this depth on, what a null move says is verified."""
SINGULAR = 7
"""From this depth on, the table's action is searched deeper where all others are clearly worse."""

T_TABLE, T_PVS, T_IID = int(Technique.TABLE), int(Technique.PVS), int(Technique.IID)
T_SYMMETRY, T_DEEPER = int(Technique.SYMMETRY), int(Technique.DEEPER)
T_QUIESCENCE, T_NULL, T_FUTILITY = int(Technique.QUIESCENCE), int(Technique.NULL_MOVE), int(Technique.FUTILITY)
T_EXPERIENCE = T_KILLERS | T_HISTORY | T_COUNTERS
T_REDUCTIONS, T_EXTENSIONS = int(Technique.REDUCTIONS), int(Technique.EXTENSIONS)
T_STATIC, T_LATE = int(Technique.STATIC), int(Technique.LATE)
T_ESTIMATES = T_STATIC | T_LATE | T_FUTILITY | T_REDUCTIONS
T_CIRCLES, T_SINGULAR = int(Technique.CIRCLES), int(Technique.SINGULAR)


@kernel
def value_of(
    game: Any, s: Any, depth: int, alpha: float, beta: float, table: Any, memory: Any, tracer: Any, out: Any
) -> float:
    """Value of `s`, the root, to the side to move; the contract is that of `search`."""
    memory.expect_nothing(0)
    if memory.stopped():
        return 0.0
    is_leaf, value = leaf(game, s, depth, alpha, beta, 0, NO_ACTION, memory, tracer, out)
    if is_leaf:
        return value
    key = signed(game.key(s)) if memory.uses(T_TABLE) else 0
    return search(game, s, depth, alpha, beta, 0, NO_ACTION, False, key, table, memory, tracer, out)


def leaf(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, last: int, memory: Any, tracer: Any, out: Any
) -> tuple[bool, float]:
    """Whether `s` is a leaf, the end of the game or of our sight, and its value to the side to move there."""
    if game.is_terminal(s):
        value, why = memory.terminal(game, s, game.to_move(s), ply), TERMINAL
    elif memory.repeated(game, s, ply):
        if memory.uses(T_TABLE):
            memory.doubts[0] += 1  # another path might come here without a repetition
        value, why = memory.dated(payoff(game, s, game.to_move(s)), ply), TERMINAL
    elif game.has_repetition and game.repetition == "draw" and memory.uses(T_CIRCLES) and memory.circles(game, s, ply):
        memory.doubts[0] += 1
        value, why = 0.0, TERMINAL
    elif depth <= 0 or ply >= MAX_PLY:
        memory.doubts[0] += 1
        why = HORIZON
        if game.has_noise and memory.uses(T_QUIESCENCE):
            value = quiesce(game, s, alpha, beta, ply, memory, out)
        else:
            value = memory.evaluated(game, s, game.to_move(s))
    else:
        return False, 0.0
    memory.counts[NODES] += 1
    memory.counts[LEAVES] += 1
    tracer.enter(ply, last, game.to_move(s), depth, alpha, beta)
    tracer.leave(ply, value, why)
    return True, value


@kernel
def search(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, last: int, passed: bool, key: int,
    table: Any, memory: Any, tracer: Any, out: Any,
) -> float:  # fmt: skip
    """Value of `s`, which is not a leaf, to the side to move: exact inside (alpha, beta), else a bound: >= beta from
    below, <= alpha from above.

    `last` is the action that led here, `passed` whether it was a null move, `key` that of `s` (0 where the table is not
    asked). Meaningless once `memory.stopped()`.
    """
    # 1. Count, and give up when told.
    memory.expect_nothing(ply)
    memory.counts[NODES] += 1
    if memory.stopped():
        return 0.0
    mover = game.to_move(s)
    uses = memory.techniques[0]
    skipped = memory.excluded[ply]
    tracer.enter(ply, last, mover, depth, alpha, beta)
    if ply > memory.counts[DEEPEST]:
        memory.counts[DEEPEST] = ply

    # 2. Nothing is better than to win with the next action, nothing worse than to have lost already.
    best_possible = memory.scale[HIGH] - memory.scale[UNIT] * (ply + 1)
    if best_possible < beta:
        beta = best_possible
        if alpha >= beta:
            tracer.leave(ply, beta, LATE)
            return beta

    # 3. What the table knows. Where repeating is forbidden or loses, what wins on one path may lose on another: there the
    # table leaves everything in doubt. Where it draws, a win is a win.
    doubts = memory.doubts[0]
    if game.has_repetition and game.repetition != "draw" and uses & T_TABLE:
        memory.doubts[0] += 1
    entry, form, known = key, 0, NO_ACTION
    firm, believed = False, 0.0  # whether the table knows a good action well, and what it is worth
    remember = depth > 1 and uses & T_TABLE != 0  # next to the horizon, looking up costs more than searching
    if remember:
        if game.symmetries > 1 and ply < FIRST_PLIES and uses & T_SYMMETRY:
            entry, form = folded_key(game, s, key)
        data, value = table.probe(entry)
        if bound_of(data):
            memory.counts[HITS] += 1
            known = action_of(data)
            value = to_path(memory, value, ply)
            enough = depth_of(data) == depth or depth_of(data) == COMPLETE
            firm = known != NO_ACTION and bound_of(data) != UPPER and depth_of(data) >= depth - 3
            firm = firm and abs(value) < memory.scale[HIGH] - memory.scale[MARGIN]
            believed = value
            enough = enough or (depth_of(data) > depth and uses & T_DEEPER != 0)
            if game.has_repetition and game.repetition == "draw" and beta - alpha > memory.scale[UNIT]:
                # On the line that is expected, the table must not hide that it has come again; what it was told counts.
                enough = depth_of(data) == TOLD
            if ply > 0 and skipped == NO_ACTION and enough:
                bound = bound_of(data)
                if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                    memory.counts[TABLE_CUTS] += 1
                    if depth_of(data) != COMPLETE:
                        memory.doubts[0] += 1
                    tracer.leave(ply, value, TABLE)
                    return value

    # 4. Who stands well above beta need not look closely.
    narrow = beta - alpha <= memory.scale[UNIT]
    tense = game.has_tension and game.is_tense(s)
    calm = narrow and not tense and ply > 0 and skipped == NO_ACTION
    estimate, improving = -INFINITY, False
    if game.has_noise and not tense and uses & T_ESTIMATES:
        estimate = memory.evaluated(game, s, mover)
        improving = ply < 2 or estimate > memory.estimates[ply - 2]
    memory.estimates[ply] = estimate
    if game.has_noise and calm and depth <= NEAR and uses & T_STATIC:
        if estimate - memory.futility[0] * (depth - improving) >= beta:
            memory.doubts[0] += 1
            tracer.leave(ply, estimate, HORIZON)
            return estimate

    # 5. Who can pass and still reach beta need not be searched to the full (verified by a shallow search, against
    # zugzwang).
    if game.has_null and calm and not passed and depth >= 3 and uses & T_NULL:
        if estimate == -INFINITY:
            estimate = memory.evaluated(game, s, mover)
        if estimate >= beta and game.allows_null(s):
            reduced = depth - 3 - depth // 4
            if game.has_noise and estimate >= beta + memory.futility[0]:
                reduced -= 1
            beyond = game.null(s)
            is_leaf, value = leaf(game, beyond, reduced, -beta, -alpha, ply + 1, NO_ACTION, memory, tracer, out)
            if not is_leaf:
                there = signed(game.key(beyond)) if uses & T_TABLE else 0
                value = search(
                    game, beyond, reduced, -beta, -alpha, ply + 1, NO_ACTION, True, there, table, memory, tracer, out
                )
            value = -value
            if value >= beta and not memory.stopped():
                value = min(value, memory.scale[HIGH] - memory.scale[MARGIN])  # a win by passing proves nothing
                if depth >= VERIFIED and value >= beta:
                    value = search(
                        game, s, max(reduced, 1), alpha, beta, ply, last, True, key, table, memory, tracer, out
                    )
                if value >= beta:
                    memory.doubts[0] += 1
                    tracer.leave(ply, value, NULL)
                    return value

    # 6. Without an action from the table, a shallower search finds one to begin with.
    if known == NO_ACTION and depth >= 5 and uses & T_IID and remember:
        search(game, s, depth - 3, alpha, beta, ply, last, passed, key, table, memory, tracer, out)
        data, value = table.probe(entry)
        if bound_of(data):
            known = action_of(data)
        memory.doubts[0] = doubts

    # 7. An action that is better than all others by far is searched deeper; and where another reaches beta, too, beta it
    # is (Anantharaman, Campbell & Hsu 1988).
    alone = False
    if game.has_noise and depth >= SINGULAR and ply > 0 and skipped == NO_ACTION and uses & T_SINGULAR and firm:
        least = believed - memory.futility[0] * depth / 40
        memory.excluded[ply] = known
        value = search(
            game, s, (depth - 1) // 2, least - memory.scale[UNIT] / 2, least, ply, last, passed, key,
            table, memory, tracer, out,
        )  # fmt: skip
        memory.excluded[ply] = NO_ACTION
        memory.doubts[0] += 1
        if value < least:
            alone = True
        elif least >= beta and narrow and not memory.stopped():
            tracer.leave(ply, least, NULL)
            return least

    # 8. The actions, each with a score.
    if ply == 0 and memory.first[0] != NO_ACTION:
        known = stored_action(game, memory.first[0], form)
    start = len(out)
    memory.list_options(game, s, ply, out)
    if ply == 0 and memory.barred[0] > 0:
        drop_barred(memory, out, start)
    end = len(out)
    memory.counts[ACTIONS] += end - start
    if start == end:  # every action is forbidden by repetition
        tracer.leave(ply, 0.0, TERMINAL)
        return 0.0
    hints = uses & T_ORDERING != 0 and (game.has_ordering or game.has_noise)
    sort = hints or (depth > 1 and uses & T_EXPERIENCE != 0)
    scored = start  # from here on the actions have no score yet
    if known != NO_ACTION and promote(game, known, form, out, start, end):
        scored = start + 1  # the table's action is tried before the others are even scored
    futile = False
    crowd = end  # from here on, quiet actions come too late
    if game.has_noise and calm and depth <= NEAR:
        futile = uses & T_FUTILITY != 0 and estimate + memory.futility[0] * (depth + 0.5) <= alpha
        if uses & T_LATE:
            crowd = start + (4 + depth * depth if improving else 3 + depth * depth // 2)

    # 9. Try them, the most promising first.
    value, best, chosen, floor, tried = -INFINITY, NO_ACTION, start, alpha, start
    beam = min(end, start + memory.techniques[1])
    if beam < end:
        memory.doubts[0] += 1
    turn = start - 1
    while turn + 1 < beam:
        turn += 1
        i, losing = turn, False
        if sort and turn >= scored:
            if turn == scored:
                score_actions(game, s, mover, ply, last, uses, memory, out, turn, end)
            i, losing = next_action(game, s, uses, memory, out, scored, end)
        action = out[i]
        tried += 1
        if skipped != NO_ACTION and kept(stored_action(game, action, form)) == skipped:
            continue
        noisy = game.has_noise and game.is_noisy(s, action)
        after = game.result(s, action)
        forcing = game.has_forcing and game.is_forcing(s, action, after)
        if value > memory.scale[LOW] + memory.scale[MARGIN] and not (game.has_tension and game.is_tense(after)):
            # Not lost, and no threat: some need not be tried.
            if (futile or turn >= crowd) and not noisy:
                memory.doubts[0] += 1
                if futile:
                    value = max(value, estimate + memory.futility[0] * (depth + 0.5))
                tracer.pruned(ply, action)
                if sort:  # and so with all that are like it
                    turn += leave_quiet(game, s, ply, memory, tracer, out, scored, end)
                continue
            if losing and calm and depth <= 3:
                memory.doubts[0] += 1
                tracer.pruned(ply, action)
                continue
        deeper = depth - 1
        if ply < 2 * memory.limits[ROOT_DEPTH]:
            if (alone and turn == start and scored > start) or (uses & T_EXTENSIONS and (forcing or end - start == 1)):
                deeper = depth
        reduction = 0
        if game.has_noise and turn - start >= 2 and depth >= 3 and deeper < depth and uses & T_REDUCTIONS:
            if not noisy:
                reduction = memory.reduction(depth, turn - start) + (0 if improving or not narrow else 1)
                reduction -= memory.history[memory.slot(mover, action)] // (TRUST // 2)
            elif losing:
                reduction = 1
            reduction = min(max(reduction - (0 if narrow else 1), 0), deeper - 1)
        there = 0
        if deeper > 1 and uses & T_TABLE:
            there = signed(game.key(after))
            table.expect(there)
        theirs = game.to_move(after) != mover
        low, high, sign = (
            (-beta, -alpha, -1.0) if theirs else (alpha, beta, 1.0)
        )  # the window as the other side sees it
        is_leaf, v = leaf(game, after, deeper, low, high, ply + 1, action, memory, tracer, out)
        v *= sign
        if not is_leaf:
            v = INFINITY
            if (turn > start and uses & T_PVS) or reduction:  # is it better at all?
                memory.doubts[0] += reduction != 0
                step = memory.scale[UNIT] / 2
                v = sign * search(
                    game, after, deeper - reduction, high - step if theirs else low, high if theirs else low + step,
                    ply + 1, action, False, there, table, memory, tracer, out,
                )  # fmt: skip
            if v > alpha and (v < beta or reduction or v == INFINITY) and not memory.stopped():
                v = sign * search(
                    game, after, deeper, low, high, ply + 1, action, False, there, table, memory, tracer, out
                )
        if memory.stopped():
            out.truncate(start)
            return 0.0
        if v > value:
            value, best, chosen = v, action, turn
            if v > alpha:
                alpha = v
                if v < beta or ply == 0:
                    if is_leaf:
                        memory.expect_nothing(ply + 1)
                    memory.follow(ply, action)
                if v >= beta:
                    break  # the opponent already has better elsewhere

    # 10. Remember what was learned.
    if value >= beta:
        memory.counts[CUTS] += 1
        memory.counts[FIRST_CUTS] += chosen == start
        quiet = not game.has_noise or not game.is_noisy(s, best)
        memory.refuted(mover, best, depth, ply, last, not quiet)
        if quiet and sort and tried > scored:
            blame(game, s, mover, best, depth, memory, out, start, end, scored)
    else:
        memory.counts[LEFT if value > floor else ALL] += 1
    tell_cuts(memory, tracer, ply, out, start, end, tried, sort, scored)  # what a refutation, or the beam, left unseen
    out.truncate(start)
    if best == NO_ACTION and skipped != NO_ACTION:  # there is no other action
        tracer.leave(ply, floor, SEARCHED)
        return floor
    if remember and skipped == NO_ACTION and (ply > 0 or memory.barred[0] == 0):
        bound = LOWER if value >= beta else (EXACT if value > floor else UPPER)
        reach = COMPLETE if memory.doubts[0] == doubts else min(depth, COMPLETE - 1)
        table.store(entry, to_node(memory, value, ply), reach, bound, stored_action(game, best, form))
    tracer.leave(ply, value, SEARCHED)
    return value


def leave_quiet(game: Any, s: Any, ply: int, memory: Any, tracer: Any, out: Any, start: int, end: int) -> int:
    """Leave out all quiet actions of out[start:end] that are not tried yet and threaten nothing: how many."""
    left = 0
    for i in range(start, end):
        if memory.scores[i] != TRIED and not game.is_noisy(s, out[i]):
            if not (game.has_tension and game.threatens(s, out[i])):
                memory.scores[i] = TRIED
                tracer.pruned(ply, out[i])
                left += 1
    return left


def blame(
    game: Any, s: Any, mover: int, best: int, depth: int, memory: Any, out: Any, start: int, end: int, scored: int
) -> None:
    """Count it against the quiet actions that were tried before the one that refuted."""
    for i in range(start, end):
        if out[i] != best and (i < scored or memory.scores[i] == TRIED):
            if not game.has_noise or not game.is_noisy(s, out[i]):
                memory.credit(mover, out[i], -min(16 * depth * depth, TRUST // 8))


def tell_cuts(
    memory: Any, tracer: Any, ply: int, out: Any, start: int, end: int, tried: int, sort: bool, scored: int
) -> None:
    """Tell the tracer which actions of out[start:end] were not looked at."""
    if not sort or tried <= scored:
        tracer.cut(ply, out, tried, end)
    else:
        for i in range(scored, end):
            if memory.scores[i] != TRIED:
                tracer.pruned(ply, out[i])


def to_node(memory: Any, value: float, ply: int) -> float:
    """A value as the table keeps it: plies to the end counted from the position itself, not from the root."""
    if value > memory.scale[HIGH] - memory.scale[MARGIN]:
        return value + memory.scale[UNIT] * ply
    if value < memory.scale[LOW] + memory.scale[MARGIN]:
        return value - memory.scale[UNIT] * ply
    return value


def to_path(memory: Any, value: float, ply: int) -> float:
    """A value from the table, with plies counted from the root again."""
    if value > memory.scale[HIGH] - memory.scale[MARGIN]:
        return value - memory.scale[UNIT] * ply
    if value < memory.scale[LOW] + memory.scale[MARGIN]:
        return value + memory.scale[UNIT] * ply
    return value
