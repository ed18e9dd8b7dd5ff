"""The weights of chess's evaluation: one array, a row for each feature, for the middlegame and for the endgame.

The values are hundredths of a pawn. `counterplay tune` fits them to the results of games and writes them to a file. It
started from hand-tuned ones, material and squares by rules of thumb, the rest as chess books teach; the weights that it
found are in weights.json, with the command that made them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.games.chess.position import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK

SQUARES = 0  # [piece, square as its owner sees it]: the piece itself and where it stands
MOBILITY = 6 * 64  # [piece, squares it can go to]
MOST = 28
PASSED = MOBILITY + 6 * MOST  # [rank as its owner sees it]: no pawn can stop or take it
SINGLE = PASSED + 8
ISOLATED, DOUBLED, SUPPORTED, PAIR, OPEN_ROOK, HALF_OPEN_ROOK, SHIELD, TEMPO = range(SINGLE, SINGLE + 8)
BLOCKED, NEAR, FAR = range(SINGLE + 8, SINGLE + 11)
PAWN_THREAT, MINOR_THREAT, ROOK_THREAT = range(SINGLE + 11, SINGLE + 14)
SAFETY = ROOK_THREAT + 1  # [pressure on the squares around a king]
PRESSURES = 40
COUNT = SAFETY + PRESSURES

HAND = "hand"
"""Given instead of a file, this selects the hand-tuned weights."""
TUNED = Path(__file__).with_name("weights.json")

MATERIAL = ((88, 110), (325, 300), (340, 320), (480, 530), (980, 970), (0, 0))
WHOLE = 24
"""The phase of the start position; the phase is how much of the middlegame is left."""
PRESSURE = (0, 2, 2, 3, 5, 0)
"""The pressure that a piece adds for each square that it attacks around a king."""


def weights(path: str = "") -> np.ndarray:
    """The weights, [COUNT, 2]: those of a file that `counterplay tune` wrote (ours by default), or the hand-tuned ones."""
    if path == HAND:
        return by_hand()
    file = Path(path) if path else TUNED
    try:
        rows = np.array(json.loads(file.read_text())["weights"], np.int64)
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise CounterplayError(f"cannot read weights from {file}: {wrong}") from None
    if rows.shape != (COUNT, 2):
        raise CounterplayError(
            f"{file} has weights of shape {rows.shape}, not {COUNT} rows of 2: it is from another version"
        )
    return rows


def by_hand() -> np.ndarray:
    """The hand-tuned weights, [COUNT, 2]."""
    found = np.zeros((COUNT, 2), np.int64)
    for piece in (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING):
        for square in range(64):
            found[SQUARES + 64 * piece + square] = np.add(MATERIAL[piece], placement(piece, square // 8, square % 8))
    for piece, usual, middle, end in ((KNIGHT, 4, 4, 4), (BISHOP, 6, 4, 4), (ROOK, 7, 2, 4), (QUEEN, 13, 1, 3)):
        for n in range(MOST):
            gain = n - usual if n <= usual else (n - usual) * 0.7  # the first squares matter most
            found[MOBILITY + MOST * piece + n] = gain * middle, gain * end
    found[PASSED : PASSED + 8] = [(0, 0), (2, 8), (4, 14), (10, 26), (26, 50), (55, 90), (95, 150), (0, 0)]
    found[ISOLATED], found[DOUBLED], found[SUPPORTED] = (-10, -12), (-8, -18), (6, 5)
    found[PAIR], found[OPEN_ROOK], found[HALF_OPEN_ROOK] = (28, 45), (26, 10), (13, 8)
    found[SHIELD], found[TEMPO], found[BLOCKED] = (11, 0), (14, 8), (-6, -22)
    found[PAWN_THREAT], found[MINOR_THREAT], found[ROOK_THREAT] = (-30, -20), (22, 18), (16, 14)
    found[NEAR], found[FAR] = (0, -5), (0, 7)  # a passed pawn's way from one's own king, and from the other's
    for n in range(PRESSURES):
        found[SAFETY + n] = min(n * n * 0.55, 420), min(n * n * 0.06, 50)
    return found


def placement(piece: int, rank: int, file: int) -> tuple[float, float]:
    """The bonus for standing on a square, in the middlegame and in the endgame."""
    wing, height = abs(2 * file - 7) / 2, abs(2 * rank - 7) / 2  # from the middle: 0.5 to 3.5
    central = 3.5 - max(wing, height) + (3.5 - wing - height) / 4
    if piece == PAWN:
        centre = 12 * (file in (3, 4) and rank in (3, 4)) - 14 * (file in (3, 4) and rank == 1)
        return centre + 2.5 * (rank - 1) * (1 if wing < 2 else -0.5), 5.0 * (rank - 2)
    if piece == KNIGHT:
        return 11 * central - 22 + 4 * (rank in (4, 5)) - 8 * (rank == 0), 8 * central - 14
    if piece == BISHOP:
        return 5 * central - 8 - 12 * (rank == 0) + 6 * (rank == file or rank + file == 7), 4 * central - 6
    if piece == ROOK:
        return 3.5 * (3.5 - wing) - 6 + 16 * (rank == 6), 6.0 * (rank == 6) + rank
    if piece == QUEEN:
        return 2 * central - 4 - 2 * (rank == 0), 7 * central - 10
    castled = 26 if file in (1, 2, 6) else (14 if file in (0, 7) else -8)
    return (castled if rank == 0 else -18.0 * min(rank, 4)), 13 * central - 20


def unpacked(numbers: np.ndarray) -> np.ndarray:
    """The rows from their packed form."""
    end = (numbers + (1 << 31)) >> 32
    return np.stack([numbers - (end << 32), end], 1)


def packed(rows: np.ndarray) -> np.ndarray:
    """Both weights of each row in one number, so that one addition adds both."""
    return np.round(rows).astype(np.int64) @ np.array([1, 1 << 32])
