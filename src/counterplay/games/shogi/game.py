"""Shogi and minishogi: mate the king; captured pieces can be dropped (rules of the Japan Shogi Association).

Black begins. Captured pieces become yours: instead of moving, you may drop a piece from your hand on an empty square.
Pieces may promote when a move begins or ends on the last three ranks (in minishogi, on the last rank), and must if they
could never move again. Mate wins, and a player who cannot move loses. Illegal are two unpromoted pawns of one side on a
file (nifu), a piece dropped where it could never move, and mate by a dropped pawn (uchifuzume).

The fourth occurrence of a position, with the same hands and the same side to move, is a draw (sennichite), but a player
who gave check with every move since the first loses. In shogi the side to move may declare a win (27-point rule) with
the king in the promotion zone, not in check, ten more pieces there, and 28 points for Black or 27 for White: five for a
rook or bishop, one for others, in the zone or in hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Diagram
from counterplay.core.language.bits import first, ones
from counterplay.core.language.wide import WideInt
from counterplay.core.playthrough import Playthrough
from counterplay.games.shogi import csa, drawing, kif, notation, sfen
from counterplay.games.shogi.evaluation import PAWNS
from counterplay.games.shogi.position import (
    GOLD,
    MINISET,
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
from counterplay.games.shogi.records import read_records
from counterplay.games.shogi.sparse_features import ShogiFeatures

STYLES = ("western", "kanji")
KINDS = 14
"""The number of different pieces on the board, including promoted ones and kings."""


class Shogi(ShogiFeatures):
    """Mate the king; captured pieces can be dropped. Rules of the Japan Shogi Association, with the 27-point rule."""

    name = "shogi"
    record_suffix = "kif"
    more_suffixes = ("csa",)
    start_position = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
    board_size, zone_depth, pieces_in_set = 9, 3, SET

    def __init__(self, entering: bool = True, pieces: str = "western") -> None:
        super().__init__(self.board_size, self.zone_depth, entering)
        if pieces not in STYLES:
            raise CounterplayError(f"{self.name}: pieces={pieces!r} is unknown; they are {' or '.join(STYLES)}")
        start = sfen.read(self, self.start_position)
        boards = (start.one, start.two, start.four, start.own, start.opp)
        squares = self.size * self.size
        self.plane_shape = (2 * KINDS + 14, self.size, self.size)
        self.policy_size = 2 * squares * squares + 7 * squares
        self.home = np.array([[int(b) & (1 << 64) - 1, int(b) >> 64] for b in boards], np.uint64)

    @property
    def set(self) -> dict[int, int]:
        """The number of pieces of each kind."""
        return self.pieces_in_set

    def initial(self) -> State:
        nothing = self.Board(0)
        start = self.State(
            self.home_board(0), self.home_board(1), self.home_board(2), nothing, self.home_board(3), self.home_board(4),
            nothing, nothing, 0, 0, 0, 0, 0,
        )  # fmt: skip
        return self.aware(start)

    def home_board(self, i: int) -> WideInt:
        """A board of the initial position."""
        return self.Board(self.home[i, 1]) << 64 | self.Board(self.home[i, 0])

    # What a network sees.

    def planes(self, s: State, out: Any) -> None:
        """The mover's pieces, a plane for each code except a promoted king's, then the opponent's; the mover's pieces
        in hand of seven kinds, divided by four, then the opponent's. The first row is the opponent's last rank, also
        for White."""
        corner = self.size * self.size - 1
        for code in range(PROMOTED + GOLD):
            board, plane = self.pieces(s, code), code if code < PROMOTED else code - 1
            for square in ones(board & s.own):
                here = corner - square if s.ply % 2 else square
                out[plane, here % self.size, here // self.size] = 1
            for square in ones(board & s.opp):
                here = corner - square if s.ply % 2 else square
                out[KINDS + plane, here % self.size, here // self.size] = 1
        for kind in range(PAWN, GOLD + 1):
            own, opp = held(s.own_hand, kind) / 4, held(s.opp_hand, kind) / 4
            for row in range(self.size):
                for column in range(self.size):
                    out[2 * KINDS + kind - 1, row, column] = own
                    out[2 * KINDS + 6 + kind, row, column] = opp

    def policy_index(self, s: State, action: int) -> int:
        """The squares of a move and whether it promotes, turned as the planes are; then the drops, kind by kind."""
        squares = self.size * self.size
        origin, target = origin_of(action), target_of(action)
        if s.ply % 2:
            origin, target = squares - 1 - origin, squares - 1 - target
        if is_drop(action):
            return 2 * squares * squares + (piece_of(action) - 1) * squares + target
        return (promotes(action) * squares + origin) * squares + target

    # Notation and picture.

    def action_text(self, s: State, action: int) -> str:
        return notation.usi(self, action)

    @property
    def protocol_settings(self) -> dict[str, str]:
        return {} if self.name == Shogi.name else {"UCI_Variant": self.name}

    def parse_action(self, s: State, text: str) -> int:
        return notation.read(self, s, text)

    def playthrough_text(
        self, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        write = csa.write_csa if tags.get("Format") == "csa" else kif.write_kif
        return write(p, names, returns if len(returns) else None, tags)

    def read_playthroughs(self, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        for record in read_records(self, file):
            yield record.playthrough, record.returns

    def position_text(self, s: State) -> str:
        return sfen.write(self, s)

    def parse_position(self, text: str) -> State:
        return sfen.read(self, text)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        in_hand = tuple({sfen.LETTERS[kind]: held(hand, kind) for kind in self.set} for hand in sfen.hands(s))
        king = [sfen.square_name(self.size, first(self.kings(s) & s.own))] if s.checkers else []
        return drawing.diagram(sfen.rows(self, s), (in_hand[0], in_hand[1]), self.parameters["pieces"], king)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """The square or hand that a piece comes from, and its target."""
        target = sfen.square_name(self.size, target_of(action))
        if is_drop(action):
            return drawing.hand_cell(s.ply % 2, sfen.LETTERS[piece_of(action)]), target
        return sfen.square_name(self.size, origin_of(action)), target

    def value_text(self, value: float, plies: int | None = None) -> str:
        if plies is not None and value:
            return f"{'mate' if value > 0 else 'mated'} in {plies}"
        return f"{value * PAWNS:+.1f} pawns" if abs(value) < 1 else ""

    def ending(self, s: State) -> str:
        if self.may_declare(s):
            return "by entering the promotion zone"
        return "by checkmate" if s.checkers else "by stalemate, which loses"

    def player_name(self, player: int) -> str:
        return sfen.SIDES[player]


class MiniShogi(Shogi):
    """Shogi on a 5x5 board, with a king, a gold, a silver, a bishop, a rook and a pawn each."""

    name = "minishogi"
    start_position = "rbsgk/4p/5/P4/KGSBR b - 1"
    board_size, zone_depth, pieces_in_set = 5, 1, MINISET

    def __init__(self, pieces: str = "western") -> None:
        super().__init__(False, pieces)
