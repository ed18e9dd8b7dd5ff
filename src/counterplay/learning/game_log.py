"""Games in a file that a run appends to, one per line. Lines beyond the checkpoint are ignored."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import read_whole, write_whole
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough, RecordedGame


class LoggedGame(NamedTuple):
    """The actions and events of a game, and the payoffs."""

    actions: list[int]
    returns: list[float]

    def replay(self, rules: Game) -> RecordedGame:
        """The game as a recorded one."""
        return RecordedGame(Playthrough(rules), list(self.actions), tuple(self.returns))


class GameLog:
    """The games of a run's file."""

    def __init__(self) -> None:
        self.games: list[LoggedGame] = []
        self.saved = 0  # how many of them are in the file

    def save(self, file: Path) -> None:
        """Append the games that are not in the file yet."""
        lines = "".join(json.dumps(game) + "\n" for game in self.games[self.saved :])
        if self.saved == 0:
            write_whole(file, lines)
        elif lines:
            try:
                with file.open("a") as log:
                    log.write(lines)
            except OSError as wrong:
                raise CounterplayError(
                    f"cannot write {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}"
                ) from None
        self.saved = len(self.games)

    def load(self, file: Path, number: int) -> None:
        """Load the first `number` games of the file; later ones are ignored."""
        lines = read_whole(file).decode(errors="replace").split("\n")[:number] if number else []
        try:
            self.games = [LoggedGame(*map(list, json.loads(line))) for line in lines]
        except (ValueError, TypeError, RecursionError):
            raise CounterplayError(f"{str(file)!r} is damaged: line by line, it should list games") from None
        if len(self.games) < number:
            raise CounterplayError(f"{str(file)!r} was cut short: it has {len(self.games)} of {number} games")
        write_whole(file, "".join(json.dumps(game) + "\n" for game in self.games))
        self.saved = number

    def extend(self, games: Iterable[LoggedGame]) -> None:
        """Add games."""
        self.games.extend(games)
