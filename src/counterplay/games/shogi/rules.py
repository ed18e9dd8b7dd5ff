"""The rules of shogi (Japan Shogi Association): legal moves, what they do, and how a game ends.

Moves are generated legal at once, as in chess: the king goes where nothing attacks, a pinned piece keeps to its line,
and in check the only targets capture the checker or block it. Also illegal: two unpromoted pawns on a file (nifu), a
piece that could never move again, and mate by dropping a pawn (uchifuzume). Whoever cannot move loses.

The fourth occurrence of a position is a draw (sennichite), but a side that gave check with every move since the first
one loses. In a series of six checks or more, only the positions of that series count.
"""

from __future__ import annotations

from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import count, first, ones
from counterplay.core.language.wide import WideInt, u64
from counterplay.games.shogi.attacks import ShogiBoard
from counterplay.games.shogi.position import (
    GOLD,
    KING,
    PAWN,
    PROMOTED,
    State,
    drop,
    held,
    is_drop,
    move,
    origin_of,
    piece_of,
    promotes,
    target_of,
)

SERIES = 6
"""The minimum number of consecutive checks that can repeat a position for the fourth time."""
ESCORT = 10
"""The number of pieces beside the king that must have entered to declare a win."""
POINTS = (28, 27)
"""The points that Black and White need for it: 5 for a rook or bishop, 1 for others, in the zone or in hand."""


