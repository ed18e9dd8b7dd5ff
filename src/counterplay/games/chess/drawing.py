"""Pictures of a chess position: letters for the terminal, shapes of our own for SVG."""

from __future__ import annotations

from counterplay.core.formats.svg import CELL, Box, label, picture, rect

MARGIN = CELL / 2
LIGHT, DARK = "#f0dfc0", "#b58a62"
FILL = {True: "#fffdf8", False: "#33302c"}
EDGE = {True: "#33302c", False: "#e8e2d8"}

BASE = "M11 39 h26 v-3 q0 -3 -4 -3 h-18 q-4 0 -4 3 z"
SHAPES = {
    "p": ("M16 33 q6 -4 5 -11 h-3 v-3 h3 a6 6 0 1 1 6 0 h3 v3 h-3 q-1 7 5 11 z",),
    "n": (
        "M15 33 q0 -8 7 -13 q-4 1 -7 4 q-3 3 -5 0 q-1 -3 2 -6 l6 -8 q1 -4 4 -4 l1 3 q11 1 12 14 q0 6 -1 10 z",
        "M20 14 h2",
    ),
    "b": (
        "M17 33 q2 -3 3 -6 q-5 -3 -4 -8 q2 -6 8 -10 q6 4 8 10 q1 5 -4 8 q1 3 3 6 z M21 8 a3 3 0 1 1 6 0 a3 3 0 1 1 -6 0 z",
        "M24 14 v8 M20 18 h8",
    ),
    "r": ("M15 33 l2 -16 h-3 v-8 h4 v3 h4 v-3 h4 v3 h4 v-3 h4 v8 h-3 l2 16 z", "M17 17 h14"),
    "q": (
        "M14 33 l-5 -18 l7 8 l2 -12 l6 11 l6 -11 l2 12 l7 -8 l-5 18 z "
        "M6.5 14 a2.5 2.5 0 1 1 5 0 a2.5 2.5 0 1 1 -5 0 z M15.5 10 a2.5 2.5 0 1 1 5 0 a2.5 2.5 0 1 1 -5 0 z "
        "M27.5 10 a2.5 2.5 0 1 1 5 0 a2.5 2.5 0 1 1 -5 0 z M36.5 14 a2.5 2.5 0 1 1 5 0 a2.5 2.5 0 1 1 -5 0 z",
    ),
    "k": (
        "M15 33 q-8 -8 -4 -13 q5 -5 11 2 l1 2 h2 l1 -2 q6 -7 11 -2 q4 5 -4 13 z M24 24 q-5 -6 0 -11 q5 5 0 11 z "
        "M22.5 14 v-4 h-3 v-3 h3 v-3 h3 v3 h3 v3 h-3 v4 z",
    ),
}
"""The pieces in a square of 48: what is filled, then what is only a line."""


def board(rows: list[str]) -> str:
    """A position for the terminal."""
    return "\n".join([*(f"{8 - i} {' '.join(row)}" for i, row in enumerate(rows)), "  a b c d e f g h"])


def svg(rows: list[str]) -> str:
    """A position as a picture, White below."""
    side = 8 * CELL + MARGIN
    shapes = [rect(0, 0, side, side, "#fff")]
    for i, row in enumerate(rows):
        for j, letter in enumerate(row):
            x, y = MARGIN + j * CELL, i * CELL
            shapes.append(rect(x, y, CELL, CELL, DARK if (i + j) % 2 else LIGHT))
            if letter != ".":
                shapes.append(piece(x, y, letter.lower(), letter.isupper()))
        shapes.append(label(MARGIN / 2, (i + 0.5) * CELL, str(8 - i), size=14))
    shapes += [label(MARGIN + (j + 0.5) * CELL, 8 * CELL + MARGIN / 2, "abcdefgh"[j], size=14) for j in range(8)]
    return picture(side, side, shapes)


def square(square: int) -> Box:
    """Where a square, a1 being 0, is in the picture."""
    return Box(MARGIN + square % 8 * CELL, (7 - square // 8) * CELL, CELL, CELL)


def piece(x: float, y: float, letter: str, is_white: bool) -> str:
    """A piece on the square whose upper left corner is (x, y)."""
    filled, *drawn = SHAPES[letter]
    fill, edge = FILL[is_white], EDGE[is_white]
    strokes = "".join(f'<path d="{path}" fill="none"/>' for path in drawn)
    return (
        f'<g transform="translate({x:g} {y:g})" fill="{fill}" stroke="{edge}" stroke-width="1.5" stroke-linejoin="round">'
        f'<path d="{filled}"/><path d="{BASE}"/>{strokes}</g>'
    )
