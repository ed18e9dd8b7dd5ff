"""The alpha-beta engine: one recursive kernel with everything that sharpens it, each technique a switch.

Values are in the view of the side to move. Turns need not alternate: the window is turned around only where the player
changes. `memory.doubts` counts what a search did not see to the end (the horizon, gambles, shallow table entries): a
subtree that added none is known for certain, and so is its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.bits import signed
from counterplay.core.game import Game
from counterplay.core.kernel import kernel
from counterplay.core.rules import payoff
from counterplay.search.folding import folded_key, stored_action
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
    QUIET,
    ROOT_DEPTH,
    TABLE_CUTS,
    UNIT,
    LineMemory,
)
from counterplay.search.ordering import (
    T_COUNTERS,
    T_HISTORY,
    T_KILLERS,
    T_ORDERING,
    bring_best,
    drop_barred,
    promote,
    score_actions,
)
from counterplay.search.suitable import has_key
from counterplay.search.table import (
    COMPLETE,
    EXACT,
    LOWER,
    NO_ACTION,
    UPPER,
    action_of,
    bound_of,
    depth_of,
)
from counterplay.search.technique import Technique
from counterplay.search.tracer import HORIZON, LATE, NULL, SEARCHED, TABLE, TERMINAL

SLOTS = 1 << 12
"""Actions share so many slots of history."""
MOST_BARRED = 4096
"""So many actions of the root can be left out."""
NEAR = 4
"""So many plies before the horizon, estimates decide what is searched."""
FIRST_PLIES = 6
"""Symmetric positions are folded in the table this near to the root, where it pays."""

T_TABLE, T_PVS, T_IID = int(Technique.TABLE), int(Technique.PVS), int(Technique.IID)
T_SYMMETRY, T_DEEPER = int(Technique.SYMMETRY), int(Technique.DEEPER)
T_QUIESCENCE, T_NULL, T_FUTILITY = int(Technique.QUIESCENCE), int(Technique.NULL_MOVE), int(Technique.FUTILITY)
T_EXPERIENCE = T_KILLERS | T_HISTORY | T_COUNTERS
T_REDUCTIONS, T_EXTENSIONS = int(Technique.REDUCTIONS), int(Technique.EXTENSIONS)
T_STATIC, T_LATE, T_EXCHANGES = int(Technique.STATIC), int(Technique.LATE), int(Technique.EXCHANGES)


class EngineMemory(LineMemory):
    """What one searcher of the engine remembers besides the table."""

    def __init__(
        self,
        game: Game,
        techniques: Technique,
        nodes: int | None = None,
        beam: int = 0,
        before: Sequence[int] = (),
    ) -> None:
        super().__init__(game, nodes, before)
        if not has_key(game):
            techniques &= ~Technique.TABLE
        self.techniques = np.array([int(techniques), beam or 1 << 30], np.int64)
        self.first = np.array([NO_ACTION], np.int64)  # the root's action to begin with
        self.barred = np.zeros(1 + MOST_BARRED, np.int64)  # how many actions of the root are left out, and which
        self.scores = np.empty(1 << 20, np.int64)  # beside the action list; memory is touched only where it is used
        self.killers = np.full(2 * (MAX_PLY + 2), NO_ACTION, np.int64)
        self.history = np.zeros(game.players * SLOTS, np.int64)
        self.answers = np.full(game.players * SLOTS, NO_ACTION, np.int64)
        low, high = game.evaluation_bounds
        self.futility = np.array([game.swing or 0.1 * (high - low)])  # what one ply may change, at most, as a rule

    def bar(self, actions: Sequence[int]) -> None:
        """Leave these actions of the root out of the search."""
        self.barred[0] = len(actions)
        self.barred[1 : 1 + len(actions)] = actions

    def uses(self, technique: int) -> bool:
        """Whether a technique is switched on."""
        return self.techniques[0] & technique != 0

    def slot(self, player: int, action: int) -> int:
        """Where an action of a player has its history."""
        return player * SLOTS + ((action ^ action >> 12 ^ action >> 24) & (SLOTS - 1))

    def refuted(self, game: Any, s: Any, mover: int, action: int, depth: int, ply: int, last: int) -> None:
        """Remember the action that refuted the opponent's `last` one."""
        if not game.has_noise or not game.is_noisy(s, action):
            if self.killers[2 * ply] != action:
                self.killers[2 * ply + 1] = self.killers[2 * ply]
                self.killers[2 * ply] = action
            self.history[self.slot(mover, action)] += depth * depth
        if last >= 0:
            self.answers[self.slot(mover, last)] = action


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
    elif depth <= 0 or ply >= MAX_PLY:
        memory.doubts[0] += 1
        value, why = memory.horizon(game, s, game.to_move(s)), HORIZON
        if game.has_noise and ply < MAX_PLY and memory.uses(T_QUIESCENCE):
            value = quiesce(game, s, alpha, beta, ply, value, memory, out)
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
            if ply > 0 and (enough or (depth_of(data) > depth and uses & T_DEEPER)):
                bound = bound_of(data)
                if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                    memory.counts[TABLE_CUTS] += 1
                    if depth_of(data) != COMPLETE:
                        memory.doubts[0] += 1
                    tracer.leave(ply, value, TABLE)
                    return value

    # 4. Who stands well above beta, or can pass and still reach it, need not look closely (verified by a shallow search,
    # against zugzwang).
    narrow = beta - alpha <= memory.scale[UNIT]
    calm = narrow and not game.is_tense(s)
    estimate = 0.0
    if game.has_noise and calm and depth <= NEAR and uses & (T_STATIC | T_FUTILITY):
        estimate = memory.horizon(game, s, mover)
        if uses & T_STATIC and ply > 0 and estimate - memory.futility[0] * depth >= beta:
            memory.doubts[0] += 1
            tracer.leave(ply, estimate, HORIZON)
            return estimate
    if game.has_null and calm and not passed and depth >= 3 and uses & T_NULL:
        if game.allows_null(s) and memory.horizon(game, s, mover) >= beta:
            reduced = depth - 3 - depth // 6
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
                if depth >= 6 and value >= beta:
                    value = search(game, s, reduced, alpha, beta, ply, last, True, key, table, memory, tracer, out)
                if value >= beta:
                    memory.doubts[0] += 1
                    tracer.leave(ply, value, NULL)
                    return value

    # 5. Without an action from the table, a shallower search finds one to begin with.
    if known == NO_ACTION and depth >= 5 and uses & T_IID and remember:
        search(game, s, depth - 3, alpha, beta, ply, last, passed, key, table, memory, tracer, out)
        data, value = table.probe(entry)
        if bound_of(data):
            known = action_of(data)
        memory.doubts[0] = doubts

    # 6. The actions, each with a score.
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
        futile = depth <= 2 and uses & T_FUTILITY != 0 and estimate + memory.futility[0] * depth <= alpha
        if uses & T_LATE:
            crowd = start + 4 + 2 * depth * depth

    # 7. Try them, the most promising first.
    value, best, floor, tried = -INFINITY, NO_ACTION, alpha, start
    beam = min(end, start + memory.techniques[1])
    if beam < end:
        memory.doubts[0] += 1
    for i in range(start, beam):
        if sort and i >= scored:
            if i == scored:
                score_actions(game, s, mover, ply, last, uses, memory, out, i, end)
            bring_best(memory, out, i, end)
        action = out[i]
        tried += 1
        noisy = game.has_noise and game.is_noisy(s, action)
        if futile and i > start and not noisy and value > memory.scale[LOW] + memory.scale[MARGIN]:
            memory.doubts[0] += 1
            value = max(value, estimate + memory.futility[0] * depth)
            tracer.pruned(ply, action)
            continue
        if i >= crowd and not noisy and value > memory.scale[LOW] + memory.scale[MARGIN]:
            memory.doubts[0] += 1
            tracer.pruned(ply, action)
            continue
        after = game.result(s, action)
        deeper = depth - 1
        if uses & T_EXTENSIONS and ply < 2 * memory.limits[ROOT_DEPTH]:
            if end - start == 1 or (game.has_forcing and game.is_forcing(s, action)):
                deeper = depth
        reduction = 0
        if game.has_noise and i - start >= 3 and depth >= 3 and not noisy and deeper < depth:
            if uses & T_REDUCTIONS:
                reduction = 1 + (i - start >= 8) + depth // 8
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
            if (i > start and uses & T_PVS) or reduction:  # is it better at all?
                memory.doubts[0] += reduction != 0
                step = memory.scale[UNIT] / 2
                v = sign * search(
                    game, after, max(deeper - reduction, 1), high - step if theirs else low, high if theirs else low + step,
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
            value, best = v, action
            if v > alpha:
                alpha = v
                if v < beta or ply == 0:
                    if is_leaf:
                        memory.expect_nothing(ply + 1)
                    memory.follow(ply, action)
                if v >= beta:
                    break  # the opponent already has better elsewhere

    # 8. Remember what was learned.
    if value >= beta:
        memory.counts[CUTS] += 1
        memory.counts[FIRST_CUTS] += best == out[start]
        memory.refuted(game, s, mover, best, depth, ply, last)
    else:
        memory.counts[LEFT if value > floor else ALL] += 1
    tracer.cut(ply, out, tried, end)  # what a refutation, or the beam, left unseen
    out.truncate(start)
    if remember and (ply > 0 or memory.barred[0] == 0):
        bound = LOWER if value >= beta else (EXACT if value > floor else UPPER)
        reach = COMPLETE if memory.doubts[0] == doubts else min(depth, COMPLETE - 1)
        table.store(entry, to_node(memory, value, ply), reach, bound, stored_action(game, best, form))
    tracer.leave(ply, value, SEARCHED)
    return value


@kernel
def quiesce(game: Any, s: Any, alpha: float, beta: float, ply: int, estimate: float, memory: Any, out: Any) -> float:
    """Value of `s` when only noisy actions are followed and the side to move may also leave it at `estimate`."""
    value = estimate
    if value >= beta or ply >= MAX_PLY or memory.stopped():
        return value
    alpha = max(alpha, value)
    mover = game.to_move(s)
    start = len(out)
    memory.list_noisy(game, s, ply, out)
    end = len(out)
    for i in range(start, end):
        memory.scores[i] = game.ordering(s, out[i])
    for i in range(start, end):
        bring_best(memory, out, i, end)
        if memory.scores[i] < 0 and memory.uses(T_EXCHANGES):
            break  # the rest loses, too
        action = out[i]
        if not game.is_noisy(s, action):
            continue
        memory.counts[NODES] += 1
        memory.counts[QUIET] += 1
        after = game.result(s, action)
        theirs = game.to_move(after) != mover
        if game.is_terminal(after):
            v = memory.terminal(game, after, mover, ply + 1)
        elif memory.repeated(game, after, ply + 1):
            v = memory.dated(payoff(game, after, mover), ply + 1)
        else:
            there = memory.horizon(game, after, game.to_move(after))
            if theirs:
                v = -quiesce(game, after, -beta, -alpha, ply + 1, there, memory, out)
            else:
                v = quiesce(game, after, alpha, beta, ply + 1, there, memory, out)
        if v > value:
            value = v
            alpha = max(alpha, v)
            if value >= beta:
                break
    out.truncate(start)
    return value


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
