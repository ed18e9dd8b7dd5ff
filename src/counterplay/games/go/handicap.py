"""Handicap stones: where tradition puts them, as the Go Text Protocol has it."""

from __future__ import annotations

from counterplay.games.go.notation import STONES
from counterplay.games.go.stones import Stones


def most_stones(size: int) -> int:
    """The maximum number of stones on the dots of a board; 0 if it has none."""
    if size < 7:
        return 0
    return 9 if size % 2 and size > 7 else 4


def handicap_points(size: int, stones: int) -> list[tuple[int, int]]:
    """Rows and columns, from the top left, of `stones` handicap stones; none if that is impossible."""
    if not 2 <= stones <= most_stones(size):
        return []
    low = 3 if size >= 13 else 2
    high, middle = size - 1 - low, size // 2
    corners = [(high, low), (low, high), (low, low), (high, high)]
    sides = [(middle, low), (middle, high), (low, middle), (high, middle)]
    points = corners[: min(stones, 4)]
    if stones >= 6:
        points += sides[: 4 if stones >= 8 else 2]
    if stones in (5, 7, 9):
        points.append((middle, middle))
    return points


def free_points(size: int, stones: int) -> list[tuple[int, int]]:
    """Our own choice of points for handicap stones: on the dots as far as there are some, else at a distance of two."""
    points = handicap_points(size, min(stones, most_stones(size)))
    inside = 1 if size > 3 else 0
    return points or [(inside, size - 1 - inside), (size - 1 - inside, inside)]


def placed(game: Stones, points: list[tuple[int, int]]) -> str:
    """The position with black stones on `points`, White to move."""
    rows = [["."] * game.size for _ in range(game.size)]
    for row, column in points:
        rows[row][column] = STONES[0]
    return f"{'/'.join(map(''.join, rows))} {STONES[1]}"
