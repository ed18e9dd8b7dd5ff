"""Syzygy endgame tables (de Man 2013), probed by python-chess: at the root, which moves keep the result and which of
those win soonest; below it, the value of positions just after a capture or a pawn move.

Probing goes through Python and takes about a tenth of a millisecond, a hundred times as long as a node of the search.
So the search probes only between its iterations, about the line that it expects.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.language.bits import count
from counterplay.games.chess import notation
from counterplay.games.chess.book import board_of
from counterplay.games.chess.library import library
from counterplay.games.chess.position import State

if TYPE_CHECKING:
    from counterplay.games.chess.game import Chess

MOST = 7
"""The maximum number of pieces in the tables."""
WON = 0.96
"""The value of a tablebase win: above any estimate, below a mate that is seen."""


class Verdict(NamedTuple):
    """The tables' verdict on a position."""

    result: int  # for the side to move; 2: won, 1: won, but drawn by the 50-move rule, 0: drawn, -1, -2: lost
    keep: tuple[int, ...]  # the moves that keep it, the best first
    distance: int  # plies to the next capture or pawn move under best play


class Tablebase:
    """A folder of tables, or several."""

    def __init__(self, path: str) -> None:
        self.path, self.tables = path, library("syzygy").Tablebase()
        found = 0
        for folder in path.split(";" if ";" in path else os.pathsep):
            if not os.path.isdir(folder):  # also if the name itself is impossible
                raise CounterplayError(f"there is no folder {folder!r} with Syzygy tables")
            found += self.tables.add_directory(folder)
        if not found:
            raise CounterplayError(f"there are no Syzygy tables (.rtbw, .rtbz) in {path!r}")

    def verdict(self, game: Chess, s: State) -> Verdict | None:
        """The tables' verdict on `s`; None if they do not contain it."""
        if count(s.own | s.opp) > MOST or s.castling:
            return None
        board = board_of(game, s)
        try:
            result = self.tables.probe_wdl(board)
            ranked = [(*self.worth(board, game, s, action), action) for action in notation.moves(game, s)]
        except (KeyError, library("syzygy").MissingTableError):
            return None
        if not ranked:
            return None
        top = max(worth for worth, _, _ in ranked)
        keep = sorted((distance, action) for worth, distance, action in ranked if worth == top)
        best = keep[0][0]
        if result > 0:
            keep = [pair for pair in keep if pair[0] == best]  # always closer, or the 50-move rule intervenes
        return Verdict(result, tuple(action for _, action in keep), abs(best))

    def value(self, game: Chess, s: State) -> float | None:
        """The value of `s` to the side to move by the tables; None if they do not contain it. They count the 50-move
        rule from the last capture or pawn move, so only there are they probed."""
        if s.clock or s.castling or count(s.own | s.opp) > MOST:
            return None
        try:
            result = self.tables.probe_wdl(board_of(game, s))
        except (KeyError, library("syzygy").MissingTableError):
            return None
        return WON if result == 2 else -WON if result == -2 else 0.0

    def worth(self, board: Any, game: Chess, s: State, action: int) -> tuple[int, int]:
        """The consequence of a move: the result for the side that makes it, and how far the next capture or pawn move
        is (sooner is better for a winner, later for a loser)."""
        move = library().Move.from_uci(notation.uci(game, action, chess960=True))
        board.push(move)
        try:
            if board.is_checkmate():
                return 2, 0
            if board.is_stalemate() or board.is_insufficient_material():
                return 0, 0
            result, distance = -self.tables.probe_wdl(board), abs(self.tables.probe_dtz(board))
            zeroing = board.halfmove_clock == 0
        finally:
            board.pop()
        if result == 0:
            return 0, 0
        return result, (1 if zeroing else distance + 1) * (1 if result > 0 else -1)
