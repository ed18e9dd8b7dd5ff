"""The static value of a chess position, and which moves look good.

The evaluation is a sum of weights (weights.py), one for the middlegame and one for the endgame, blended by the material
left on the board. Exchanges on one square are played out in order of value (static exchange evaluation).
"""

from __future__ import annotations

from typing import Self

import numpy as np

from counterplay.core.derived import derive
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, ones, signed
from counterplay.core.language.marks import inlined
from counterplay.core.language.wide import u64
from counterplay.games.chess.position import (
    A_FILE,
    BISHOP,
    BLACK,
    CASTLING,
    EN_PASSANT,
    KING,
    KNIGHT,
    NOWHERE,
    PAWN,
    QUEEN,
    ROOK,
    TO_KNIGHT,
    TO_QUEEN,
    WHITE,
    State,
    kind_of,
    origin_of,
    piece_of,
    target_of,
)
from counterplay.games.chess.rules import Rules
from counterplay.games.chess.weights import (
    BLOCKED,
    DOUBLED,
    FAR,
    HALF_OPEN_ROOK,
    ISOLATED,
    MINOR_THREAT,
    MOBILITY,
    MOST,
    NEAR,
    OPEN_ROOK,
    PAIR,
    PASSED,
    PAWN_THREAT,
    PRESSURE,
    PRESSURES,
    ROOK_THREAT,
    SAFETY,
    SHIELD,
    SQUARES,
    SUPPORTED,
    TEMPO,
    WHOLE,
    packed,
    unpacked,
)
from counterplay.games.chess.weights import weights as read_weights

PAWNS = 100.0
"""A win counts as much as this many pawns."""
LIMIT = 0.95
VALUES = (100, 325, 330, 500, 950, 10000, 0)
"""What pieces are worth in an exchange."""


