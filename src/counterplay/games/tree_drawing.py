"""A game tree on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.core.formats.svg import circle, label, line, picture, polygon, rect
from counterplay.core.game import CHANCE
from counterplay.games.explicit import numbered

if TYPE_CHECKING:
    from counterplay.games.tree import Tree

COLOURS = ("#c0392b", "#2858b8", "#2a8a4a", "#c80", "#7a3fa0", "#0a8a8a")


class Drawing:
    """A tree on paper: Max points up, Min points down, chance is round."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes = len(tree._nodes)
        texts = [tree.leaf_text(i) for i in range(self.nodes) if not tree.count[i]]
        self.step = max(36.0, 8.5 * max(map(len, texts)) + 16)
        self.x, self.depth = [0.0] * self.nodes, [0] * self.nodes
        leaves, waiting = 0, [0]
        while waiting:  # leaves from left to right
            node = waiting.pop()
            children = range(tree.first[node], tree.first[node] + tree.count[node])
            for child in reversed(children):
                self.depth[child] = self.depth[node] + 1
                waiting.append(child)
            if not children:
                self.x[node] = (leaves + 0.5) * self.step + 10
                leaves += 1
        for node in reversed(range(self.nodes)):  # parents above the middle of their children
            if tree.count[node]:
                first = int(tree.first[node])
                self.x[node] = (self.x[first] + self.x[first + int(tree.count[node]) - 1]) / 2
        self.width = leaves * self.step + 20
        self.height = 80 * max(self.depth) + 64

    def y(self, node: int) -> float:
        """The y coordinate of a node."""
        return 80 * self.depth[node] + 32

    def picture(self, marked: set[int]) -> str:
        """The drawing, with the nodes of `marked` highlighted and, if there is only one, the path to it."""
        shapes = [rect(0, 0, self.width, self.height, "#faf7f0", rx=8)]
        path = set(marked) if len(marked) == 1 else set()
        for node in reversed(range(1, self.nodes)):
            parent = self.tree._nodes[node].parent
            if node in path:
                path.add(parent)
            shapes += self.edge(parent, node, node in path)
        shapes += self.information_sets()
        for node in range(self.nodes):
            shapes += self.node(node, "#e8a800" if node in marked else "#444", 4 if node in marked else 1.5)
        return picture(self.width, self.height, shapes)

    def edge(self, parent: int, node: int, is_played: bool) -> list[str]:
        """A branch with the name of its action, if it has one, and its probability."""
        x1, y1, x2, y2 = self.x[parent], self.y(parent), self.x[node], self.y(node)
        above, step = self.tree._nodes[parent], self.tree._nodes[node].step
        words = [above.names[step]] * (above.names != numbered(len(above.names)))
        words += [f"{self.tree.chances[node]:.3g}"] * (above.mover == CHANCE)
        text = label(x1 + 0.55 * (x2 - x1), y1 + 0.55 * (y2 - y1), " ".join(words), size=11, fill="#666")
        halo = text.replace("<text", '<text stroke="#faf7f0" stroke-width="4"', 1)
        branch = line(x1, y1, x2, y2, "#e8a800" if is_played else "#999", 3 if is_played else 1.2)
        return [branch, halo, text] if words else [branch]

    def information_sets(self) -> list[str]:
        """Dashed lines between nodes that cannot be told apart."""
        last: dict[Any, int] = {}
        shapes = []
        for i, node in enumerate(self.tree._nodes):
            if node.information is not None:
                if node.information in last:
                    ends = [(self.x[j], self.y(j)) for j in (last[node.information], i)]
                    shapes.append(polygon(ends, "none", stroke="#7a3fa0", stroke_width=2, stroke_dasharray="6 4"))
                last[node.information] = i
        return shapes

    def node(self, node: int, stroke: str, width: float) -> list[str]:
        """A node's shape: triangles for Max and Min, discs for chance, numbers for others, a box for a leaf."""
        tree, x, y = self.tree, self.x[node], self.y(node)
        mover = int(tree.mover[node])
        if not tree.count[node]:
            text = tree.leaf_text(node)
            half = 4.25 * len(text) + 6
            return [
                rect(x - half, y - 12, 2 * half, 24, "#fff", rx=4, stroke=stroke, stroke_width=width),
                label(x, y, text, 14),
            ]
        if mover == CHANCE:
            return [circle(x, y, 13, "#fff", stroke=stroke, stroke_width=width)]
        fill = COLOURS[mover % len(COLOURS)]
        if tree.players == 2 and tree.zero_sum:
            tip = -17 if mover == 0 else 17
            corners = [(x, y + tip), (x - 17, y - 0.7 * tip), (x + 17, y - 0.7 * tip)]
            return [polygon(corners, fill, stroke=stroke, stroke_width=width)]
        box = rect(x - 14, y - 14, 28, 28, fill, rx=6, stroke=stroke, stroke_width=width)
        return [box, label(x, y, str(mover + 1), fill="#fff")]
