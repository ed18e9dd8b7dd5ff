"""The Othello board as a picture: discs, and small dots where one may move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.formats.svg import CELL, circle, label, line, picture, rect
from counterplay.core.language.bits import bit

if TYPE_CHECKING:
    from counterplay.games.othello import Othello, State

COLOURS = {"x": "#1a1a1a", "o": "#f6f6f2"}


def svg(game: Othello, s: State) -> str:
    """The board."""
    n, edge = game.size, CELL / 2
    side = n * CELL
    shapes = [rect(0, 0, side + 2 * edge, side + 2 * edge, "#fff"), rect(edge, edge, side, side, "#2f7d4f")]
    for i in range(n + 1):
        at = edge + i * CELL
        shapes += [line(at, edge, at, edge + side, "#1d5435"), line(edge, at, edge + side, at, "#1d5435")]
    for i in range(n):
        at = edge + (i + 0.5) * CELL
        shapes += [label(at, edge / 2, "abcdefgh"[i]), label(edge / 2, at, str(i + 1))]
    for r, row in enumerate(game.rows(s)):
        for c, disc in enumerate(row):
            x, y = edge + (c + 0.5) * CELL, edge + (r + 0.5) * CELL
            if disc != ".":
                shapes.append(circle(x, y, 0.41 * CELL, COLOURS[disc], stroke="#1d5435"))
            elif s.moves & bit(game.index(r, c)):
                shapes.append(circle(x, y, 0.08 * CELL, COLOURS["xo"[s.player]], opacity=0.6))
    return picture(side + 2 * edge, side + 2 * edge, shapes)
