"""How pieces move in Kriegspiel: what a player who sees only their own can try, which tries are legal, and their effect."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, last, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.wide import u64
from counterplay.games.kriegspiel.board import (
    BISHOP,
    DIRECTIONS,
    KING,
    KNIGHT,
    LEAPS,
    NO_PIECE,
    NOWHERE,
    PAWN,
    QUEEN,
    ROOK,
    UPWARD,
    WHITE,
    Pieces,
    leaps,
    number,
    rays,
)

PROMOTIONS = (KNIGHT, BISHOP, ROOK, QUEEN)


def move(origin: int, target: int, promoted: int) -> int:
    """A try as an action: `promoted` is the number of a piece in PROMOTIONS, 0 without promotion."""
    return origin | target << 6 | promoted << 12


class Moves(Game):
    """Chess on a square board, as a player in the dark and as the referee sees it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.squares = sum(1 << number(file, rank) for file in range(size) for rank in range(size))
        self.knight_steps, self.king_steps = leaps(size, LEAPS), leaps(size, DIRECTIONS)
        self.pawn_steps = leaps(size, ((1, 1), (-1, 1))), leaps(size, ((1, -1), (-1, -1)))
        self.rays = rays(size)
        self.dark = u64(0xAA55AA55AA55AA55)

    # Attacks.

    def sight(self, direction: int, square: int, occupied: u64) -> u64:
        """The squares visible along a ray, including the first piece."""
        ray = u64(self.rays[direction, square])
        met = ray & occupied
        if met:
            ray ^= u64(self.rays[direction, first(met) if direction < len(UPWARD) else last(met)])
        return ray

    def straight(self, square: int, occupied: u64) -> u64:
        """The squares that a rook sees."""
        found = self.sight(0, square, occupied) | self.sight(1, square, occupied)
        return found | self.sight(4, square, occupied) | self.sight(5, square, occupied)

    def diagonal(self, square: int, occupied: u64) -> u64:
        """The squares that a bishop sees."""
        found = self.sight(2, square, occupied) | self.sight(3, square, occupied)
        return found | self.sight(6, square, occupied) | self.sight(7, square, occupied)

    def pawn_attacks(self, square: int, side: int) -> u64:
        """The squares that a pawn of `side` attacks."""
        return u64(self.pawn_steps[0][square]) if side == WHITE else u64(self.pawn_steps[1][square])

    def attackers(self, b: Pieces, square: int, by: int) -> u64:
        """The pieces of side `by` that attack a square."""
        occupied, theirs = b.white | b.black, b.white if by == WHITE else b.black
        found = u64(self.knight_steps[square]) & b.knight | u64(self.king_steps[square]) & b.king
        found |= self.pawn_attacks(square, 1 - by) & b.pawn
        found |= self.straight(square, occupied) & (b.rook | b.queen)
        return (found | self.diagonal(square, occupied) & (b.bishop | b.queen)) & theirs

    def checkers(self, b: Pieces, side: int) -> u64:
        """The pieces that give check to a side."""
        own = b.white if side == WHITE else b.black
        return self.attackers(b, first(b.king & own), 1 - side)

    def piece_at(self, b: Pieces, square: int) -> int:
        """The piece on a square, or NO_PIECE."""
        here = bit(square)
        if b.pawn & here:
            return PAWN
        if b.knight & here:
            return KNIGHT
        if b.bishop & here:
            return BISHOP
        if b.rook & here:
            return ROOK
        if b.queen & here:
            return QUEEN
        return KING if b.king & here else NO_PIECE

    # What a player can try: whatever their own pieces allow, wherever the other side's may be.

    def tries(self, b: Pieces, side: int, captures: bool, out: Actions) -> None:
        """Append every try of a side; pawn captures only if the referee has said that there are some."""
        own = b.white if side == WHITE else b.black
        for origin in ones(own):
            promotes = (b.pawn & bit(origin)) != 0 and origin // 8 == (self.size - 2 if side == WHITE else 1)
            targets = self.reach(b, side, origin, own)
            if b.pawn & bit(origin) and not captures:
                targets &= ~self.pawn_attacks(origin, side)
            for target in ones(targets):
                for promoted in range(3 if promotes else 0, -1, -1):
                    out.append(move(origin, target, promoted))
        king = first(own & b.king)
        for rook in ones(b.castling & own):
            if not u64(self.rays[0 if rook > king else 4, king]) & u64(self.rays[4 if rook > king else 0, rook]) & own:
                out.append(move(king, king + 2 if rook > king else king - 2, 0))

    def reach(self, b: Pieces, side: int, origin: int, occupied: u64) -> u64:
        """The squares that the piece on a square can try, castling aside; `occupied` blocks sliding pieces."""
        here = bit(origin)
        targets = u64(0)
        if b.pawn & here:
            up = 8 if side == WHITE else -8
            targets = bit(origin + up) | self.pawn_attacks(origin, side)
            if self.size == 8 and origin // 8 == (1 if side == WHITE else 6) and not occupied & bit(origin + up):
                targets |= bit(origin + 2 * up)
        elif b.king & here:
            targets = u64(self.king_steps[origin])
        elif b.knight & here:
            targets = u64(self.knight_steps[origin])
        if (b.rook | b.queen) & here:
            targets |= self.straight(origin, occupied)
        if (b.bishop | b.queen) & here:
            targets |= self.diagonal(origin, occupied)
        return targets & ~(b.white if side == WHITE else b.black)

    # What the referee knows.

    def is_clear(self, b: Pieces, side: int, action: int) -> bool:
        """Whether nothing stands in the way of a try. Whether it leaves the king in check is another matter."""
        origin, target = action & 63, action >> 6 & 63
        other = b.black if side == WHITE else b.white
        occupied = b.white | b.black
        here, there = bit(origin), bit(target)
        if b.pawn & here:
            if abs(origin - target) % 8 == 0:
                middle = bit((origin + target) // 2) if abs(origin - target) == 16 else u64(0)
                return not occupied & (there | middle)
            return (other & there) != 0 or target == b.en_passant
        if b.king & here and abs(origin % 8 - target % 8) == 2:
            step = 1 if target > origin else -1
            if self.attackers(b, origin, 1 - side) or self.attackers(b, origin + step, 1 - side):
                return False
            wing = u64(self.rays[0 if step > 0 else 4, origin])
            return not wing & occupied & ~(b.castling & (b.white if side == WHITE else b.black))
        if (b.knight | b.king) & here:
            return True
        return ((self.straight(origin, occupied) | self.diagonal(origin, occupied)) & there) != 0

    def is_legal(self, b: Pieces, side: int, action: int) -> bool:
        """Whether the referee accepts a try."""
        return self.is_clear(b, side, action) and not self.checkers(self.moved(b, side, action), side)

    def moved(self, b: Pieces, side: int, action: int) -> Pieces:
        """The board after a legal move, or one that only leaves the king in check."""
        origin, target = action & 63, action >> 6 & 63
        here, there = bit(origin), bit(target)
        own, other = (b.white, b.black) if side == WHITE else (b.black, b.white)
        taken = self.taken_square(b, action)
        keep = ~bit(taken) if taken != NOWHERE else ~u64(0)
        pawn, knight, bishop, rook, queen, king = b.pawn, b.knight, b.bishop, b.rook, b.queen, b.king
        pawn, knight, bishop, rook, queen = pawn & keep, knight & keep, bishop & keep, rook & keep, queen & keep
        step, clock, en_passant = here | there, b.clock + 1, NOWHERE
        own, other, castling = own ^ step, other & keep, b.castling & ~step
        if taken != NOWHERE:
            clock = 0
        if pawn & here:
            clock = 0
            pawn ^= step
            if abs(origin - target) == 16:
                en_passant = (origin + target) // 2
            if target // 8 == (self.size - 1 if side == WHITE else 0):
                pawn ^= there
                promoted = action >> 12
                if promoted == 0:
                    knight |= there
                elif promoted == 1:
                    bishop |= there
                elif promoted == 2:
                    rook |= there
                else:
                    queen |= there
        elif knight & here:
            knight ^= step
        elif bishop & here:
            bishop ^= step
        elif rook & here:
            rook ^= step
        elif queen & here:
            queen ^= step
        else:
            king ^= step
            if abs(origin - target) == 2:  # castling: the rook passes the king
                corner, beside = (target + 1, target - 1) if target > origin else (target - 2, target + 1)
                rook ^= bit(corner) | bit(beside)
                own ^= bit(corner) | bit(beside)
            castling &= other
        white, black = (own, other) if side == WHITE else (other, own)
        return Pieces(pawn, knight, bishop, rook, queen, king, white, black, castling, en_passant, clock)

    def taken_square(self, b: Pieces, action: int) -> int:
        """The square of the piece that a legal move captures; NOWHERE if it captures none."""
        origin, target = action & 63, action >> 6 & 63
        if (b.white | b.black) & bit(target):
            return target
        if b.pawn & bit(origin) and target == b.en_passant and abs(origin - target) % 8 != 0:
            return target - 8 if target > origin else target + 8
        return NOWHERE

    def can_move(self, b: Pieces, side: int) -> bool:
        """Whether a side has a legal move. (If only castling were left, the king could also step aside.)"""
        for origin in ones(b.white if side == WHITE else b.black):
            for target in ones(self.reach(b, side, origin, b.white | b.black)):
                if self.is_legal(b, side, move(origin, target, 0)):
                    return True
        return False

    def random_move(self, b: Pieces, side: int, rng: Rng) -> int:
        """A legal move of a piece drawn at random (castling aside; pawns become queens), if there is one."""
        own = b.white if side == WHITE else b.black
        pieces = count(own)
        while True:
            origin = nth(own, rng.below(pieces))
            targets = self.reach(b, side, origin, b.white | b.black)
            if targets:
                target = nth(targets, rng.below(count(targets)))
                promotes = (b.pawn & bit(origin)) != 0 and origin // 8 == (self.size - 2 if side == WHITE else 1)
                action = move(origin, target, 3 if promotes else 0)
                if self.is_legal(b, side, action):
                    return action

    def captures_of_pawns(self, b: Pieces, side: int) -> int:
        """The number of captures that the pawns of a side can make: its pawn tries."""
        own, other = (b.white, b.black) if side == WHITE else (b.black, b.white)
        goals = other | bit(b.en_passant) if b.en_passant != NOWHERE else other
        found = 0
        for origin in ones(own & b.pawn):
            for target in ones(self.pawn_attacks(origin, side) & goals):
                if self.is_legal(b, side, move(origin, target, 0)):
                    found += 1
        return found

    def is_dead(self, b: Pieces) -> bool:
        """Whether nobody can mate: bare kings, one knight, or bishops on squares of one colour."""
        if b.pawn | b.rook | b.queen:
            return False
        if b.knight:
            return count(b.white | b.black) == 3
        return not b.bishop & self.dark or not b.bishop & ~self.dark
