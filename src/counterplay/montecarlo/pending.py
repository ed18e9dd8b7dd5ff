"""Leaves that wait for a policy's answer, each in a lane of its simulator.

`descend` goes down to a leaf and makes its children, still hidden; once the policy has answered with the value and the
children's priors, `receive` shows them and backs the value up.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.rng import Rng
from counterplay.core.rules import list_options
from counterplay.core.types import State
from counterplay.montecarlo.backup import add, back_up, repay
from counterplay.montecarlo.expansion import claim, publish
from counterplay.montecarlo.gumbel import TINY
from counterplay.montecarlo.options import GUMBEL
from counterplay.montecarlo.simulation import finish, walk
from counterplay.montecarlo.simulator import BUSY, ENDED, MAX_PLY, OPEN, Simulator
from counterplay.montecarlo.tree import EXPANDING, UNEXPANDED, SimulationTree
from counterplay.montecarlo.valuation import play_out


def descend(
    game: Game, root: State, tree: SimulationTree, simulator: Simulator, rng: Rng, out: ActionStack
) -> tuple[Any, int]:
    """Go down to a leaf; returns its state and kind. If it is open, its actions are appended to `out` and it waits;
    otherwise it is backed up or, if it is already waiting, left as it was."""
    simulator.simulation += 1
    simulator.note(game, root, 0)
    s, ply = walk(game, root, simulator.root, 0, tree, simulator, rng, out)
    if simulator.reason == OPEN and game.to_move(s) == CHANCE:  # there is no room for its events: it counts as even
        for i in range(simulator.width):
            simulator.value[i] = 0.0
        simulator.reason = ENDED
    elif simulator.reason == OPEN:
        make_children(game, s, ply, tree, simulator, out)
    if simulator.reason == OPEN:
        simulator.reached[simulator.lane] = ply
        if simulator.mix < 1.0:
            play_out(game, s, ply, simulator, rng, out)
            for i in range(simulator.width):
                simulator.rolled[simulator.lane, i] = simulator.value[i]
    elif simulator.reason == BUSY:
        retreat(tree, simulator, ply)
    else:
        back_up(tree, simulator, ply, 0)
    return s, simulator.reason


def make_children(game: Game, s: State, ply: int, tree: SimulationTree, simulator: Simulator, out: ActionStack) -> None:
    """Append the actions of an open leaf to `out`, and make a child for each if there is room."""
    lane, start = simulator.lane, len(out)
    node = simulator.trail[lane, ply]
    list_options(game, s, simulator.path, simulator.at(ply), out)
    number = len(out) - start
    if number == 0:  # every action would repeat a position
        finish(game, s, node, ply, tree, simulator)
        return
    first = claim(tree, simulator, node, number) if ply < MAX_PLY else -1
    simulator.block[lane] = first
    simulator.number[lane] = number
    tree.first[node] = EXPANDING
    tree.mover[node] = game.to_move(s)
    if first >= 0:
        for i in range(number):
            tree.begin(first + i, out[start + i])
            if tree.has_estimates:
                simulator.judge(game, game.result(s, out[start + i]), tree, first + i)


def retreat(tree: SimulationTree, simulator: Simulator, ply: int) -> None:
    """Undo the visit of the trail up to the leaf at `ply`."""
    for d in range(ply + 1):
        add(tree.visits, simulator, simulator.trail[simulator.lane, d], -1)
        if simulator.borrows:
            repay(tree, simulator, d)


def receive(tree: SimulationTree, simulator: Simulator) -> None:
    """Use the answer for the leaf of this lane: its value is in `simulator.value`, and its children have their
    priors."""
    lane = simulator.lane
    ply, first = simulator.reached[lane], simulator.block[lane]
    node = simulator.trail[lane, ply]
    if simulator.mix < 1.0:
        for i in range(simulator.width):
            said, rolled = simulator.value[i], simulator.rolled[lane, i]
            simulator.value[i] = simulator.mix * said + (1.0 - simulator.mix) * rolled
    if simulator.select == GUMBEL:
        tree.opinion[node] = simulator.value[0]
    if first >= 0:
        publish(tree, node, tree.mover[node], first, simulator.number[lane])
    else:
        tree.first[node] = UNEXPANDED
    back_up(tree, simulator, ply, 0)


def write_priors(tree: SimulationTree, simulator: Simulator, priors: np.ndarray) -> None:
    """Give the children of the leaf of this lane their priors."""
    first = simulator.block[simulator.lane]
    if first >= 0:
        for i in range(simulator.number[simulator.lane]):
            tree.prior[first + i] = priors[i]
            if simulator.select == GUMBEL:
                tree.logit[first + i] = log(max(priors[i], TINY))
