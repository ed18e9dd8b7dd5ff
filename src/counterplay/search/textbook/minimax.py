"""The first rungs of the ladder: one ply, minimax, negamax. Read these before alpha_beta.py and engine.py.

All use the values of memory.py, as the engine does: they are its oracle.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.decision import Decision, Option, ranked
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, Scale
from counterplay.search.suitability import require_budget, require_suitable
from counterplay.search.textbook.context import TextbookContext
from counterplay.search.tracing.tracer import SEARCHED, RecordingTracer, SilentTracer


@kernel
def max_value(game: Game, s: State, player: int, depth: int, ply: int, last: int, context: TextbookContext) -> float:
    """Minimax value of `s` to `player`: the most they can get against best play. `last` is the action that led to `s`,
    at distance `ply` from the root."""
    sign = (
        1.0 if game.to_move(s) == player else -1.0
    )  # leaves and the tracer have values from the mover's point of view
    is_leaf, value = context.enter(game, s, depth, -INFINITY, INFINITY, ply, last)
    if is_leaf:
        return sign * value
    out, start = context.out, context.list_actions(game, s, ply)
    value = -INFINITY if game.to_move(s) == player else INFINITY
    for i in range(start, len(out)):
        v = max_value(game, game.result(s, out[i]), player, depth - 1, ply + 1, out[i], context)
        value = max(value, v) if game.to_move(s) == player else min(value, v)
    return sign * context.leave(ply, start, sign * value)


@kernel
def negamax_value(
    game: Game, s: State, player: int, depth: int, ply: int, last: int, context: TextbookContext
) -> float:
    """Minimax value of `s` to `player`, who is negated wherever the other side is to move."""
    mover = game.to_move(s)
    sign = 1.0 if mover == player else -1.0
    is_leaf, value = context.enter(game, s, depth, -INFINITY, INFINITY, ply, last)
    if is_leaf:
        return sign * value
    out, start = context.out, context.list_actions(game, s, ply)
    value = -INFINITY
    for i in range(start, len(out)):
        value = max(value, negamax_value(game, game.result(s, out[i]), mover, depth - 1, ply + 1, out[i], context))
    return sign * context.leave(ply, start, value)


def greedy(game: Game, s: State) -> Decision:
    """The action with the best estimate of the state after it."""
    return minimax(game, s, 1)


def minimax(
    game: Game, s: State, depth: int, tracer: SilentTracer | RecordingTracer | None = None, before: Sequence[int] = ()
) -> Decision:
    """The best action in `s`, by searching everything to `depth`. `before` are the repetition keys of the positions
    before `s`."""
    return _choose(game, s, depth, max_value, tracer, before)


def negamax(
    game: Game, s: State, depth: int, tracer: SilentTracer | RecordingTracer | None = None, before: Sequence[int] = ()
) -> Decision:
    """The same, with all values from the point of view of the side to move."""
    return _choose(game, s, depth, negamax_value, tracer, before)


def _choose(
    game: Game,
    s: State,
    depth: int,
    value_of: Any,
    tracer: SilentTracer | RecordingTracer | None,
    before: Sequence[int],
) -> Decision:
    require_suitable(game, s, value_of.__name__.removesuffix("_value"), before)
    require_budget(depth)
    started, scale = time.perf_counter(), Scale.of(game)
    context = TextbookContext(game, before=before, tracer=tracer)
    context.repeated(game, s, 0)
    mover, options = game.to_move(s), []
    best, value = NO_ACTION, -INFINITY
    context.nodes = 1
    context.tracer.enter(0, NO_ACTION, mover, depth, -INFINITY, INFINITY)
    for action in legal(game, s, before):
        so_far = context.nodes
        v = value_of(game, game.result(s, action), mover, depth - 1, 1, action, context)
        options.append(Option(action, scale.plain(v), context.nodes - so_far, scale.plies(v)))
        if v > value:
            best, value = action, v
    context.tracer.leave(0, value, SEARCHED)
    return Decision(
        best,
        scale.plain(value),
        (best,),
        depth,
        context.nodes,
        time.perf_counter() - started,
        proven=not context.doubts,
        plies=scale.plies(value),
        counts={"nodes": context.nodes, "leaves": context.leaves},
        options=ranked(options),
    )