class ChessEvaluation(Rules):
    """Evaluation, ordering, and what search needs to know of a position."""

    evaluation_bounds = (-LIMIT, LIMIT)
    swing = 1.2 / PAWNS
    sketch_error = 2.5 / PAWNS

    def __init__(self, start: int = 518, claims: bool = True, weights: str = "") -> None:
        super().__init__(start, claims)
        self.weights = packed(read_weights(weights))
        self.files = np.array([int(A_FILE) << column for column in range(8)], np.uint64)
        self.neighbours = np.array(
            [sum(int(A_FILE) << c for c in (f - 1, f + 1) if 0 <= c < 8) for f in range(8)], np.uint64
        )
        self.ahead = np.array([[self.ranks_ahead(side, square) for square in range(64)] for side in (0, 1)], np.uint64)

    def weight_rows(self) -> np.ndarray:
        """The weights in use [COUNT, 2]: a tuner's start."""
        return unpacked(self.weights)

    def with_weights(self, rows: np.ndarray) -> Self:
        """The same game with other weights."""
        made: Self = derive(self, weights=packed(rows))
        return made

    def ranks_ahead(self, side: int, square: int) -> int:
        """The number of ranks in front of a square, as `side` sees it."""
        rank = square // 8
        return sum(0xFF << 8 * r for r in (range(rank + 1, 8) if side == 0 else range(rank)))

    def evaluate(self, s: State, player: int) -> float:
        return self.evaluate_with(s, player, self.structure(s))

    @inlined
    def evaluate_with(self, s: State, player: int, structure: tuple[int, int]) -> float:
        side = s.ply % 2
        pawns, passed = structure[0], u64(structure[1])
        total = self.half(s, s.own, s.opp, side, passed) - self.half(s, s.opp, s.own, 1 - side, passed)
        total += (pawns if side == WHITE else -pawns) + self.weights[TEMPO]
        end = (total + (1 << 31)) >> 32
        middle = total - (end << 32)
        phase = self.phase(s)
        lead = (middle * phase + end * (WHOLE - phase)) / (WHOLE * 100 * PAWNS)
        if not s.pawn & (s.own if lead > 0 else s.opp):
            if phase <= 3:
                lead *= 0.25  # one piece alone, or nearly so, wins nothing without pawns, but a rook or queen may
        lead = max(-LIMIT, min(LIMIT, lead))
        return lead if player == side else -lead

    def phase(self, s: State) -> int:
        """How much of the middlegame is left, up to WHOLE."""
        return min(count(s.knight | s.bishop) + 2 * count(s.rook) + 4 * count(s.queen), WHOLE)

    def sketch(self, s: State, player: int) -> float:
        lead = VALUES[PAWN] * (count(s.pawn & s.own) - count(s.pawn & s.opp))
        lead += VALUES[KNIGHT] * (count(s.knight & s.own) - count(s.knight & s.opp))
        lead += VALUES[BISHOP] * (count(s.bishop & s.own) - count(s.bishop & s.opp))
        lead += VALUES[ROOK] * (count(s.rook & s.own) - count(s.rook & s.opp))
        lead += VALUES[QUEEN] * (count(s.queen & s.own) - count(s.queen & s.opp))
        return (lead if player == s.ply % 2 else -lead) / (100 * PAWNS)

    def half(self, s: State, mine: u64, theirs: u64, side: int, passed: u64) -> int:
        """The weights of one side's pieces, summed, without the structure of the pawns."""
        flip, occupied, pawns = 56 * side, mine | theirs, s.pawn & mine
        king, target = first(s.king & mine), first(s.king & theirs)
        zone = u64(self.king_steps[target]) | bit(target)
        guarded = self.eastward(s.pawn & theirs, 1 - side) | self.westward(s.pawn & theirs, 1 - side)
        area = ~(guarded | mine & (s.pawn | s.king))
        majors = theirs & (s.rook | s.queen)
        total, pressure = self.weights[SQUARES + 64 * KING + (king ^ flip)], 0
        total += self.weights[PAWN_THREAT] * count(guarded & mine & ~s.pawn)
        for square in ones(s.knight & mine):
            reach = u64(self.knight_steps[square])
            total += self.stands(KNIGHT, square ^ flip, count(reach & area))
            pressure += PRESSURE[KNIGHT] * count(reach & zone)
            total += self.weights[MINOR_THREAT] * count(reach & majors)
        for square in ones(s.bishop & mine):
            reach = self.bishop_attacks(square, occupied ^ s.queen & mine)
            total += self.stands(BISHOP, square ^ flip, count(reach & area))
            pressure += PRESSURE[BISHOP] * count(reach & zone)
            total += self.weights[MINOR_THREAT] * count(reach & majors)
        for square in ones(s.rook & mine):
            reach = self.rook_attacks(square, occupied ^ (s.queen | s.rook) & mine)
            total += self.stands(ROOK, square ^ flip, count(reach & area))
            pressure += PRESSURE[ROOK] * count(reach & zone)
            total += self.weights[ROOK_THREAT] * count(reach & theirs & s.queen)
            file = A_FILE << (square & 7)
            if not file & pawns:
                total += self.weights[HALF_OPEN_ROOK if file & s.pawn else OPEN_ROOK]
        for square in ones(s.queen & mine):
            reach = self.bishop_attacks(square, occupied) | self.rook_attacks(square, occupied)
            total += self.stands(QUEEN, square ^ flip, count(reach & area))
            pressure += PRESSURE[QUEEN] * count(reach & zone)
        if count(s.bishop & mine) >= 2:
            total += self.weights[PAIR]
        shield = u64(self.king_steps[king]) & u64(self.ahead[side, king]) & pawns
        total += self.weights[SHIELD] * count(shield)
        for square in ones(passed & mine):
            stop = square + 8 - 16 * side
            if occupied & bit(stop):
                total += self.weights[BLOCKED]
            total += self.weights[NEAR] * self.distance(king, stop) + self.weights[FAR] * self.distance(target, stop)
        return total + self.weights[SAFETY + min(pressure, PRESSURES - 1)]

    def stands(self, piece: int, square: int, reach: int) -> int:
        """The weight of a piece on its square, and of the squares that it can go to."""
        return self.weights[SQUARES + 64 * piece + square] + self.weights[MOBILITY + MOST * piece + reach]

    # Pawns.

    def structure_key(self, s: State) -> u64:
        white = s.own if s.ply % 2 == WHITE else s.opp
        return self.mixed(s.pawn, u64(0x9E3779B97F4A7C15)) + self.mixed(s.pawn & white, u64(0x89E182857D9ED689))

    def structure(self, s: State) -> tuple[int, int]:
        """The weights of White's pawns less those of Black's, and the passed pawns."""
        white = s.pawn & (s.own if s.ply % 2 == WHITE else s.opp)
        black = s.pawn ^ white
        mine, passed = self.pawns(white, black, WHITE)
        theirs, others = self.pawns(black, white, BLACK)
        return mine - theirs, signed(passed | others)

    def pawns(self, pawns: u64, others: u64, side: int) -> tuple[int, u64]:
        """The same for one side's pawns."""
        flip = 56 * side
        supported = (self.eastward(pawns, side) | self.westward(pawns, side)) & pawns
        total, passed = self.weights[SUPPORTED] * count(supported), u64(0)
        for square in ones(pawns):
            total += self.weights[SQUARES + (square ^ flip)]
            file, beside = u64(self.files[square & 7]), u64(self.neighbours[square & 7])
            ahead = u64(self.ahead[side, square])
            if not beside & pawns:
                total += self.weights[ISOLATED]
            if ahead & file & pawns:
                total += self.weights[DOUBLED]
            elif not ahead & (file | beside) & others:
                total += self.weights[PASSED + ((square ^ flip) >> 3)]
                passed |= bit(square)
        return total, passed

    def distance(self, a: int, b: int) -> int:
        """How many steps a king needs from one square to another."""
        return max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3)))

    # Moves.

    def ordering(self, s: State, action: int) -> int:
        """The most valuable victim first, taken by the least valuable piece."""
        if not self.is_noisy(s, action):
            return 0
        kind, victim = kind_of(action), self.victim(s, action)
        if kind >= TO_KNIGHT:
            return 16 * (victim % 6) + 64 if kind == TO_QUEEN else 0
        return 16 * victim + 6 - piece_of(action)

    def is_losing(self, s: State, action: int) -> bool:
        if kind_of(action) >= TO_KNIGHT:
            return kind_of(action) != TO_QUEEN  # a lesser promotion is rarely better
        return not self.gains(s, action, 0)

    def victim(self, s: State, action: int) -> int:
        """The piece that a move takes, or NO_PIECE."""
        return PAWN if kind_of(action) == EN_PASSANT else self.piece_at(s, s.opp & bit(target_of(action)))

    def is_noisy(self, s: State, action: int) -> bool:
        kind = kind_of(action)
        return kind >= TO_KNIGHT or kind == EN_PASSANT or bool(s.opp & bit(target_of(action)))

    def noisy_actions(self, s: State, out: Actions) -> None:
        self.generate(s, False, out)

    def is_forcing(self, s: State, action: int, after: State) -> bool:
        return bool(after.checkers) and self.gains(s, action, 0)

    def is_tense(self, s: State) -> bool:
        return bool(s.checkers)

    def threatens(self, s: State, action: int) -> bool:
        """Whether a move gives check: the piece itself, or by discovery."""
        kind, piece = kind_of(action), piece_of(action)
        if kind >= EN_PASSANT:
            return self.is_tense(self.result(s, action))
        here, there = bit(origin_of(action)), bit(target_of(action))
        king = first(s.king & s.opp)
        if piece == PAWN and u64(self.pawn_steps[1 - s.ply % 2, king]) & there:
            return True
        if piece == KNIGHT and u64(self.knight_steps[king]) & there:
            return True
        lines, slides = u64(self.king_lines[king]), BISHOP <= piece <= QUEEN
        if not lines & here and not (slides and lines & there):
            return False
        occupied = (s.own | s.opp) & ~here | there
        straight, slanted = (s.rook | s.queen) & s.own & ~here, (s.bishop | s.queen) & s.own & ~here
        if ROOK <= piece <= QUEEN:
            straight |= there
        if slides and piece != ROOK:
            slanted |= there
        return bool(self.rook_attacks(king, occupied) & straight | self.bishop_attacks(king, occupied) & slanted)

    def allows_null(self, s: State) -> bool:
        return not s.checkers and bool(s.own & (s.knight | s.bishop | s.rook | s.queen))

    def null(self, s: State) -> State:
        after = State(
            s.pawn, s.knight, s.bishop, s.rook, s.queen, s.king, s.opp, s.own, s.castling,
            u64(0), u64(0), NOWHERE, s.clock + 1, s.ply + 1,
        )  # fmt: skip
        return self.aware(after, NOWHERE)

    def gains(self, s: State, action: int, least: int) -> bool:
        """Whether the exchange that a move begins on its square gains `least` or more, when both sides capture with the
        cheapest piece first and stop when it pays."""
        kind, target = kind_of(action), target_of(action)
        if kind >= CASTLING:
            return True  # castling and promotions are not tested
        balance = VALUES[self.victim(s, action)] - least
        if balance < 0:
            return False
        balance = VALUES[piece_of(action)] - balance
        if balance <= 0:
            return True  # even if the piece is lost
        occupied = (s.own | s.opp) ^ bit(origin_of(action)) | bit(target)
        if kind == EN_PASSANT:
            occupied ^= bit(target + 16 * (s.ply % 2) - 8)
        side = s.ply % 2
        white, black = (s.own, s.opp) if side == 0 else (s.opp, s.own)
        takers = self.attackers(s, target, occupied, 0) & (black | ~s.pawn)
        takers |= u64(self.pawn_steps[1, target]) & s.pawn & white
        mine, won = s.opp, True
        while True:
            takers &= occupied
            able = takers & mine
            if not able:
                return won
            won = not won
            piece = self.cheapest(s, able)
            if piece == KING:
                return won if not takers & ~mine else not won  # a king does not step into an attack
            balance = VALUES[piece] - balance
            if balance < won:
                return won
            occupied ^= bit(first(able & self.pieces(s, piece)))
            if piece != KNIGHT and piece != ROOK:
                takers |= self.bishop_attacks(target, occupied) & (s.bishop | s.queen)
            if piece >= ROOK:
                takers |= self.rook_attacks(target, occupied) & (s.rook | s.queen)
            mine = (s.own | s.opp) ^ mine

    def cheapest(self, s: State, pieces: u64) -> int:
        """The kind of the cheapest of `pieces`."""
        for piece in range(5):
            if pieces & self.pieces(s, piece):
                return piece
        return KING

    def pieces(self, s: State, piece: int) -> u64:
        """All pieces of a kind."""
        if piece == PAWN:
            return s.pawn
        if piece == KNIGHT:
            return s.knight
        if piece == BISHOP:
            return s.bishop
        if piece == ROOK:
            return s.rook
        return s.queen if piece == QUEEN else s.king
