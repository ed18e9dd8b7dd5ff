"""A chess position as a diagram, with shapes of our own for the pieces."""

from __future__ import annotations

from collections.abc import Iterable

from counterplay.core.formats.diagram import Diagram, Look, grid

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
"""The pieces in a square of 48: the filled parts, then the lines."""


def board(rows: list[str]) -> str:
    """A position for the terminal."""
    return "\n".join([*(f"{8 - i} {' '.join(row)}" for i, row in enumerate(rows)), "  a b c d e f g h"])


def diagram(rows: list[str], alarm: Iterable[str]) -> Diagram:
    """A position, White below; `alarm` is where a king is in check."""
    return grid(rows, LOOKS, ground="chequered", alarm=alarm)


def piece(letter: str, is_white: bool) -> str:
    """A piece around (0, 0)."""
    filled, *drawn = SHAPES[letter]
    fill, edge = FILL[is_white], EDGE[is_white]
    strokes = "".join(f'<path d="{path}" fill="none"/>' for path in drawn)
    return (
        f'<g transform="scale(1.12) translate(-24 -22.5)" fill="{fill}" stroke="{edge}" stroke-width="1.5" '
        f'stroke-linejoin="round"><path d="{filled}"/><path d="{BASE}"/>{strokes}</g>'
    )


WORDS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
LOOKS = {
    letter.upper() if is_white else letter: Look(f"{'white' if is_white else 'black'} {word}", piece(letter, is_white))
    for is_white in (True, False)
    for letter, word in WORDS.items()
}
