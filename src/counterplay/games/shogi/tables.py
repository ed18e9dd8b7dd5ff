"""The squares that pieces can reach from each square of a board of `size` files and ranks, as tables for the rules.

A bitboard is two words, the lower first. Steps are given as files to the left and ranks towards White's opponent:
Black's pieces go to lower ranks.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from counterplay.games.shogi.position import BISHOP, GOLD, KING, KNIGHT, LANCE, PAWN, ROOK, SILVER

RISING = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Four directions of rising square numbers: along the file, the rank, and the two diagonals."""
DIRECTIONS = RISING + tuple((-file, -rank) for file, rank in RISING)
STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
SLANTED = ((1, 1), (1, -1), (-1, -1), (-1, 1))
STEPS = {
    PAWN: ((0, -1),),
    LANCE: ((0, -1),),
    KNIGHT: ((1, -2), (-1, -2)),
    SILVER: ((0, -1), *SLANTED),
    GOLD: ((1, -1), (-1, -1), *STRAIGHT),
    KING: STRAIGHT + SLANTED,
    BISHOP: SLANTED,
    ROOK: STRAIGHT,
}
"""Black's single steps."""
DEAD = {PAWN: 1, LANCE: 1, KNIGHT: 2}
"""The number of last ranks on which a piece could never move again."""


class StepTables(NamedTuple):
    """All tables; boards are pairs of uint64."""

    steps: np.ndarray  # [2, kind, square, 2]: the targets of single steps, by side
    rays: np.ndarray  # [direction, square, 2]: the squares from one to the edge
    between: np.ndarray  # [square, square, 2]: the squares strictly between two in a line, else none
    line: np.ndarray  # [square, square, 2]: the whole line through two squares, else none
    stars: np.ndarray  # [2, square, 2]: all squares in line with it, straight; diagonally
    zone: np.ndarray  # [2, 2]: where a side's pieces promote
    dead: np.ndarray  # [2, kind, 2]: where a piece of a side could never move again


@cache
def tables(size: int, depth: int) -> StepTables:
    """The tables of a board of `size` whose last `depth` ranks promote, made once."""
    squares = range(size * size)
    steps = [
        [words([board(hops(size, q, STEPS[kind], side)) for q in squares]) for kind in range(8)] for side in (0, 1)
    ]
    rays = [words([board(ray(size, q, step)) for q in squares]) for step in DIRECTIONS]
    stars = [
        words([board([r for step in of for r in ray(size, q, step)]) for q in squares]) for of in (STRAIGHT, SLANTED)
    ]
    last = [[ranks(size, side, count) for count in range(4)] for side in (0, 1)]
    zone = words([last[side][depth] for side in (0, 1)])
    dead = [words([last[side][DEAD.get(kind, 0)] for kind in range(8)]) for side in (0, 1)]
    return StepTables(np.array(steps), np.array(rays), *lines(size), np.array(stars), zone, np.array(dead))


def words(boards: list[int]) -> np.ndarray:
    """Boards as pairs of words."""
    return np.array([[b & (1 << 64) - 1, b >> 64] for b in boards], np.uint64)


def board(squares: list[int]) -> int:
    """A bitboard of squares."""
    return sum(1 << square for square in squares)


def ray(size: int, square: int, step: tuple[int, int]) -> list[int]:
    """The squares from `square` (not itself) in one direction to the edge."""
    file, rank = square // size + step[0], square % size + step[1]
    found = []
    while 0 <= file < size and 0 <= rank < size:
        found.append(file * size + rank)
        file, rank = file + step[0], rank + step[1]
    return found


def hops(size: int, square: int, steps: tuple[tuple[int, int], ...], side: int) -> list[int]:
    """The targets of a side's single steps."""
    turn = -1 if side else 1
    return [q for file, rank in steps for q in ray(size, square, (turn * file, turn * rank))[:1]]


def ranks(size: int, side: int, count: int) -> int:
    """The last `count` ranks, as a side sees them."""
    return board([q for q in range(size * size) if (size - 1 - q % size if side else q % size) < count])


def lines(size: int) -> tuple[np.ndarray, np.ndarray]:
    """The tables `between` and `line`."""
    squares = size * size
    between, line = np.zeros((squares, squares, 2), np.uint64), np.zeros((squares, squares, 2), np.uint64)
    for a in range(squares):
        for file, rank in DIRECTIONS:
            ahead = ray(size, a, (file, rank))
            whole = words([board([a, *ahead, *ray(size, a, (-file, -rank))])])[0]
            for i, b in enumerate(ahead):
                between[a, b], line[a, b] = words([board(ahead[:i])])[0], whole
    return between, line
