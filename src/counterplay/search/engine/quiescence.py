"""Quiescence search (Turing 1953; Beal 1990): beyond the horizon only noisy actions are followed, until a position is
quiet enough for a static evaluation. If a position is tense (a king in check, a forced capture), standing pat is not
allowed, and every action is followed."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import payoff
from counterplay.core.types import State
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.move_ordering import TRIED, best_score, index_of, score_actions, score_noisy
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY, MAX_PLY

BEYOND = 16
"""This many plies beyond twice the depth of the search, even tense positions are evaluated."""


@kernel
def quiesce(game: Game, s: State, alpha: float, beta: float, ply: int, context: EngineContext) -> float:
    """Value of `s` if only noisy actions are followed and the side to move can also stand pat."""
    mover, out = game.to_move(s), context.out
    tense = game.has_tension and game.is_tense(s) and ply < 2 * context.root_depth + BEYOND
    value = -INFINITY
    if not tense or ply >= MAX_PLY or context.stopped():
        value = context.evaluated_within(game, s, mover, ply, alpha, beta)
        if value >= beta or ply >= MAX_PLY or context.stopped():
            return value
        alpha = max(alpha, value)
    start = len(out)
    if tense:
        context.list_options(game, s, ply)
        score_actions(game, s, mover, ply, NO_ACTION, context, start, len(out))
    else:
        context.list_noisy(game, s, ply)
        score_noisy(game, s, context, start, len(out))
    end = len(out)
    for _ in range(start, end):
        score = best_score(context, start, end)
        if score == TRIED:
            break
        i = index_of(score, start)
        context.scores[i] = TRIED
        action = out[i]
        if game.has_exchanges and not tense and context.uses(Technique.EXCHANGES) and game.is_losing(s, action):
            continue
        context.nodes += 1
        context.quiescence += 1
        after = game.result(s, action)
        if game.is_terminal(after):
            v = context.terminal(game, after, mover, ply + 1)
        elif context.repeated_beyond(game, after, ply + 1):
            v = context.dated(payoff(game, after, mover), ply + 1)
        else:
            context.accumulators.follow(game, s, action, ply, out)
            if game.to_move(after) != mover:
                v = -quiesce(game, after, -beta, -alpha, ply + 1, context)
            else:
                v = quiesce(game, after, alpha, beta, ply + 1, context)
        if v > value:
            value = v
            alpha = max(alpha, v)
            if value >= beta:
                break
    out.truncate(start)
    return value if value > -INFINITY else context.evaluated(game, s, mover, ply)
