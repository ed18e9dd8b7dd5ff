"""Which values the settings of a game may have. A wrong one is refused when the game is first used: `zero_sum = "no"`
would count as true, and a search would begin with bounds that do not form an interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from counterplay.core.game import Game

MOST_PLAYERS = 64
REPETITIONS = ("none", "draw", "loss", "illegal")


class Kind(NamedTuple):
    """Which values a setting may have, as a test and in words."""

    fits: Callable[[Any], bool]
    words: str


def is_flag(value: Any) -> bool:
    """Whether a value is a bool."""
    return isinstance(value, (bool, np.bool_))


def is_whole(value: Any, low: int = 0, high: float = math.inf) -> bool:
    """Whether a value is an int in a range."""
    return isinstance(value, (int, np.integer)) and not is_flag(value) and low <= int(value) <= high


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, (int, float, np.number)) and not is_flag(value) and math.isfinite(float(value))


def are(fits: Callable[[Any], bool], value: Any) -> bool:
    """Whether a value is a tuple or list of fitting values."""
    return isinstance(value, (tuple, list)) and all(map(fits, value))


def is_interval(value: Any) -> bool:
    """Whether a value is two numbers in ascending order."""
    return are(is_number, value) and len(value) == 2 and value[0] <= value[1]


def whole(low: int) -> Kind:
    """An int of at least `low`."""
    return Kind(lambda value: is_whole(value, low), f"an int of at least {low}")


FLAG = Kind(is_flag, "True or False")
NAMES = Kind(lambda value: are(lambda each: isinstance(each, str), value), "a tuple of strings")
KINDS = {
    "players": Kind(lambda value: is_whole(value, 1, MOST_PLAYERS), f"an int from 1 to {MOST_PLAYERS}"),
    **dict.fromkeys(("zero_sum", "compiled", "impartial"), FLAG),
    "utility_bounds": Kind(is_interval, "(lowest, highest), two finite numbers"),
    **dict.fromkeys(("feature_names", "raw_names"), NAMES),
    **dict.fromkeys(("policy_size", "sparse_size", "private_hands"), whole(0)),
    **dict.fromkeys(("stages", "symmetries", "sparse_most"), whole(1)),
    "repetition": Kind(REPETITIONS.__contains__, f"{', '.join(REPETITIONS[:-1])} or {REPETITIONS[-1]}"),
    "occurrences": whole(2),
    "outcomes": Kind(
        lambda value: are(is_number, value) and list(value) == sorted(set(value)),
        "a tuple of different finite numbers in ascending order",
    ),
    "patterns": Kind(
        lambda value: are(lambda cells: are(lambda cell: is_whole(cell, 0, 63), cells), value),
        "a tuple of tuples of cells, ints from 0 to 63",
    ),
    "plane_shape": Kind(
        lambda value: are(lambda each: is_whole(each, 1), value) and len(value) in (0, 3),
        "(planes, rows, columns), three ints of at least 1, or ()",
    ),
}
"""The settings that are checked."""


def require_settings(game: Game) -> None:
    """Refuse invalid settings."""
    from counterplay.core.errors import BrokenGame

    for name, kind in KINDS.items():
        value = getattr(game, name)
        try:
            fits = kind.fits(value)
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise BrokenGame(f"{type(game).__name__}.{name} is {value!r}; it must be {kind.words}")
