"""A tree as a picture, however large: tidy layout, nodes that fold, what happens lit up."""

from __future__ import annotations

from collections import deque
from html import escape
from typing import NamedTuple

from counterplay.core.formats.svg import circle, label, line, picture, polygon, rect

MOST_DRAWN = 260
"""So many nodes are drawn; what lies deeper is folded."""
WIDE, HIGH, TOP = 62.0, 92.0, 40.0
COLOURS = ("#c0392b", "#2858b8", "#2a8a4a", "#c80", "#7a3fa0", "#0a8a8a")
GREY, INK, NOW, NEW = "#b5b5b5", "#444", "#e8a800", "#2a8a4a"


class Dot(NamedTuple):
    """A node of the picture at some moment."""

    parent: int | None
    label: str = ""  # of the branch that leads here
    shape: str = "box"  # max, min, chance, player or box
    player: int = 0
    above: str = ""  # a line over the node, such as its window
    below: str = ""  # a line under it, such as its value
    tone: str = "plain"  # plain, now (on the path), new, pruned, unseen
    mark: str = ""  # a short word, such as cut or table


class Figure:
    """Dots with their places; `folded` are nodes whose children are not shown."""

    def __init__(
        self, dots: list[Dot], opened: frozenset[int] = frozenset(), closed: frozenset[int] = frozenset()
    ) -> None:
        self.dots = dots
        self.children: list[list[int]] = [[] for _ in dots]
        for i, dot in enumerate(dots):
            if dot.parent is not None:
                self.children[dot.parent].append(i)
        self.shown = self._choose(opened, closed)
        self.folded = {i for i in self.shown if self.children[i] and not any(c in self.shown for c in self.children[i])}
        self.x: dict[int, float] = {}
        self.depth: dict[int, int] = {}
        self._lay_out()

    def _choose(self, opened: frozenset[int], closed: frozenset[int]) -> set[int]:
        """The nodes that are shown: level by level while there is room, and what was opened by hand."""
        shown, waiting = {0} if self.dots else set(), deque([0] if self.dots else [])
        while waiting:
            node = waiting.popleft()
            below = self.children[node]
            if node in closed or (node not in opened and len(shown) + len(below) > MOST_DRAWN):
                continue
            shown.update(below)
            waiting.extend(below)
        return shown

    def _lay_out(self) -> None:
        """Leaves from left to right, parents above the middle of their children."""
        if not self.dots:
            return
        self.depth[0], leaves, waiting, order = 0, 0, [0], []
        while waiting:
            node = waiting.pop()
            order.append(node)
            below = [] if node in self.folded else [c for c in self.children[node] if c in self.shown]
            for child in reversed(below):
                self.depth[child] = self.depth[node] + 1
                waiting.append(child)
            if not below:
                self.x[node] = (leaves + 0.5) * WIDE + 10
                leaves += 1
        for node in reversed(order):
            below = [] if node in self.folded else [c for c in self.children[node] if c in self.shown]
            if below:
                self.x[node] = (self.x[below[0]] + self.x[below[-1]]) / 2
        self.width, self.height = leaves * WIDE + 20, HIGH * max(self.depth.values()) + 2 * TOP + 16

    def y(self, node: int) -> float:
        """How deep a node hangs."""
        return HIGH * self.depth[node] + TOP

    def svg(self) -> str:
        """The picture."""
        if not self.dots:
            return picture(200, 60, [label(100, 30, "nothing recorded")])
        shapes = [rect(0, 0, self.width, self.height, "#fdfcf9")]
        for node in self.x:
            shapes += self._branch(node)
        for node in self.x:
            shapes.append(self._node(node))
        return picture(self.width, self.height, shapes)

    def _branch(self, node: int) -> list[str]:
        dot = self.dots[node]
        if dot.parent is None:
            return []
        x1, y1, x2, y2 = self.x[dot.parent], self.y(dot.parent), self.x[node], self.y(node)
        colour = {"now": NOW, "new": NEW, "pruned": GREY, "unseen": "#e4e1da"}.get(dot.tone, "#888")
        shapes = [line(x1, y1, x2, y2, colour, 3 if dot.tone in ("now", "new") else 1.3)]
        if dot.tone == "pruned":  # two short strokes across, as on a blackboard
            mx, my = x1 + 0.5 * (x2 - x1), y1 + 0.5 * (y2 - y1)
            shapes += [line(mx - 7, my + d + 3, mx + 7, my + d - 3, "#999", 1.6) for d in (-3, 3)]
        elif dot.label:
            ink = "#bbb" if dot.tone == "unseen" else "#555"
            text = label(x1 + 0.52 * (x2 - x1), y1 + 0.52 * (y2 - y1), dot.label, 11, ink)
            shapes += [text.replace("<text", '<text stroke="#fdfcf9" stroke-width="4"', 1), text]
        return shapes

    def _node(self, node: int) -> str:
        dot, x, y = self.dots[node], self.x[node], self.y(node)
        faint = dot.tone in ("unseen", "pruned")
        stroke = {"now": NOW, "new": NEW}.get(dot.tone, GREY if faint else INK)
        more = {"stroke": stroke, "stroke_width": 4 if dot.tone in ("now", "new") else 1.4}
        fill = "#f1efea" if faint else COLOURS[dot.player % len(COLOURS)]
        if dot.shape in ("max", "min"):
            tip = -14 if dot.shape == "max" else 14
            body = polygon([(x, y + tip), (x - 15, y - 0.7 * tip), (x + 15, y - 0.7 * tip)], fill, **more)
        elif dot.shape == "chance":
            body = circle(x, y, 11, "#fff", **more)
        elif dot.shape == "player":
            body = circle(x, y, 11, fill, **more)
        else:
            body = rect(x - 6, y - 6, 12, 12, "#fff" if not faint else "#f1efea", rx=3, **more)
        ink = "#aaa" if faint else "#222"
        texts = [label(x, y - 25, dot.above, 10.5, "#666")] * bool(dot.above)
        texts += [label(x, y + 24, dot.below, 12.5, ink, font_weight="bold")] * bool(dot.below)
        texts += [label(x + 15, y - 9, dot.mark, 10, "#a0522d", anchor="start")] * bool(dot.mark)
        if node in self.folded:
            texts.append(label(x, y + 38, f"+{self.below(node)}", 11, "#1d5fa8"))
        told = f"<title>{escape(' '.join(filter(None, (dot.label, dot.above, dot.below, dot.mark, dot.tone))))}</title>"
        return f'<g data-node="{node}" data-tone="{dot.tone}">{told}{body}{"".join(texts)}</g>'

    def below(self, node: int) -> int:
        """How many nodes hang below one."""
        count, waiting = 0, list(self.children[node])
        while waiting:
            count += 1
            waiting += self.children[waiting.pop()]
        return count
