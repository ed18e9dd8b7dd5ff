"""The 960 starting positions of Chess960, by Reinhard Scharnagl's numbers (2004); 518 is the usual one."""

from __future__ import annotations

KNIGHTS = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))
USUAL = 518
"""The number of the usual start."""


def back_rank(number: int) -> str:
    """White's pieces from the a to the h file: bishops on both colours, the king between the rooks."""
    rank = [""] * 8
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    rank[2 * light + 1] = rank[2 * dark] = "B"

    def put(piece: str, free: int) -> None:
        rank[[column for column in range(8) if not rank[column]][free]] = piece

    put("Q", queen)
    for gap in reversed(KNIGHTS[knights]):
        put("N", gap)
    for piece in "RKR":
        put(piece, 0)
    return "".join(rank)


def board(piece: str, rank: str) -> int:
    """The bitboard of White's `piece` on `rank` and Black's opposite."""
    row = sum(1 << column for column, there in enumerate(rank) if there == piece)
    return row | row << 56
