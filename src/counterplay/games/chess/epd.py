"""Extended Position Description (Edwards 1994): positions with tasks, such as `bm Nf5; id "7";`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.games.chess.position import State

if TYPE_CHECKING:
    from counterplay.games.chess.game import Chess

OPERATION = re.compile(r'\s*(\w+)((?:\s+(?:"[^"]*"|[^";\s]+))*)\s*;')


class EpdLine(NamedTuple):
    """One line of an EPD file."""

    state: State
    best: tuple[int, ...]  # bm: one of these should be found
    avoid: tuple[int, ...]  # am: none of these should be played
    name: str  # id
    operations: dict[str, str]  # all of them, as written

    def is_solved_by(self, action: int) -> bool:
        """Whether a move solves the record's task."""
        return (not self.best or action in self.best) and action not in self.avoid


def read_epd(game: Chess, line: str) -> EpdLine:
    """The record of a line."""
    words = line.split(maxsplit=4)
    s = game.parse_position(" ".join(words[:4]))
    rest = words[4].strip() if len(words) > 4 else ""
    counts = re.match(r"(\d+) (\d+)(\s|$)", rest)  # some files have whole FENs
    rest = rest[counts.end() :] if counts else rest
    rest = rest if rest.endswith(";") or not rest else rest + ";"
    operations, at = {}, 0
    while at < len(rest.rstrip()):
        found = OPERATION.match(rest, at)
        if not found:
            raise CounterplayError(f"{rest[at : at + 40]!r} is not an EPD operation; an example is bm Nf5;")
        operations[found[1]] = found[2].strip()
        at = found.end()

    def moves(code: str) -> tuple[int, ...]:
        return tuple(game.parse_action(s, word) for word in operations.get(code, "").split())

    return EpdLine(s, moves("bm"), moves("am"), operations.get("id", "").strip('"'), operations)


def read_suite(game: Chess, text: str) -> list[EpdLine]:
    """The records of a file; empty lines and lines that begin with # are skipped."""
    records = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            records.append(read_epd(game, line))
        except CounterplayError as wrong:
            raise CounterplayError(f"line {number}: {wrong}") from None
    return records
