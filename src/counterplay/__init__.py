"""Write a game's rules as an ordinary Python class; Counterplay plays it, solves it, learns it and shows it."""

from typing import TYPE_CHECKING, Any

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import grid, hexagons, points
from counterplay.core.game import CHANCE, Game, Traits
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import count, first, last, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.tuples import replaced
from counterplay.core.language.wide import Wide, u64
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import load

if TYPE_CHECKING:
    from counterplay.core.language.features import note

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "Actions",
    "CounterplayError",
    "Game",
    "Playthrough",
    "Rng",
    "Traits",
    "Wide",
    "count",
    "first",
    "grid",
    "hexagons",
    "last",
    "load",
    "note",
    "ones",
    "points",
    "replaced",
    "state",
    "u64",
]


def __getattr__(name: str) -> Any:
    """`note` brings NumPy along, so it is imported where it is asked for."""
    if name == "note":
        from counterplay.core.language.features import note

        return note
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
