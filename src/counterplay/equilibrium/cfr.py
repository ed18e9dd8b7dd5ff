"""Counterfactual regret minimization (Zinkevich and others 2007) and its variants, over an information tree.

In turn, each player computes what each of their actions would have earned against the others' current strategies, adds
up how far it beats the current mixture (its regret), and mixes in proportion to the positive regrets. The average
strategy approaches an equilibrium of a two-player zero-sum game. The variants differ in three ways:

- how regrets fade: CFR+ (Tammelin 2014) drops negative ones; discounted CFR (Brown & Sandholm 2019) multiplies them,
  after iteration t, by t^a / (t^a + 1) above 0 and t^b / (t^b + 1) below; linear CFR is a = b = 1;
- how iteration t is weighted in the average: by t^g;
- whether the last regrets predict the next ones: predictive CFR+ (Farina, Kroer & Sandholm 2021).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Workspace, f64, i64
from counterplay.equilibrium.information_tree import InformationTree
from counterplay.equilibrium.plans import collect, realize, realize_all, strategy_of, uniform

FOREVER, NEVER = float("inf"), float("-inf")


class Fading(NamedTuple):
    """The parameters in which the variants differ."""

    above: float = FOREVER  # a: how long regrets above 0 count
    below: float = FOREVER  # b: how long regrets below 0 count
    average: float = 0.0  # g: iteration t counts t^g in the average
    predictive: float = 0.0  # 1: the last regrets count twice for the next strategy


VARIANTS = {
    "cfr": Fading(),
    "cfr+": Fading(below=NEVER, average=1.0),
    "linear": Fading(1.0, 1.0, 1.0),
    "dcfr": Fading(1.5, 0.0, 2.0),
    "pcfr+": Fading(below=NEVER, average=2.0, predictive=1.0),
}


class Regrets(Workspace):
    """What the players have learned: a number for each sequence of the tree."""

    count: i64  # iterations so far
    above: f64  # the four of Fading
    below: f64
    averaging: f64
    predictive: f64

    def __init__(self, tree: InformationTree, fading: Fading) -> None:
        self.above, self.below, self.averaging, self.predictive = map(float, fading)
        self.regrets = np.zeros(tree.sequences)
        self.last = np.zeros(tree.sequences)  # the regrets of the last iteration alone, for predictions
        self.sums = np.zeros(tree.sequences)  # of plans, by their weight
        self.strategy = uniform(tree)
        self.plan = np.ones(tree.sequences)
        self.gains = np.zeros(tree.sequences)
        realize_all(tree, self.strategy, self.plan)

    def average(self, tree: InformationTree) -> np.ndarray:
        """The average strategy, which is the result of learning; at the start, a uniform one."""
        return strategy_of(tree, self.sums)

    def restore(
        self, tree: InformationTree, count: int, regrets: np.ndarray, sums: np.ndarray, last: np.ndarray
    ) -> None:
        """Continue from saved arrays."""
        self.count = count
        self.regrets[:], self.sums[:], self.last[:] = regrets, sums, last
        rematch(tree, self)

    # What kernels call.

    def fade(self, t: int, power: float) -> float:
        """The fraction of the regrets that is left after iteration t."""
        if power == FOREVER:
            return 1.0
        if power == NEVER:
            return 0.0
        return t**power / (t**power + 1.0)

    def observe(self, tree: InformationTree, player: int, t: int) -> None:
        """Add the regrets of the player's current strategy, and the strategy itself to the average."""
        collect(tree, player, self.plan, self.gains)
        above, below = self.fade(t, self.above), self.fade(t, self.below)
        for k in range(tree.first[player + 1] - 1, tree.first[player] - 1, -1):
            start, end = tree.start[k], tree.start[k + 1]
            value = 0.0
            for i in range(start, end):
                value += self.strategy[i] * self.gains[i]
            for i in range(start, end):
                self.last[i] = self.gains[i] - value
                total = self.regrets[i] + self.last[i]
                self.regrets[i] = total * (above if total > 0 else below)
            self.gains[tree.arrival[k]] += value
        weight = float(t) ** self.averaging
        for i in range(tree.start[tree.first[player]], tree.start[tree.first[player + 1]]):
            self.sums[i] += weight * self.plan[i]

    def match(self, tree: InformationTree, player: int) -> None:
        """Mix in proportion to the positive regrets, or uniformly if there are none."""
        predictive = self.predictive
        for k in range(tree.first[player], tree.first[player + 1]):
            start, end = tree.start[k], tree.start[k + 1]
            total = 0.0
            for i in range(start, end):
                self.strategy[i] = max(self.regrets[i] + predictive * self.last[i], 0.0)
                total += self.strategy[i]
            for i in range(start, end):
                self.strategy[i] = self.strategy[i] / total if total > 0 else 1.0 / (end - start)
        realize(tree, player, self.strategy, self.plan)


@kernel
def iterate(tree: InformationTree, memory: Regrets, iterations: int) -> None:
    """Run more iterations; the players take turns within each."""
    for _ in range(iterations):
        t = memory.count + 1
        for player in range(tree.players):
            memory.observe(tree, player, t)
            memory.match(tree, player)
        memory.count = t


@kernel
def rematch(tree: InformationTree, memory: Regrets) -> None:
    """Strategies and plans from the regrets."""
    for player in range(tree.players):
        memory.match(tree, player)
