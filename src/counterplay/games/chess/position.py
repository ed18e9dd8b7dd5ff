"""A chess position and a chess move as values.

A move is one int: the square it leaves, the square it enters, the piece, and its kind. Castling goes from the king's
square to the rook's, which also identifies it in Chess960.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

WHITE, BLACK = 0, 1
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NO_PIECE = range(7)
PLAIN, DOUBLE, EN_PASSANT, CASTLING, TO_KNIGHT, TO_BISHOP, TO_ROOK, TO_QUEEN = range(8)
"""Kinds of moves: EN_PASSANT takes en passant, the last four promote."""
NOWHERE = 64
"""No square."""

FIRST_RANKS = u64(0xFF000000000000FF)
"""The ranks where pawns cannot stand."""
A_FILE, H_FILE = u64(0x0101010101010101), u64(0x8080808080808080)
DARK = u64(0xAA55AA55AA55AA55)


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    pawn: u64
    knight: u64
    bishop: u64
    rook: u64
    queen: u64
    king: u64
    own: u64  # the pieces of the side to move
    opp: u64  # those of the other side
    castling: u64  # the rooks with which castling may still be possible
    checkers: u64  # the pieces that give check to the side to move
    pinned: u64  # the pieces of the side to move that alone block an attack on their king
    en_passant: int  # the square where a pawn can legally be taken en passant, else NOWHERE
    clock: int  # moves of either side since the last capture or pawn move
    ply: int  # plies since the start, by the FEN's move number; even: White to move


def move(origin: int, target: int, piece: int, kind: int) -> int:
    """A move as an action."""
    return origin | target << 6 | piece << 12 | kind << 15


def origin_of(action: int) -> int:
    """The square that a move leaves."""
    return action & 63


def target_of(action: int) -> int:
    """The square that a move enters; for castling, the rook's."""
    return action >> 6 & 63


def piece_of(action: int) -> int:
    """The piece that moves."""
    return action >> 12 & 7


def kind_of(action: int) -> int:
    """The kind of a move."""
    return action >> 15


def square_name(square: int) -> str:
    """A square as players write it."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)
