"""The static value of a shogi position, and which moves look good.

The evaluation is a sum over pieces: the value of each, and of where it stands relative to either king (weights.py).
"""

from __future__ import annotations

from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import first, ones
from counterplay.core.language.wide import WideInt
from counterplay.games.shogi.position import (
    GOLD,
    KING,
    PAWN,
    PROMOTED,
    State,
    held,
    is_drop,
    origin_of,
    piece_of,
    promotes,
    target_of,
)
from counterplay.games.shogi.rules import ShogiRules
from counterplay.games.shogi.weights import hand_values, places, values

PAWNS = 100.0
"""A win counts as much as this many pawns."""
LIMIT = 0.95
TEMPO = 30


class ShogiEvaluation(ShogiRules):
    """Evaluation, ordering, and what search needs to know of a position."""

    evaluation_bounds = (-LIMIT, LIMIT)
    swing = 2.0 / PAWNS

    def __init__(self, size: int, depth: int, entering: bool) -> None:
        super().__init__(size, depth, entering)
        self.worth, self.hand_worth, self.places = values(), hand_values(), places(size)

    def evaluate(self, s: State, player: int) -> float:
        side = s.ply % 2
        king, target = first(self.kings(s) & s.own), first(self.kings(s) & s.opp)
        total = TEMPO + self.in_hand(s.own_hand) - self.in_hand(s.opp_hand)
        for code in range(PROMOTED + 7):
            board = self.pieces(s, code)
            total += self.standing(board & s.own, code, king, target, side)
            total -= self.standing(board & s.opp, code, target, king, 1 - side)
        lead = max(-LIMIT, min(LIMIT, total / (100 * PAWNS)))
        return lead if player == side else -lead

    def in_hand(self, hand: int) -> int:
        """The value of a hand."""
        total = 0
        if hand:
            for kind in range(PAWN, GOLD + 1):
                total += held(hand, kind) * self.hand_worth[kind]
        return total

    def pieces(self, s: State, code: int) -> WideInt:
        """All pieces of a code."""
        found = (s.own | s.opp) & (s.one if code & 1 else ~s.one) & (s.two if code & 2 else ~s.two)
        return found & (s.four if code & 4 else ~s.four) & (s.promoted if code & PROMOTED else ~s.promoted)

    def standing(self, board: WideInt, code: int, king: int, target: int, side: int) -> int:
        """The value of one side's pieces of a code; White's are turned around."""
        total, corner = 0, self.size * self.size - 1
        if side:
            king, target = corner - king, corner - target
        for square in ones(board):
            here = corner - square if side else square
            total += self.places[0, code, king, here] + self.places[1, code, target, here]
        return total

    # Moves.

    def ordering(self, s: State, action: int) -> int:
        """The most valuable victim first, taken by the least valuable piece; then promotions."""
        if not self.is_noisy(s, action):
            return 0
        return 16 * self.gain(s, action) // 100 + 16 - self.worth[piece_of(action)] // 100

    def gain(self, s: State, action: int) -> int:
        """The value that a move captures and gains by promotion."""
        found, piece = 0, piece_of(action)
        if s.opp & self.bit(target_of(action)):
            found = self.worth[self.code_at(s, target_of(action))]
        return found + self.worth[piece | PROMOTED] - self.worth[piece] if promotes(action) else found

    def is_noisy(self, s: State, action: int) -> bool:
        return bool(promotes(action)) or bool(s.opp & self.bit(target_of(action)))

    def noisy_actions(self, s: State, out: Actions) -> None:
        self.generate(s, False, out)

    def is_losing(self, s: State, action: int) -> bool:
        """Whether a piece goes where it can be captured and is worth more than what it captures."""
        piece = piece_of(action)
        if piece == KING or self.gain(s, action) >= self.worth[piece]:
            return False
        occupied = (s.own | s.opp) & ~self.left(action)
        return self.is_attacked(s, target_of(action), s.ply % 2, s.opp, occupied)

    def left(self, action: int) -> WideInt:
        """The square that a move leaves; none for a drop."""
        return self.Board(0) if is_drop(action) else self.bit(origin_of(action))

    def is_forcing(self, s: State, action: int, after: State) -> bool:
        return bool(after.checkers) and not self.is_losing(s, action)

    def is_tense(self, s: State) -> bool:
        return bool(s.checkers)

    def threatens(self, s: State, action: int) -> bool:
        """Whether a move gives check: the piece itself, or by discovery."""
        side, target, here = s.ply % 2, target_of(action), self.left(action)
        king = first(self.kings(s) & s.opp)
        occupied = (s.own | s.opp) & ~here | self.bit(target)
        piece = piece_of(action) | promotes(action) << 3
        if self.reach(piece, target, side, occupied) & self.bit(king):
            return True
        for sniper in ones(self.snipers(s, king, 1 - side) & s.own & ~here):
            if self.way(king, sniper) & here and not self.way(king, sniper) & occupied:
                return True
        return False

    def allows_null(self, s: State) -> bool:
        return not s.checkers

    def null(self, s: State) -> State:
        after = self.State(
            s.one, s.two, s.four, s.promoted, s.opp, s.own, self.Board(0), self.Board(0), s.opp_hand, s.own_hand,
            s.opp_checks, 0, s.ply + 1,
        )  # fmt: skip
        return self.aware(after)
