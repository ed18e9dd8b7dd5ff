"""Expand: a leaf gets its children."""

from __future__ import annotations

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.pointer import compare_swap, fetch_add
from counterplay.core.language.rng import Rng
from counterplay.core.rules import has_ended, list_options, payoff
from counterplay.core.types import State
from counterplay.montecarlo.backup import prove
from counterplay.montecarlo.options import NOWHERE
from counterplay.montecarlo.simulator import Simulator
from counterplay.montecarlo.tree import EXPANDING, UNEXPANDED, VACANT, SimulationTree

RESERVE = 512
"""How many slots of a shared tree a thread takes at a time."""
DONE, BARREN, REFUSED = range(3)
"""The results: there are children; the position has no actions; another thread is expanding it, or the tree is full."""


def expand(
    game: Game, s: State, node: int, ply: int, tree: SimulationTree, simulator: Simulator, rng: Rng, out: ActionStack
) -> int:
    """Make the children of a leaf in random order, which breaks ties."""
    start = len(out)
    list_options(game, s, simulator.path, simulator.at(ply), out)
    number = len(out) - start
    if number == 0:
        return BARREN
    mover = game.to_move(s)
    is_wide = mover == CHANCE and number > simulator.widen
    if is_wide:
        number = simulator.widen + 1  # more than any node at which all events get a slot
    first = claim(tree, simulator, node, number)
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
        news = look_behind(game, s, first, number, ply, tree, simulator)
    out.truncate(start)
    publish(tree, node, mover, first, number)
    if news:
        prove(tree, simulator, ply)
    return DONE


def publish(tree: SimulationTree, node: int, mover: int, first: int, number: int) -> None:
    """Make the children of a node visible to all threads, once their slots are filled in."""
    tree.mover[node] = mover
    tree.count[node] = number
    tree.parent[first] = node
    if tree.scalar:
        tree.bounded[node] = 0
    compare_swap(tree.first, node, EXPANDING, first)


def look_behind(
    game: Game, s: State, first: int, number: int, ply: int, tree: SimulationTree, simulator: Simulator
) -> bool:
    """Look at the states after new actions: estimate them, and see whether the game ends. Returns whether it ends after
    any."""
    sees_ends = simulator.solves() and simulator.decisive != NOWHERE
    if not sees_ends and not tree.has_estimates:
        return False
    ends = False
    for k in range(first, first + number):
        after = game.result(s, int(tree.action[k]))
        if tree.has_estimates:
            simulator.judge(game, after, tree, k)
        if sees_ends:
            simulator.note(game, after, ply + 1)
            if has_ended(game, after, simulator.path, simulator.at(ply + 1)):
                tree.settle(k, simulator.normal(payoff(game, after, 0)))
                ends = True
    return ends


def claim(tree: SimulationTree, simulator: Simulator, node: int, number: int) -> int:
    """Slots for the children of a node, which no other thread can expand from now on; -1 if there are none."""
    if not compare_swap(tree.first, node, UNEXPANDED, EXPANDING):
        return -1
    if simulator.free <= node or simulator.free + number > simulator.end:
        give_back(tree, simulator)
        if not reserve(tree, simulator, max(number, RESERVE) if simulator.threaded else number):
            tree.first[node] = UNEXPANDED
            return -1
    first = simulator.free
    simulator.free += number
    return first


def reserve(tree: SimulationTree, simulator: Simulator, number: int) -> bool:
    """Reserve slots for one thread, after all slots in use; returns whether there is room. This keeps apart what
    threads write to often: the processor passes memory from core to core in lines of several slots."""
    first = fetch_add(tree.used, 0, number)
    if first + number > tree.room:
        fetch_add(tree.used, 0, -number)
        tree.full = True
        return False
    simulator.free = first
    simulator.end = first + number
    return True


def give_back(tree: SimulationTree, simulator: Simulator) -> None:
    """Turn a thread's unused slots into a block without a parent, for the next pruning to remove."""
    first, end = simulator.free, simulator.end
    if first < end:
        tree.parent[first] = first - end
        for k in range(first, end):
            tree.first[k] = UNEXPANDED
    simulator.end = first


def shuffle(out: ActionStack, start: int, rng: Rng) -> None:
    """Shuffle the actions from `start` on (Fisher & Yates)."""
    for i in range(len(out) - 1, start, -1):
        j = start + rng.below(i - start + 1)
        action = out[i]
        out[i] = out[j]
        out[j] = action
