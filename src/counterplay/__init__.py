"""Write a game's rules as an ordinary Python class; Counterplay plays it, solves it, learns it and shows it."""

from counterplay.core.actions import Actions
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game, Traits
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import load
from counterplay.core.rng import Rng
from counterplay.core.state import state
from counterplay.core.tuples import replaced
from counterplay.core.wide import Wide, u64

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
    "load",
    "replaced",
    "state",
    "u64",
]
