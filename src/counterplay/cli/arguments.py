"""From typed text to a game, a position or a player's number, and whose fault it is if rules raise."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
import traceback
from pathlib import Path

from counterplay.api.position import player_for
from counterplay.cli.terminal import note
from counterplay.core import survey
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import describe, load
from counterplay.players.player import Player

_opened: list[tuple[str, Game]] = []
"""The game that the command is about, for `blame`."""


def open_game(spec: str, smoke: bool = True) -> Game:
    """The game that `spec` describes; the user's own file is tried out briefly first."""
    _opened.clear()
    game = load(spec)
    _opened.append((spec, game))
    if smoke and not is_ours(game):
        survey.smoke(game)
    return game


def is_ours(game: Game) -> bool:
    """Whether a game belongs to this package."""
    return type(game).__module__.partition(".")[0] == "counterplay"


def open_player(p: Playthrough, spec: str, **budget: float | None) -> Player:
    """The player that `spec` describes, or the best that suits the game; a `budget` that is not None
    overrides the one in `spec`."""
    made = player_for(p, spec, **budget)
    tell_of(made, p.game)
    return made


def tell_of(made: Player, game: Game) -> None:
    """Print to stderr what the user should know about how a player plays a game."""
    if remark := made.remark(game):
        note(remark)


def blame(wrong: BaseException) -> str:
    """A sentence if the rules of the opened game raised `wrong`; empty if this package did."""
    if not _opened:
        return ""
    spec, game = _opened[0]
    if is_ours(game):
        return ""
    home = Path(inspect.getfile(type(game))).resolve().parent
    for frame in reversed(traceback.extract_tb(wrong.__traceback__)):
        if Path(frame.filename).resolve().is_relative_to(home):
            return f"{short(Path(frame.filename))}:{frame.lineno}: {frame.name} raises {describe(wrong)}"
    if isinstance(wrong, (MemoryError, OSError)):  # the machine's limits, not the game's
        return ""
    return f"{spec} does not follow the rules of a Game: {describe(wrong)}; `counterplay check {spec}` looks closer"


def short(path: Path) -> str:
    """A path relative to the current folder, if that is shorter."""
    relative = os.path.relpath(path)
    return min(relative, str(path), key=len)


def program() -> str:
    """How this program was called."""
    called = Path(sys.argv[0])
    on_path = shutil.which("counterplay")
    if called.name != "counterplay" or (on_path and Path(on_path).resolve() == called.resolve()):
        return "counterplay"
    return short(called)
