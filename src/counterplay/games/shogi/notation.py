"""Moves as text: USI (7g7f, 8h2b+, P*5e), Western (P-7f, Bx2b+, P*5e) and, as in KIF, Japanese (７六歩(77), 同　銀(31))."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from counterplay.core.errors import InvalidAction
from counterplay.core.formats.text import shorten, summary
from counterplay.core.language.actions import Actions
from counterplay.games.shogi.position import (
    State,
    is_drop,
    origin_of,
    piece_of,
    promotes,
    target_of,
)
from counterplay.games.shogi.sfen import LETTERS, RANKS, piece_text, square_name

if TYPE_CHECKING:
    from counterplay.games.shogi.game import Shogi

KANJI = {
    "K": "玉", "P": "歩", "L": "香", "N": "桂", "S": "銀", "B": "角", "R": "飛", "G": "金",
    "+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "龍",
}  # fmt: skip
"""Pieces in Japanese."""
FILES_WIDE = "１２３４５６７８９"
RANKS_KANJI = "一二三四五六七八九"
WESTERN = re.compile(r"(\+?)([KPLNSBRG])([1-9][a-i1-9])?([-x*'])([1-9][a-i1-9])([+=]?)")
JAPANESE = re.compile(r"[▲△☗☖]?(同|[１-９1-9][一二三四五六七八九1-9])[\s　]*(\D+?)(打|不成|成)?(?:\((\d\d)\))?")
SYNONYMS = {"王": "玉", "竜": "龍", "全": "成銀", "圭": "成桂", "杏": "成香", "成歩": "と"}
"""Other ways to write the same piece."""


@lru_cache(maxsize=64)
def moves(game: Shogi, s: State) -> tuple[int, ...]:
    """The legal moves."""
    out = Actions()
    game.actions(s, out)
    return tuple(out)


def usi(game: Shogi, action: int) -> str:
    """A move as engines write it."""
    target = square_name(game.size, target_of(action))
    if is_drop(action):
        return f"{LETTERS[piece_of(action)]}*{target}"
    return square_name(game.size, origin_of(action)) + target + "+" * promotes(action)


def western(game: Shogi, s: State, action: int) -> str:
    """A move as in English books: the square it leaves only if needed, = if it could have promoted."""
    piece, target = piece_of(action), square_name(game.size, target_of(action))
    name = piece_text(piece, 0)
    if is_drop(action):
        return f"{name}*{target}"
    others = [
        other
        for other in moves(game, s)
        if not is_drop(other) and piece_of(other) == piece and target_of(other) == target_of(action)
    ]
    if any(origin_of(other) != origin_of(action) for other in others):
        name += square_name(game.size, origin_of(action))
    could = any(promotes(other) and origin_of(other) == origin_of(action) for other in others)
    takes = "x" if s.opp >> target_of(action) & 1 else "-"
    return name + takes + target + ("+" if promotes(action) else "=" if could else "")


def japanese(game: Shogi, action: int, before: int | None = None) -> str:
    """A move as KIF writes it; `before` is the square that the last move entered."""
    target, size = target_of(action), game.size
    where = f"{FILES_WIDE[target // size]}{RANKS_KANJI[target % size]}" if target != before else "同　"
    text = where + KANJI[piece_text(piece_of(action), 0)]
    if is_drop(action):
        return f"{text}打"
    origin = origin_of(action)
    return f"{text}{'成' if promotes(action) else ''}({origin // size + 1}{origin % size + 1})"


def read(game: Shogi, s: State, text: str) -> int:
    """The legal move that a text means, in any of these notations."""
    wanted = text.strip()
    options = moves(game, s)
    found = [action for action in options if matches(game, s, action, wanted)]
    if len(found) == 1:
        return found[0]
    names = [usi(game, action) for action in found or options]
    if found:
        raise InvalidAction(f"{shorten(wanted)!r} may mean {' or '.join(names)}")
    raise InvalidAction(f"no move {shorten(wanted)!r} here; legal: {summary(names)}")


def matches(game: Shogi, s: State, action: int, wanted: str) -> bool:
    """Whether a text can mean a move."""
    if wanted.lower() == usi(game, action).lower():
        return True
    by_piece = WESTERN.fullmatch(wanted)
    if by_piece:
        return matches_western(game, action, *(part or "" for part in by_piece.groups()))
    by_kanji = JAPANESE.fullmatch(wanted)
    return by_kanji is not None and matches_japanese(game, action, *(part or "" for part in by_kanji.groups()))


def matches_western(
    game: Shogi, action: int, promoted: str, letter: str, origin: str, how: str, target: str, sign: str
) -> bool:
    """Whether a move matches Western notation; squares may be numbers, such as 76."""
    names = [square_name(game.size, square) for square in (origin_of(action), target_of(action))]
    lettered = [
        square[:1] + (RANKS[int(square[1]) - 1] if square[1:].isdigit() else square[1:]) for square in (origin, target)
    ]
    if piece_text(piece_of(action), 0) != promoted + letter or lettered[1] != names[1]:
        return False
    if is_drop(action) != (how in "*'") or (origin and lettered[0] != names[0]):
        return False
    return promotes(action) == (sign == "+")


def matches_japanese(game: Shogi, action: int, where: str, piece: str, how: str, origin: str) -> bool:
    """Whether a move matches Japanese notation; 同 must have been replaced by the square."""
    target, size = target_of(action), game.size
    names = {
        a + b
        for a in (FILES_WIDE[target // size], str(target // size + 1))
        for b in (RANKS_KANJI[target % size], str(target % size + 1))
    }
    if where not in names or SYNONYMS.get(piece, piece) != KANJI[piece_text(piece_of(action), 0)]:
        return False
    if is_drop(action):
        return how in ("打", "") and not origin
    if origin and origin != f"{origin_of(action) // size + 1}{origin_of(action) % size + 1}":
        return False
    return how != "打" and promotes(action) == (how == "成")
