"""Small trees for exercises: inner nodes have letters, leaves differ and are named by their values, and the real search
algorithms run on them uncompiled, so nobody waits.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from random import Random
from string import ascii_uppercase
from typing import Any
from urllib.parse import urlencode

from counterplay.core.game import CHANCE
from counterplay.games.tree import Tree
from counterplay.players.specs import player
from counterplay.search.tracing.history import History
from counterplay.search.tracing.trace import compose
from counterplay.search.tracing.tracer import RecordingTracer

Lists = Any
"""A number (a leaf), a list (a node), or {"chance": [[probability, part], ...]}."""
ROOM = 2_000
"""The maximum number of events of a search; more than any tree here produces."""


class PaperTree(Tree):
    """A tree small enough to search without compiling."""

    compiled = False


class LetteredTree:
    """A tree with its names; nodes are numbered as by the game, parents before children."""

    def __init__(self, lists: Lists) -> None:
        self.source, self.names = lettered(lists)
        self.game = PaperTree(self.source)
        self.spec = f"tree:{json.dumps(self.source, separators=(',', ':'))}"
        self.parents = [node.parent for node in self.game._nodes]
        self.inner = [k for k, node in enumerate(self.game._nodes) if node.children]
        self.leaves = [k for k, node in enumerate(self.game._nodes) if not node.children]
        self.leaves.sort(key=self.place)

    def place(self, node: int) -> list[int]:
        """The position of a node, as child indices from the root."""
        path = []
        while node:
            path.append(self.game._nodes[node].step)
            node = self.parents[node]
        return path[::-1]

    def children(self, node: int) -> list[int]:
        """The nodes below a node."""
        first = int(self.game.first[node])
        return list(range(first, first + int(self.game.count[node])))

    def mover(self, node: int) -> str:
        """The node's player: Max, Min or chance."""
        return "chance" if self.game.mover[node] == CHANCE else self.game.player_name(int(self.game.mover[node]))

    def search(self, spec: str) -> History:
        """A recorded search by a player."""
        p, recorder = self.game.start(), RecordingTracer(ROOM)
        found = player(spec).trace(p, recorder)
        return History(compose(p, recorder, found, game=self.spec, player=spec), self.game)

    def figure(self) -> dict[str, Any]:
        """The tree as data to draw: for each node its parent, the label of its branch, its shape and its player."""
        nodes = []
        for k in range(len(self.names)):
            above = self.parents[k] if k else None
            odds = f"{self.game.chances[k]:g}" if above is not None and self.mover(above) == "chance" else ""
            shape = "end" if k in self.leaves else self.mover(k).lower()
            nodes.append([above, odds, shape, max(int(self.game.mover[k]), 0), 0])
        return {"kind": "tree", "source": self.source, "nodes": nodes, "names": self.names}

    def watch(self, spec: str) -> str:
        """The query of the page that shows the search."""
        return urlencode({"game": self.spec, "a": spec})


def lettered(lists: Lists) -> tuple[Any, list[str]]:
    """The tree in the format of the game `tree`, with actions named after the nodes that they lead to; and the names of
    all nodes."""
    letters, names = iter(ascii_uppercase), dict[tuple[int, ...], str]()  # by the path to the node
    waiting: deque[tuple[tuple[int, ...], Lists]] = deque([((), lists)])
    while waiting:  # parents before children, as the game numbers them
        path, part = waiting.popleft()
        names[path] = next(letters) if isinstance(part, (list, dict)) else f"{part:g}"
        waiting.extend(((*path, i), child) for i, child in enumerate(parts(part)))

    def named(path: tuple[int, ...], part: Lists) -> Any:
        below = {names[*path, i]: named((*path, i), child) for i, child in enumerate(parts(part))}
        if isinstance(part, dict):
            return {
                "chance": {name: [odds, below[name]] for name, (odds, _) in zip(below, part["chance"], strict=True)}
            }
        return {"actions": below} if below else part

    return named((), lists), list(names.values())


def parts(part: Lists) -> list[Lists]:
    """The children of a node."""
    if isinstance(part, dict):
        return [child for _, child in part["chance"]]
    return part if isinstance(part, list) else []


def grown(rng: Random, widths: Sequence[Sequence[int]], least: int = 1, most: int = 20) -> Lists:
    """Nested lists, with a number of children drawn from `widths` at each depth; all leaves differ."""

    def shape(depth: int) -> Lists:
        if depth == len(widths):
            return None
        return [shape(depth + 1) for _ in range(rng.choice(widths[depth]))]

    outline = shape(0)
    values = rng.sample(range(least, most + 1), count_leaves(outline))

    def fill(part: Lists) -> Lists:
        return values.pop() if part is None else [fill(each) for each in part]

    return fill(outline)


def count_leaves(part: Lists) -> int:
    """The number of leaves of a tree."""
    below = parts(part)
    return sum(map(count_leaves, below)) if below else 1
