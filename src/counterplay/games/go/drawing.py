"""A Go board: wood, lines, star points, coordinates, stones."""

from __future__ import annotations

from counterplay.core.formats.diagram import Diagram, grid, ink
from counterplay.core.formats.svg import CELL, circle
from counterplay.games.go.notation import LETTERS, rows, vertex
from counterplay.games.go.stones import NOWHERE, State, Stones

INK = "#4a3512"
LOOKS = {"x": "black stone", "o": "white stone"}


def stars(size: int) -> list[tuple[int, int]]:
    """The points that a board has dots on."""
    if size < 5:
        return []
    if size < 9:
        return [(size // 2, size // 2)] if size % 2 else []
    near = 2 if size < 13 else 3
    marked = [(a, b) for a in (near, size - 1 - near) for b in (near, size - 1 - near)]
    if size % 2:
        middle = size // 2
        marked.append((middle, middle))
        if size >= 17:
            marked += [(a, middle) for a in (near, size - 1 - near)] + [(middle, a) for a in (near, size - 1 - near)]
    return marked


def diagram(game: Stones, s: State) -> Diagram:
    """The whole board."""
    n = game.size
    names = [f"{LETTERS[c]}{n - r}" for r in range(n) for c in range(n)]
    drawn = grid(rows(game, s), LOOKS, names=names, ground="lines")
    shapes = [circle(drawn.cells[r * n + c].x, drawn.cells[r * n + c].y, 5, INK) for r, c in stars(n)]
    for i in range(n):
        at = (i + 1) * CELL
        shapes += [ink(at, (n + 0.75) * CELL, LETTERS[i]), ink(CELL / 4, at, str(n - i))]
    last = () if s.last == NOWHERE else (vertex(game, s.last),)
    return drawn._replace(ground=drawn.ground + "".join(shapes), last=last)
