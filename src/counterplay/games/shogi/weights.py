"""The values of shogi pieces, by kind and by where they stand relative to the kings: hundredths of a pawn, set by hand."""

from __future__ import annotations

from functools import cache

import numpy as np

from counterplay.games.shogi.position import BISHOP, GOLD, KING, KNIGHT, LANCE, PAWN, PROMOTED, ROOK, SILVER

VALUES = {
    KING: 0, PAWN: 100, LANCE: 330, KNIGHT: 400, SILVER: 520, GOLD: 580, BISHOP: 850, ROOK: 1000,
    PROMOTED + PAWN: 560, PROMOTED + LANCE: 570, PROMOTED + KNIGHT: 570, PROMOTED + SILVER: 580,
    PROMOTED + BISHOP: 1100, PROMOTED + ROOK: 1350,
}  # fmt: skip
IN_HAND = 1.1
"""The bonus of a piece in hand, which can go anywhere."""
MEN = (SILVER, GOLD, PROMOTED + PAWN, PROMOTED + LANCE, PROMOTED + KNIGHT, PROMOTED + SILVER)
ATTACK = {1: 45, 2: 32, 3: 16, 4: 6}
"""The bonus of silvers, golds and pieces that move like them for being near the opponent's king."""
GUARD = {1: 36, 2: 22, 3: 8}
"""The bonus for being near their own king."""
REACH = {PROMOTED + BISHOP: 9, PROMOTED + ROOK: 9, ROOK: 3, BISHOP: 3}
"""The bonus of a big piece for each step that it is closer to the opponent's king than eight."""
HOME = 14
"""A king's bonus on its last ranks for each file towards the edge."""
EXPOSED = 22
"""A king's penalty for each rank forward."""


def values() -> np.ndarray:
    """The value of each piece on the board, by its code."""
    return np.array([VALUES.get(code, 0) for code in range(16)], np.int64)


def hand_values() -> np.ndarray:
    """The value of each kind in hand."""
    return np.array([round(VALUES[kind] * IN_HAND) for kind in range(8)], np.int64)


@cache
def places(size: int) -> np.ndarray:
    """[2, code, king, square]: the value of Black's piece on a square: relative to its own king's square, and to the
    opponent's. The piece itself is part of the first."""
    squares = np.arange(size * size)
    file, rank = squares // size, squares % size
    sides = file[:, None] - file[None, :]
    ahead = rank[:, None] - rank[None, :]  # how far in front of the king, as Black sees it
    steps = np.maximum(abs(sides), abs(ahead))
    table = np.zeros((2, 16, size * size, size * size), np.int32)
    for code, worth in VALUES.items():
        table[0, code] += worth
        if code in MEN:
            table[0, code] += graded(GUARD, steps)
            table[1, code] += graded(ATTACK, steps)
        if code in REACH:
            table[1, code] += REACH[code] * (8 - steps)
    table[0, PAWN] += np.where((abs(sides) <= 1) & (ahead >= 1) & (ahead <= 2), 12, 0)
    table[0, PAWN] += 2 * (size - 1 - rank)[None, :]
    table[0, KNIGHT] -= np.where(rank < size // 2, 15, 0)[None, :]
    middle = (size - 1) / 2
    king = HOME * np.abs(file - middle) - EXPOSED * np.maximum(size - 2 - rank, 0)
    table[0, KING] += king.astype(np.int32)[None, :]
    return table


def graded(bonus: dict[int, int], steps: np.ndarray) -> np.ndarray:
    """A bonus by the number of steps."""
    return np.array([bonus.get(i, 0) for i in range(10)], np.int32)[steps]
