"""Temporal differences: what a state is worth is learned from what it is worth a little later (Samuel 1959, Sutton 1988).

A game is played against oneself, by what is known so far, and then gone through backwards: each state learns from the
lambda-return of what followed (which is what eligibility traces add up to), with the dice as they fell. States are judged
where somebody has just acted: Tesauro's TD-Gammon (1992, 1995) did so with a network, Samuel's checkers player with
weighted terms. Where chance brings no variety, an action is drawn at random now and then; nothing is learned across it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.game import CHANCE
from counterplay.core.language.actions import action_stack
from counterplay.core.language.features import Features, blank
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.workspace import Workspace
from counterplay.core.rules import pick_evenly
from counterplay.learning.heads import Head, expected, spread_out, turn_around

LONGEST = 1024
"""States of a game that are learned from; of a longer game, nothing is learned."""
GAMES, POSITIONS, JUDGED, UNFINISHED = range(4)


class Diary(Workspace):
    """What is known of the game in progress, and counts."""

    def __init__(self, game: Any, outcomes: int) -> None:
        self.outcomes, self.players = outcomes, game.players
        self.chances = np.zeros(LONGEST * outcomes, np.float32)  # [states, outcomes] as they were judged in play
        self.stages = np.zeros(LONGEST, np.int64)
        self.viewers = np.zeros(LONGEST, np.int64)
        self.gambles = np.zeros(LONGEST, np.int64)  # whether an action drawn at random led here
        self.counts = np.zeros(4, np.int64)
        self.errors = np.zeros(1)  # the sum of squared surprises


class TemporalDifferences:
    """All that a learner by temporal differences needs beside its weights."""

    def __init__(self, game: Any, head: Head, seed: int) -> None:
        self.game, self.head = game, head
        self.diary = Diary(game, len(head.payoffs))
        self.index = np.zeros((LONGEST, game.learned_room), np.int32)
        self.value = np.zeros((LONGEST, game.learned_room), np.float32)
        self.used = np.zeros(LONGEST, np.int64)
        self.rng, self.out = Rng(seed), action_stack(game)

    def learn(self, games: int, trace: float, rate: float, gamble: float) -> None:
        """Play so many games and learn from each; the counts are those of this time."""
        self.diary.counts[:], self.diary.errors[0] = 0, 0.0
        learn(
            self.game, self.head, self.diary, games, float(trace), float(rate), float(gamble),
            self.index, self.value, self.used, self.rng, self.out,
        )  # fmt: skip


@kernel
def learn(
    game: Any, head: Any, diary: Any, games: int, trace: float, rate: float, gamble: float,
    index: Any, value: Any, used: Any, rng: Any, out: Any,
) -> None:  # fmt: skip
    """Play `games` games, learning from each by TD(`trace`) at `rate`."""
    hidden, chances = np.empty(head.hidden_size, np.float32), np.empty(diary.outcomes, np.float32)
    target, scratch, path = np.empty(diary.outcomes, np.float32), blank(game.learned_room), np.empty(0, np.int64)
    for _ in range(games):
        s, t, risky = game.initial(), 0, False
        while not game.is_terminal(s) and t < LONGEST:
            mover = game.to_move(s)
            if mover == CHANCE:
                s = game.result(s, pick_evenly(game, s, path, 0, out, rng))
            else:
                if gamble > 0.0 and rng.uniform() < gamble:
                    s, risky = game.result(s, pick_evenly(game, s, path, 0, out, rng)), True
                else:
                    s = game.result(s, pick_best(game, s, head, diary, scratch, hidden, chances, out))
            if game.is_terminal(s) or (mover == CHANCE and game.to_move(s) != CHANCE):
                continue  # what chance has just brought is part of the state before
            used[t] = 0
            seen = Features(index[t], value[t], used[t : t + 1])
            game.learned_encode(s, seen)
            diary.stages[t], diary.viewers[t], diary.gambles[t] = game.stage(s), game.viewer(s), risky
            head.forward(diary.stages[t], seen, hidden, chances)
            for o in range(diary.outcomes):
                diary.chances[t * diary.outcomes + o] = chances[o]
            t, risky = t + 1, False
        diary.counts[GAMES] += 1
        diary.counts[POSITIONS] += t
        if not game.is_terminal(s):
            diary.counts[UNFINISHED] += 1
            continue
        viewer = game.viewer(s)
        spread_out(game.utility(s, viewer), head.payoffs, target)
        look_back(game, head, diary, t, viewer, risky, trace, rate, index, value, used, hidden, chances, target)


def look_back(
    game: Any, head: Any, diary: Any, length: int, viewer: int, risky: bool, trace: float, rate: float,
    index: Any, value: Any, used: Any, hidden: Any, chances: Any, target: Any,
) -> None:  # fmt: skip
    """Learn from a game of `length` states that ended with `target`, in view of `viewer`."""
    number = diary.outcomes
    for t in range(length - 1, -1, -1):
        if diary.viewers[t] != viewer and diary.players == 2:
            turn_around(target)
        viewer = diary.viewers[t]
        if risky:  # another action would have been taken
            for o in range(number):
                target[o] = diary.chances[t * number + o]
        else:
            seen = Features(index[t], value[t], used[t : t + 1])
            head.forward(diary.stages[t], seen, hidden, chances)
            for o in range(number):
                diary.errors[0] += (target[o] - chances[o]) ** 2
            head.backward(diary.stages[t], seen, hidden, chances, target, rate)
            for o in range(number):
                target[o] = trace * target[o] + (1.0 - trace) * diary.chances[t * number + o]
        risky = diary.gambles[t] != 0


def pick_best(game: Any, s: Any, head: Any, diary: Any, scratch: Any, hidden: Any, chances: Any, out: Any) -> int:
    """The action behind which the player to move is best off."""
    mover, start = game.to_move(s), len(out)
    game.actions(s, out.fresh())
    end, best, chosen = len(out), -np.inf, out[start]
    if end - start > 1:
        for i in range(start, end):
            worth = worth_behind(game, game.result(s, out[i]), mover, head, scratch, hidden, chances)
            if worth > best:
                best, chosen = worth, out[i]
        diary.counts[JUDGED] += end - start
    out.truncate(start)
    return chosen


def worth_behind(game: Any, s: Any, player: int, head: Any, scratch: Any, hidden: Any, chances: Any) -> float:
    """What `s` is worth to `player`, by the rules where the game is over."""
    if game.is_terminal(s):
        return float(game.utility(s, player))
    scratch.used[0] = 0
    game.learned_encode(s, scratch)
    head.forward(game.stage(s), scratch, hidden, chances)
    value = expected(chances, head.payoffs)
    return value if game.players == 1 or game.viewer(s) == player else -value


@kernel
def duel(
    game: Any, one: Any, two: Any, diary: Any, games: int, opening: int, rng: Any, out: Any
) -> tuple[float, float]:
    """What `one` gets from `two` on the average, each beginning half of the games, after `opening` actions drawn at random;
    and the standard error."""
    hidden, second = np.empty(one.hidden_size, np.float32), np.empty(two.hidden_size, np.float32)
    chances, other = np.empty(one.outcomes, np.float32), np.empty(two.outcomes, np.float32)
    scratch, path = blank(game.learned_room), np.empty(0, np.int64)
    total, squares = 0.0, 0.0
    for k in range(games):
        s, plies = game.initial(), 0
        while not game.is_terminal(s) and plies < LONGEST:
            mover = game.to_move(s)
            if mover == CHANCE or plies < opening:
                action = pick_evenly(game, s, path, 0, out, rng)
            elif mover == k % 2:
                action = pick_best(game, s, one, diary, scratch, hidden, chances, out)
            else:
                action = pick_best(game, s, two, diary, scratch, second, other, out)
            s = game.result(s, action)
            plies += 1
        gained = game.utility(s, k % 2) if game.is_terminal(s) else 0.0
        total += gained
        squares += gained * gained
    mean = total / games
    return mean, np.sqrt(max(squares / games - mean * mean, 0.0) / games)
