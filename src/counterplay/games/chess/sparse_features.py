"""What a network sees of a chess position: each piece on its square, one feature each.

A player sees the board from their own side, mirrored if their king stands on the left: so the king is always on the
right, and what is learned on one wing applies to the other.
"""

from __future__ import annotations

from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, ones
from counterplay.games.chess.evaluation import ChessEvaluation
from counterplay.games.chess.position import (
    CASTLING,
    EN_PASSANT,
    KING,
    KNIGHT,
    NO_PIECE,
    PAWN,
    ROOK,
    TO_KNIGHT,
    State,
    kind_of,
    origin_of,
    piece_of,
    target_of,
)

LEFT = 4
"""The bit of a square that distinguishes the right half of the board from the left."""
THEIRS = 6 * 64
"""The features of the other side's pieces follow those of one's own."""


class ChessFeatures(ChessEvaluation):
    """Sparse features, and the stages of the game."""

    sparse_size = 2 * 6 * 64
    sparse_most = 32
    stages = 8
    version = 2

    def stage(self, s: State) -> int:
        """The stage by the number of pieces left: four more are one stage earlier."""
        return min((32 - count(s.own | s.opp)) // 4, 7)

    def sparse_features(self, s: State, player: int, out: Actions) -> None:
        own, opp = (s.own, s.opp) if s.ply % 2 == player else (s.opp, s.own)
        turn = self.view(first(s.king & own), player)
        boards = (s.pawn, s.knight, s.bishop, s.rook, s.queen, s.king)
        for piece in range(6):
            for square in ones(boards[piece] & own):
                out.append(64 * piece + (square ^ turn))
            for square in ones(boards[piece] & opp):
                out.append(THEIRS + 64 * piece + (square ^ turn))

    def view(self, king: int, player: int) -> int:
        """What squares are XORed with to see them as a player with that king does."""
        return 56 * player ^ (0 if king & LEFT else 7)

    def sparse_changes(self, s: State, action: int, player: int, out: Actions) -> bool:
        origin, target, piece, kind = origin_of(action), target_of(action), piece_of(action), kind_of(action)
        side = s.ply % 2
        own, mine, theirs = (s.own, 0, THEIRS) if side == player else (s.opp, THEIRS, 0)
        turn = self.view(first(s.king & own), player)
        goal = self.castled_king(origin, target) if kind == CASTLING else target
        if piece == KING and side == player and (origin ^ goal) & LEFT:
            return False  # the board turns around
        out.append(~(mine + 64 * piece + (origin ^ turn)))
        if kind == CASTLING:
            shelter = goal - 1 if target > origin else goal + 1
            out.append(mine + 64 * KING + (goal ^ turn))
            out.append(~(mine + 64 * ROOK + (target ^ turn)))
            out.append(mine + 64 * ROOK + (shelter ^ turn))
            return True
        out.append(mine + 64 * (kind - TO_KNIGHT + KNIGHT if kind >= TO_KNIGHT else piece) + (target ^ turn))
        if kind == EN_PASSANT:
            out.append(~(theirs + 64 * PAWN + ((target + 16 * side - 8) ^ turn)))
        else:
            victim = self.piece_at(s, s.opp & bit(target))
            if victim != NO_PIECE:
                out.append(~(theirs + 64 * victim + (target ^ turn)))
        return True
