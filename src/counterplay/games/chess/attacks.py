"""Attacks on a chess board: the basis of the rules and the evaluation."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.wide import u64
from counterplay.games.chess.position import A_FILE, H_FILE, State
from counterplay.games.chess.tables import MAGIC, MASK, SHIFT, START, tables


class Attacks(Game):
    """Bitboards of attacked squares."""

    def __init__(self) -> None:
        self.knight_steps, self.king_steps, self.pawn_steps = tables()[:3]
        self.between, self.line, self.king_lines, self.rook_lines, self.bishop_lines, self.slides = tables()[3:]

    def rook_attacks(self, square: int, occupied: u64) -> u64:
        """The squares that a rook on `square` attacks."""
        found = (occupied & u64(self.rook_lines[square, MASK])) * u64(self.rook_lines[square, MAGIC])
        return u64(self.slides[int(u64(self.rook_lines[square, START]) + (found >> self.rook_lines[square, SHIFT]))])

    def bishop_attacks(self, square: int, occupied: u64) -> u64:
        """The squares that a bishop on `square` attacks."""
        found = (occupied & u64(self.bishop_lines[square, MASK])) * u64(self.bishop_lines[square, MAGIC])
        return u64(
            self.slides[int(u64(self.bishop_lines[square, START]) + (found >> self.bishop_lines[square, SHIFT]))]
        )

    def forward(self, board: u64, side: int) -> u64:
        """Every square one step ahead, as `side` sees it."""
        return board << 8 if side == 0 else board >> 8

    def eastward(self, pawns: u64, side: int) -> u64:
        """The squares that pawns attack towards the h file."""
        return (pawns & ~H_FILE) << 9 if side == 0 else (pawns & ~H_FILE) >> 7

    def westward(self, pawns: u64, side: int) -> u64:
        """The squares that pawns attack towards the a file."""
        return (pawns & ~A_FILE) << 7 if side == 0 else (pawns & ~A_FILE) >> 9

    def attackers(self, s: State, square: int, occupied: u64, side: int) -> u64:
        """The pieces of either side that attack `square`, with `occupied` in the way; of the pawns, only those of the
        opponent of `side`."""
        return (
            u64(self.knight_steps[square]) & s.knight
            | u64(self.king_steps[square]) & s.king
            | u64(self.pawn_steps[side, square]) & s.pawn
            | self.bishop_attacks(square, occupied) & (s.bishop | s.queen)
            | self.rook_attacks(square, occupied) & (s.rook | s.queen)
        )

    def piece_at(self, s: State, square: u64) -> int:
        """The piece on `square`, a bitboard of one, or NO_PIECE."""
        if s.pawn & square:
            return 0
        if s.knight & square:
            return 1
        if s.bishop & square:
            return 2
        if s.rook & square:
            return 3
        if s.queen & square:
            return 4
        return 5 if s.king & square else 6
