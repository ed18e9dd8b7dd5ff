"""Attacks on a shogi board: the basis of the rules and the evaluation."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.bits import first, last, ones
from counterplay.core.language.wide import Wide, WideInt
from counterplay.games.shogi.position import (
    BISHOP,
    GOLD,
    KING,
    KNIGHT,
    LANCE,
    PAWN,
    PROMOTED,
    ROOK,
    SILVER,
    State,
    state_class,
)
from counterplay.games.shogi.tables import tables


class ShogiBoard(Game):
    """Bitboards of pieces and of attacked squares on a board of `size` files and ranks."""

    def __init__(self, size: int, depth: int) -> None:
        self.size = size
        width = 128 if size * size > 64 else 64
        self.Board, self.State = Wide(width), state_class(width)
        self.full = self.Board((1 << size * size) - 1)
        self.bottom = self.Board(sum(1 << size * file + size - 1 for file in range(size)))
        self.steps, self.rays, self.between, self.line, self.stars, self.zone, self.dead = tables(size, depth)

    def bit(self, square: int) -> WideInt:
        """The bitboard of one square."""
        return self.Board(1) << square

    # Tables.

    def step(self, side: int, kind: int, square: int) -> WideInt:
        """The targets of a piece's single steps."""
        return self.Board(self.steps[side, kind, square, 1]) << 64 | self.Board(self.steps[side, kind, square, 0])

    def ray(self, direction: int, square: int) -> WideInt:
        """The squares from `square` to the edge."""
        return self.Board(self.rays[direction, square, 1]) << 64 | self.Board(self.rays[direction, square, 0])

    def way(self, a: int, b: int) -> WideInt:
        """The squares between two squares."""
        return self.Board(self.between[a, b, 1]) << 64 | self.Board(self.between[a, b, 0])

    def line_of(self, a: int, b: int) -> WideInt:
        """The whole line through two squares."""
        return self.Board(self.line[a, b, 1]) << 64 | self.Board(self.line[a, b, 0])

    def star(self, slanted: int, square: int) -> WideInt:
        """All squares in line with a square, straight (0) or diagonally (1)."""
        return self.Board(self.stars[slanted, square, 1]) << 64 | self.Board(self.stars[slanted, square, 0])

    def promotion_zone(self, side: int) -> WideInt:
        """The squares where pieces of a side promote."""
        return self.Board(self.zone[side, 1]) << 64 | self.Board(self.zone[side, 0])

    def dead_end(self, side: int, kind: int) -> WideInt:
        """The squares where a piece that does not promote could never move again."""
        return self.Board(self.dead[side, kind, 1]) << 64 | self.Board(self.dead[side, kind, 0])

    # Pieces, of both sides.

    def kings(self, s: State) -> WideInt:
        """The kings."""
        return (s.own | s.opp) & ~(s.one | s.two | s.four)

    def pawns(self, s: State) -> WideInt:
        """The pawns that have not promoted."""
        return s.one & ~(s.two | s.four | s.promoted)

    def lances(self, s: State) -> WideInt:
        """The lances that have not promoted."""
        return s.two & ~(s.one | s.four | s.promoted)

    def knights(self, s: State) -> WideInt:
        """The knights that have not promoted."""
        return s.one & s.two & ~(s.four | s.promoted)

    def silvers(self, s: State) -> WideInt:
        """The silvers that have not promoted."""
        return s.four & ~(s.one | s.two | s.promoted)

    def bishops(self, s: State) -> WideInt:
        """The bishops, promoted or not."""
        return s.one & s.four & ~s.two

    def rooks(self, s: State) -> WideInt:
        """The rooks, promoted or not."""
        return s.two & s.four & ~s.one

    def golds(self, s: State) -> WideInt:
        """The golds and pieces that move like them: promoted pawns, lances, knights and silvers."""
        return s.one & s.two & s.four | s.promoted & ~(s.four & (s.one ^ s.two))

    def code_at(self, s: State, square: int) -> int:
        """The code of the piece on an occupied square."""
        code = int(s.one >> square & 1) | int(s.two >> square & 1) << 1
        return code | int(s.four >> square & 1) << 2 | int(s.promoted >> square & 1) << 3

    # Attacks.

    def slide_up(self, direction: int, square: int, occupied: WideInt) -> WideInt:
        """The squares that a slider reaches in a direction of rising square numbers: up to and including the first
        piece."""
        ray = self.ray(direction, square)
        blockers = ray & occupied
        return ray & (blockers ^ (blockers - 1))

    def slide_down(self, direction: int, square: int, occupied: WideInt) -> WideInt:
        """The same for falling numbers."""
        ray = self.ray(direction + 4, square)
        return ray & (~self.Board(0) << last(ray & occupied | 1))

    def reach(self, piece: int, square: int, side: int, occupied: WideInt) -> WideInt:
        """The squares that a piece attacks."""
        kind = piece & 7
        if kind == BISHOP:
            found = self.slide_up(2, square, occupied) | self.slide_down(2, square, occupied)
            found |= self.slide_up(3, square, occupied) | self.slide_down(3, square, occupied)
            return found if piece < PROMOTED else found | self.step(0, ROOK, square)
        if kind == ROOK:
            found = self.slide_up(0, square, occupied) | self.slide_down(0, square, occupied)
            found |= self.slide_up(1, square, occupied) | self.slide_down(1, square, occupied)
            return found if piece < PROMOTED else found | self.step(0, BISHOP, square)
        if piece == LANCE:
            return self.slide_up(0, square, occupied) if side else self.slide_down(0, square, occupied)
        return self.step(side, GOLD if piece > PROMOTED else kind, square)

    def snipers(self, s: State, square: int, side: int) -> WideInt:
        """The sliders that would attack a square of `side` on an empty board, of both sides; lances against that side."""
        ahead = self.ray(0 if side else 4, square)
        return self.star(0, square) & self.rooks(s) | self.star(1, square) & self.bishops(s) | ahead & self.lances(s)

    def steppers(self, s: State, square: int, side: int) -> WideInt:
        """The pieces of both sides that attack a square by a single step, as if against `side`."""
        found = self.step(side, PAWN, square) & self.pawns(s) | self.step(side, KNIGHT, square) & self.knights(s)
        found |= self.step(side, SILVER, square) & self.silvers(s) | self.step(side, GOLD, square) & self.golds(s)
        royal = self.kings(s) | s.promoted & s.four & (s.one ^ s.two)
        return found | self.step(0, KING, square) & royal

    def is_attacked(self, s: State, square: int, side: int, by: WideInt, occupied: WideInt) -> bool:
        """Whether pieces `by` of the opponent of `side` attack a square, with `occupied` in the way."""
        attacked = bool(self.steppers(s, square, side) & by)
        if not attacked:
            for sniper in ones(self.snipers(s, square, side) & by):
                attacked = attacked or not self.way(square, sniper) & occupied
        return attacked

    def aware(self, s: State) -> State:
        """`s` with the pieces that give check, those that alone block one, and the series of checks."""
        side = s.ply % 2
        king = first(self.kings(s) & s.own)
        checkers, pinned, occupied = self.steppers(s, king, side) & s.opp, self.Board(0), s.own | s.opp
        for sniper in ones(self.snipers(s, king, side) & s.opp):
            shield = self.way(king, sniper) & occupied
            if not shield:
                checkers |= self.bit(sniper)
            elif not shield & (shield - 1):
                pinned |= shield & s.own
        checks = s.opp_checks + 1 if checkers else 0
        return self.State(
            s.one, s.two, s.four, s.promoted, s.own, s.opp, checkers, pinned, s.own_hand, s.opp_hand,
            s.own_checks, checks, s.ply,
        )  # fmt: skip
