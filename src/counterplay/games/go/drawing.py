"""A Go board as a picture: wood, lines, star points, coordinates, stones, a ring on the last one."""

from __future__ import annotations

from counterplay.core.formats.svg import Box, circle, label, line, picture, rect
from counterplay.core.language.bits import ones
from counterplay.games.go.notation import LETTERS
from counterplay.games.go.stones import NOWHERE, State, Stones

CELL = 32.0
"""From line to line, in SVG units."""
WOOD, INK = "#dcb35c", "#4a3512"
GRADIENTS = (
    '<defs><radialGradient id="go-black" cx="0.35" cy="0.3" r="0.75"><stop offset="0" stop-color="#666"/>'
    '<stop offset="1" stop-color="#0c0c0c"/></radialGradient>'
    '<radialGradient id="go-white" cx="0.35" cy="0.3" r="0.8"><stop offset="0" stop-color="#fff"/>'
    '<stop offset="1" stop-color="#cfcbc0"/></radialGradient></defs>'
)


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


def svg(game: Stones, s: State) -> str:
    """The whole picture."""
    n = game.size
    side = CELL * (n + 1.6)
    low, high = coordinate(0), coordinate(n - 1)
    shapes = [GRADIENTS, rect(0, 0, side, side, WOOD, rx=4)]
    for i in range(n):
        shapes += [
            line(low, coordinate(i), high, coordinate(i), INK),
            line(coordinate(i), low, coordinate(i), high, INK),
        ]
        for edge in (0.55 * CELL, side - 0.55 * CELL):
            shapes.append(label(coordinate(i), edge, LETTERS[i], 0.4 * CELL, INK))
            shapes.append(label(edge, coordinate(i), str(n - i), 0.4 * CELL, INK))
    shapes += [circle(coordinate(c), coordinate(r), 0.1 * CELL, INK) for r, c in stars(n)]
    black, white = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
    for stones, fill, rim in ((black, "url(#go-black)", "#000"), (white, "url(#go-white)", "#8a8470")):
        for point in ones(stones):
            x, y = coordinate(point % game.stride), coordinate(point // game.stride)
            shapes.append(circle(x, y, 0.47 * CELL, fill, stroke=rim, stroke_width=0.6))
    if s.last != NOWHERE:
        x, y = coordinate(s.last % game.stride), coordinate(s.last // game.stride)
        ring = "#fff" if s.player == 1 else "#111"  # White is to move, so that the last stone is black
        shapes.append(circle(x, y, 0.23 * CELL, "none", stroke=ring, stroke_width=2))
    return picture(side, side, shapes)


def coordinate(i: int) -> float:
    """Where the i-th line lies."""
    return CELL * (i + 1.3)


def around(game: Stones, point: int) -> Box:
    """The part of the picture that belongs to a point."""
    row, column = divmod(point, game.stride)
    return Box(coordinate(column) - CELL / 2, coordinate(row) - CELL / 2, CELL, CELL)
