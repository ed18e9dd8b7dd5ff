"""Quiescence search (Turing 1953; Beal 1990): beyond the horizon only noisy actions are followed, until a position can be
judged as it stands. Where it cannot (a king in check, a capture that must be made), nobody may leave it at the estimate,
and every action is followed."""

from __future__ import annotations

from typing import Any

from counterplay.core.language.kernel import kernel
from counterplay.core.rules import payoff
from counterplay.search.engine.move_ordering import T_EXCHANGES, TRIED, best_score, place_of, score_actions, score_noisy
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, MAX_PLY, NODES, QUIET, ROOT_DEPTH

BEYOND = 16
"""So many plies beyond twice the depth of the search, even positions that cannot be judged are judged."""


@kernel
def quiesce(game: Any, s: Any, alpha: float, beta: float, ply: int, memory: Any, out: Any) -> float:
    """Value of `s` when only noisy actions are followed and the side to move may also leave it at the estimate."""
    mover = game.to_move(s)
    tense = game.has_tension and game.is_tense(s) and ply < 2 * memory.limits[ROOT_DEPTH] + BEYOND
    value = -INFINITY
    if not tense or ply >= MAX_PLY or memory.stopped():
        value = memory.evaluated_within(game, s, mover, alpha, beta)
        if value >= beta or ply >= MAX_PLY or memory.stopped():
            return value
        alpha = max(alpha, value)
    start = len(out)
    if tense:
        memory.list_options(game, s, ply, out)
        score_actions(game, s, mover, ply, NO_ACTION, memory.techniques[0], memory, out, start, len(out))
    else:
        memory.list_noisy(game, s, ply, out)
        score_noisy(game, s, memory, out, start, len(out))
    end = len(out)
    for _ in range(start, end):
        score = best_score(memory, start, end)
        if score == TRIED:
            break
        i = place_of(score, start)
        memory.scores[i] = TRIED
        action = out[i]
        if game.has_exchanges and not tense and memory.uses(T_EXCHANGES) and game.is_losing(s, action):
            continue
        memory.counts[NODES] += 1
        memory.counts[QUIET] += 1
        after = game.result(s, action)
        if game.is_terminal(after):
            v = memory.terminal(game, after, mover, ply + 1)
        elif memory.repeated_beyond(game, after, ply + 1):
            v = memory.dated(payoff(game, after, mover), ply + 1)
        elif game.to_move(after) != mover:
            v = -quiesce(game, after, -beta, -alpha, ply + 1, memory, out)
        else:
            v = quiesce(game, after, alpha, beta, ply + 1, memory, out)
        if v > value:
            value = v
            alpha = max(alpha, v)
            if value >= beta:
                break
    out.truncate(start)
    return value if value > -INFINITY else memory.evaluated(game, s, mover)
