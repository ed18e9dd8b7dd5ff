"""Expand: a leaf gets its children."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.language.pointer import compare_swap, fetch_add
from counterplay.core.rules import has_ended, list_options, payoff
from counterplay.montecarlo.backup import prove
from counterplay.montecarlo.options import DECISIVE, NOWHERE, THREADED, WIDEN
from counterplay.montecarlo.simulator import END, FREE
from counterplay.montecarlo.tree import ESTIMATES, EXPANDING, FULL, ROOM, UNEXPANDED, USED, VACANT

RESERVE = 512
"""So many slots of a shared tree a thread takes at a time."""
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
    mover = game.to_move(s)
    is_wide = mover == CHANCE and number > memory.settings[WIDEN]
    if is_wide:
        number = int(memory.settings[WIDEN]) + 1  # more than any node has where all events get a place
    first = claim(tree, memory, node, number)
    if first < 0:
        out.truncate(start)
        return REFUSED
    shuffle(out, start, rng)
    for i in range(number):
        k = first + i
        tree.begin(k, out[start + i])
        if is_wide:
            tree.count[k] = VACANT
            tree.chance[k] = 0.0
        elif mover == CHANCE:
            tree.chance[k] = game.probability(s, out[start + i])
    news = False
    if not is_wide:
        news = look_behind(game, s, first, number, ply, tree, memory)
    out.truncate(start)
    publish(tree, node, mover, first, number)
    if news:
        prove(tree, memory, ply)
    return DONE


def publish(tree: Any, node: int, mover: int, first: int, number: int) -> None:
    """Let everyone see the children of a node, whose slots are filled in."""
    tree.mover[node] = mover
    tree.count[node] = number
    tree.parent[first] = node
    compare_swap(tree.first, node, EXPANDING, first)


def look_behind(game: Any, s: Any, first: int, number: int, ply: int, tree: Any, memory: Any) -> bool:
    """What there is to see right behind new actions: an estimate, or that the game ends. Whether it ends somewhere."""
    sees_ends = memory.solves() and memory.settings[DECISIVE] != NOWHERE
    if not sees_ends and not tree.flags[ESTIMATES]:
        return False
    ends = False
    for k in range(first, first + number):
        after = game.result(s, tree.action[k])
        if tree.flags[ESTIMATES]:
            memory.judge(game, after, tree.estimate, k)
        if sees_ends:
            memory.note(game, after, ply + 1)
            if has_ended(game, after, memory.path, memory.at(ply + 1)):
                tree.settle(k, memory.normal(payoff(game, after, 0)))
                ends = True
    return ends


def claim(tree: Any, memory: Any, node: int, number: int) -> int:
    """Slots for the children of a node, which is nobody else's to expand from now on; -1 where that cannot be."""
    if not compare_swap(tree.first, node, UNEXPANDED, EXPANDING):
        return -1
    if memory.limits[FREE] <= node or memory.limits[FREE] + number > memory.limits[END]:
        give_back(tree, memory)
        if not reserve(tree, memory, max(number, RESERVE) if memory.uses(THREADED) else number):
            tree.first[node] = UNEXPANDED
            return -1
    first = memory.limits[FREE]
    memory.limits[FREE] += number
    return first


def reserve(tree: Any, memory: Any, number: int) -> bool:
    """Slots for one thread alone, behind all that there are; whether there is room. What threads write to often then lies
    apart: the processor hands memory from core to core in lines of several slots."""
    first = fetch_add(tree.counters, USED, number)
    if first + number > tree.counters[ROOM]:
        fetch_add(tree.counters, USED, -number)
        tree.counters[FULL] = 1
        return False
    memory.limits[FREE] = first
    memory.limits[END] = first + number
    return True


def give_back(tree: Any, memory: Any) -> None:
    """Leave the slots that a thread has not used as a block without a parent, to be closed by the next pruning."""
    first, end = memory.limits[FREE], memory.limits[END]
    if first < end:
        tree.parent[first] = first - end
        for k in range(first, end):
            tree.first[k] = UNEXPANDED
    memory.limits[END] = first


def shuffle(out: Any, start: int, rng: Any) -> None:
    """Bring the actions from `start` on into random order (Fisher & Yates)."""
    for i in range(len(out) - 1, start, -1):
        j = start + rng.below(i - start + 1)
        action = out[i]
        out[i] = out[j]
        out[j] = action
