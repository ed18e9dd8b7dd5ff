"""Alpha-beta search (Knuth & Moore 1975), fail-soft, in the view of the side to move.

The plain algorithm, as a lecture shows it: no table, no ordering beyond the game's own order of actions, utilities as
they are. Turns need not alternate: the window is turned around only where the player changes. What sharpens it is in
engine.py.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import payoff
from counterplay.search.decision import Decision
from counterplay.search.memory import INFINITY, NODES, Memory
from counterplay.search.suitability import require_budget, require_suitable
from counterplay.search.tracing.tracer import HORIZON, SEARCHED, TERMINAL, Recorder, Silent


def search(
    game: Game, s: Any, depth: int, tracer: Silent | Recorder | None = None, before: Sequence[int] = ()
) -> Decision:
    """The best action in `s`, looking `depth` plies ahead; `evaluate` judges the horizon. `before` are the repetition
    keys of the positions before `s`."""
    require_suitable(game, s, "alpha-beta", before)
    require_budget(depth)
    started, memory = time.perf_counter(), Memory(game, before=before)
    action, value = _best(game, s, depth, memory, tracer or Silent(), action_stack(game))
    seconds = time.perf_counter() - started
    value = float(value) + 0.0  # -0.0 is 0.0
    return Decision(int(action), value, (int(action),), depth, int(memory.counts[NODES]), seconds, not memory.doubts[0])


@kernel
def _best(game: Any, s: Any, depth: int, memory: Any, tracer: Any, out: Any) -> tuple[int, float]:
    """The first best action of the root and its value."""
    memory.repeated(game, s, 0)  # only noted: the root is searched
    mover = game.to_move(s)
    tracer.enter(0, -1, mover, depth, -INFINITY, INFINITY)
    start = len(out)
    memory.list_options(game, s, 0, out)
    end = len(out)
    best, value = out[start], -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = alpha_beta(game, after, depth - 1, value, INFINITY, 1, out[i], memory, tracer, out)
        else:
            v = -alpha_beta(game, after, depth - 1, -INFINITY, -value, 1, out[i], memory, tracer, out)
        if v > value:
            best, value = out[i], v
    out.truncate(start)
    tracer.leave(0, value, SEARCHED)
    return best, value


@kernel
def alpha_beta(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, last: int, memory: Any, tracer: Any, out: Any
) -> float:
    """Value of `s` to the side to move: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from
    above. `last` is the action that led to `s`, at distance `ply` from the root."""
    memory.counts[NODES] += 1
    mover = game.to_move(s)
    tracer.enter(ply, last, mover, depth, alpha, beta)
    if game.is_terminal(s):
        value = game.utility(s, mover)
        tracer.leave(ply, value, TERMINAL)
        return value
    if memory.repeated(game, s, ply):
        value = payoff(game, s, mover)
        tracer.leave(ply, value, TERMINAL)
        return value
    if depth == 0:
        memory.doubts[0] += 1
        value = game.evaluate(s, mover)
        tracer.leave(ply, value, HORIZON)
        return value
    start = len(out)
    memory.list_options(game, s, ply, out)
    end = len(out)
    value = -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = alpha_beta(game, after, depth - 1, alpha, beta, ply + 1, out[i], memory, tracer, out)
        else:
            v = -alpha_beta(game, after, depth - 1, -beta, -alpha, ply + 1, out[i], memory, tracer, out)
        if v > value:
            value = v
            if value > alpha:
                alpha = value
                if alpha >= beta:  # the opponent already has better elsewhere
                    tracer.cut(ply, out, i + 1, end)
                    break
    if start == end:  # every action is forbidden by repetition
        value = 0.0
    out.truncate(start)
    tracer.leave(ply, value, SEARCHED)
    return value
