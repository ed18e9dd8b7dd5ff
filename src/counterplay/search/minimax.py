"""The first rungs of the ladder: one ply, minimax, negamax. Read these before alpha_beta.py and engine.py.

All share the values of memory.py with the engine: they are its oracle.
"""

from __future__ import annotations

import time
from typing import Any

from counterplay.core.actions import action_list
from counterplay.core.game import Game
from counterplay.core.kernel import kernel
from counterplay.core.rules import legal
from counterplay.search.decision import Decision
from counterplay.search.memory import NODES, Memory, Scale
from counterplay.search.suitable import require_budget, require_suitable

INFINITY = float("inf")


def greedy(game: Game, s: Any) -> Decision:
    """The action with the best estimate right behind it."""
    return minimax(game, s, 1)


def minimax(game: Game, s: Any, depth: int) -> Decision:
    """The best action in `s` by looking at everything to `depth`."""
    return _choose(game, s, depth, max_value)


def negamax(game: Game, s: Any, depth: int) -> Decision:
    """The same, in the form that is in view of the side to move throughout."""
    return _choose(game, s, depth, negamax_value)


def _choose(game: Game, s: Any, depth: int, value_of: Any) -> Decision:
    require_suitable(game, s, value_of.__name__.removesuffix("_value"))
    require_budget(depth)
    started, memory, out, scale = time.perf_counter(), Memory(game), action_list(game), Scale.of(game)
    mover = game.to_move(s)
    best, value = -1, -INFINITY
    for action in legal(game, s):
        after = game.result(s, action)
        v = value_of(game, after, mover, depth - 1, 1, memory, out)
        if v > value:
            best, value = action, v
    nodes = int(memory.counts[NODES])
    seconds = time.perf_counter() - started
    return Decision(best, scale.plain(value), (best,), depth, nodes, seconds, plies=scale.plies(value))


@kernel
def max_value(game: Any, s: Any, player: int, depth: int, ply: int, memory: Any, out: Any) -> float:
    """Minimax value of `s` to `player`: the best that he can get from a best opponent."""
    memory.counts[NODES] += 1
    mover = game.to_move(s)
    if game.is_terminal(s):
        return memory.terminal(game, s, player, ply)
    if depth == 0:
        # the estimate is the mover's, as in every other search
        return memory.horizon(game, s, mover) if mover == player else -memory.horizon(game, s, mover)
    start = len(out)
    game.actions(s, out)
    value = -INFINITY if mover == player else INFINITY
    for i in range(start, len(out)):
        v = max_value(game, game.result(s, out[i]), player, depth - 1, ply + 1, memory, out)
        value = max(value, v) if mover == player else min(value, v)
    out.truncate(start)
    return value


@kernel
def negamax_value(game: Any, s: Any, player: int, depth: int, ply: int, memory: Any, out: Any) -> float:
    """Minimax value of `s` to `player`, who is negated wherever the other side is to move."""
    memory.counts[NODES] += 1
    mover = game.to_move(s)
    sign = 1.0 if mover == player else -1.0
    if game.is_terminal(s):
        return sign * memory.terminal(game, s, mover, ply)
    if depth == 0:
        return sign * memory.horizon(game, s, mover)
    start = len(out)
    game.actions(s, out)
    value = -INFINITY
    for i in range(start, len(out)):
        value = max(value, negamax_value(game, game.result(s, out[i]), mover, depth - 1, ply + 1, memory, out))
    out.truncate(start)
    return sign * value
