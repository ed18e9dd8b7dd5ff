"""A game with more to it is a game: its class joined with others, its attributes and some more."""

from __future__ import annotations

import functools
from typing import Any

from counterplay.core.game import Game


@functools.cache
def joined(cls: Any, *parts: type) -> type[Game]:
    """The class of a game with more to it, one for each."""
    own: dict[str, Any] = {"name": vars(cls).get("name", ""), "__module__": __name__, "__qualname__": cls.__qualname__}
    made: type[Game] = type(cls.__name__, (*parts, cls), own)
    return made


def with_attributes(game: Game, cls: type[Game], attributes: dict[str, Any]) -> Any:
    """The same game as one of another class, with more attributes."""
    made = object.__new__(cls)
    made.__dict__.update({k: v for k, v in vars(game).items() if k != "_frozen"} | attributes)
    return made
