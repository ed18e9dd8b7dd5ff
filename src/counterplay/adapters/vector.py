"""A vector environment: many games of one kind, stepped by one compiled call, NumPy arrays in and out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.adapters.batch import Games
from counterplay.adapters.environments import LIMIT
from counterplay.api.position import AnyGame, game_of
from counterplay.core.errors import CounterplayError


class VectorStep(NamedTuple):
    """What a step shows of every game. The arrays belong to the environment: its next step writes into them."""

    observation: np.ndarray  # [games, ...] what the player to move sees
    mask: np.ndarray  # int8 [games, actions], 1 for legal actions
    player: np.ndarray  # int32 [games] the player to move
    rewards: np.ndarray  # float32 [games, players] of this step
    terminated: np.ndarray  # bool [games]
    truncated: np.ndarray  # bool [games]


class VectorEnv:
    """`count` games. One that ends begins again in the same step: rewards and `terminated` are those of the game that
    ended, observation, mask and player those of the new one. Whoever plays an illegal action loses that game."""

    def __init__(
        self, game: AnyGame, count: int = 1024, *, observation: str = "", limit: int = LIMIT, seed: int = 0
    ) -> None:
        if count < 1:
            raise CounterplayError(f"count={count} must be at least 1")
        self.game = game_of(game)
        """The rules."""
        self.count = count
        self._games = Games(self.game, count, observation, limit=limit)
        self._seed = seed
        batch = self._games.batch
        self.actions = int(batch.actions)
        """The number of actions: those of a step are numbered from 0."""
        self._step = VectorStep(
            self._games.observation, batch.mask, batch.mover, batch.rewards,
            batch.terminated.view(bool), batch.truncated.view(bool),
        )  # fmt: skip
        self._chosen = batch.chosen
        self._begun = False

    @property
    def illegal(self) -> int:
        """The number of illegal actions so far."""
        return int(self._games.batch.illegal)

    def reset(self, seed: int | None = None) -> VectorStep:
        """Begin all games; the same seed gives the same dice and deals."""
        self._games.seed(self._seed if seed is None else seed)
        self._games.reset()
        self._begun = True
        return self._step

    def step(self, actions: Any) -> VectorStep:
        """Play an action in every game: `actions` has an integer for each."""
        if not self._begun:
            raise CounterplayError("reset the environment before its first step")
        try:
            self._chosen[:] = actions
        except (TypeError, ValueError):
            raise CounterplayError(
                f"a step takes {self.count} whole numbers, the index of an action for each game, not {shown(actions)}"
            ) from None
        self._games.step()
        return self._step

    def state(self, index: int) -> Any:
        """The state of a game, for inspection."""
        if not 0 <= index < self.count:
            raise CounterplayError(f"no game {index}; there are {self.count}, numbered from 0")
        return self._games.state(index)


def shown(value: Any) -> str:
    """A wrong value in a few words."""
    shape = getattr(value, "shape", None)
    return f"an array of shape {shape}" if shape is not None else f"a {type(value).__name__}"
