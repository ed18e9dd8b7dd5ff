"""Weights while they are learned: forward to the chances of the outcomes, backward by the gradient of their cross entropy.

A head is a workspace, so that kernels change its weights in place. Both heads speak of outcomes, from the worst to the
best: the network of all that a game lists, the linear one of the two bounds of utility (logistic regression).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.workspace import Workspace
from counterplay.evaluation.heads import hidden_layer, logistic, outcome_chances, weighted_sum
from counterplay.evaluation.judged import outcomes_of
from counterplay.evaluation.model import Model

SPREAD = 0.1
"""The standard deviation of a network's first weights."""


class LinearHead(Workspace):
    """A weighted sum of the entries, whose logistic is the chance of the best outcome."""

    def __init__(self, game: Any, seed: int = 0) -> None:
        self.inputs, self.stages = game.learned_inputs, game.stages
        self.weights = np.zeros(game.stages * game.learned_inputs, np.float32)
        self.payoffs = np.array(game.utility_bounds, np.float64)
        self.hidden_size, self.outcomes = 1, 2

    def arrays(self) -> dict[str, np.ndarray]:
        """What is learned; the same memory."""
        return {"weights": self.weights.reshape(self.stages, self.inputs)}

    def model(self, game: Any, encoding: str, **about: Any) -> Model:
        """The model of these weights."""
        arrays = {name: part.copy() for name, part in self.arrays().items()}
        return Model.of(game, "linear", encoding, arrays, "logistic", about)

    # What kernels call.

    def forward(self, stage: int, seen: Any, hidden: Any, chances: Any) -> None:
        """Write the chance of each outcome."""
        chances[1] = logistic(weighted_sum(self.weights, stage * self.inputs, seen))
        chances[0] = np.float32(1) - chances[1]

    def backward(self, stage: int, seen: Any, hidden: Any, chances: Any, target: Any, rate: float) -> None:
        """A step towards `target`, where `forward` has just written `chances`."""
        change = np.float32(rate * (target[1] - chances[1]))
        base = stage * self.inputs
        for k in range(seen.used[0]):
            self.weights[base + seen.index[k]] += change * seen.value[k]


class NetworkHead(Workspace):
    """A network with one hidden layer."""

    def __init__(self, game: Any, hidden: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.payoffs = outcomes_of(game)
        self.inputs, self.stages, self.hidden_size, self.outcomes = (
            game.learned_inputs,
            game.stages,
            hidden,
            len(self.payoffs),
        )
        self.first = rng.normal(0, SPREAD, game.stages * game.learned_inputs * hidden).astype(np.float32)
        self.second = rng.normal(0, SPREAD, game.stages * (hidden + 1) * self.outcomes).astype(np.float32)
        self.back = np.zeros(hidden, np.float32)  # the gradient on its way

    def arrays(self) -> dict[str, np.ndarray]:
        return {
            "first": self.first.reshape(self.stages, self.inputs, self.hidden_size),
            "second": self.second.reshape(self.stages, self.outcomes, self.hidden_size + 1),
        }

    def model(self, game: Any, encoding: str, **about: Any) -> Model:
        arrays = {name: part.copy() for name, part in self.arrays().items()}
        return Model.of(game, "network", encoding, arrays, "logistic", about)

    def forward(self, stage: int, seen: Any, hidden: Any, chances: Any) -> None:
        hidden_layer(self.first, stage * self.inputs, seen, hidden)
        outcome_chances(self.second, stage * self.outcomes, hidden, chances)

    def backward(self, stage: int, seen: Any, hidden: Any, chances: Any, target: Any, rate: float) -> None:
        """A step towards `target`; it overwrites `hidden` and `chances`. The squashing function counts as tanh."""
        size, number, step = self.hidden_size, self.outcomes, np.float32(rate)
        for j in range(size):
            self.back[j] = np.float32(0)
        for o in range(number):
            row, change = (stage * number + o) * (size + 1), target[o] - chances[o]
            chances[o] = change
            self.second[row + size] += step * change
            for j in range(size):
                self.back[j] += change * self.second[row + j]
                self.second[row + j] += step * change * hidden[j]
        for j in range(size):
            hidden[j] = step * self.back[j] * (np.float32(1) - hidden[j] * hidden[j])
        for k in range(seen.used[0]):
            row, amount = (stage * self.inputs + seen.index[k]) * size, seen.value[k]
            for j in range(size):
                self.first[row + j] += amount * hidden[j]


Head = LinearHead | NetworkHead


def new_head(game: Any, hidden: int, seed: int) -> Head:
    """A head for an encoded game: a network, or without a hidden layer a linear one."""
    return NetworkHead(game, hidden, seed) if hidden else LinearHead(game, seed)


def expected(chances: Any, payoffs: Any) -> float:
    """What the chances of the outcomes are worth."""
    value = 0.0
    for o in range(chances.size):
        value += chances[o] * payoffs[o]
    return value


def spread_out(value: float, payoffs: Any, target: Any) -> None:
    """Write the chances of outcomes that are worth `value`: of the two around it."""
    number = target.size
    for o in range(number):
        target[o] = np.float32(0)
    for o in range(number - 1):
        if value <= payoffs[o + 1] or o == number - 2:
            share = (value - payoffs[o]) / (payoffs[o + 1] - payoffs[o])
            share = min(max(share, 0.0), 1.0)
            target[o + 1] = share
            target[o] = 1.0 - share
            break


def turn_around(chances: Any) -> None:
    """The chances of the outcomes in the other side's view."""
    number = chances.size
    for o in range(number // 2):
        kept = chances[o]
        chances[o] = chances[number - 1 - o]
        chances[number - 1 - o] = kept
