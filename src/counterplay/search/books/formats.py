"""One interface to every kind of book: a file of positions and what to play in them.

A book that learned (`book learn`), solved openings (`openings`, .npz) and, for chess, Polyglot's format (.bin).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.search.books.book import OpeningBook
from counterplay.search.decision import Decision, Option

Reader = Callable[[Any], Decision | None]
"""What a book says about a state; None if it does not contain it."""


def open_book(file: Path, game: Game) -> Reader:
    """The book of a game in a file, whatever its kind."""
    if not file.is_file():
        raise CounterplayError(f"no book {str(file)!r}; `book learn {game.spec} -o FILE` makes one")
    if file.suffix == ".bin":
        return polyglot(file, game)
    if file.suffix == ".npz":
        return solved(file, game)
    book = OpeningBook.read(file, game)
    return lambda s: learned(book, s)


def learned(book: OpeningBook, s: State) -> Decision | None:
    """The best line of the book, or the best way to leave it."""
    options = book.options(s)
    if not options:
        return None
    return Decision(options[0].action, options[0].value, (options[0].action,), options=options)


def solved(file: Path, game: Game) -> Reader:
    """Solved openings: values are proven."""
    from counterplay.search.solving.openings import Openings

    book = Openings.read(file, game)

    def read(s: State) -> Decision | None:
        found = book.solution(game, s, True)
        if found is None or found.action is None:
            return None
        options = tuple(Option(each.action, each.bounds[0], plies=each.plies) for each in found.actions)
        return Decision(found.action, found.value, (found.action,), proven=True, plies=found.plies, options=options)

    return read


def polyglot(file: Path, game: Game) -> Reader:
    """Polyglot's format: the move with the highest weight, without a value."""
    from counterplay.games.chess.book import Book as Polyglot
    from counterplay.games.chess.game import Chess

    if not isinstance(game, Chess):
        raise CounterplayError(f"{str(file)!r} is a chess book, judging by its name, but this is {game.spec}")
    book = Polyglot(file)

    def read(s: State) -> Decision | None:
        action = book.choose(game, s)
        return None if action is None else Decision(action, None, (action,))

    return read
