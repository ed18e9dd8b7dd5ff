"""Weights during training: forward to the probabilities of the outcomes, backward by the gradient of their cross entropy.

A head is a workspace, so that kernels change its weights in place. Both heads speak of outcomes, from the worst to the
best: the network covers all that a game lists, the linear one the two bounds of utility (logistic regression).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.features import Features
from counterplay.core.language.workspace import Workspace
from counterplay.evaluation.encoding import EncodedGame
from counterplay.evaluation.heads import hidden_layer, logistic, soften, squash, weigh, weighted_sum
from counterplay.evaluation.judged import network_shapes, outcomes_of
from counterplay.evaluation.model import Model

SPREAD = 0.1
"""The standard deviation of a network's first weights."""
MOST_STRIDE, TINY = 6.0, 1e-9
"""The maximum factor by which the steps for a rare entry's weights are longer."""


class LinearHead(Workspace):
    """A weighted sum of the entries, whose logistic is the probability of the best outcome."""

    def __init__(self, game: EncodedGame, seed: int = 0) -> None:
        self.inputs, self.stages = game.learned_inputs, game.stages
        self.weights = np.zeros(game.stages * game.learned_inputs, np.float32)
        self.payoffs = np.array(game.utility_bounds, np.float64)
        self.hidden_size, self.outcomes = 1, 2

    def arrays(self) -> dict[str, np.ndarray]:
        """The learned arrays; the same memory."""
        return {"weights": self.weights.reshape(self.stages, self.inputs)}

    def memory(self) -> dict[str, np.ndarray]:
        """Everything needed to continue learning; the same memory."""
        return self.arrays()

    def model(self, game: Game, encoding: str, **about: Any) -> Model:
        """The model of these weights."""
        arrays = {name: part.copy() for name, part in self.arrays().items()}
        return Model.of(game, "linear", encoding, arrays, "logistic", about)

    # What kernels call.

    def forward(self, stage: int, seen: Features, hidden: np.ndarray, chances: np.ndarray) -> None:
        """Write the chance of each outcome."""
        chances[1] = logistic(weighted_sum(self.weights, stage * self.inputs, seen))
        chances[0] = np.float32(1) - chances[1]

    def backward(
        self, stage: int, seen: Features, hidden: np.ndarray, chances: np.ndarray, target: np.ndarray, rate: float
    ) -> None:
        """A step towards `target`, where `forward` has just written `chances`."""
        change = np.float32(rate * (target[1] - chances[1]))
        base = stage * self.inputs
        for k in range(seen.used[0]):
            self.weights[base + seen.index[k]] += change * seen.value[k]


