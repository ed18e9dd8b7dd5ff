"""Temporal differences: the value of a state is learned from its value a little later (Samuel 1959, Sutton 1988).

A game is played against oneself by the current weights, and then traversed backwards: each state learns from the
lambda-return of what followed (which is what eligibility traces add up to), with the dice as they fell. States are
evaluated just after someone has acted: Tesauro's TD-Gammon (1992, 1995) did so with a network, Samuel's checkers player
with weighted terms. If chance brings no variety, an action is sometimes drawn at random; nothing is learned across it.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from counterplay.core.game import CHANCE
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.features import Features, blank
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.workspace import Array, Workspace, f32, f64, i64
from counterplay.core.rules import pick_evenly
from counterplay.core.types import State
from counterplay.evaluation.encoding import EncodedGame
from counterplay.learning.heads import Head, expected, spread_out, turn_around

LONGEST = 1024
"""The maximum number of a game's states; nothing is learned from a longer game."""


class Diary(Workspace):
    """The record of the game in progress, and counts."""

    games: i64
    positions: i64
    judged: i64  # positions in which a choice was made
    unfinished: i64  # games that took too long
    errors: f64  # the sum of squared errors
    chances: Array[f32, LONGEST, "outcomes"]  # as the states were evaluated in play
    stages: Array[i64, LONGEST]
    viewers: Array[i64, LONGEST]
    gambles: Array[i64, LONGEST]  # whether an action drawn at random led here

    def __init__(self, game: EncodedGame, outcomes: int) -> None:
        self.outcomes, self.players = outcomes, game.players

    def clear(self) -> None:
        """Count from 0."""
        self.games = self.positions = self.judged = self.unfinished = 0
        self.errors = 0.0

    def counts(self) -> np.ndarray:
        """The counts, as a checkpoint stores them."""
        return np.array([self.games, self.positions, self.judged, self.unfinished], np.int64)


class TemporalDifferences:
    """Everything that temporal-difference learning needs besides its weights."""

    def __init__(self, game: EncodedGame, head: Head, seed: int) -> None:
        self.game, self.head = game, head
        self.diary = Diary(game, len(head.payoffs))
        self.index = np.zeros((LONGEST, game.learned_room), np.int32)
        self.value = np.zeros((LONGEST, game.learned_room), np.float32)
        self.used = np.zeros(LONGEST, np.int64)
        self.rng, self.out = Rng(seed), cast(ActionStack, action_stack(game))

    def learn(self, games: int, trace: float, rate: float, gamble: float) -> None:
        """Play games and learn from each; the counts are those of this call."""
        self.diary.clear()
        learn(
            self.game, self.head, self.diary, games, float(trace), float(rate), float(gamble),
            self.index, self.value, self.used, self.rng, self.out,
        )  # fmt: skip


@kernel
def learn(
    game: EncodedGame, head: Head, diary: Diary, games: int, trace: float, rate: float, gamble: float,
    index: np.ndarray, value: np.ndarray, used: np.ndarray, rng: Rng, out: ActionStack,
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
                continue  # the outcome of chance is part of the state before
            used[t] = 0
            seen = Features(index[t], value[t], used[t : t + 1])
            game.learned_encode(s, seen)
            diary.stages[t], diary.viewers[t], diary.gambles[t] = game.stage(s), game.viewer(s), risky
            head.forward(diary.stages[t], seen, hidden, chances)
            for o in range(diary.outcomes):
                diary.chances[t, o] = chances[o]
            t, risky = t + 1, False
        diary.games += 1
        diary.positions += t
        if not game.is_terminal(s):
            diary.unfinished += 1
            continue
        viewer = game.viewer(s)
        spread_out(game.utility(s, viewer), head.payoffs, target)
        look_back(game, head, diary, t, viewer, risky, trace, rate, index, value, used, hidden, chances, target)


def look_back(
    game: EncodedGame, head: Head, diary: Diary, length: int, viewer: int, risky: bool, trace: float, rate: float,
    index: np.ndarray, value: np.ndarray, used: np.ndarray, hidden: np.ndarray, chances: np.ndarray, target: np.ndarray,
) -> None:  # fmt: skip
    """Learn from a game of `length` states that ended with `target`, from the point of view of `viewer`."""
    number = diary.outcomes
    for t in range(length - 1, -1, -1):
        if diary.viewers[t] != viewer and diary.players == 2:
            turn_around(target)
        viewer = diary.viewers[t]
        if risky:  # a different action would have been taken
            for o in range(number):
                target[o] = diary.chances[t, o]
        else:
            seen = Features(index[t], value[t], used[t : t + 1])
            head.forward(diary.stages[t], seen, hidden, chances)
            for o in range(number):
                diary.errors += (target[o] - chances[o]) ** 2
            head.backward(diary.stages[t], seen, hidden, chances, target, rate)
            for o in range(number):
                target[o] = trace * target[o] + (1.0 - trace) * diary.chances[t, o]
        risky = diary.gambles[t] != 0


def pick_best(
    game: EncodedGame,
    s: State,
    head: Head,
    diary: Diary,
    scratch: Features,
    hidden: np.ndarray,
    chances: np.ndarray,
    out: ActionStack,
) -> int:
    """The action behind which the player to move is best off."""
    mover, start = game.to_move(s), len(out)
    game.actions(s, out.fresh())
    end, best, chosen = len(out), -np.inf, out[start]
    if end - start > 1:
        for i in range(start, end):
            worth = worth_behind(game, game.result(s, out[i]), mover, head, scratch, hidden, chances)
            if worth > best:
                best, chosen = worth, out[i]
        diary.judged += end - start
    out.truncate(start)
    return chosen


def worth_behind(
    game: EncodedGame, s: State, player: int, head: Head, scratch: Features, hidden: np.ndarray, chances: np.ndarray
) -> float:
    """The value of `s` to `player`, by the rules if the game is over."""
    if game.is_terminal(s):
        return float(game.utility(s, player))
    scratch.used[0] = 0
    game.learned_encode(s, scratch)
    head.forward(game.stage(s), scratch, hidden, chances)
    value = expected(chances, head.payoffs)
    return value if game.players == 1 or game.viewer(s) == player else -value


@kernel
def duel(
    game: EncodedGame, one: Head, two: Head, diary: Diary, games: int, opening: int, rng: Rng, out: ActionStack
) -> tuple[float, float]:
    """The average payoff of `one` against `two`, each beginning half of the games, after `opening` random actions; and
    the standard error."""
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
