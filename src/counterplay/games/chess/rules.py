"""The rules of chess: legal moves, what they do, and how a game ends (FIDE Laws of Chess, 2023; Chess960 by its appendix).

Moves are generated legal at once: the king goes where no opposing piece attacks, a pinned piece keeps to its line, and
in check the only targets capture the checker or block it.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, ones
from counterplay.core.language.wide import u64
from counterplay.games.chess.attacks import Attacks
from counterplay.games.chess.position import (
    BISHOP,
    CASTLING,
    DARK,
    DOUBLE,
    EN_PASSANT,
    FIRST_RANKS,
    KING,
    KNIGHT,
    NOWHERE,
    PAWN,
    PLAIN,
    QUEEN,
    ROOK,
    TO_BISHOP,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    State,
    kind_of,
    move,
    origin_of,
    piece_of,
    target_of,
)
from counterplay.games.chess.setup import back_rank, board

THIRD_RANKS = (u64(0xFF0000), u64(0xFF0000000000))


class Rules(Attacks):
    """Legal moves, their results, and the end of the game."""

    repetition = "draw"

    def __init__(self, start: int = 518, claims: bool = True) -> None:
        super().__init__()
        if not 0 <= start < 960:
            raise CounterplayError(
                f"chess: start={start} is not a Chess960 position; positions are 0 to 959, and 518 is the usual one"
            )
        self.home = np.array([board(piece, back_rank(start)) for piece in "NBRQK"], np.uint64)
        self.occurrences = 3 if claims else 5
        self.patience = 100 if claims else 150

    def initial(self) -> State:
        knight, bishop, rook = u64(self.home[0]), u64(self.home[1]), u64(self.home[2])
        queen, king, pawn = u64(self.home[3]), u64(self.home[4]), u64(0xFF00000000FF00)
        white, nothing = u64(0xFFFF), u64(0)
        return State(
            pawn, knight, bishop, rook, queen, king, white, white << 48, rook, nothing, nothing, NOWHERE, 0, 0
        )  # fmt: skip

    def to_move(self, s: State) -> int:
        return s.ply % 2

    # Legal moves.

    def actions(self, s: State, out: Actions) -> None:
        self.generate(s, True, out)

    def generate(self, s: State, quiet: bool, out: Actions) -> None:
        """Append the legal moves, all or only captures and promotions."""
        king = first(s.king & s.own)
        wanted = ~s.own if quiet else s.opp
        for target in ones(self.safe_steps(s, king, wanted)):
            out.append(move(king, target, KING, PLAIN))
        if s.checkers & (s.checkers - 1):
            return  # in double check only the king moves
        goals = self.goals(s, king) & wanted
        occupied = s.own | s.opp
        for origin in ones(s.knight & s.own & ~s.pinned):
            for target in ones(u64(self.knight_steps[origin]) & goals):
                out.append(move(origin, target, KNIGHT, PLAIN))
        for origin in ones((s.bishop | s.queen) & s.own):
            piece = QUEEN if s.queen & bit(origin) else BISHOP
            for target in ones(self.bishop_attacks(origin, occupied) & goals & self.freedom(s, king, origin)):
                out.append(move(origin, target, piece, PLAIN))
        for origin in ones((s.rook | s.queen) & s.own):
            piece = QUEEN if s.queen & bit(origin) else ROOK
            for target in ones(self.rook_attacks(origin, occupied) & goals & self.freedom(s, king, origin)):
                out.append(move(origin, target, piece, PLAIN))
        self.pawn_moves(s, king, quiet, out)
        if quiet and s.castling & s.own and not s.checkers:
            for rook in ones(s.castling & s.own):
                if self.can_castle(s, king, rook):
                    out.append(move(king, rook, KING, CASTLING))

    def safe_steps(self, s: State, king: int, wanted: u64) -> u64:
        """The squares among `wanted` where the king may go."""
        safe, others = u64(0), (s.own | s.opp) ^ bit(king)
        for square in ones(u64(self.king_steps[king]) & wanted):
            if not self.attackers(s, square, others, s.ply % 2) & s.opp:
                safe |= bit(square)
        return safe

    def goals(self, s: State, king: int) -> u64:
        """The squares where pieces other than the king may go: in check, those that end it."""
        return s.checkers | u64(self.between[king, first(s.checkers)]) if s.checkers else ~s.own

    def freedom(self, s: State, king: int, origin: int) -> u64:
        """The squares where pins let a piece go."""
        return u64(self.line[king, origin]) if s.pinned & bit(origin) else ~u64(0)

    def pawn_moves(self, s: State, king: int, quiet: bool, out: Actions) -> None:
        """Append the moves of pawns."""
        side, pawns, empty = s.ply % 2, s.pawn & s.own, ~(s.own | s.opp)
        up, goals = 8 - 16 * side, self.goals(s, king)
        self.pawn_arrivals(self.eastward(pawns, side) & s.opp & goals, up + 1, PLAIN, s, king, out)
        self.pawn_arrivals(self.westward(pawns, side) & s.opp & goals, up - 1, PLAIN, s, king, out)
        one = self.forward(pawns, side) & empty
        if quiet:
            self.pawn_arrivals(one & goals, up, PLAIN, s, king, out)
            two = self.forward(one & THIRD_RANKS[side], side) & empty & goals
            self.pawn_arrivals(two, 2 * up, DOUBLE, s, king, out)
        else:
            self.pawn_arrivals(one & goals & FIRST_RANKS, up, PLAIN, s, king, out)
        if s.en_passant != NOWHERE:
            for origin in ones(u64(self.pawn_steps[1 - side, s.en_passant]) & pawns):
                if self.can_take_en_passant(s, king, origin, s.en_passant):
                    out.append(move(origin, s.en_passant, PAWN, EN_PASSANT))

    def pawn_arrivals(self, targets: u64, step: int, kind: int, s: State, king: int, out: Actions) -> None:
        """Append the pawn moves that arrive on `targets` by `step`, each promotion four times."""
        for target in ones(targets):
            origin = target - step
            if self.freedom(s, king, origin) & bit(target):
                if bit(target) & FIRST_RANKS:
                    out.append(move(origin, target, PAWN, TO_QUEEN))
                    out.append(move(origin, target, PAWN, TO_KNIGHT))
                    out.append(move(origin, target, PAWN, TO_ROOK))
                    out.append(move(origin, target, PAWN, TO_BISHOP))
                else:
                    out.append(move(origin, target, PAWN, kind))

    def can_take_en_passant(self, s: State, king: int, origin: int, target: int) -> bool:
        """Whether taking en passant leaves the mover's king safe: two pawns leave a rank at the same time."""
        taken = bit(target + 16 * (s.ply % 2) - 8)
        occupied = (s.own | s.opp) ^ bit(origin) ^ taken | bit(target)
        return not self.attackers(s, king, occupied, s.ply % 2) & s.opp & ~taken

    def can_castle(self, s: State, king: int, rook: int) -> bool:
        """Whether castling with `rook` is legal, out of check. (In Chess960, moving the rook can open a line.)"""
        goal = self.castled_king(king, rook)
        shelter = goal - 1 if rook > king else goal + 1
        way = u64(self.between[king, goal]) | bit(goal)
        others = (s.own | s.opp) ^ bit(king) ^ bit(rook)
        if (way | u64(self.between[rook, shelter]) | bit(shelter)) & others:
            return False
        attacked = u64(0)
        for square in ones(way):
            attacked |= self.attackers(s, square, others | bit(shelter), s.ply % 2) & s.opp
        return not attacked

    def castled_king(self, king: int, rook: int) -> int:
        """The square of the castled king: on the g or the c file."""
        return (king & 56) + (6 if rook > king else 2)

    # What a move does.

    def result(self, s: State, action: int) -> State:
        origin, target, piece, kind = origin_of(action), target_of(action), piece_of(action), kind_of(action)
        side = s.ply % 2
        there = bit(target)
        step = bit(origin) | there
        pawn, knight, bishop, rook, queen, king = s.pawn, s.knight, s.bishop, s.rook, s.queen, s.king
        own, opp, clock = s.own ^ step, s.opp, s.clock + 1
        if opp & there:
            keep = ~there
            pawn, knight, bishop, rook, queen = pawn & keep, knight & keep, bishop & keep, rook & keep, queen & keep
            opp, clock = opp & keep, 0
        if piece == PAWN:
            pawn, clock = pawn ^ step, 0
            if kind == EN_PASSANT:
                taken = bit(target + 16 * side - 8)
                pawn, opp = pawn ^ taken, opp ^ taken
            elif kind >= TO_KNIGHT:
                pawn ^= there
                if kind == TO_QUEEN:
                    queen |= there
                elif kind == TO_KNIGHT:
                    knight |= there
                elif kind == TO_ROOK:
                    rook |= there
                else:
                    bishop |= there
        elif piece == KNIGHT:
            knight ^= step
        elif piece == BISHOP:
            bishop ^= step
        elif piece == ROOK:
            rook ^= step
        elif piece == QUEEN:
            queen ^= step
        elif kind == CASTLING:
            goal = self.castled_king(origin, target)
            shelter = bit(goal - 1 if target > origin else goal + 1)
            own = s.own & ~step | bit(goal) | shelter
            king, rook = king ^ bit(origin) | bit(goal), rook ^ there | shelter
        else:
            king ^= step
        castling = s.castling & ~step
        if piece == KING:
            castling &= s.opp
        after = State(
            pawn, knight, bishop, rook, queen, king, opp, own, castling, u64(0), u64(0), NOWHERE, clock, s.ply + 1
        )  # fmt: skip
        en_passant = NOWHERE
        if kind == DOUBLE:
            en_passant = self.en_passant_square(after, (origin + target) // 2)
        return self.aware(after, en_passant)

    def aware(self, s: State, en_passant: int) -> State:
        """`s` with the en passant square, the pieces that give check, and those that alone block one."""
        king = first(s.king & s.own)
        checkers = u64(self.knight_steps[king]) & s.knight | u64(self.pawn_steps[s.ply % 2, king]) & s.pawn
        snipers = self.bishop_attacks(king, s.opp) & (s.bishop | s.queen)
        snipers |= self.rook_attacks(king, s.opp) & (s.rook | s.queen)
        pinned = u64(0)
        for sniper in ones(snipers & s.opp):
            shield = u64(self.between[king, sniper]) & s.own
            if not shield:
                checkers |= bit(sniper)
            elif not shield & (shield - 1):
                pinned |= shield
        return State(
            s.pawn, s.knight, s.bishop, s.rook, s.queen, s.king, s.own, s.opp, s.castling,
            checkers & s.opp, pinned, en_passant, s.clock, s.ply,
        )  # fmt: skip

    def en_passant_square(self, s: State, square: int) -> int:
        """`square`, behind a pawn that has just gone two steps, if it can legally be taken there, else NOWHERE:
        positions are equal if the same moves are possible."""
        side, king = s.ply % 2, first(s.king & s.own)
        for origin in ones(u64(self.pawn_steps[1 - side, square]) & s.pawn & s.own):
            if self.can_take_en_passant(s, king, origin, square):
                return square
        return NOWHERE

    # The end.

    def is_terminal(self, s: State) -> bool:
        return s.clock >= self.patience or self.is_dead(s) or not self.can_move(s)

    def utility(self, s: State, player: int) -> float:
        if not s.checkers or self.can_move(s):
            return 0.0
        return -1.0 if player == s.ply % 2 else 1.0

    def is_dead(self, s: State) -> bool:
        """Whether no series of legal moves can mate: bare kings, one knight, or bishops of one colour of squares."""
        if s.pawn | s.rook | s.queen:
            return False
        if s.knight:
            return count(s.own | s.opp) == 3
        return not s.bishop & DARK or not s.bishop & ~DARK

    def can_move(self, s: State) -> bool:
        """Whether there is a legal move. (If only castling were left, the king could also step aside.)"""
        king = first(s.king & s.own)
        if not s.checkers:
            free = s.pawn & s.own & ~u64(self.king_lines[king])
            if self.forward(free, s.ply % 2) & ~(s.own | s.opp):
                return True  # the usual case: a pawn that cannot be pinned
        if self.safe_steps(s, king, ~s.own):
            return True
        if s.checkers & (s.checkers - 1):
            return False
        return self.others_can_move(s, king)

    def others_can_move(self, s: State, king: int) -> bool:
        """Whether there is a legal move of a piece other than the king."""
        side, occupied, goals = s.ply % 2, s.own | s.opp, self.goals(s, king)
        for origin in ones(s.knight & s.own & ~s.pinned):
            if u64(self.knight_steps[origin]) & goals:
                return True
        for origin in ones((s.bishop | s.queen) & s.own):
            if self.bishop_attacks(origin, occupied) & goals & self.freedom(s, king, origin):
                return True
        for origin in ones((s.rook | s.queen) & s.own):
            if self.rook_attacks(origin, occupied) & goals & self.freedom(s, king, origin):
                return True
        if s.en_passant != NOWHERE:
            return True
        for origin in ones(s.pawn & s.own):
            here = bit(origin)
            one = self.forward(here, side) & ~occupied
            reach = one | self.forward(one & THIRD_RANKS[side], side) & ~occupied
            reach |= (self.eastward(here, side) | self.westward(here, side)) & s.opp
            if reach & goals & self.freedom(s, king, origin):
                return True
        return False

    # Identity.

    def key(self, s: State) -> u64:
        h = self.mixed(s.pawn, u64(0x9E3779B97F4A7C15)) + self.mixed(s.knight, u64(0xD1B54A32D192ED03))
        h += self.mixed(s.bishop, u64(0xAEF17502108EF2D9)) + self.mixed(s.rook, u64(0xDB4F0B9175AE2165))
        h += self.mixed(s.queen, u64(0xBBE0563303A4615F)) + self.mixed(s.king, u64(0xA0F2EC75A1FE1575))
        h += self.mixed(s.own, u64(0x89E182857D9ED689)) + self.mixed(s.castling, u64(0xF1357AEA2E62A9C5))
        h += u64(s.ply % 2 + 2 * s.en_passant) * u64(0xC6D1D6C8ED0C9631)
        h = (h ^ h >> 29) * u64(0x9FB21C651E98DF25)
        return h ^ h >> 32

    def mixed(self, board: u64, odd: u64) -> u64:
        """A board spread over 64 bits, each by its own odd number."""
        spread = (board ^ board >> 32) * odd
        return (spread ^ spread >> 31) * (odd + 2)

    def lookback(self, s: State) -> int:
        return s.clock if s.clock >= 4 else 0  # both sides must leave and return
