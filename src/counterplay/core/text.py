"""Boards as lines of text: what the games' parsers share."""

from __future__ import annotations

from counterplay.core.errors import InvalidPosition

LIMIT = 10_000
"""The longest position text that is read at all."""


def read_rows(text: str, width: int, height: int, alphabet: str, game: str) -> list[str]:
    """The rows of a board written as "row/row/...", checked: `height` rows of `width` characters of `alphabet`."""
    if len(text) > LIMIT:
        raise InvalidPosition(f"{game}: a position of {len(text)} characters is too long to be one")
    rows = ["".join(row.split()).lower() for row in text.strip().split("/")]
    if len(rows) != height:
        raise InvalidPosition(f"{game}: a position has {height} rows separated by /, not {len(rows)}")
    for i, row in enumerate(rows, 1):
        if len(row) != width:
            raise InvalidPosition(f"{game}: row {i} from the top has {len(row)} cells instead of {width}")
        for character in row:
            if character not in alphabet:
                raise InvalidPosition(f"{game}: {character!r} in row {i} is none of {' '.join(alphabet)}")
    return rows
