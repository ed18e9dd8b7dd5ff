"""Who wins a small board of Hex, proven: a judge that shares nothing with the package.

Where a move loses, the other side wins by some of the empty cells alone, its carrier. Only a move into all carriers found
so far can do better: that is the must-play region (Hayward, Björnsson, Johanson, Kan, Po & van Rijswijck 2003), and where
it is empty, the position is lost.
"""

import numpy as np
from numba import njit

SIZE = 5
CELLS = SIZE * SIZE
FULL = (1 << CELLS) - 1
TOP = (1 << SIZE) - 1
LEFT = sum(1 << SIZE * row for row in range(SIZE))
BOTTOM, RIGHT = TOP << SIZE * (SIZE - 1), LEFT << SIZE - 1
NOT_LEFT, NOT_RIGHT = FULL & ~LEFT, FULL & ~RIGHT
ORDER = np.array(
    sorted(range(CELLS), key=lambda i: abs(i // SIZE - 2) + abs(i % SIZE - 2) + abs(i // SIZE + i % SIZE - 4))
)
"""Cells from the middle and the short diagonal outwards."""
WIN = 1 << CELLS
TABLE = 1 << 24


@njit
def neighbours(cells):
    beside = (cells & NOT_RIGHT) << 1 | (cells & NOT_LEFT) >> 1 | cells << SIZE | cells >> SIZE
    return (beside | (cells & NOT_LEFT) << SIZE - 1 | (cells & NOT_RIGHT) >> SIZE - 1) & FULL


@njit
def connected(stones, first):
    """Whether the stones join the first player's edges, top and bottom, or the other one's."""
    found, goal = (stones & TOP, BOTTOM) if first else (stones & LEFT, RIGHT)
    while not found & goal:
        more = found | neighbours(found) & stones
        if more == found:
            return False
        found = more
    return True


@njit
def decide(mine, theirs, first, keys, values):
    """WIN if the side to move wins, or 0; and the carrier of whoever does."""
    key = (mine | theirs << CELLS | int(first) << 2 * CELLS) + 1
    at = (key * 0x1E3779B97F4A7C15 >> 33) % TABLE
    if keys[at] == key:
        return values[at]
    must, lost, value = FULL & ~(mine | theirs), 0, -1
    for cell in ORDER:
        if value < 0 and must >> cell & 1 and connected(mine | 1 << cell, first):
            value = WIN | 1 << cell
    near = neighbours(mine | theirs)
    for region in (near, FULL):
        for cell in ORDER:
            move = 1 << cell
            if value < 0 and must & region & move:
                found = decide(theirs, mine | move, not first, keys, values)
                if found & WIN:
                    must, lost = must & found & ~move, lost | found & ~WIN
                else:
                    value = WIN | move | found
    keys[at], values[at] = key, lost if value < 0 else value
    return values[at]


def wins(mine, theirs, first):
    """Whether the side to move wins, the first player or the other."""
    return bool(decide(mine, theirs, first, np.zeros(TABLE, np.int64), np.zeros(TABLE, np.int64)) & WIN)
