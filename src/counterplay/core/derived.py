"""A game derived from another: the same game with some methods overridden, or with more attributes.

The overrides are in a class of their own, which need not be a game; `derive` puts it before the game's class:

    class Open:
        information = Game.information

    derive(game, Open)

This is the only way to make a game from another. The new game has the parameters of the old one and, as its rules may
differ, its own compiled code; `share_code` avoids that if only the content of tables differs.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from counterplay.core.game import Game


def derive(game: Game, *parts: type, **attributes: Any) -> Any:
    """The same game with the methods of `parts` before its own, and with these attributes."""
    cls: Any = type(game)
    made = object.__new__(joined(cls, *parts))
    made.__dict__.update({k: v for k, v in vars(game).items() if k != "_frozen"} | attributes)
    return made


@functools.cache
def joined(cls: Any, *parts: type) -> type[Game]:
    """The class of a game with `parts` before it: always the same class, so that equal games stay equal."""
    if not parts:
        return cls
    own = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    made: type[Game] = type(cls.__name__, (*parts, cls), own | {"name": vars(cls).get("name", "")})
    return made


def share_code(game: Game, other: Game) -> Game:
    """`other`, which differs from `game` only in what its tables hold, with the same compiled code: hashing the rules
    again often takes longer than using them."""
    frozen = game.frozen
    room = np.zeros(frozen.block.size + 64, np.uint8)
    block = room[-room.ctypes.data % 64 :][: frozen.block.size]
    for name, table in frozen.tables.items():
        content = np.ascontiguousarray(vars(other)[name]).tobytes()
        block[table.offset : table.offset + len(content)] = np.frombuffer(content, np.uint8)
    other._frozen = frozen._replace(block=block, address=block.ctypes.data)
    return other
