"""Games of strong players, to learn from."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough
from counterplay.learning.game_log import LoggedGame


class Expert(Protocol):
    """A player whose games are learned from."""

    def __call__(self, p: Playthrough) -> int | None:
        """The action it chooses; None if it resigns."""

    def close(self) -> None:
        """Release its resources."""


def play_expert_game(
    game: Game, seats: Sequence[Expert], opening: int, seed: Sequence[int], stop: threading.Event
) -> LoggedGame:
    """One game of two experts after up to `opening` random actions. Once `stop` is set, it ends and does not count."""
    draw = np.random.default_rng(seed)
    p = Playthrough(game, seed=int(draw.integers(1 << 31)))
    random_left, loser = int(draw.integers(opening + 1)), -1
    while loser < 0 and not p.is_over and not stop.is_set():
        if p.to_move == CHANCE:
            p.roll()
        elif random_left:
            options = p.options()
            p.play(options[draw.integers(len(options))])
            random_left -= 1
        elif (action := seats[p.to_move](p)) is not None:
            p.play(action)
        else:
            loser = p.to_move
    for expert in seats:
        expert.close()
    low, high = game.utility_bounds
    returns = p.returns if p.is_over else tuple(low if seat == loser else high for seat in range(2))
    return LoggedGame(list(p.actions), list(returns))