class NetworkHead(Workspace):
    """A network with one hidden layer, or with a second one of `deeper` units.

    Most entries are 0 in most states, and rare ones would hardly be learned. So an entry's weights in the first layer
    take longer steps the smaller the entry is, as a root mean square over all states so far (the idea of Adagrad,
    Duchi, Hazan & Singer 2011, for whole rows and without its decay, which is left to the rate).
    """

    first: np.ndarray
    second: np.ndarray
    deep: np.ndarray

    def __init__(self, game: EncodedGame, hidden: int, seed: int = 0, deeper: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.payoffs = outcomes_of(game)
        self.stages, self.inputs, self.outcomes = game.stages, game.learned_inputs, len(self.payoffs)
        self.width, self.deeper, self.hidden_size = hidden, deeper, hidden + deeper
        self.deep = np.zeros(1, np.float32)
        for name, shape in self.shapes().items():
            setattr(self, name, rng.normal(0, SPREAD, shape).astype(np.float32).ravel())
        self.back, self.deep_back = np.zeros(hidden, np.float32), np.zeros(max(deeper, 1), np.float32)  # gradients
        self.times = np.zeros(self.stages)  # the number of states learned from
        self.squares = np.zeros(self.stages * self.inputs)  # [stages, inputs] the sums of their entries' squares

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The names of the learned arrays, and their shapes."""
        return network_shapes(self.stages, self.inputs, self.width, self.deeper, self.outcomes)

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name).reshape(shape) for name, shape in self.shapes().items()}

    def memory(self) -> dict[str, np.ndarray]:
        return self.arrays() | {"times": self.times, "squares": self.squares}

    def model(self, game: Game, encoding: str, **about: Any) -> Model:
        arrays = {name: part.copy() for name, part in self.arrays().items()}
        return Model.of(game, "network", encoding, arrays, "logistic", about)

    def forward(self, stage: int, seen: Features, hidden: np.ndarray, chances: np.ndarray) -> None:
        """Write the units of both layers to `hidden`, and the chance of each outcome."""
        if self.deeper:
            units, last = hidden[: self.width], hidden[self.width :]
            hidden_layer(self.first, stage * self.inputs, seen, units)
            weigh(self.deep, stage * self.deeper, units, last)
            squash(last)
            weigh(self.second, stage * self.outcomes, last, chances)
        else:
            hidden_layer(self.first, stage * self.inputs, seen, hidden)
            weigh(self.second, stage * self.outcomes, hidden, chances)
        soften(chances, self.outcomes)

    def backward(
        self, stage: int, seen: Features, hidden: np.ndarray, chances: np.ndarray, target: np.ndarray, rate: float
    ) -> None:
        """A step towards `target`; it overwrites `hidden` and `chances`. The squashing function counts as tanh."""
        size, step, units = self.width, np.float32(rate), hidden[: self.width]
        for o in range(self.outcomes):
            chances[o] = target[o] - chances[o]
        if self.deeper:
            last = hidden[self.width :]
            correct(self.second, stage * self.outcomes, last, chances, step, self.deep_back)
            for k in range(self.deeper):
                last[k] = self.deep_back[k] * (np.float32(1) - last[k] * last[k])
            correct(self.deep, stage * self.deeper, units, last, step, self.back)
        else:
            correct(self.second, stage * self.outcomes, units, chances, step, self.back)
        for j in range(size):
            units[j] = step * self.back[j] * (np.float32(1) - units[j] * units[j])
        self.times[stage] += 1
        for k in range(seen.used[0]):
            entry, amount = stage * self.inputs + seen.index[k], seen.value[k]
            self.squares[entry] += amount * amount
            amount *= np.float32(min(sqrt(self.times[stage] / (self.squares[entry] + TINY)), MOST_STRIDE))
            for j in range(size):
                self.first[entry * size + j] += amount * units[j]


def correct(
    rows: np.ndarray, base: int, units: np.ndarray, errors: np.ndarray, step: np.float32, back: np.ndarray
) -> None:
    """Move the rows of the layer above `units` against the `errors` of their sums, and write to `back` the gradient for
    the units."""
    size = units.size
    for j in range(size):
        back[j] = np.float32(0)
    for o in range(errors.size):
        row, change = (base + o) * (size + 1), errors[o]
        rows[row + size] += step * change
        for j in range(size):
            back[j] += change * rows[row + j]
            rows[row + j] += step * change * units[j]


Head = LinearHead | NetworkHead


def new_head(game: EncodedGame, hidden: int, deeper: int, seed: int) -> Head:
    """A head for an encoded game: a network, or a linear one if there is no hidden layer."""
    return NetworkHead(game, hidden, seed, deeper) if hidden else LinearHead(game, seed)


def expected(chances: np.ndarray, payoffs: np.ndarray) -> float:
    """The expected value of a distribution over outcomes."""
    value = 0.0
    for o in range(chances.size):
        value += chances[o] * payoffs[o]
    return value


def spread_out(value: float, payoffs: np.ndarray, target: np.ndarray) -> None:
    """Write a distribution over outcomes whose expected value is `value`: over the two nearest ones."""
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


def turn_around(chances: np.ndarray) -> None:
    """The distribution over outcomes from the other side's point of view."""
    number = chances.size
    for o in range(number // 2):
        kept = chances[o]
        chances[o] = chances[number - 1 - o]
        chances[number - 1 - o] = kept
