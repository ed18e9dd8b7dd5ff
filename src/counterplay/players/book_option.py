"""The option `book=FILE` of every player: positions in the book are played from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import parameters_of, split, takes_any
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.delegate import Delegate
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report

if TYPE_CHECKING:
    from counterplay.search.books.formats import Reader

BOOK = "book"


def split_off(cls: type[Player], name: str, text: str) -> tuple[str, str | None]:
    """The options of a player without the book, and the book. External programs have their own books."""
    if takes_any(cls) or BOOK in parameters_of(cls):
        return text, None
    parts = split(text)
    found = [part.partition("=")[2].strip() for part in parts if part.partition("=")[0].strip() == BOOK]
    if not found:
        return text, None
    if len(found) > 1 or not found[0]:
        raise CounterplayError(f"{name}: `book` names one file, such as {name}:book=FILE")
    return ",".join(part for part in parts if part.partition("=")[0].strip() != BOOK), found[0]


class BookPlayer(Delegate):
    """A player with a book."""

    def __init__(self, inner: Player, file: str) -> None:
        super().__init__(inner)
        self.file = file
        self.spec = f"{inner.spec}{',' if ':' in inner.spec else ':'}{BOOK}={file}"
        self._opened: tuple[Game, Reader] | None = None

    def reader(self, game: Game) -> Reader:
        """The book, opened once."""
        if self._opened is None or self._opened[0] != game:
            from counterplay.search.books.formats import open_book

            self._opened = game, open_book(Path(self.file), game)
        return self._opened[1]

    def decision(self, p: Playthrough) -> Decision | None:
        """The book's move, if it has one."""
        found = self.reader(p.game)(p.state)
        return found if found is not None and found.action in p.options() else None

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        return self.decision(p) or super().think(p, report, clock)

    def rank(self, p: Playthrough, report: Report | None = None) -> Decision:
        found = None if p.is_over else self.decision(p)
        return found if found is not None and found.options else super().rank(p, report)

    def require(self, game: Game) -> None:
        super().require(game)
        self.reader(game)
