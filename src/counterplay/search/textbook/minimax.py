"""The first rungs of the ladder: one ply, minimax, negamax. Read these before alpha_beta.py and engine.py.

All share the values of memory.py with the engine: they are its oracle.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import legal, payoff
from counterplay.search.decision import Decision, Option, ranked
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, LEAVES, NODES, Memory, Scale
from counterplay.search.suitability import require_budget, require_suitable
from counterplay.search.tracing.tracer import HORIZON, SEARCHED, TERMINAL, Recorder, Silent


def greedy(game: Game, s: Any) -> Decision:
    """The action with the best estimate right behind it."""
    return minimax(game, s, 1)


def minimax(
    game: Game, s: Any, depth: int, tracer: Silent | Recorder | None = None, before: Sequence[int] = ()
) -> Decision:
    """The best action in `s` by looking at everything to `depth`. `before` are the repetition keys of the positions
    before `s`."""
    return _choose(game, s, depth, max_value, tracer or Silent(), before)


def negamax(
    game: Game, s: Any, depth: int, tracer: Silent | Recorder | None = None, before: Sequence[int] = ()
) -> Decision:
    """The same, in the form that is in view of the side to move throughout."""
    return _choose(game, s, depth, negamax_value, tracer or Silent(), before)


def _choose(
    game: Game, s: Any, depth: int, value_of: Any, tracer: Silent | Recorder, before: Sequence[int]
) -> Decision:
    require_suitable(game, s, value_of.__name__.removesuffix("_value"), before)
    require_budget(depth)
    started, out, scale = time.perf_counter(), action_stack(game), Scale.of(game)
    memory = Memory(game, before=before)
    memory.repeated(game, s, 0)
    mover, options = game.to_move(s), []
    best, value = NO_ACTION, -INFINITY
    memory.counts[NODES] = 1
    tracer.enter(0, NO_ACTION, mover, depth, -INFINITY, INFINITY)
    for action in legal(game, s, before):
        so_far = int(memory.counts[NODES])
        v = value_of(game, game.result(s, action), mover, depth - 1, 1, action, memory, tracer, out)
        options.append(Option(action, scale.plain(v), int(memory.counts[NODES]) - so_far, scale.plies(v)))
        if v > value:
            best, value = action, v
    tracer.leave(0, value, SEARCHED)
    nodes, leaves = int(memory.counts[NODES]), int(memory.counts[LEAVES])
    return Decision(
        best,
        scale.plain(value),
        (best,),
        depth,
        nodes,
        time.perf_counter() - started,
        proven=not memory.doubts[0],
        plies=scale.plies(value),
        counts={"nodes": nodes, "leaves": leaves},
        options=ranked(options),
    )


@kernel
def max_value(
    game: Any, s: Any, player: int, depth: int, ply: int, last: int, memory: Any, tracer: Any, out: Any
) -> float:
    """Minimax value of `s` to `player`: the best that he can get from a best opponent. `last` is the action that led to
    `s`, at distance `ply` from the root."""
    memory.counts[NODES] += 1
    mover = game.to_move(s)
    sign = 1.0 if mover == player else -1.0  # estimates, and what a tracer hears, are the mover's, as in other searches
    tracer.enter(ply, last, mover, depth, -INFINITY, INFINITY)
    if game.is_terminal(s):
        memory.counts[LEAVES] += 1
        value = memory.terminal(game, s, player, ply)
        tracer.leave(ply, sign * value, TERMINAL)
        return value
    if memory.repeated(game, s, ply):
        memory.counts[LEAVES] += 1
        value = memory.dated(payoff(game, s, player), ply)
        tracer.leave(ply, sign * value, TERMINAL)
        return value
    if depth == 0:
        memory.counts[LEAVES] += 1
        memory.doubts[0] += 1
        value = sign * memory.horizon(game, s, mover)
        tracer.leave(ply, sign * value, HORIZON)
        return value
    start = len(out)
    memory.list_options(game, s, ply, out)
    value = -sign * INFINITY
    for i in range(start, len(out)):
        v = max_value(game, game.result(s, out[i]), player, depth - 1, ply + 1, out[i], memory, tracer, out)
        value = max(value, v) if mover == player else min(value, v)
    if start == len(out):  # every action is forbidden by repetition
        value = 0.0
    out.truncate(start)
    tracer.leave(ply, sign * value, SEARCHED)
    return value


@kernel
def negamax_value(
    game: Any, s: Any, player: int, depth: int, ply: int, last: int, memory: Any, tracer: Any, out: Any
) -> float:
    """Minimax value of `s` to `player`, who is negated wherever the other side is to move."""
    memory.counts[NODES] += 1
    mover = game.to_move(s)
    sign = 1.0 if mover == player else -1.0
    tracer.enter(ply, last, mover, depth, -INFINITY, INFINITY)
    if game.is_terminal(s):
        memory.counts[LEAVES] += 1
        value = memory.terminal(game, s, mover, ply)
        tracer.leave(ply, value, TERMINAL)
        return sign * value
    if memory.repeated(game, s, ply):
        memory.counts[LEAVES] += 1
        value = memory.dated(payoff(game, s, mover), ply)
        tracer.leave(ply, value, TERMINAL)
        return sign * value
    if depth == 0:
        memory.counts[LEAVES] += 1
        memory.doubts[0] += 1
        value = memory.horizon(game, s, mover)
        tracer.leave(ply, value, HORIZON)
        return sign * value
    start = len(out)
    memory.list_options(game, s, ply, out)
    value = -INFINITY
    for i in range(start, len(out)):
        after = game.result(s, out[i])
        value = max(value, negamax_value(game, after, mover, depth - 1, ply + 1, out[i], memory, tracer, out))
    if start == len(out):  # every action is forbidden by repetition
        value = 0.0
    out.truncate(start)
    tracer.leave(ply, value, SEARCHED)
    return sign * value
