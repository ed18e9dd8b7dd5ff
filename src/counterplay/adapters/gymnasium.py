"""A seat of one of our games as a Gymnasium environment: any of our players can take the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from counterplay.adapters.batch import Games
from counterplay.adapters.environments import LIMIT
from counterplay.adapters.extras import imported
from counterplay.adapters.spaces import action_index, observation_box, require_render_mode
from counterplay.api.position import AnyGame, game_of
from counterplay.core.errors import CounterplayError
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.players.player import Player
from counterplay.players.specs import player as player_of

if TYPE_CHECKING:

    class SeatBase:
        """Env, which a type checker may not know."""

        reset: Any

else:
    SeatBase = imported("gymnasium", "a Gymnasium environment").Env

ANY_SEAT = -1
"""Instead of a seat: one is drawn for each game."""


class SeatEnv(SeatBase):
    """One seat of a game. The reward comes at the end: what the game pays this seat. An illegal action ends the game
    with the least that it can pay. `info["action_mask"]` marks the legal actions."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "human"], "render_fps": 1}

    def __init__(
        self,
        game: AnyGame,
        *,
        opponent: str | Player = "random",
        seat: int = 0,
        observation: str = "",
        limit: int = LIMIT,
        render_mode: str | None = None,
    ) -> None:
        require_render_mode(render_mode)
        spaces = imported("gymnasium.spaces", "a Gymnasium environment")
        self.game, self.render_mode = game_of(game), render_mode
        if not ANY_SEAT <= seat < self.game.players:
            raise CounterplayError(
                f"no seat {seat}; {self.game.spec} has the seats 0 to {self.game.players - 1}, and -1 draws one"
            )
        self.opponent = player_of(opponent) if isinstance(opponent, str) else opponent
        self.opponent.require(self.game)
        self._draws = opponent == "random"  # within the same compiled call
        self._games = Games(
            self.game, 1, observation, limit=limit, restart=False, records=not self._draws, draws=self._draws
        )
        batch = self._games.batch
        self._count = int(batch.actions)
        self._chosen, self._mover = memoryview(batch.chosen), memoryview(batch.mover)  # as Python's numbers
        self._mask = batch.mask[0]
        self._observation = self._games.observation[0]
        self.observation_space = observation_box(self._games)
        self.action_space = spaces.Discrete(self._count)
        self._seat, self.seat = seat, max(seat, 0)
        self._dice = Rng(0)
        self._playthrough: Playthrough | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new game, up to this seat's first turn. The same seed gives the same dice, deals and random opponent."""
        super().reset(seed=seed)
        if seed is not None:
            self._games.seed(seed)
            self._dice = Rng(seed + 1)
        while True:
            if self._seat == ANY_SEAT:
                self.seat = self._dice.below(self.game.players)
            self._games.batch.seat = self.seat
            over = self._games.reset()
            self._playthrough = None if self._draws else self.game.start()
            self._over = bool(over) or self._answer()
            if not self._over:
                return self._observation.copy(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play this seat's action, and let the others answer."""
        if self._over:
            raise CounterplayError("the game is over or has not begun: reset the environment")
        self._chosen[0] = action_index(action, self._count)
        if not (self._games.step() or self._answer()):
            return self._observation.copy(), 0.0, False, False, self._info()
        self._over, batch = True, self._games.batch
        reward = float(batch.rewards[0, self.seat])
        self._mask[:] = 0
        info = self._info()
        if batch.illegal:
            info["illegal"], batch.illegal = True, 0
        return self._observation.copy(), reward, bool(batch.terminated[0]), bool(batch.truncated[0]), info

    def action_masks(self) -> np.ndarray:
        """The mask of legal actions, under the name that learners with masks expect."""
        return self._mask.astype(bool)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask.copy()}

    def _answer(self) -> bool:
        """Let the opponent play until it is this seat's turn; returns whether the game is over."""
        while self._mover[0] != self.seat:
            self._chosen[0] = self._opponents_index()
            if self._games.step():
                return True
        return False

    def _opponents_index(self) -> int:
        """The index of the opponent's choice, after the playthrough has caught up with the game."""
        batch, p = self._games.batch, self._playthrough
        assert p is not None
        for action in batch.history[0, len(p) : batch.ply[0]].tolist():
            p.play(action)
        action = self.opponent.choose(p).action
        if batch.by_policy:
            return int(self.game.policy_index(p.state, action))
        return p.options().index(action)

    def render(self) -> str | None:
        """The board as text, as this seat sees it."""
        text = self.game.board(self._games.state(0), self.seat if self.game.has_secrets else None)
        if self.render_mode == "human":
            print(text)
            return None
        return text if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Close the opponent."""
        self.opponent.close()
