"""Expand: a leaf gets its children."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.memory import compare_swap, fetch_add
from counterplay.core.rules import list_options
from counterplay.montecarlo.tree import EXPANDING, FULL, ROOM, UNEXPANDED, USED

DONE, BARREN, REFUSED = range(3)
"""What came of it: there are children; there is nothing to do in this position; another thread is at it, or the tree is
full."""


def expand(game: Any, s: Any, node: int, ply: int, tree: Any, memory: Any, rng: Any, out: Any) -> int:
    """Make the children of a leaf, in random order: ties are broken by it."""
    start = len(out)
    list_options(game, s, memory.path, memory.at(ply), out)
    number = len(out) - start
    if number == 0:
        return BARREN
    first = claim(tree, node, number)
    if first < 0:
        out.truncate(start)
        return REFUSED
    tree.mover[node] = game.to_move(s)
    shuffle(out, start, rng)
    for i in range(number):
        k = first + i
        tree.begin(k, out[start + i])
        if game.has_chance and tree.mover[node] == CHANCE:
            tree.chance[k] = game.probability(s, out[start + i])
    out.truncate(start)
    tree.count[node] = number
    tree.parent[first] = node
    compare_swap(tree.first, node, EXPANDING, first)
    return DONE


def claim(tree: Any, node: int, number: int) -> int:
    """Slots for the children of a node, which is nobody else's to expand from now on; -1 where that cannot be."""
    if not compare_swap(tree.first, node, UNEXPANDED, EXPANDING):
        return -1
    first = fetch_add(tree.counters, USED, number)
    if first + number > tree.counters[ROOM]:
        fetch_add(tree.counters, USED, -number)
        tree.counters[FULL] = 1
        tree.first[node] = UNEXPANDED
        return -1
    return first


def shuffle(out: Any, start: int, rng: Any) -> None:
    """Bring the actions from `start` on into random order (Fisher & Yates)."""
    for i in range(len(out) - 1, start, -1):
        j = start + rng.below(i - start + 1)
        action = out[i]
        out[i] = out[j]
        out[j] = action
