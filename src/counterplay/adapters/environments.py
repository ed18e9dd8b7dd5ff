"""`vector_env`, `pettingzoo_env`, `gymnasium_env`: our games as environments for learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.api.position import AnyGame
from counterplay.players.player import Player

if TYPE_CHECKING:
    from counterplay.adapters.vector import VectorEnv

LIMIT = 1000
"""The number of actions and events after which a game is cut off."""


def vector_env(
    game: AnyGame, count: int = 1024, *, observation: str = "", limit: int = LIMIT, seed: int = 0
) -> VectorEnv:
    """Many games at once for a learner, stepped by one compiled call. `observation` is planes, features, information or
    state; `limit` is the number of actions and events after which a game is cut off."""
    from counterplay.adapters.vector import VectorEnv

    return VectorEnv(game, count, observation=observation, limit=limit, seed=seed)


def pettingzoo_env(game: AnyGame, *, observation: str = "", limit: int = LIMIT, render_mode: str | None = None) -> Any:
    """A game as a PettingZoo environment. `observation` is planes, features, information or state; `limit` is the number of
    actions and events after which a game is cut off."""
    from counterplay.adapters.pettingzoo import GameEnv

    return GameEnv(game, observation=observation, limit=limit, render_mode=render_mode)


def gymnasium_env(
    game: AnyGame,
    *,
    opponent: str | Player = "random",
    seat: int = 0,
    observation: str = "",
    limit: int = LIMIT,
    render_mode: str | None = None,
) -> Any:
    """A seat of a game as a Gymnasium environment. `opponent` plays all other seats; seat -1 draws one for each game.
    `observation` is planes, features, information or state; `limit` is the number of actions and events after which a game
    is cut off."""
    from counterplay.adapters.gymnasium import SeatEnv

    return SeatEnv(game, opponent=opponent, seat=seat, observation=observation, limit=limit, render_mode=render_mode)
