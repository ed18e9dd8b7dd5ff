"""What a network sees of a shogi position: each piece on its square, and each piece in hand, one feature each.

A player sees the board from their own side. The second pawn in hand is a different feature from the first, so the value
of each further one is learned separately.
"""

from __future__ import annotations

from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import ones
from counterplay.games.shogi.evaluation import ShogiEvaluation
from counterplay.games.shogi.position import (
    GOLD,
    PAWN,
    PROMOTED,
    SET,
    State,
    held,
    is_drop,
    origin_of,
    piece_of,
    promotes,
    target_of,
)

CODES = 2 * PROMOTED
MOST_HELD = SET[PAWN]
HAND = (GOLD - PAWN + 1) * MOST_HELD
"""Features of one hand."""


class ShogiFeatures(ShogiEvaluation):
    """Sparse features: pieces on the board, one's own first, then those in hand."""

    def __init__(self, size: int, depth: int, entering: bool) -> None:
        super().__init__(size, depth, entering)
        self.squares = size * size
        self.sparse_size = 2 * (CODES * self.squares + HAND)
        self.sparse_most = 40  # all pieces of a set

    def sparse_features(self, s: State, player: int, out: Actions) -> None:
        mine, theirs = (0, 1) if s.ply % 2 == player else (1, 0)
        for square in ones(s.own):
            out.append(self.standing_feature(self.code_at(s, square), square, mine, player))
        for square in ones(s.opp):
            out.append(self.standing_feature(self.code_at(s, square), square, theirs, player))
        for kind in range(PAWN, GOLD + 1):
            for number in range(held(s.own_hand, kind)):
                out.append(self.held_feature(kind, number, mine))
            for number in range(held(s.opp_hand, kind)):
                out.append(self.held_feature(kind, number, theirs))

    def standing_feature(self, code: int, square: int, owner: int, player: int) -> int:
        """A piece on a square, as `player` sees it; `owner` is 0 if it is theirs, else 1."""
        seen = square if player == 0 else self.squares - 1 - square
        return (owner * CODES + code) * self.squares + seen

    def held_feature(self, kind: int, number: int, owner: int) -> int:
        """A piece in hand, the `number`-th of its kind, from 0."""
        return 2 * CODES * self.squares + owner * HAND + (kind - PAWN) * MOST_HELD + number

    def sparse_changes(self, s: State, action: int, player: int, out: Actions) -> bool:
        mine, theirs = (0, 1) if s.ply % 2 == player else (1, 0)
        piece, target = piece_of(action), target_of(action)
        if is_drop(action):
            out.append(~self.held_feature(piece, held(s.own_hand, piece) - 1, mine))
        else:
            out.append(~self.standing_feature(piece, origin_of(action), mine, player))
            if s.opp & self.bit(target):
                victim = self.code_at(s, target)
                kind = victim & 7
                out.append(~self.standing_feature(victim, target, theirs, player))
                out.append(self.held_feature(kind, held(s.own_hand, kind), mine))
        out.append(self.standing_feature(piece | promotes(action) << 3, target, mine, player))
        return True
