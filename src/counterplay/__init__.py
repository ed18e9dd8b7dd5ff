"""Write a game's rules as an ordinary Python class; Counterplay plays it, solves it, learns it and shows it.

    import counterplay as cp

    p = cp.load("chess").start("e4 e5")
    cp.search(p, time=1)

Functions are imported on first use, so importing the package is quick.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # this file imports next to nothing, so that a command soon handles Ctrl-C
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from counterplay.adapters.environments import gymnasium_env, pettingzoo_env, vector_env
    from counterplay.adapters.plain_data import from_json, to_json
    from counterplay.adapters.to_openspiel import to_openspiel
    from counterplay.api.beliefs import beliefs
    from counterplay.api.bench import bench
    from counterplay.api.book import book
    from counterplay.api.cache import cache
    from counterplay.api.check import check
    from counterplay.api.doctor import doctor
    from counterplay.api.equilibrium import equilibrium
    from counterplay.api.exercises import exercises
    from counterplay.api.export import export
    from counterplay.api.fit import fit
    from counterplay.api.games import games
    from counterplay.api.machines import machines
    from counterplay.api.match import play_match, results, tournament
    from counterplay.api.openings import openings
    from counterplay.api.perft import perft
    from counterplay.api.probcut import probcut
    from counterplay.api.runs import runs
    from counterplay.api.search import search
    from counterplay.api.show import show
    from counterplay.api.solve import solve
    from counterplay.api.strategy import exploit, strategy
    from counterplay.api.study import study
    from counterplay.api.suite import suite
    from counterplay.api.tables import tables
    from counterplay.api.trace import trace
    from counterplay.api.train import train
    from counterplay.api.tune import tune
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.diagram import grid, hexagons, points
    from counterplay.core.game import CHANCE, Game, Traits
    from counterplay.core.language.actions import Actions
    from counterplay.core.language.bits import count, first, last, ones
    from counterplay.core.language.features import note
    from counterplay.core.language.rng import Rng
    from counterplay.core.language.state import state
    from counterplay.core.language.tuples import replaced
    from counterplay.core.language.wide import Wide, u64
    from counterplay.core.playthrough import Playthrough
    from counterplay.core.registry import load
    from counterplay.players.specs import player
else:
    ModuleType = type(sys)

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
    "beliefs",
    "bench",
    "book",
    "cache",
    "check",
    "count",
    "doctor",
    "equilibrium",
    "exercises",
    "exploit",
    "export",
    "first",
    "fit",
    "from_json",
    "games",
    "grid",
    "gymnasium_env",
    "hexagons",
    "last",
    "load",
    "machines",
    "note",
    "ones",
    "openings",
    "perft",
    "pettingzoo_env",
    "play_match",
    "player",
    "points",
    "probcut",
    "replaced",
    "results",
    "runs",
    "search",
    "show",
    "solve",
    "state",
    "strategy",
    "study",
    "suite",
    "tables",
    "to_json",
    "to_openspiel",
    "tournament",
    "trace",
    "train",
    "tune",
    "u64",
    "vector_env",
]

LAZY = {
    "Actions": "core.language.actions",
    "CHANCE": "core.game",
    "CounterplayError": "core.errors",
    "Game": "core.game",
    "Playthrough": "core.playthrough",
    "Rng": "core.language.rng",
    "Traits": "core.game",
    "Wide": "core.language.wide",
    "beliefs": "api.beliefs",
    "bench": "api.bench",
    "book": "api.book",
    "cache": "api.cache",
    "check": "api.check",
    "count": "core.language.bits",
    "doctor": "api.doctor",
    "equilibrium": "api.equilibrium",
    "exercises": "api.exercises",
    "exploit": "api.strategy",
    "export": "api.export",
    "first": "core.language.bits",
    "fit": "api.fit",
    "from_json": "adapters.plain_data",
    "games": "api.games",
    "grid": "core.formats.diagram",
    "gymnasium_env": "adapters.environments",
    "hexagons": "core.formats.diagram",
    "last": "core.language.bits",
    "load": "core.registry",
    "machines": "api.machines",
    "note": "core.language.features",
    "ones": "core.language.bits",
    "openings": "api.openings",
    "perft": "api.perft",
    "pettingzoo_env": "adapters.environments",
    "play_match": "api.match",
    "player": "players.specs",
    "points": "core.formats.diagram",
    "probcut": "api.probcut",
    "replaced": "core.language.tuples",
    "results": "api.match",
    "runs": "api.runs",
    "search": "api.search",
    "show": "api.show",
    "solve": "api.solve",
    "state": "core.language.state",
    "strategy": "api.strategy",
    "study": "api.study",
    "suite": "api.suite",
    "tables": "api.tables",
    "to_json": "adapters.plain_data",
    "to_openspiel": "adapters.to_openspiel",
    "tournament": "api.match",
    "trace": "api.trace",
    "train": "api.train",
    "tune": "api.tune",
    "u64": "core.language.wide",
    "vector_env": "adapters.environments",
}
"""The names that are imported when they are first used, and the module that defines each."""
FOLDERS = ("equilibrium", "games", "search")
"""Functions that share their name with a folder of this package: calling the folder calls the function."""


def _function(name: str) -> Any:
    import importlib

    return getattr(importlib.import_module(f"counterplay.{LAZY[name]}"), name)


def __getattr__(name: str) -> Any:
    if name in FOLDERS:
        import importlib

        return importlib.import_module(f"counterplay.{name}")  # which `_Package` makes callable
    if name in LAZY:
        return _function(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Folder(ModuleType):
    """A folder that can be called: `counterplay.search(p)` beside `counterplay.search.decision`."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return _function(self.__name__.rpartition(".")[2])(*args, **options)

    @property
    def __signature__(self) -> Any:
        """The function's, for editors and notebooks."""
        import inspect

        return inspect.signature(_function(self.__name__.rpartition(".")[2]))


class _Package(ModuleType):
    """This package. Python sets a folder as its attribute once anyone imports from it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FOLDERS and isinstance(value, ModuleType):
            value.__class__ = _Folder
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
if "IPython" in sys.modules:  # a notebook shows boards, trees and tables
    from counterplay.notebook.display import register

    register()
