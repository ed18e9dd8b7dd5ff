"""Moves as text: standard algebraic notation (SAN), for people, and the coordinates that engines write (UCI)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from counterplay.core.errors import InvalidAction
from counterplay.core.formats.text import summary
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit
from counterplay.games.chess.position import (
    CASTLING,
    EN_PASSANT,
    PAWN,
    TO_KNIGHT,
    State,
    kind_of,
    origin_of,
    piece_of,
    square_name,
    target_of,
)

if TYPE_CHECKING:
    from counterplay.games.chess.rules import Rules

PIECES = "PNBRQK"
PROMOTIONS = "NBRQ"
ALGEBRAIC = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?")
COORDINATES = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([nbrqNBRQ])?")


@lru_cache(maxsize=64)
def moves(game: Rules, s: State) -> tuple[int, ...]:
    """The legal moves, even where a draw could be claimed."""
    out = Actions()
    game.actions(s, out)
    return tuple(out)


def san(game: Rules, s: State, action: int) -> str:
    """A move in standard algebraic notation, such as Nbd7, exd6, e8=Q+, O-O-O#."""
    text = bare_san(game, s, action)
    after = game.result(s, action)
    if not after.checkers:
        return text
    return text + ("+" if game.can_move(after) else "#")


def bare_san(game: Rules, s: State, action: int) -> str:
    """The same without the check sign."""
    origin, target, piece, kind = origin_of(action), target_of(action), piece_of(action), kind_of(action)
    if kind == CASTLING:
        return "O-O" if target > origin else "O-O-O"
    takes = "x" if s.opp & bit(target) or kind == EN_PASSANT else ""
    if piece == PAWN:
        promoted = f"={PROMOTIONS[kind - TO_KNIGHT]}" if kind >= TO_KNIGHT else ""
        return (square_name(origin)[0] if takes else "") + takes + square_name(target) + promoted
    return PIECES[piece] + apart(game, s, action) + takes + square_name(target)


def apart(game: Rules, s: State, action: int) -> str:
    """What distinguishes a move from those of other such pieces to the same square: the file, else the rank, else both."""
    origin = origin_of(action)
    rivals = [
        origin_of(other)
        for other in moves(game, s)
        if other != action and other >> 6 == action >> 6  # the same piece, target and kind
    ]
    if not rivals:
        return ""
    name = square_name(origin)
    if all(rival % 8 != origin % 8 for rival in rivals):
        return name[0]
    return name[1] if all(rival // 8 != origin // 8 for rival in rivals) else name


def uci(game: Rules, action: int, chess960: bool = False) -> str:
    """A move as engines write it, such as e7e8q. Castling is the king's move, in Chess960, the king taking its rook."""
    origin, target, kind = origin_of(action), target_of(action), kind_of(action)
    if kind == CASTLING and not chess960 and origin % 8 == 4 and target % 8 in (0, 7):
        target = game.castled_king(origin, target)
    promoted = PROMOTIONS[kind - TO_KNIGHT].lower() if kind >= TO_KNIGHT else ""
    return square_name(origin) + square_name(target) + promoted


def read(game: Rules, s: State, text: str) -> int:
    """The legal move that a text means, in either notation; signs of check and comment (+ # ! ?) are optional."""
    wanted = text.strip().rstrip("+#!?").removesuffix("e.p.").strip()
    options = moves(game, s)
    found = [action for action in options if matches(game, s, action, wanted)]
    if len(found) == 1:
        return found[0]
    names = [san(game, s, action) for action in found or options]
    if found:
        raise InvalidAction(f"{text.strip()!r} may mean {' or '.join(names)}")
    raise InvalidAction(f"no move {text.strip()!r} here; legal: {summary(names)}")


def matches(game: Rules, s: State, action: int, wanted: str) -> bool:
    """Whether a text without its signs can mean a move."""
    origin, target, piece, kind = origin_of(action), target_of(action), piece_of(action), kind_of(action)
    castle = "O-O" if target > origin else "O-O-O"
    if kind == CASTLING and wanted.upper().replace("0", "O") == castle:
        return True
    by_squares = COORDINATES.fullmatch(wanted)
    if by_squares:
        start, end, promoted = by_squares.groups()
        written = start + end + (promoted or "").lower()
        return written in (uci(game, action), uci(game, action, chess960=True))
    by_piece = ALGEBRAIC.fullmatch(wanted)
    if not by_piece or kind == CASTLING:
        return False
    name, file, rank, end, promoted = by_piece.groups()
    if (name or "P") != PIECES[piece] or end != square_name(target) or (file + rank) not in near(origin, file, rank):
        return False
    return (promoted or "").upper() == (PROMOTIONS[kind - TO_KNIGHT] if kind >= TO_KNIGHT else "")


def near(origin: int, file: str, rank: str) -> tuple[str]:
    """The part of a square's name that distinguishes it in a text."""
    name = square_name(origin)
    return ((name[0] if file else "") + (name[1] if rank else ""),)
