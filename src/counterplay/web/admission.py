"""What visitors may ask for: games by name, players that only search, texts of sensible length, budgets within limits.

Someone at the server's keyboard may load files and start programs; visitors over HTTP may not. So a spec from outside
passes through here before anything reads it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from counterplay.core.errors import CounterplayError, UnknownGame
from counterplay.core.formats.options import parameters_of, read_options
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough, open_playthrough
from counterplay.core.registry import catalogue, forget, load, parts_of, registered
from counterplay.core.survey import smoke
from counterplay.evaluation.model import named
from counterplay.games.explicit import NUMBER, Explicit
from counterplay.players.machines.hall import MACHINES, expanded
from counterplay.players.player import Player
from counterplay.players.specs import player, player_class
from counterplay.players.wording import title_of
from counterplay.search.engine.probcut import shipped_cuts

FILES = ("weights",)
"""Parameters of games that name a file."""
MODELS = ("evaluation", "net", "values", "model", "blueprint")
FOLDERS = ("tables",)
"""Options that name a model: a visitor may use those with a name, no other files."""
SECONDS, MEGABYTES, THREADS = 10.0, 64.0, 1
"""The limits of a search."""
CAPS = {"time": SECONDS, "table": MEGABYTES, "memory": MEGABYTES, "threads": THREADS}
UNITS = {"time": "seconds", "table": "MB", "memory": "MB", "threads": "thread"}
REMEMBERED = 256
"""The number of games kept loaded."""
MOST_SPEC, MOST_POSITION, MOST_MOVES, MOST_ACTIONS = 20_000, 5_000, 20_000, 1_000
"""The maximum length of texts, in characters, and of a playthrough, in actions."""


class Shelf:
    """The games that visitors may open: those with a name, and the files given to the server at its start."""

    def __init__(self, own: Mapping[str, str] | None = None) -> None:
        self.own = dict(own or {})  # shown name -> spec with the file
        self.saved = {name: self._saved(spec) for name, spec in self.own.items()}
        self.wrong: dict[str, str] = {}  # why the last saved version of a file is not a game
        self.registered = frozenset(catalogue())  # computed once: it searches everything installed
        self.spec = lru_cache(maxsize=REMEMBERED)(self._spec)
        self.game = lru_cache(maxsize=REMEMBERED)(self._game)

    def _saved(self, spec: str) -> int:
        """When the file of a game was saved, in nanoseconds; 0 if it no longer exists."""
        try:
            return Path(parts_of(spec)[0]).expanduser().stat().st_mtime_ns
        except OSError:
            return 0

    def look_again(self) -> list[str]:
        """Reload the files that were saved since they were loaded; returns the specs of those that are games. If a file
        no longer is one, the previous version stays."""
        changed = []
        for name, spec in self.own.items():
            saved = self._saved(spec)
            if not saved or saved == self.saved[name]:
                continue
            self.saved[name] = saved
            forget(spec)
            try:
                smoke(load(spec))
            except CounterplayError as wrong:
                self.wrong[name] = str(wrong)
                continue
            self.wrong.pop(name, None)
            changed.append(spec)
        if changed:
            self.spec.cache_clear()
            self.game.cache_clear()
        return changed

    def names(self) -> list[str]:
        """All games, the server's own files first."""
        return [*self.own, *sorted(self.registered)]

    def titles(self) -> dict[str, str]:
        """The title of each game that can be created by its name alone."""
        found = {}
        for name in self.names():
            with contextlib.suppress(CounterplayError):
                found[name] = title_of(self.game(name))
        return found

    def _spec(self, text: str) -> str:
        """The spec behind a visitor's text; refused if it reaches outside."""
        require_length("a game", text, MOST_SPEC)
        name, colon, parameters = text.strip().partition(":")
        if name in self.own:
            return self.own[name] + colon + parameters
        if name not in self.registered:
            if name.endswith(".py") or "/" in name or "\\" in name:
                raise UnknownGame("a file is opened from the command line only: counterplay serve FILE.py")
            registered(name)  # the error suggests similar names
        cls = registered(name)
        given = read_options(cls, name, parameters, "parameter", UnknownGame) if parameters else {}
        for parameter, value in given.items():
            if parameter in FILES and value:
                raise UnknownGame(f"{name}: {parameter} names a file; files are for the command line")
            if issubclass(cls, Explicit) and isinstance(value, str):
                if not (value.startswith(("[", "{")) or NUMBER.fullmatch(value)):
                    raise UnknownGame(f"{name}: write the game itself as JSON; files are for the command line")
        return text.strip()

    def _game(self, text: str) -> Game:
        """The game that a visitor asks for."""
        return load(self.spec(text))

    def playthrough(self, text: str, position: str | None, moves: str, seed: int = 0) -> Playthrough:
        """A playthrough that a visitor asks for."""
        return playthrough(self.game(text), position, moves, seed)


def playthrough(game: Game, position: str | None, moves: str, seed: int = 0) -> Playthrough:
    """A playthrough from texts of a sane length."""
    require_length("a position", position or "", MOST_POSITION)
    require_length("the moves", moves, MOST_MOVES)
    if len(game.split_moves(moves)) > MOST_ACTIONS:
        raise CounterplayError(f"a playthrough may have at most {MOST_ACTIONS} actions here")
    return open_playthrough(game, position, moves, seed, SECONDS)


def require_length(what: str, text: str, most: int) -> None:
    """Refuse a text that is too long."""
    if len(text) > most:
        raise CounterplayError(f"{what} may have at most {most:,} characters here, not {len(text):,}")


def admitted(spec: str, seed: int | None = None) -> Player:
    """The player that a visitor asked for. A machine's own options are ours: only what the visitor adds is checked."""
    require_length("a player", spec, 500)
    asked, _, text = spec.strip().partition(":")
    if spec.strip() in MACHINES:
        return player(spec, seed=seed)
    name, _, options = expanded(spec).strip().partition(":")
    cls = player_class(name)
    if cls.outside:
        raise CounterplayError(f"{name} {cls.outside}: such players are for the command line only")
    for option, value in read_options(cls, name, text if asked in MACHINES else options).items():
        if option in MODELS and value is not None and value not in named():
            raise CounterplayError(f"{name}: {option} is the name of a model here; files are for the command line")
        if option == "cuts" and value is not None and value not in shipped_cuts():
            raise CounterplayError(f"{name}: cuts come with the package here; files are for the command line")
        if option in FOLDERS and value is not None:
            raise CounterplayError(f"{name}: {option} is a folder, and folders are for the command line")
        if option in CAPS and not 0 <= value <= CAPS[option]:
            raise CounterplayError(f"{name}: {option} may be {CAPS[option]:g} {UNITS[option]} at most here")
    return player(spec, seed=seed)


def bounded(spec: str, seed: int | None = None) -> Player:
    """The player of an admitted spec, with the visitors' limits wherever the spec sets none."""
    _, colon, text = spec.strip().partition(":")
    inner, _, options = expanded(spec).strip().partition(":")
    parameters = parameters_of(player_class(inner))
    given = read_options(player_class(inner), inner, options)
    for option, most in CAPS.items():
        usual = parameters[option].default if option in parameters else None
        if option not in given and isinstance(usual, (int, float)) and usual > most:
            spec += f"{',' if text else '' if colon else ':'}{option}={most:g}"
    return player(spec, seed=seed)
