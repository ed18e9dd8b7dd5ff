"""Alpha-beta search (Knuth & Moore 1975), fail-soft, in the view of the side to move.

The plain algorithm: no table, no ordering beyond the game's own order of actions. Turns need not alternate: the window
is turned around only where the player changes.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.actions import action_list
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.kernel import kernel
from counterplay.core.memory import pointer
from counterplay.core.rules import legal

INFINITY = float("inf")
MAX_DEPTH = 512


class Decision(NamedTuple):
    """What a search found."""

    action: int
    value: float  # in view of the side to move
    depth: int
    nodes: int


def search(game: Game, s: Any, depth: int) -> Decision:
    """The best action in `s`, looking `depth` plies ahead; `evaluate` judges the horizon."""
    require_open(game, s)
    if depth < 1:
        raise CounterplayError(f"a search looks at least 1 ply ahead, not {depth}")
    nodes = np.zeros(1, np.int64)
    action, value = _best(game, s, depth, action_list(game), nodes)
    return Decision(int(action), float(value), depth, int(nodes[0]))


def deepen(game: Game, s: Any, seconds: float) -> Decision:
    """Search ever deeper until the time is up; the last iteration is not begun if it is unlikely to end in time."""
    if seconds <= 0:
        raise CounterplayError(f"a search needs more than {seconds:g} seconds")
    best = search(game, s, 1)
    started, before = time.perf_counter(), 0.0
    for depth in range(2, MAX_DEPTH):
        found = search(game, s, depth)
        spent = time.perf_counter() - started
        growth = max(2.0, spent / before) if before else 4.0
        deeper_changes_nothing = found.nodes == best.nodes
        best, before = found, spent
        if deeper_changes_nothing or spent * growth > seconds:
            break
    return best


def require_open(game: Game, s: Any) -> None:
    """Refuse games that alpha-beta does not suit, and positions without a choice."""
    traits = game.traits
    if traits.chance:
        raise Unsuitable(f"alpha-beta does not suit {game.spec}, which has chance; `random` plays it")
    if traits.hidden:
        raise Unsuitable(f"alpha-beta does not suit {game.spec}, which hides information; `random` plays it")
    if traits.players != 2 or not traits.zero_sum:
        raise Unsuitable(f"alpha-beta suits two players with opposite interests, not {game.spec}; `random` plays it")
    if not legal(game, s):
        raise CounterplayError("there is nothing to search: the game is over")


@kernel
def _best(game: Any, s: Any, depth: int, out: Any, nodes: Any) -> tuple[int, float]:
    """The first best action of the root and its value."""
    mover = game.to_move(s)
    start = len(out)
    game.actions(s, out)
    end = len(out)
    best, value = out[start], -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = alpha_beta(game, after, depth - 1, value, INFINITY, out, pointer(nodes))
        else:
            v = -alpha_beta(game, after, depth - 1, -INFINITY, -value, out, pointer(nodes))
        if v > value:
            best, value = out[i], v
    out.truncate(start)
    return best, value


@kernel
def alpha_beta(game: Any, s: Any, depth: int, alpha: float, beta: float, out: Any, nodes: Any) -> float:
    """Value of `s` to the side to move: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from
    above."""
    nodes[0] += 1
    mover = game.to_move(s)
    if game.is_terminal(s):
        return game.utility(s, mover)
    if depth == 0:
        return game.evaluate(s, mover)
    start = len(out)
    game.actions(s, out)
    end = len(out)
    value = -INFINITY
    for i in range(start, end):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            v = alpha_beta(game, after, depth - 1, alpha, beta, out, nodes)
        else:
            v = -alpha_beta(game, after, depth - 1, -beta, -alpha, out, nodes)
        if v > value:
            value = v
            if value > alpha:
                alpha = value
                if alpha >= beta:
                    break  # the opponent already has better elsewhere
    out.truncate(start)
    return value
