"""Chess on square boards of 4x4 to 8x8: attacks, and a position as bitboards.

Every board lies in the lower left corner of 8x8, so a square has the same number on all of them: a1 = 0, b1 = 1, ...,
a2 = 8. Lines are found ray by ray: the nearest piece on a ray is its first or its last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

WHITE, BLACK = 0, 1
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NO_PIECE = range(7)
NOWHERE = -1
"""No square."""
UPWARD = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""Directions, as files and ranks, in which the squares' numbers grow; the others are their opposites."""
DIRECTIONS = (*UPWARD, *((-file, -rank) for file, rank in UPWARD))
LEAPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
STARTS = {
    4: "rqkr/pppp/PPPP/RQKR",
    5: "rnbqk/ppppp/5/PPPPP/RNBQK",
    6: "rnqknr/pppppp/6/6/PPPPPP/RNQKNR",
    7: "rnbqkbn/ppppppp/7/7/7/PPPPPPP/RNBQKBN",
    8: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
}
"""The starting positions, by the size of the board: Silverman's 4x4, Gardner's 5x5, Los Alamos on 6x6."""


@state
class Pieces(NamedTuple):
    """A position: the pieces, and the state of castling and en passant."""

    pawn: u64
    knight: u64
    bishop: u64
    rook: u64
    queen: u64
    king: u64
    white: u64
    black: u64
    castling: u64  # the rooks with which castling may still be possible
    en_passant: int  # the square that a pawn has just skipped, else NOWHERE
    clock: int  # moves of either side since the last capture or pawn move


def number(file: int, rank: int) -> int:
    """A square's number."""
    return 8 * rank + file


def leaps(size: int, steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """[64] the targets of single steps from each square."""
    found = np.zeros(64, np.uint64)
    for rank in range(size):
        for file in range(size):
            for right, up in steps:
                if 0 <= file + right < size and 0 <= rank + up < size:
                    found[number(file, rank)] |= np.uint64(1 << number(file + right, rank + up))
    return found


def rays(size: int) -> np.ndarray:
    """[direction, 64] all squares from each one to the edge."""
    found = np.zeros((8, 64), np.uint64)
    for d, (right, up) in enumerate(DIRECTIONS):
        for start in range(64):
            file, rank = start % 8 + right, start // 8 + up
            while 0 <= file < size and 0 <= rank < size:
                found[d, start] |= np.uint64(1 << number(file, rank))
                file, rank = file + right, rank + up
    return found
