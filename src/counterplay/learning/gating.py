"""Matches between networks: many games at once, each side searched in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import draw_event, has_ended, list_options, payoff
from counterplay.core.types import State
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import Residual
from counterplay.learning.self_play import SelfPlay, advance, begin, choose

LONGEST = 512


class BatchSearcher:
    """Searches many positions at once with a network."""

    def __init__(self, network: Residual, simulations: int, *, gumbel: bool = True) -> None:
        self.network, self.game, self.simulations, self.gumbel = network, network.game, simulations, gumbel
        self.out = cast(ActionStack, action_stack(self.game))

    def choose(self, histories: Sequence[Sequence[int]]) -> list[int]:
        """The action that search chooses after each of `histories`."""
        game, number = self.game, len(histories)
        play = SelfPlay(game, number, self.simulations, gumbel=self.gumbel, learning=False, longest=LONGEST)
        for slot, history in enumerate(histories):
            play.history[slot, : len(history)] = history
            play.length[slot] = len(history)
        rng = Rng(0)
        begin(game, play, rng, self.out)
        planes = np.zeros((number, *game.plane_shape), np.float32)
        logits, values = np.zeros((number, game.policy_size), np.float32), np.zeros(number, np.float32)
        while advance(game, play, logits, values, planes, rng, self.out):
            logits, values = self.network.answer(planes)
        found = np.zeros(number, np.int64)
        choices(play, found, rng)
        return [int(action) for action in found]


@kernel
def choices(play: SelfPlay, found: Any, rng: Rng) -> None:
    """The action chosen in each slot."""
    for slot in range(play.slots):
        child, _ = choose(play, slot, rng)
        found[slot] = play.tree.action[child]


class GatingGame:
    """A game in progress."""

    def __init__(self, game: Game, seed: int, opening: int) -> None:
        """A game after `opening` random actions, fewer if it ends before."""
        self.game, self.rng, self.out = game, Rng(seed), cast(ActionStack, action_stack(game))
        while True:
            self.state, self.history = game.initial(), list[int]()
            self.path = np.zeros(LONGEST + 2, np.int64)  # the repetition words of all positions so far
            self.path[0] = repetition_word(game, self.state)
            for _ in range(opening):
                options = self.options()
                if options and game.to_move(self.state) != CHANCE:
                    self.play(options[self.rng.below(len(options))])
            if self.options():
                return
            opening //= 2

    def options(self) -> list[int]:
        """The legal actions, none if the game is over; chance is played automatically."""
        while (found := self.listed()) and self.game.to_move(self.state) == CHANCE:
            self.play(draw_event(self.game, self.state, self.rng))
        return found

    def listed(self) -> list[int]:
        """The legal actions or events."""
        list_legal(self.game, self.state, self.path, len(self.history), self.out)
        found = list(self.out)
        self.out.truncate(0)
        return found

    def play(self, action: int) -> None:
        """Play an action or an event."""
        self.state = self.game.result(self.state, action)
        self.history.append(action)
        self.path[len(self.history)] = repetition_word(self.game, self.state)


@kernel
def list_legal(game: Game, s: State, path: np.ndarray, ply: int, out: ActionStack) -> None:
    """Append the legal actions or events of `s`; none if the game is over."""
    if not has_ended(game, s, path, ply):
        list_options(game, s, path, ply, out)


def play_match(
    game: Game, one: Model, two: Model, *, games: int, simulations: int, opening: int, seed: int, threads: int = 1
) -> float:
    """The share of points that `one` scores against `two`; each opening is played from both sides."""
    boards = [
        GatingGame(game, seed * 1_000_003 + i // 2, min(opening, 1 + i // 2 % max(opening, 1))) for i in range(games)
    ]
    seats = [i % 2 for i in range(games)]
    thinkers = [BatchSearcher(Residual(game, model, threads), simulations) for model in (one, two)]
    points, live = 0.0, list(range(games))
    low, high = game.utility_bounds
    while live:
        for side, thinker in enumerate(thinkers):
            turn = [
                i for i in live if boards[i].options() and (game.to_move(boards[i].state) == seats[i]) == (side == 0)
            ]
            turn = [i for i in turn if len(boards[i].history) < LONGEST - 4]
            if turn:
                for i, action in zip(turn, thinker.choose([boards[i].history for i in turn]), strict=True):
                    boards[i].play(action)
        for i in list(live):
            over = not boards[i].options()
            if over or len(boards[i].history) >= LONGEST - 4:
                live.remove(i)
                points += (payoff(game, boards[i].state, seats[i]) - low) / (high - low) if over else 0.5
    return points / games
