"""The figures of exercises on paper: trees with letters, tables, pictures of games; empty, or with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterplay.core.formats.pdf import width_of
from counterplay.core.formats.svg import label, line, picture, rect
from counterplay.games.tree import Tree
from counterplay.games.tree_drawing import Drawing
from counterplay.teaching.exercise import Exercise

ROW, EDGE = 26, 6
INK, RULE, ANSWER = "#222", "#999", "#b3261e"


def drawn(exercise: Exercise, solved: bool = False) -> str:
    """The figure of an exercise as SVG."""
    figure = exercise.figure
    if figure["kind"] == "picture":
        return str(figure["svg"])
    if figure["kind"] == "table":
        return table(figure["head"], figure["rows"])
    values, pruned = dict[int, str](), set[str]()
    if solved:
        for blank in exercise.blanks:
            if blank.kind == "number" and blank.node is not None and blank.name.startswith("value-"):
                values[blank.node] = blank.answer
            elif blank.kind == "set":
                pruned = set(blank.answers[0].split())
    return PaperDrawing(figure, values, pruned).picture(set())


class PaperDrawing(Drawing):
    """A tree with letters at its inner nodes, and the answers, if any."""

    def __init__(self, figure: Mapping[str, Any], values: Mapping[int, str], pruned: set[str]) -> None:
        super().__init__(Tree(figure["source"]))
        self.names, self.values, self.pruned = figure["names"], values, pruned

    def picture(self, marked: set[int]) -> str:
        """The drawing, on white paper."""
        return super().picture(marked).replace("#faf7f0", "#ffffff")

    def edge(self, parent: int, node: int, is_played: bool) -> list[str]:
        """A branch: with its probability, if it has one; crossed out if it is pruned."""
        odds = self.tree.chances[node]
        x1, y1, x2, y2 = self.x[parent], self.y(parent), self.x[node], self.y(node)
        shapes = [line(x1, y1, x2, y2, RULE, 1.2)]
        if odds:
            x, y = x1 + 0.55 * (x2 - x1), y1 + 0.55 * (y2 - y1)
            half = width_of(f"{odds:g}", 12) / 2 + 2
            shapes += [rect(x - half, y - 8, 2 * half, 16, "#ffffff"), label(x, y, f"{odds:g}", 12, INK)]
        if self.names[node] in self.pruned:
            x, y = x1 + 0.6 * (x2 - x1), y1 + 0.6 * (y2 - y1)
            shapes += [line(x - 8, y - 3 + d, x + 8, y + 3 + d, ANSWER, 2) for d in (-3, 3)]
        return shapes

    def node(self, node: int, stroke: str, width: float) -> list[str]:
        """A node with its letter, and its value below, if known."""
        shapes = super().node(node, stroke, width)
        if self.tree.count[node]:
            mover = int(self.tree.mover[node])
            shapes.append(
                label(
                    self.x[node], self.y(node) + (3, -3, 0)[mover], self.names[node], 13, "#fff" if mover >= 0 else INK
                )
            )
        if node in self.values:
            shapes.append(
                label(self.x[node] + 20, self.y(node) - 10, self.values[node], 15, ANSWER, "start", font_weight="bold")
            )
        return shapes


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table with a line below its head."""
    cells = [head, *rows]
    widths = [max(width_of(row[i], 15, True) for row in cells) + 28 for i in range(len(head))]
    width, height = sum(widths) + 2 * EDGE, ROW * len(cells) + 2 * EDGE
    shapes = [rect(0, 0, width, height, "#ffffff")]
    for r, row in enumerate(cells):
        x, y = float(EDGE), EDGE + ROW * (r + 0.5)
        for i, (text, room) in enumerate(zip(row, widths, strict=True)):
            bold = {"font_weight": "bold"} if r == 0 or i == 0 else {}
            shapes.append(label(x + room / 2, y, text, 15, INK, **bold))
            x += room
        below = EDGE + ROW * (r + 1)
        shapes.append(line(EDGE, below, width - EDGE, below, INK if r == 0 else "#ccc", 1.4 if r == 0 else 0.8))
    return picture(width, height, shapes)
