"""In which order the engine tries the actions of a position: first the table's, then by the game's hint and by experience.

All work in place on a part of the action list, so that nothing is sorted that a refutation leaves unseen.
"""

from __future__ import annotations

from typing import Any

from counterplay.search.folding import stored_action
from counterplay.search.table import NO_ACTION, kept
from counterplay.search.technique import Technique

T_ORDERING, T_KILLERS = int(Technique.ORDERING), int(Technique.KILLERS)
T_HISTORY, T_COUNTERS = int(Technique.HISTORY), int(Technique.COUNTERS)
NOISY, KILLER, COUNTER = 1 << 40, 1 << 38, 1 << 36


def drop_barred(memory: Any, out: Any, start: int) -> None:
    """Take the actions that the root leaves out from out[start:]."""
    left = start
    for i in range(start, len(out)):
        is_barred = False
        for j in range(1, memory.barred[0] + 1):
            is_barred |= memory.barred[j] == out[i]
        if not is_barred:
            out[left] = out[i]
            left += 1
    out.truncate(left)


def promote(game: Any, known: int, form: int, out: Any, start: int, end: int) -> bool:
    """Bring the table's action to the front of out[start:end], keeping the order of the others; whether it is there."""
    for i in range(start, end):
        action = out[i]
        if kept(stored_action(game, action, form)) == kept(known):
            for j in range(i, start, -1):
                out[j] = out[j - 1]
            out[start] = action
            return True
    return False


def score_actions(
    game: Any, s: Any, mover: int, ply: int, last: int, uses: int, memory: Any, out: Any, start: int, end: int
) -> None:
    """Score the actions out[start:end]: by the game's hint and noise, killers, answers, history."""
    answer, killer, other = NO_ACTION, NO_ACTION, NO_ACTION
    if last >= 0 and uses & T_COUNTERS:
        answer = memory.answers[memory.slot(mover, last)]
    if uses & T_KILLERS:
        killer, other = memory.killers[2 * ply], memory.killers[2 * ply + 1]
    for i in range(start, end):
        action = out[i]
        score = 0
        if uses & T_HISTORY:
            score = min(memory.history[memory.slot(mover, action)], (1 << 20) - 1)
        if uses & T_ORDERING:
            if game.has_ordering:
                score += game.ordering(s, action) << 20
            if game.has_noise and game.is_noisy(s, action):
                score += NOISY
        if action == killer:
            score += KILLER
        elif action == other:
            score += KILLER >> 1
        if action == answer:
            score += COUNTER
        memory.scores[i] = score


def bring_best(memory: Any, out: Any, at: int, end: int) -> None:
    """Bring the best-scored action of out[at:end] to `at`, keeping the order of equals."""
    best = at
    for i in range(at + 1, end):
        if memory.scores[i] > memory.scores[best]:
            best = i
    if best > at:
        action, score = out[best], memory.scores[best]
        for i in range(best, at, -1):
            out[i] = out[i - 1]
            memory.scores[i] = memory.scores[i - 1]
        out[at] = action
        memory.scores[at] = score
