"""Positions as text, boards row by row and moves in order: what the games' parsers share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from counterplay.core.errors import CounterplayError, InvalidPosition

if TYPE_CHECKING:
    from counterplay.core.game import Game

S = TypeVar("S")
LIMIT = 10_000
"""The longest position text that is read."""


def read_rows(text: str, width: int, height: int, alphabet: str, game: str) -> list[str]:
    """The rows of a board written as "row/row/...", checked: `height` rows of `width` characters of `alphabet`."""
    if len(text) > LIMIT:
        raise InvalidPosition(f"{game}: a position of {len(text)} characters is too long")
    rows = ["".join(row.split()).lower() for row in text.strip().split("/")]
    if len(rows) != height:
        raise InvalidPosition(f"{game}: a position has {height} rows separated by /, not {len(rows)}")
    for i, row in enumerate(rows, 1):
        if len(row) != width:
            raise InvalidPosition(f"{game}: row {i} from the top has {len(row)} cells instead of {width}")
        for character in row:
            if character not in alphabet:
                raise InvalidPosition(f"{game}: {character!r} in row {i} is not one of {' '.join(alphabet)}")
    return rows


def read_moves(game: Game, s: S, words: Iterable[str], verb: str) -> S:
    """The state that the moves `words` lead to from `s`; an illegal move is rejected in a sentence with `verb`."""
    from counterplay.core.formats.text import shorten

    for word in words:
        try:
            if game.is_terminal(s):
                raise CounterplayError("the game is already over")
            s = game.result(s, game.parse_action(s, word))
        except CounterplayError as wrong:
            raise InvalidPosition(f"{game.spec}: {shorten(word)!r} cannot be {verb} there: {wrong}") from None
    return s


def shorten(text: str, limit: int = 60) -> str:
    """A text for a message: only its beginning if it is long."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def summary(options: Any, limit: int = 20) -> str:
    """Some options in a sentence: all of them if they are few."""
    shown = [str(option) for option in options]
    if not shown:
        return "none"
    between = ", " if any(" " in option for option in shown) else " "
    return between.join(shown[:limit]) + (f" ... ({len(shown)} in all)" if len(shown) > limit else "")
