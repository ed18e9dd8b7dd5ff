"""A draughts board in the terminal and as a diagram."""

from __future__ import annotations

from counterplay.core.formats.diagram import Cell, Diagram, Look, standing
from counterplay.core.formats.svg import CELL, circle, label, polygon, rect
from counterplay.core.language.bits import bit
from counterplay.games.checkers.board import BLACK, SQUARES, State, column_of, index, row_of

LIGHT, DARK, FRAME = "#f0d9b5", "#8a5a35", "#54351c"
DISCS = (("#2b2523", "#4a423e", "#100d0c"), ("#f7efe2", "#ffffff", "#a8987f"))
"""For Black and White: the disc, the ring on it, its edge."""
GOLD = ("#f2c443", "#8f6a10")


def mark(s: State, cell: int) -> str:
    """The mark of a square: b or w for a man, B or W for a king, a dot for empty."""
    here = bit(cell)
    if not (s.mine | s.theirs) & here:
        return "."
    is_black = bool(s.mine & here) == (s.player == BLACK)
    man = "b" if is_black else "w"
    return man.upper() if s.kings & here else man


def board(s: State) -> str:
    """The rows from Black's side, with the numbers of the first and the last square of each."""
    lines = []
    for row in range(8):
        cells = [" "] * 8
        for square in range(4 * row + 1, 4 * row + 5):
            cells[column_of(index(square))] = mark(s, index(square))
        lines.append(f"{4 * row + 1:2}  {' '.join(cells)}  {4 * row + 4:2}")
    return "\n".join(lines)


def diagram(s: State) -> Diagram:
    """The board with Black on top, numbered squares, crowned kings."""
    edge = CELL / 2
    side = 8 * CELL
    shapes = [rect(0, 0, side + CELL, side + CELL, FRAME, rx=8), rect(edge, edge, side, side, LIGHT)]
    cells = []
    for square in range(1, SQUARES + 1):
        x, y = edge + column_of(index(square)) * CELL, edge + row_of(index(square)) * CELL
        shapes.append(rect(x, y, CELL, CELL, DARK))
        shapes.append(label(x + 4, y + 8, str(square), size=10, fill="#f3dfc2", anchor="start"))
        cells.append(Cell(str(square), x + CELL / 2, y + CELL / 2))
    letters = [mark(s, index(square)) for square in range(1, SQUARES + 1)]
    return Diagram(side + CELL, side + CELL, tuple(cells), *standing(cells, letters, LOOKS), "".join(shapes), board(s))


def piece(is_black: bool, is_king: bool) -> str:
    """A disc around (0, 0); a king is two discs high and wears a crown."""
    x = y = 0.0
    fill, ring, rim = DISCS[0 if is_black else 1]
    radius = 0.4 * CELL
    shapes = [circle(x + 1, y + 3, radius, "#000", opacity=0.35)]
    if is_king:
        shapes.append(circle(x, y + 2, radius, fill, stroke=rim, stroke_width=1.5))
        y -= 3
    shapes.append(circle(x, y, radius, fill, stroke=rim, stroke_width=1.5))
    shapes.append(circle(x, y, 0.76 * radius, "none", stroke=ring if is_black else rim, stroke_width=1.5))
    if is_king:
        shapes += crown(x, y, 0.5 * radius)
    else:
        shapes.append(circle(x, y, 0.45 * radius, "none", stroke=ring if is_black else rim, stroke_width=1.2))
    return "".join(shapes)


def crown(x: float, y: float, size: float) -> list[str]:
    """Five points, three of them high."""
    points = [(-1, 0.7), (-1.1, -0.45), (-0.5, 0.1), (0, -0.85), (0.5, 0.1), (1.1, -0.45), (1, 0.7)]
    fill, rim = GOLD
    shapes = [polygon([(x + size * a, y + size * b) for a, b in points], fill, stroke=rim, stroke_linejoin="round")]
    return shapes + [circle(x + size * a, y + size * b, 1.6, fill, stroke=rim) for a, b in points[1:6:2]]


LOOKS = {
    letter: Look(
        f"{'black' if letter in 'bB' else 'white'} {'king' if letter in 'BW' else 'man'}",
        piece(letter in "bB", letter in "BW"),
    )
    for letter in "bBwW"
}
