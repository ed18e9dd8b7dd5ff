"""Gumbel AlphaZero (Danihelka et al. 2022): a policy-guided search that needs few simulations.

The root tries some actions, the best by the policy's logits (plus Gumbel noise, which draws them by their priors
without replacement), and halves them by the values that the search finds: sequential halving (Karnin, Koren & Somekh
2013). Elsewhere visits follow the improved policy, the softmax of the logits plus the values found, with an estimate
for actions not tried. If the values are right, it is no worse than the original policy. A network also learns from it.
"""

from __future__ import annotations

from math import ceil, log, log2
from typing import TYPE_CHECKING

import numpy as np

from counterplay.core.language.rng import Rng
from counterplay.core.language.workspace import Array, Workspace, f32, i64

if TYPE_CHECKING:
    from counterplay.montecarlo.simulator import Simulator
    from counterplay.montecarlo.tree import SimulationTree

CONSIDERED = 16
"""The maximum number of root actions that are tried."""
VISITS, SCALE = 50.0, 0.3
"""The weight of values against logits: (VISITS + the most visits of a child) * SCALE, for values from 0 to 1."""
FIRST_ROUND = 64
"""Simulations of the first round, if only time ends the search."""
TINY = 1e-6


class Halving(Workspace):
    """The progress of sequential halving at the root of each of several games."""

    game: i64  # the one being searched
    simulations: i64  # in a search; 0 if unknown: then round follows round, each twice as long as the one before
    noisy: bool
    candidates: Array[i64, "games", CONSIDERED]  # the remaining actions, as indices among the root's children
    left: Array[i64, "games"]  # their number; 0 before the first phase
    phases: Array[i64, "games"]  # how often they are halved in this round
    budget: Array[i64, "games"]  # simulations of this round
    due: Array[i64, "games"]  # simulations of this phase,
    done: Array[i64, "games"]  # and those already run
    noise: Array[f32, "games", "actions"]

    def __init__(self, simulations: int = 0, games: int = 1, actions: int = 0) -> None:
        """Gumbel noise for `actions` actions, or none."""
        self.simulations, self.noisy = simulations, actions > 0
        self.candidates = np.zeros((games, CONSIDERED), np.int64)
        for name in ("left", "phases", "budget", "due", "done"):
            setattr(self, name, np.zeros(games, np.int64))
        self.noise = np.zeros((games, max(actions, 1)), np.float32)

    # What kernels call.

    def restart(self, game: int) -> None:
        """Start over: the game has a new root."""
        self.left[game] = 0
        self.due[game] = 0
        self.done[game] = 0
        self.budget[game] = self.simulations

    def draw(self, game: int, number: int, rng: Rng) -> None:
        """Draw Gumbel noise for the actions of a new root."""
        for i in range(number):
            self.noise[game, i] = -log(-log(rng.uniform() * (1.0 - 2e-9) + 1e-9))


def improve(tree: SimulationTree, simulator: Simulator, node: int) -> int:
    """Write to `share` the logit of each child plus its weighted completed value; returns the visits of all
    children."""
    mover, first = tree.mover[node], tree.first[node]
    end, bounded = first + tree.count[node], tree.has_bounds(node)
    visits, most, weight, value = 0, 0, 0.0, 0.0
    for k in range(first, end):
        n = tree.visits[k]
        if n > 0:
            visits += n
            most = max(most, n)
            prior, q = max(float(tree.prior[k]), TINY), tree.average(k, mover)
            if bounded:
                q = tree.mean(k, mover)
            weight += prior
            value += prior * q
            tree.share[k] = q
    guess = tree.opinion[node] if mover == 0 else -tree.opinion[node]
    if visits > 0:
        guess = (guess + visits * value / weight) / (1 + visits)
    scale = np.float32((VISITS + most) * SCALE * 0.5)
    for k in range(first, end):
        if bounded and tree.is_known(k):
            tree.share[k] = tree.least(k, mover)
        elif tree.visits[k] == 0:
            tree.share[k] = guess
        tree.share[k] = tree.logit[k] + scale * tree.share[k]
    return visits


