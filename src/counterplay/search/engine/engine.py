"""The alpha-beta engine: one recursive kernel with a switch for every technique that improves it.

Values are from the point of view of the side to move. Turns need not alternate: the window is negated only if the
player changes. `context.doubts` counts what a search did not follow to the end (the horizon, gambles, shallow table
entries): the value of a subtree that added none is certain.

`search` goes through numbered steps. Steps that search further are below it, the others in node.py and choices.py;
compiled, each is part of `search`.
"""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.marks import inlined
from counterplay.core.rules import payoff
from counterplay.core.types import State
from counterplay.search.engine.choices import (
    BestChoice,
    Choices,
    conclude,
    hoped,
    is_forced,
    leave_quiet,
    list_choices,
    reduced_by,
)
from counterplay.search.engine.killers_and_history import DEEP, EngineContext
from counterplay.search.engine.move_ordering import next_action, score_actions
from counterplay.search.engine.node import NEAR, Node, Outlook, best_known, judge, recall
from counterplay.search.engine.probcut import CHECKS
from counterplay.search.engine.quiescence import quiesce
from counterplay.search.engine.symmetry import stored_action
from counterplay.search.engine.techniques import CHIP, Technique
from counterplay.search.engine.transposition_table import NO_ACTION, kept
from counterplay.search.memory import INFINITY, MAX_PLY
from counterplay.search.tracing.tracer import HORIZON, LATE, NULL, TABLE, TERMINAL

VERIFIED = 8
"""From this depth on, the result of a null move is verified."""
SINGULAR = 7
"""From this depth on, the table's action is searched deeper if all others are clearly worse."""


@kernel
def value_of(game: Game, s: State, depth: int, alpha: float, beta: float, context: EngineContext) -> float:
    """Value of `s`, the root, to the side to move; the contract is that of `search`."""
    context.expect_nothing(0)
    context.accumulators.begin()
    if context.stopped():
        return 0.0
    is_leaf, value = leaf(game, s, depth, alpha, beta, 0, NO_ACTION, context)
    if is_leaf:
        return value
    context.keys[0] = signed(game.key(s)) if context.uses(Technique.TABLE) else 0
    return search(game, s, depth, alpha, beta, 0, NO_ACTION, False, context)


def leaf(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, context: EngineContext
) -> tuple[bool, float]:
    """Whether `s` is a leaf, at the end of the game or at the horizon, and its value to the side to move there."""
    why = TERMINAL
    if game.is_terminal(s):
        value = context.terminal(game, s, game.to_move(s), ply)
    elif context.repeated(game, s, ply):
        if context.software & int(Technique.TABLE):
            context.doubts += 1  # another path might get here without a repetition
        value = context.dated(payoff(game, s, game.to_move(s)), ply)
    elif is_circle(game, s, ply, context):
        context.doubts += 1
        value = context.dated(payoff(game, s, game.to_move(s)), ply)
    elif depth <= 0 or ply >= MAX_PLY:
        context.doubts += 1
        why = HORIZON
        if game.has_noise and context.uses(Technique.QUIESCENCE):
            value = quiesce(game, s, alpha, beta, ply, context)
        else:
            value = context.evaluated(game, s, game.to_move(s), ply)
    else:
        return False, 0.0
    context.nodes += 1
    context.leaves += 1
    context.tracer.enter(ply, last, game.to_move(s), depth, alpha, beta)
    context.tracer.leave(ply, value, why)
    return True, value


def is_circle(game: Game, s: State, ply: int, context: EngineContext) -> bool:
    """Whether `s` repeats a position within the search, which already counts as a draw."""
    if game.has_repetition and game.repetition == "draw":
        return context.uses(Technique.CIRCLES) and context.circles(game, s, ply)
    return False


