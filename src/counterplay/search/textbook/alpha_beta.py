"""Alpha-beta search (Knuth & Moore 1975), fail-soft, from the point of view of the side to move.

The plain algorithm, as a lecture shows it: no table, no ordering beyond the game's own order of actions, utilities as
they are. Turns need not alternate: the window is negated only if the player changes. The techniques that improve it are
in engine.py.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from counterplay.core.game import Game
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.search.decision import Decision
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY
from counterplay.search.suitability import require_budget, require_suitable
from counterplay.search.textbook.context import TextbookContext
from counterplay.search.tracing.tracer import RecordingTracer, SilentTracer


@kernel
def alpha_beta(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, last: int, context: TextbookContext
) -> float:
    """Value of `s` to the side to move: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from
    above. `last` is the action that led to `s`, at distance `ply` from the root."""
    is_leaf, value = context.enter(game, s, depth, alpha, beta, ply, last)
    if is_leaf:
        return value
    mover, out, start = game.to_move(s), context.out, context.list_actions(game, s, ply)
    value = -INFINITY
    for i in range(start, len(out)):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = alpha_beta(game, after, depth - 1, alpha, beta, ply + 1, out[i], context)
        else:
            v = -alpha_beta(game, after, depth - 1, -beta, -alpha, ply + 1, out[i], context)
        value = max(value, v)
        alpha = max(alpha, v)
        if alpha >= beta:
            context.cut(ply, i + 1)
            break  # the opponent already has better elsewhere
    return context.leave(ply, start, value)


@kernel
def best_action(game: Game, s: State, depth: int, context: TextbookContext) -> tuple[int, float]:
    """The first best action of the root and its value."""
    context.repeated(game, s, 0)  # only recorded: the root is searched
    mover, out, start = game.to_move(s), context.out, context.list_actions(game, s, 0)
    context.tracer.enter(0, NO_ACTION, mover, depth, -INFINITY, INFINITY)
    best, value = out[start], -INFINITY
    for i in range(start, len(out)):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = alpha_beta(game, after, depth - 1, value, INFINITY, 1, out[i], context)
        else:
            v = -alpha_beta(game, after, depth - 1, -INFINITY, -value, 1, out[i], context)
        if v > value:
            best, value = out[i], v
    return best, context.leave(0, start, value)


def search(
    game: Game, s: State, depth: int, tracer: SilentTracer | RecordingTracer | None = None, before: Sequence[int] = ()
) -> Decision:
    """The best action in `s`, looking `depth` plies ahead; `evaluate` judges the horizon. `before` are the repetition
    keys of the positions before `s`."""
    require_suitable(game, s, "alpha-beta", before)
    require_budget(depth)
    started, context = time.perf_counter(), TextbookContext(game, dates=False, before=before, tracer=tracer)
    action, value = best_action(game, s, depth, context)
    seconds = time.perf_counter() - started
    value = float(value) + 0.0  # -0.0 is 0.0
    return Decision(int(action), value, (int(action),), depth, context.nodes, seconds, not context.doubts)
