"""Records of shogi games: the common part of KIF and CSA files, and how to tell them apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.playthrough import Playthrough

if TYPE_CHECKING:
    from counterplay.games.shogi.game import Shogi

ENCODINGS = ("utf-8-sig", "cp932")
"""The encodings of such files: today's, and the older Shift JIS."""


class ShogiRecord(NamedTuple):
    """A game of a file."""

    playthrough: Playthrough
    tags: dict[str, str]
    returns: tuple[float, ...] | None  # the payoffs of Black and White; None if unknown


def lines_of(file: Path) -> Iterator[str]:
    """The lines of a file in any of the encodings."""
    for encoding in ENCODINGS:
        try:
            with file.open(encoding=encoding) as lines:
                for _ in lines:
                    pass
            with file.open(encoding=encoding) as lines:
                for line in lines:
                    yield line.rstrip("\r\n")
            return
        except OSError as wrong:
            raise CounterplayError(f"cannot read {file}: {wrong.strerror}") from None
        except UnicodeDecodeError:
            continue
    raise CounterplayError(f"{file} is neither UTF-8 nor Shift JIS text")


def read_records(game: Shogi, file: Path) -> Iterator[ShogiRecord]:
    """The games of a file, KIF or CSA as its first lines show."""
    from counterplay.games.shogi import csa, kif

    lines = lines_of(file)
    head: list[str] = []
    for line in lines:
        head.append(line)
        if csa.HEAD.match(line):
            kind = csa.split_games, csa.read_csa
            break
        if kif.HEAD.match(line):
            kind = kif.split_games, kif.read_kif
            break
    else:
        raise CounterplayError(f"{file} is not a shogi record: it is neither KIF nor CSA")
    split, read = kind
    for number, one in enumerate(split(joined(head, lines)), 1):
        try:
            yield read(game, one)
        except CounterplayError as wrong:
            raise type(wrong)(f"{file}, game {number}: {wrong}") from None


def joined(head: Iterable[str], rest: Iterable[str]) -> Iterator[str]:
    """The lines of both."""
    yield from head
    yield from rest


def played(p: Playthrough, word: str, told: str) -> None:
    """Play a move of a record."""
    try:
        p.play(word)
    except CounterplayError as wrong:
        raise type(wrong)(f"ply {len(p) + 1}, {told[:30]!r}: {wrong}") from None


def winner(returns: Sequence[float] | None) -> int | None:
    """The winner: 0 Black, 1 White, None nobody."""
    if not returns or returns[0] == returns[1]:
        return None
    return 0 if returns[0] > returns[1] else 1


def won_by(side: int) -> tuple[float, float]:
    """The payoffs of Black and White if a side won."""
    return (1.0, -1.0) if side == 0 else (-1.0, 1.0)