@kernel
def search(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, null: bool, context: EngineContext
) -> float:
    """Value of `s`, which is not a leaf, to the side to move: exact inside (alpha, beta), else a bound: >= beta from
    below, <= alpha from above.

    `last` is the action that led here, `null` whether that was a null move; `context.keys` has the key of `s` at `ply`.
    Meaningless once `context.stopped()`.
    """
    # 1. Count the node, and stop if asked to.
    context.expect_nothing(ply)
    context.nodes += 1
    if context.stopped():
        return 0.0
    mover, tracer = game.to_move(s), context.tracer
    tracer.enter(ply, last, mover, depth, alpha, beta)
    context.deepest = max(context.deepest, ply)

    # 2. No value is better than winning with the next action, none worse than having lost already.
    beta = min(beta, context.high - context.unit * (ply + 1))
    if alpha >= beta:
        tracer.leave(ply, beta, LATE)
        return beta

    # 3. Probe the transposition table.
    doubts = context.doubts
    known = recall(game, s, depth, alpha, beta, ply, context)
    if known.settles:
        tracer.leave(ply, known.value, TABLE)
        return known.value

    # 4. Far above beta, a static bound is enough.
    outlook = judge(game, s, mover, alpha, beta, ply, context)
    if game.has_noise and outlook.calm and depth <= NEAR and context.uses(Technique.STATIC):
        if outlook.estimate - context.futility * (depth - outlook.improving) >= beta:
            context.doubts += 1
            tracer.leave(ply, outlook.estimate, HORIZON)
            return outlook.estimate

    # 5. Null move and ProbCut: if even a pass reaches beta, or a value inside the window is improbable, search no further.
    value = cut_short(game, s, depth, alpha, beta, ply, last, null, outlook, context)
    if value != INFINITY:
        tracer.leave(ply, value, NULL)
        return value

    # 6. If the table has no action, a shallower search finds one to try first.
    if known.action == NO_ACTION and depth >= 5 and context.uses(Technique.IID) and context.uses(Technique.TABLE):
        search(game, s, depth - 3, alpha, beta, ply, last, null, context)
        known = known._replace(action=best_known(known.entry, context))
        context.doubts = doubts

    # 7. An action that is far better than all others is searched deeper; if another reaches beta as well, return beta
    # (singular extensions; Anantharaman, Campbell & Hsu 1988).
    alone = False
    if game.has_noise and depth >= SINGULAR and ply > 0 and context.uses(Technique.SINGULAR) and known.firm:
        if context.excluded[ply] == NO_ACTION:
            least = known.value - context.futility * depth / 40
            alone = value_of_others(game, s, depth, least, ply, last, null, known.action, context) < least
            if not alone and least >= beta and outlook.narrow and not context.stopped():
                tracer.leave(ply, least, NULL)
                return least

    # 8. List the actions, with those to try first at the front.
    node = Node(mover, depth, alpha, beta, ply, last)
    choices = list_choices(game, s, node, known, outlook, context)
    if choices.start == choices.end:  # every action is forbidden by repetition
        tracer.leave(ply, 0.0, TERMINAL)
        return 0.0

    # 9. Try them, the most promising first.
    found = try_choices(game, s, node, known.form, outlook, choices, alone, context)
    if context.stopped():
        context.out.truncate(choices.start)
        return 0.0

    # 10. Remember what was learned.
    return conclude(game, s, node, known, choices, found, context.doubts == doubts, context)


@inlined
def cut_short(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, null: bool, outlook: Outlook,
    context: EngineContext,
) -> float:  # fmt: skip
    """A bound of the value of `s` outside the window if a null move or ProbCut finds one, else INFINITY."""
    if game.has_null and outlook.calm and not null and depth >= 3 and context.uses(Technique.NULL_MOVE):
        value = value_of_passing(game, s, depth, alpha, beta, ply, last, outlook.estimate, context)
        if value >= beta:
            context.doubts += 1
            return value
    if outlook.calm and context.uses(Technique.PROBCUT):
        return improbable(game, s, depth, alpha, beta, ply, last, null, context)
    return INFINITY


@inlined
def value_of_passing(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, estimate: float,
    context: EngineContext,
) -> float:  # fmt: skip
    """A lower bound of the value of `s` if even a pass reaches beta, verified by a shallow search in case of zugzwang;
    else less than beta."""
    if estimate == -INFINITY:
        estimate = context.evaluated(game, s, game.to_move(s), ply)
    if estimate < beta or not game.allows_null(s):
        return -INFINITY
    reduced = depth - 3 - depth // 4
    if game.has_noise and estimate >= beta + context.futility:
        reduced -= 1
    beyond = game.null(s)
    context.accumulators.follow_null(ply)
    is_leaf, value = leaf(game, beyond, reduced, -beta, -alpha, ply + 1, NO_ACTION, context)
    if not is_leaf:
        context.keys[ply + 1] = signed(game.key(beyond)) if context.uses(Technique.TABLE) else 0
        value = search(game, beyond, reduced, -beta, -alpha, ply + 1, NO_ACTION, True, context)
    value = min(-value, context.high - context.margin)  # a win by passing proves nothing
    if value < beta or context.stopped():
        return -INFINITY
    if depth >= VERIFIED:
        value = search(game, s, max(reduced, 1), alpha, beta, ply, last, True, context)
    return value


@inlined
def improbable(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, null: bool, context: EngineContext
) -> float:
    """Beta if a shallow search says that `s` is almost surely worth at least that, alpha if almost surely at most that,
    else INFINITY (Multi-ProbCut: several checks, each deeper than the last; Buro 1997)."""
    row, step, limit = min(depth, DEEP - 1), context.unit / 2, context.high - context.margin
    doubts = context.doubts
    for check in range(CHECKS):
        shallow = int(context.predictions[row, 4 * check])
        if shallow <= 0 or shallow >= depth or context.stopped():
            break
        slope, offset = context.predictions[row, 4 * check + 1], context.predictions[row, 4 * check + 2]
        margin = context.predictions[row, 4 * check + 3]
        above, below = (beta - offset + margin) / slope, (alpha - offset - margin) / slope
        if abs(beta) < limit and above < limit:
            if search(game, s, shallow, above - step, above, ply, last, null, context) >= above:
                context.doubts = doubts + 1
                return beta
        if abs(alpha) < limit and below > -limit:
            if search(game, s, shallow, below, below + step, ply, last, null, context) <= below:
                context.doubts = doubts + 1
                return alpha
    context.doubts = doubts
    return INFINITY


