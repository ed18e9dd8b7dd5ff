"""Games that a person writes down in full, as JSON or in Gambit's formats: what matrix games and trees share."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game

MOST_PLAYERS = 16
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?", re.IGNORECASE)


class Explicit(Game):
    """A game whose payoffs and bounds are data of the run: games of one layout share their compiled code."""

    def set_bounds(self, payoffs: np.ndarray) -> None:
        """Set the bounds of utility from the payoffs, as an array that compiled code reads at run time."""
        self.bounds = np.array([payoffs.min(), payoffs.max()], np.float64)

    @property
    def utility_bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The least and the greatest payoff of a player."""
        return float(self.bounds[0]), float(self.bounds[1])


def fail(game: str, why: str) -> NoReturn:
    """Refuse a description in one sentence."""
    raise CounterplayError(f"{game}: {why}")


def finite(value: Any, location: str, game: str) -> float:
    """A number from JSON."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    shown = json.dumps(value)
    fail(game, f"{location} must be a number, not {shown if len(shown) < 40 else shown[:36] + ' ...'}")


def action_names(names: list[Any], game: str) -> tuple[str, ...]:
    """Names of actions: different words without spaces or slashes."""
    for name in names:
        if not isinstance(name, str) or not name or any(c.isspace() or c == "/" for c in name):
            fail(game, f"{name!r} cannot name an action: a name is a word without spaces or slashes")
    if len({name.casefold() for name in names}) < len(names):
        fail(game, f"two actions have the same name among {' '.join(names)}")
    return tuple(names)


def read_json(source: Any, game: str) -> tuple[Any, str]:
    """The data in a file, in a JSON text or in Python lists and dicts; and the shortest text that gives them again."""
    if isinstance(source, PathLike):
        source = str(source)
    if not isinstance(source, str):
        try:
            source = json.dumps(source, default=lambda array: array.tolist(), separators=(",", ":"))
        except RecursionError:
            fail(game, "the lists are nested too deep")
        except (TypeError, ValueError, AttributeError):
            fail(game, "a game is described by a file or by lists, dicts, numbers and texts as in JSON")
    text = source.strip()
    if text.startswith(("[", "{")) or NUMBER.fullmatch(text):
        data = _parse(text, "the text", game)
        return data, json.dumps(data, separators=(",", ":"))
    try:
        written = Path(text).expanduser().read_text(encoding="utf-8")
    except UnicodeDecodeError:
        fail(game, f"{text} is not a text file")
    except (OSError, ValueError) as wrong:
        fail(game, f"cannot read the file {text!r}: {getattr(wrong, 'strerror', None) or wrong}")
    return _parse_file(written, text, game), text


GAMBIT = {"matrix": ".nfg", "tree": ".efg"}
"""The Gambit formats that each game reads."""


def _parse_file(written: str, name: str, game: str) -> Any:
    kind = Path(name).suffix.lower()
    if kind not in GAMBIT.values():
        return _parse(written, name, game)
    if GAMBIT[game] != kind:
        right = next(other for other, suffix in GAMBIT.items() if suffix == kind)
        fail(game, f"{name} is read by {right}:{name}")
    from counterplay.games.gambit import READERS

    return READERS[kind](written, name)


def _parse(text: str, location: str, game: str) -> Any:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            keys = [key for key, _ in found]
            raise ValueError(f"{next(key for key in keys if keys.count(key) > 1)!r} appears twice in one object")
        return dict(found)

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as wrong:
        fail(game, f"{location} is not JSON: line {wrong.lineno}, column {wrong.colno}: {wrong.msg}")
    except ValueError as wrong:
        fail(game, f"{location}: {wrong}")
    except RecursionError:
        fail(game, f"{location} is nested too deep")


@cache
def numbered(count: int) -> tuple[str, ...]:
    """Default names of actions: their numbers."""
    return tuple(str(i + 1) for i in range(count))