def soften(tree: SimulationTree, node: int) -> None:
    """Turn the `share` of each child into a probability: their softmax."""
    first = tree.first[node]
    end, most, total = first + tree.count[node], tree.share[first], np.float32(0)
    for k in range(first + 1, end):
        most = max(most, tree.share[k])
    for k in range(first, end):
        tree.share[k] = np.exp(tree.share[k] - most)
        total += tree.share[k]
    scale = np.float32(1) / total
    for k in range(first, end):
        tree.share[k] *= scale


def pick_candidate(tree: SimulationTree, simulator: Simulator, root: int) -> int:
    """The child of the root whose turn it is; -1 if every one is proven."""
    halving, first = simulator.halving, tree.first[root]
    game = halving.game
    skipped = 0
    for _ in range(4 * CONSIDERED):
        if halving.done[game] >= halving.due[game] or skipped >= halving.left[game]:
            begin_phase(tree, simulator, root)
            skipped = 0
            if halving.left[game] == 0:
                begin_phase(tree, simulator, root)  # the remaining ones are proven: begin again with all others
            if halving.left[game] == 0:
                return -1
        chosen = first + halving.candidates[game, halving.done[game] % halving.left[game]]
        halving.done[game] += 1
        if not (simulator.solves() and tree.is_known(chosen)):
            return chosen
        skipped += 1
    return -1


def begin_phase(tree: SimulationTree, simulator: Simulator, root: int) -> None:
    """Keep the better half of the candidates, at least two; at the start of a round take the best of all actions."""
    halving = simulator.halving
    game, number = halving.game, tree.count[root]
    left = halving.left[game]
    starts = left == 0 or (halving.simulations == 0 and left <= 2)
    wanted = min(number, CONSIDERED) if starts else max(left // 2, min(left, 2))
    rank(tree, simulator, root, starts, wanted)
    left = halving.left[game]
    if starts:
        if halving.simulations == 0:
            halving.budget[game] = max(2 * halving.budget[game], FIRST_ROUND)
        halving.phases[game] = max(ceil(log2(max(left, 1))), 1)
    halving.done[game] = 0
    halving.due[game] = left * max(1, halving.budget[game] // (halving.phases[game] * max(left, 1)))


def rank(tree: SimulationTree, simulator: Simulator, root: int, starts: bool, wanted: int) -> None:
    """Make the `wanted` best the candidates, best first: among all actions, or among the candidates so far. Proven
    actions need no simulations."""
    halving, first = simulator.halving, tree.first[root]
    game = halving.game
    improve(tree, simulator, root)
    if halving.noisy:
        for i in range(tree.count[root]):
            tree.share[first + i] += halving.noise[game, i]
    kept = 0
    for j in range(tree.count[root] if starts else halving.left[game]):
        i = j if starts else halving.candidates[game, j]
        if simulator.solves() and tree.is_known(first + i):
            continue
        hope, at = tree.share[first + i], kept
        if kept == wanted:
            at = wanted - 1
            if hope <= tree.share[first + halving.candidates[game, at]]:
                continue
        else:
            kept += 1
        while at > 0 and tree.share[first + halving.candidates[game, at - 1]] < hope:
            halving.candidates[game, at] = halving.candidates[game, at - 1]
            at -= 1
        halving.candidates[game, at] = i
    halving.left[game] = kept


def decide(tree: SimulationTree, simulator: Simulator, root: int) -> int:
    """The child of the root to play: among those visited most, the most promising. `share` is the improved policy."""
    halving, first = simulator.halving, tree.first[root]
    improve(tree, simulator, root)
    most, best, chosen = 0, np.float32(-1e30), first
    for i in range(tree.count[root]):
        n, hope = tree.visits[first + i], tree.share[first + i]
        if halving.noisy:
            hope += halving.noise[halving.game, i]
        if n > most or (n == most and hope > best):
            most, best, chosen = n, hope, first + i
    soften(tree, root)
    return chosen
