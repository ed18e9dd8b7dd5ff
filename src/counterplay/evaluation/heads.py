"""From the entries of a state to what it is worth: a weighted sum, or a network with one hidden layer.

Weights are flat arrays, read by index: tables of a game where it is searched, arrays of a workspace where they are learned.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np


def weighted_sum(weights: Any, base: int, out: Any) -> float:
    """The sum of the entries' weights; those of the stage begin at `base`."""
    total = 0.0
    for k in range(out.used[0]):
        total += weights[base + out.index[k]] * out.value[k]
    return total


def hidden_layer(first: Any, base: int, out: Any, hidden: Any) -> None:
    """Write the hidden layer of a network to `hidden`; the rows of the stage begin at row `base`.

    The squashing function is tanh's continued fraction, cut short: near enough, and as fast as the sums.
    """
    size = hidden.size
    for j in range(size):
        hidden[j] = np.float32(0)
    for k in range(out.used[0]):
        row, amount = (base + out.index[k]) * size, out.value[k]
        for j in range(size):
            hidden[j] += amount * first[row + j]
    for j in range(size):
        x = min(max(hidden[j], np.float32(-3)), np.float32(3))
        square = x * x
        hidden[j] = x * (np.float32(27) + square) / (np.float32(27) + np.float32(9) * square)


def outcome_chances(second: Any, base: int, hidden: Any, chances: Any) -> None:
    """Write the probability of each outcome to `chances`: the softmax of a weighted sum of the hidden layer and a bias. The
    rows of the stage begin at row `base`, the last of them is the bias."""
    size, number = hidden.size, chances.size
    for o in range(number):
        chances[o] = second[(base + size) * number + o]
    for j in range(size):
        row = (base + j) * number
        for o in range(number):
            chances[o] += hidden[j] * second[row + o]
    most = chances[0]
    for o in range(1, number):
        most = max(most, chances[o])
    total = np.float32(0)
    for o in range(number):
        chances[o] = np.exp(chances[o] - most)
        total += chances[o]
    for o in range(number):
        chances[o] /= total


def logistic(x: float) -> float:
    """The probability whose log-odds are `x`."""
    return 1.0 / (1.0 + exp(-x)) if x > -500.0 else 0.0
