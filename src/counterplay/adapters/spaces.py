"""Gymnasium's spaces for our games: what PettingZoo and Gymnasium share."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from counterplay.adapters.batch import Games
from counterplay.adapters.extras import imported
from counterplay.core.errors import CounterplayError


def observation_box(games: Games) -> Any:
    """The space of observations."""
    spaces = imported("gymnasium.spaces", "an environment")
    shape, dtype = games.observation.shape[1:], games.observation.dtype
    low, high = (-np.inf, np.inf) if dtype == np.float32 else (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
    return spaces.Box(low, high, shape, dtype.type)


def action_index(action: Any, count: int) -> int:
    """An action as a number; refused if it is not in the space."""
    if type(action) is int and 0 <= action < count:
        return action
    try:
        index = operator.index(action)
    except TypeError:
        index = -1
    if not 0 <= index < count:
        raise CounterplayError(f"{action!r} is not an action; actions are the numbers from 0 to {count - 1}")
    return index


def require_render_mode(mode: str | None) -> None:
    """Refuse any render mode but text."""
    if mode not in (None, "ansi", "human"):
        raise CounterplayError(f"no render_mode {mode!r}; there are 'ansi' (returns the board as text) and 'human'")