@inlined
def value_of_others(
    game: Game,
    s: State,
    depth: int,
    least: float,
    ply: int,
    last: int,
    null: bool,
    action: int,
    context: EngineContext,
) -> float:
    """A bound of the value of `s` without `action`, by a shallower search: at least `least`, or less."""
    context.excluded[ply] = action
    value = search(game, s, (depth - 1) // 2, least - context.unit / 2, least, ply, last, null, context)
    context.excluded[ply] = NO_ACTION
    context.doubts += 1
    return value


@inlined
def try_choices(
    game: Game, s: State, node: Node, form: int, outlook: Outlook, choices: Choices, alone: bool, context: EngineContext
) -> BestChoice:
    """The best of the actions, tried one after another until one refutes."""
    out, alpha, skipped = context.out, node.alpha, context.excluded[node.ply]
    value, best, chosen, tried = -INFINITY, NO_ACTION, choices.start, 0
    beam = min(choices.end, choices.start + context.beam)
    if beam < choices.end:
        context.doubts += 1
    turn = choices.start - 1
    while turn + 1 < beam:
        turn += 1
        i, losing = turn, False
        if choices.sort and turn >= choices.scored:
            if turn == choices.scored:
                score_actions(game, s, node.mover, node.ply, node.last, context, turn, choices.end)
            i, losing = next_action(game, s, context, choices.scored, choices.end)
        action = out[i]
        tried += 1
        if skipped != NO_ACTION and kept(stored_action(game, action, form)) == skipped:
            continue
        noisy = game.has_noise and game.is_noisy(s, action)
        after = game.result(s, action)
        if value > context.low + context.margin and not (game.has_tension and game.is_tense(after)):
            # Not lost, and no threat: some actions need not be tried.
            if (choices.futile or turn >= choices.crowd) and not noisy:
                if choices.futile:
                    value = max(value, hoped(node, outlook, context))
                turn += leave_quiet(game, s, node.ply, action, choices, context)
                continue
            if losing and outlook.calm and node.depth <= 3:
                context.doubts += 1
                context.tracer.pruned(node.ply, action)
                continue
        deeper = node.depth - 1
        if node.ply < 2 * context.root_depth:
            is_alone = alone and turn == choices.start and choices.scored > choices.start
            if is_alone or is_forced(game, s, action, after, choices, context):
                deeper = node.depth
        reduction = 0
        if game.has_noise and turn - choices.start >= 2 and node.depth >= 3 and deeper < node.depth:
            reduction = reduced_by(node, outlook, action, noisy, losing, turn - choices.start, context)
        is_first = turn == choices.start
        context.accumulators.follow(game, s, action, node.ply, out)
        is_leaf, v = value_behind(game, after, action, node, alpha, deeper, reduction, is_first, context)
        if context.stopped():
            break
        if v > value:
            value, best, chosen = v, action, turn
            if v > alpha:
                alpha = v
                if v < node.beta or node.ply == 0 or v > context.high - context.margin:
                    # (Winning at once reaches beta, which step 2 lowered, but is no refutation.)
                    if is_leaf:
                        context.expect_nothing(node.ply + 1)
                    context.follow(node.ply, action)
                if v >= node.beta:
                    break  # the opponent already has better elsewhere
    return BestChoice(value, best, chosen == choices.start, tried)


@inlined
def value_behind(
    game: Game, after: State, action: int, node: Node, alpha: float, deeper: int, reduction: int, is_first: bool,
    context: EngineContext,
) -> tuple[bool, float]:  # fmt: skip
    """Whether `after`, the state after `action`, is a leaf, and its value to the mover at the node; all but the first
    are first tested for whether they are better (principal variation search; Marsland & Campbell 1982)."""
    key, ply, beta = 0, node.ply + 1, node.beta
    if deeper > 1 and context.uses(Technique.TABLE):
        key = signed(game.key(after))
        context.table.expect(key)
    theirs = game.to_move(after) != node.mover
    low, high, sign = (-beta, -alpha, -1.0) if theirs else (alpha, beta, 1.0)  # the window as the other side sees it
    is_leaf, v = leaf(game, after, deeper, low, high, ply, action, context)
    v *= sign
    if not is_leaf:
        context.keys[ply] = key
        v = INFINITY
        techniques = context.techniques
        if deeper <= context.chip:  # the software's part ends here
            context.techniques = techniques & int(CHIP)
        if (not is_first and context.uses(Technique.PVS)) or reduction:
            context.doubts += reduction != 0
            step = context.unit / 2
            near, far = (high - step, high) if theirs else (low, low + step)
            v = sign * search(game, after, deeper - reduction, near, far, ply, action, False, context)
        if v > alpha and (v < beta or reduction or v == INFINITY) and not context.stopped():
            v = sign * search(game, after, deeper, low, high, ply, action, False, context)
        context.techniques = techniques
    return is_leaf, v