class ShogiRules(ShogiBoard):
    """Legal moves, their results, and the end of the game."""

    repetition = "draw"
    occurrences = 4

    def __init__(self, size: int, depth: int, entering: bool) -> None:
        super().__init__(size, depth)
        self.entering = entering

    def to_move(self, s: State) -> int:
        return s.ply % 2

    # Legal moves.

    def actions(self, s: State, out: Actions) -> None:
        self.generate(s, True, out)

    def generate(self, s: State, quiet: bool, out: Actions) -> None:
        """Append the legal moves, all or only captures and promotions."""
        side, king = s.ply % 2, first(self.kings(s) & s.own)
        for target in ones(self.safe_steps(s, king, ~s.own & self.full if quiet else s.opp)):
            out.append(move(king, target, KING, 0))
        if s.checkers & (s.checkers - 1):
            return  # in double check only the king moves
        goals = self.goals(s, king) & ~s.own
        pawns = self.pawns(s) & s.own
        ahead, back = (pawns << 1, -1) if side else (pawns >> 1, 1)
        for target in ones(ahead & goals):
            if self.freedom(s, king, target + back) & self.bit(target):
                self.arrive(s, target + back, PAWN, self.bit(target), quiet, out)
        for origin in ones(s.own & ~(pawns | self.kings(s))):
            piece = self.code_at(s, origin)
            targets = self.reach(piece, origin, side, s.own | s.opp) & goals & self.freedom(s, king, origin)
            self.arrive(s, origin, piece, targets, quiet, out)
        if quiet and s.own_hand:
            for kind in range(PAWN, GOLD + 1):
                if held(s.own_hand, kind):
                    for target in ones(self.drops(s, kind, goals)):
                        out.append(drop(kind, target))

    def arrive(self, s: State, origin: int, piece: int, targets: WideInt, quiet: bool, out: Actions) -> None:
        """Append the moves of a piece to `targets`, promoting, not promoting, or both."""
        side = s.ply % 2
        if KING < piece < GOLD:
            zone = self.promotion_zone(side)
            for target in ones(targets if zone & self.bit(origin) else targets & zone):
                out.append(move(origin, target, piece, 1))
            targets &= ~self.dead_end(side, piece)
        for target in ones(targets if quiet else targets & s.opp):
            out.append(move(origin, target, piece, 0))

    def safe_steps(self, s: State, king: int, wanted: WideInt) -> WideInt:
        """The squares among `wanted` where the king may go."""
        safe, others = self.Board(0), (s.own | s.opp) ^ self.bit(king)
        for square in ones(self.step(0, KING, king) & wanted):
            if not self.is_attacked(s, square, s.ply % 2, s.opp, others):
                safe |= self.bit(square)
        return safe

    def goals(self, s: State, king: int) -> WideInt:
        """The squares where pieces other than the king may go: in check, those that end it."""
        return s.checkers | self.way(king, first(s.checkers)) if s.checkers else ~s.own & self.full

    def freedom(self, s: State, king: int, origin: int) -> WideInt:
        """The squares where pins let a piece go."""
        return self.line_of(king, origin) if s.pinned & self.bit(origin) else self.full

    def drops(self, s: State, kind: int, goals: WideInt) -> WideInt:
        """The squares among `goals` where a piece may be dropped."""
        side = s.ply % 2
        found = goals & ~(s.own | s.opp | self.dead_end(side, kind))
        if kind == PAWN:
            # A file without a pawn keeps its lowest bit in the difference (and borrows from no other).
            free = self.bottom - (self.pawns(s) & s.own) & self.bottom
            found &= free | free - (free >> self.size - 1)
            check = self.step(1 - side, PAWN, first(self.kings(s) & s.opp)) & found
            if check and self.pawn_drop_mates(s, first(check)):
                found ^= check
        return found

    def pawn_drop_mates(self, s: State, target: int) -> bool:
        """Whether a pawn dropped in front of the opponent's king mates it."""
        after = self.result(s, drop(PAWN, target))
        side, king = after.ply % 2, first(self.kings(after) & after.own)
        if self.safe_steps(after, king, ~after.own & self.full):
            return False
        occupied = after.own | after.opp
        takers = self.steppers(after, target, 1 - side)
        for sniper in ones(self.snipers(after, target, 1 - side) & after.own):
            if not self.way(target, sniper) & occupied:
                takers |= self.bit(sniper)
        for taker in ones(takers & after.own & ~self.kings(after)):
            if self.freedom(after, king, taker) & self.bit(target):
                return False
        return True

    # What a move does.

    def result(self, s: State, action: int) -> State:
        piece, there, hand = piece_of(action), self.bit(target_of(action)), s.own_hand
        here = self.Board(0)
        if is_drop(action):
            hand -= 1 << 8 * (piece - 1)
        else:
            here = self.bit(origin_of(action))
            if s.opp & there:
                hand += 1 << 8 * ((self.code_at(s, target_of(action)) & 7) - 1)
        code, keep, nothing = piece | promotes(action) << 3, ~(here | there), self.Board(0)
        after = self.State(
            s.one & keep | (there if code & 1 else nothing),
            s.two & keep | (there if code & 2 else nothing),
            s.four & keep | (there if code & 4 else nothing),
            s.promoted & keep | (there if code & PROMOTED else nothing),
            s.opp & ~there,
            s.own & ~here | there,
            nothing,
            nothing,
            s.opp_hand,
            hand,
            s.opp_checks,
            s.own_checks,
            s.ply + 1,
        )
        return self.aware(after)

    # The end.

    def is_terminal(self, s: State) -> bool:
        return self.may_declare(s) or not self.can_move(s)

    def utility(self, s: State, player: int) -> float:
        return 1.0 if (player == s.ply % 2) == self.may_declare(s) else -1.0

    def repeated_utility(self, s: State, player: int) -> float:
        """A draw, but a series of checks loses."""
        if max(s.own_checks, s.opp_checks) < SERIES:
            return 0.0
        return 1.0 if (player == s.ply % 2) == (s.opp_checks >= SERIES) else -1.0

    def lookback(self, s: State) -> int:
        series = max(s.own_checks, s.opp_checks)
        return 2 * series if series >= SERIES else s.ply

    def can_move(self, s: State) -> bool:
        """Whether there is a legal move."""
        king = first(self.kings(s) & s.own)
        if not s.checkers and s.own_hand >> 8:
            return True  # there is always room for a piece other than a pawn
        goals, occupied = self.goals(s, king), s.own | s.opp
        if not s.checkers & (s.checkers - 1):
            for origin in ones(s.own & ~self.kings(s)):
                reach = self.reach(self.code_at(s, origin), origin, s.ply % 2, occupied)
                if reach & goals & self.freedom(s, king, origin):
                    return True
        if self.safe_steps(s, king, ~s.own & self.full):
            return True
        if s.checkers & (s.checkers - 1):
            return False
        can_drop = False
        for kind in range(PAWN, GOLD + 1):
            can_drop = can_drop or (held(s.own_hand, kind) > 0 and bool(self.drops(s, kind, goals)))
        return can_drop

    def may_declare(self, s: State) -> bool:
        """Whether the side to move may declare a win because its king has entered the promotion zone with enough pieces
        (the 27-point rule): this counts as won at once."""
        zone = self.promotion_zone(s.ply % 2)
        if not self.entering or s.checkers or not self.kings(s) & s.own & zone:
            return False
        inside = s.own & zone
        if count(inside) <= ESCORT:
            return False
        big = count(inside & s.four & (s.one ^ s.two))
        points = count(inside) - 1 + 4 * big
        for kind in range(PAWN, GOLD + 1):
            points += held(s.own_hand, kind) * (5 if self.is_big(kind) else 1)
        return points >= POINTS[s.ply % 2]

    def is_big(self, kind: int) -> bool:
        """Whether a kind is the rook or the bishop."""
        return 5 <= kind <= 6

    # Identity.

    def key(self, s: State) -> u64:
        h = self.mixed(s.one, u64(0x9E3779B97F4A7C15)) + self.mixed(s.two, u64(0xD1B54A32D192ED03))
        h += self.mixed(s.four, u64(0xAEF17502108EF2D9)) + self.mixed(s.promoted, u64(0xDB4F0B9175AE2165))
        h += self.mixed(s.own, u64(0xBBE0563303A4615F)) + self.mixed(s.opp, u64(0xA0F2EC75A1FE1575))
        hands = u64(s.own_hand) * u64(0x89E182857D9ED689) + u64(s.opp_hand) * u64(0xF1357AEA2E62A9C5)
        h += (hands ^ hands >> 31) * u64(0xC6D1D6C8ED0C9631) + u64(s.ply % 2) * u64(0x9FB21C651E98DF25)
        h = (h ^ h >> 29) * u64(0x9FB21C651E98DF25)
        return h ^ h >> 32

    def mixed(self, board: WideInt, odd: u64) -> u64:
        """A board spread over 64 bits, each by its own odd number."""
        low, high = u64(board), u64(board >> 64)
        spread = (low ^ low >> 32) * odd + (high ^ high >> 29) * (odd + 4)
        return (spread ^ spread >> 31) * (odd + 2)
