"""Chess: mate the king (FIDE Laws of Chess, 2023; Chess960 by its appendix).

White begins. Checkmate wins. Stalemate is a draw, and so is a position in which no series of moves can mate. The third
occurrence of a position and 50 moves by each side without a capture or a pawn move end the game in a draw, as if the
draw were always claimed; with `claims=off` only the draws that need no claim do, the fifth occurrence and 75 moves.

`start` is the number of a Chess960 starting position, 0 to 959; 518 is the usual one. Castling puts king and rook on
their usual squares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterplay.core.formats.diagram import Diagram
from counterplay.core.language.bits import first, ones
from counterplay.core.playthrough import Playthrough
from counterplay.games.chess import drawing, fen, notation, pgn
from counterplay.games.chess.evaluation import PAWNS
from counterplay.games.chess.position import (
    CASTLING,
    NOWHERE,
    TO_KNIGHT,
    TO_QUEEN,
    State,
    kind_of,
    origin_of,
    square_name,
    target_of,
)
from counterplay.games.chess.setup import USUAL
from counterplay.games.chess.sparse_features import ChessFeatures


class Chess(ChessFeatures):
    """Mate the king. FIDE's rules, with draws by the 50-move rule and threefold repetition; or any Chess960 start."""

    name = "chess"
    record_suffix = "pgn"
    plane_shape = (18, 8, 8)
    policy_size = 64 * 64 + 3 * 8 * 3

    def __init__(self, start: int = 518, claims: bool = True, weights: str = "") -> None:
        super().__init__(start, claims, weights)

    @property
    def expert(self) -> str:  # type: ignore[override]
        """The player that plays it best: the shipped network corrects the usual weights."""
        return "alphabeta:evaluation=chess" if self.spec == "chess" else ""

    def planes(self, s: State, out: Any) -> None:
        """The mover's pawns, knights, bishops, rooks, queens, king, then the opponent's; castling rights of both (2);
        the en passant square; the checking pieces; the clock over 100; whether Black moves. The first row is the
        mover's."""
        flip = 56 * (s.ply % 2)
        boards = (s.pawn, s.knight, s.bishop, s.rook, s.queen, s.king, s.castling)
        for i in range(7):
            at = i if i < 6 else 12
            for square in ones(boards[i] & s.own):
                out[at, (square ^ flip) // 8, square % 8] = 1
            at = i + 6 if i < 6 else 13
            for square in ones(boards[i] & s.opp):
                out[at, (square ^ flip) // 8, square % 8] = 1
        if s.en_passant != NOWHERE:
            out[14, (s.en_passant ^ flip) // 8, s.en_passant % 8] = 1
        for square in ones(s.checkers):
            out[15, (square ^ flip) // 8, square % 8] = 1
        for row in range(8):
            for column in range(8):
                out[16, row, column] = s.clock / 100
                out[17, row, column] = s.ply % 2

    def policy_index(self, s: State, action: int) -> int:
        """The squares of a move, turned as the planes are; underpromotions come after all these."""
        flip, origin, target, kind = 56 * (s.ply % 2), origin_of(action), target_of(action), kind_of(action)
        if TO_KNIGHT <= kind < TO_QUEEN:
            return 64 * 64 + ((kind - TO_KNIGHT) * 8 + origin % 8) * 3 + target % 8 - origin % 8 + 1
        return (origin ^ flip) * 64 + (target ^ flip)

    # Notation and picture.

    def action_text(self, s: State, action: int) -> str:
        return notation.san(self, s, action)

    def protocol_text(self, s: State, action: int) -> str:
        return notation.uci(self, action, self.parameters["start"] != USUAL)

    @property
    def protocol_settings(self) -> dict[str, str]:
        return {} if self.parameters["start"] == USUAL else {"UCI_Chess960": "true"}

    def parse_action(self, s: State, text: str) -> int:
        return notation.read(self, s, text)

    def playthrough_text(
        self, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        told = {**tags, "Date": tags.get("Date", "????-??-??").replace("-", ".")}
        return pgn.write_pgn(p, returns, White=names[0], Black=names[1], **told)

    def read_playthroughs(self, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        for p, tags in pgn.read_pgn(self, file):
            yield p, pgn.RESULTS.get(tags.get("Result", "*"))

    def position_text(self, s: State) -> str:
        return fen.write(self, s)

    def parse_position(self, text: str) -> State:
        return fen.read(self, text)

    def board(self, s: State, viewer: int | None = None) -> str:
        return drawing.board(fen.rows(self, s))

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        king = [square_name(first(s.king & s.own))] if s.checkers else []
        return drawing.diagram(fen.rows(self, s), king)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """The start and target of a piece; to castle, the king goes two squares or more, or onto the rook."""
        origin, target = origin_of(action), target_of(action)
        if kind_of(action) == CASTLING:
            lands = origin - origin % 8 + (6 if target > origin else 2)
            target = lands if abs(lands - origin) > 1 else target
        return square_name(origin), square_name(target)

    def value_text(self, value: float, plies: int | None = None) -> str:
        if plies is not None and value:
            return f"{'mate' if value > 0 else 'mated'} in {(plies + 1) // 2}"
        return f"{value * PAWNS:+.2f} pawns" if abs(value) < 1 else ""

    def ending(self, s: State) -> str:
        if not self.can_move(s):
            return "by checkmate" if s.checkers else "by stalemate"
        return "because nobody can mate any more" if self.is_dead(s) else "by the fifty-move rule"

    def player_name(self, player: int) -> str:
        return fen.SIDES[player]
