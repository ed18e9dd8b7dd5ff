"""The Othello board: green cloth and two-sided discs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.formats.diagram import Diagram, grid, ink, paper
from counterplay.core.formats.svg import CELL, circle, line, rect

if TYPE_CHECKING:
    from counterplay.games.othello import Othello, State

LOOKS = {"x": "black disc", "o": "white disc"}


def diagram(game: Othello, s: State) -> Diagram:
    """The board."""
    n, edge = game.size, CELL / 2
    side = n * CELL
    shapes = [paper(side + CELL, side + CELL), rect(edge - 4, edge - 4, side + 8, side + 8, "#1c3f2b", rx=6)]
    shapes.append(rect(edge, edge, side, side, "#2f8254"))
    for i in range(n + 1):
        at = edge + i * CELL
        shapes += [line(at, edge, at, edge + side, "#1d5435", 1.5), line(edge, at, edge + side, at, "#1d5435", 1.5)]
    near = (2, n - 2) if n > 4 else ()
    shapes += [circle(edge + a * CELL, edge + b * CELL, 4, "#1d5435") for a in near for b in near]
    for i in range(n):
        at = edge + (i + 0.5) * CELL
        shapes += [ink(at, edge / 2 - 2, "abcdefgh"[i]), ink(edge / 2 - 2, at, str(i + 1))]
    return grid(game.rows(s), LOOKS, from_top=True)._replace(ground="".join(shapes))
