"""A strategy as a table of all hands: each cell shows how often each action is taken, in colours, and the hands' value."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.formats.svg import label, picture, rect
from counterplay.core.game import Game
from counterplay.equilibrium.subgame import RangeStrategy

CELL_WIDTH, CELL_HEIGHT = 46, 38
LEGEND, LINE = 14, 20
"""The size of the text above the table, and the distance between its lines."""
HELD = "#9a7fd1"
FOLDING, CALLING = "#5b8dd9", "#58b368"
RAISING = ("#f2b84b", "#ee8a3c", "#e2583e", "#c03434", "#93204e", "#5f1747")
"""Colours of raises, the smallest raise first."""


class GridCell(NamedTuple):
    """All hands of a cell together."""

    row: int
    column: int
    text: str
    weight: float  # of its hands in the range, on average over those that the cell could have
    shares: tuple[float, ...]
    value: float


def grid_cells(game: Game, strategy: RangeStrategy) -> list[GridCell]:
    """The hands by cell, row by row."""
    sizes: dict[tuple[int, int, str], int] = {}
    for hand in range(game.private_hands):
        cell = game.hand_cell(hand)
        sizes[cell] = sizes.get(cell, 0) + 1
    found: dict[tuple[int, int, str], list[tuple[float, tuple[float, ...], float]]] = {}
    for row in strategy.rows:
        found.setdefault(game.hand_cell(row.hand), []).append((row.weight, row.shares, row.value))
    cells = []
    for cell, hands in sorted(found.items()):
        total = sum(weight for weight, _, _ in hands)
        shares = tuple(sum(weight * each[a] for weight, each, _ in hands) / total for a in range(len(strategy.actions)))
        value = sum(weight * worth for weight, _, worth in hands) / total
        cells.append(GridCell(*cell, total / sizes[cell], shares, value))
    return cells


def colours(actions: tuple[str, ...]) -> list[str]:
    """A colour for each action."""
    raises = [action for action in actions if action not in ("fold", "check", "call")]
    step = len(RAISING) / max(len(raises), 1)
    return [
        FOLDING if action == "fold" else RAISING[int(step * raises.index(action))] if action in raises else CALLING
        for action in actions
    ]


def strategy_grid(game: Game, strategy: RangeStrategy, title: str = "") -> str:
    """The table as SVG; for a range without actions, its hands and their values."""
    cells = grid_cells(game, strategy)
    places = [game.hand_cell(hand) for hand in range(game.private_hands)]
    rows, columns = 1 + max(row for row, _, _ in places), 1 + max(column for _, column, _ in places)
    paints, most = colours(strategy.actions), max((cell.weight for cell in cells), default=1.0)
    width = max(columns * CELL_WIDTH, 480) + 20
    shapes, top = legend(strategy, paints, width)
    height = top + rows * CELL_HEIGHT + 10
    heading = label(10, 18, title, min(15, 1.75 * width / max(len(title), 1)), "#222", "start", font_weight="bold")
    shapes = [rect(0, 0, width, height, "#ffffff", rx=8), heading, *shapes]
    held = {(cell.row, cell.column) for cell in cells}
    for row, column, text in sorted(set(places)):
        left, upper = 10 + column * CELL_WIDTH, top + row * CELL_HEIGHT
        shapes.append(rect(left, upper, CELL_WIDTH - 2, CELL_HEIGHT - 2, "#e9e9ec", rx=3))
        if (row, column) not in held:
            shapes.append(label(left + 3, upper + 11, text, 13, "#888", "start"))
    for cell in cells:
        shapes += drawn(cell, paints or [HELD], 10 + cell.column * CELL_WIDTH, top + cell.row * CELL_HEIGHT, most)
    return picture(width, height, shapes)


def legend(strategy: RangeStrategy, paints: list[str], width: float) -> tuple[list[str], float]:
    """The colour and the share of each action, in lines; and where the table begins."""
    shapes: list[str] = []
    x, y = 10.0, 34.0
    for action, paint, share in zip(strategy.actions, paints, strategy.shares, strict=True):
        said = f"{action} {100 * share:.0f}%"
        wide = 34 + 8.2 * len(said)
        if x + wide > width and x > 10:
            x, y = 10.0, y + LINE
        shapes += [rect(x, y, LEGEND, LEGEND, paint, rx=3), label(x + 20, y + 7, said, LEGEND, "#222", "start")]
        x += wide
    return shapes, y + 28 if shapes else y


def chips(value: float) -> str:
    """A value in a few digits."""
    return f"{value:.1f}" if abs(value) >= 10 else f"{round(value, 2) + 0.0:.2f}"


def drawn(cell: GridCell, paints: list[str], left: float, upper: float, most: float) -> list[str]:
    """A cell: its actions from left to right, as high as its weight, and its value."""
    tall = (CELL_HEIGHT - 2) * max(cell.weight / most, 0.12)
    x, low = left, upper + CELL_HEIGHT - 2 - tall
    shapes = []
    for share, paint in zip(cell.shares or (1.0,), paints, strict=True):
        wide = (CELL_WIDTH - 2) * share
        if wide > 0.05:
            shapes.append(rect(round(x, 2), round(low, 2), round(wide, 2), round(tall, 2), paint))
        x += wide
    return [
        *shapes,
        label(left + 3, upper + 11, cell.text, 13, "#111", "start", font_weight="bold"),
        label(left + CELL_WIDTH - 5, upper + CELL_HEIGHT - 10, chips(cell.value), 12, "#111", "end"),
    ]
