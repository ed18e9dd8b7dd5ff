"""The order in which the engine tries the actions of a position: first the table's, then by the game's hint and
experience.

Scores are kept parallel to the action list, and the best remaining one is selected each time, so no sorting is wasted
if an action refutes. The low bits of a score are the action's index in the list: no two are equal, and ties go to the
action listed first.
"""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.marks import inlined
from counterplay.core.types import State
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.symmetry import stored_action
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import NO_ACTION, kept

NOISY, KILLER, COUNTER = 1 << 41, 1 << 39, 1 << 37
HINT = 1 << 19
"""The limit of hints, above and below 0."""
PLACE = 1 << 16
"""More actions than a game lists."""
TRIED = -(1 << 62)
"""The score of an action that was tried or is left out."""


def drop_barred(context: EngineContext, start: int) -> None:
    """Remove the actions that the root excludes from those from `start` on."""
    out, left = context.out, start
    for i in range(start, len(out)):
        is_barred = False
        for j in range(context.barred):
            is_barred |= context.barred_actions[j] == out[i]
        if not is_barred:
            out[left] = out[i]
            left += 1
    out.truncate(left)


def promote(game: Game, known: int, form: int, context: EngineContext, start: int, end: int) -> bool:
    """Bring the table's action to the front of those from `start` to `end`, keeping the order of the others; returns
    whether it is there."""
    out = context.out
    for i in range(start, end):
        action = out[i]
        if kept(stored_action(game, action, form)) == kept(known):
            for j in range(i, start, -1):
                out[j] = out[j - 1]
            out[start] = action
            return True
    return False


def score_actions(
    game: Game, s: State, mover: int, ply: int, last: int, context: EngineContext, start: int, end: int
) -> None:
    """Score the actions from `start` to `end`: by the game's hint and noise, killers, answers, history."""
    out, answer, killer, other = context.out, NO_ACTION, NO_ACTION, NO_ACTION
    if last >= 0 and context.uses(Technique.COUNTERS):
        answer = context.answers[mover, context.slot(last)]
    if context.uses(Technique.KILLERS):
        killer, other = context.killers[ply, 0], context.killers[ply, 1]
    hints, remembers = context.uses(Technique.ORDERING), context.uses(Technique.HISTORY)
    for i in range(start, end):
        action = out[i]
        score = hint(game, s, action) if hints else 0
        if remembers:
            score += int(context.history[mover, context.slot(action)])
        if action == killer:
            score += KILLER
        elif action == other:
            score += KILLER >> 1
        if action == answer:
            score += COUNTER
        context.scores[i] = score * PLACE + (PLACE - 1 - (i - start))


def score_noisy(game: Game, s: State, context: EngineContext, start: int, end: int) -> None:
    """Score the actions from `start` to `end` beyond the horizon: by the game's hint; quiet actions are not tried."""
    out = context.out
    for i in range(start, end):
        if game.is_noisy(s, out[i]):
            context.scores[i] = hint(game, s, out[i]) * PLACE + (PLACE - 1 - (i - start))
        else:
            context.scores[i] = TRIED


def hint(game: Game, s: State, action: int) -> int:
    """The part of the score that comes from the game."""
    score = 0
    if game.has_noise and game.is_noisy(s, action):
        score = NOISY
    if game.has_ordering:
        score += min(max(game.ordering(s, action), -HINT), HINT) << 20
    return score


def best_score(context: EngineContext, start: int, end: int) -> int:
    """The best score among the untried actions from `start` to `end`; TRIED if none remains."""
    best = TRIED
    for i in range(start, end):
        best = max(best, context.scores[i])
    return best


def index_of(score: int, start: int) -> int:
    """The index of the action with this score."""
    return start + PLACE - 1 - (score & (PLACE - 1))


@inlined
def next_action(game: Game, s: State, context: EngineContext, start: int, end: int) -> tuple[int, bool]:
    """The index of the next action to try, and whether it is a noisy one that loses: those wait until the others have
    been tried."""
    while True:
        best = best_score(context, start, end)
        i = index_of(best, start)
        context.scores[i] = TRIED
        if not game.has_exchanges or not context.uses(Technique.EXCHANGES):
            return i, False
        if best < -(NOISY // 2) * PLACE:
            return i, True
        if best < NOISY // 2 * PLACE or not game.is_losing(s, context.out[i]):
            return i, False
        context.scores[i] = best - 2 * NOISY * PLACE
