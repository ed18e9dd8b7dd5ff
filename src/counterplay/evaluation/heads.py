"""From the entries of a state to its value: a weighted sum, or a network with one or two hidden layers.

Weights are flat arrays, read by index: tables of a game during search, arrays of a workspace during learning.
"""

from __future__ import annotations

from math import exp

import numpy as np

from counterplay.core.language.features import Features
from counterplay.core.language.marks import any_order


def weighted_sum(weights: np.ndarray, base: int, out: Features) -> float:
    """The sum of the entries' weights; those of the stage begin at `base`."""
    total = 0.0
    for k in range(out.used[0]):
        total += weights[base + out.index[k]] * out.value[k]
    return total


@any_order
def hidden_layer(first: np.ndarray, base: int, out: Features, hidden: np.ndarray) -> None:
    """Write the hidden layer of a network to `hidden`; the rows of the stage begin at row `base`.

    Four rows at a time: `hidden` is read and written a quarter as often. The squashing function is tanh's continued
    fraction, cut short: close enough, and as fast as the sums.
    """
    size, used = hidden.size, out.used[0]
    for j in range(size):
        hidden[j] = np.float32(0)
    for k in range(0, used - 3, 4):
        r0, r1 = (base + out.index[k]) * size, (base + out.index[k + 1]) * size
        r2, r3 = (base + out.index[k + 2]) * size, (base + out.index[k + 3]) * size
        v0, v1, v2, v3 = out.value[k], out.value[k + 1], out.value[k + 2], out.value[k + 3]
        for j in range(size):
            hidden[j] += (v0 * first[r0 + j] + v1 * first[r1 + j]) + (v2 * first[r2 + j] + v3 * first[r3 + j])
    for k in range(used - used % 4, used):
        row, amount = (base + out.index[k]) * size, out.value[k]
        for j in range(size):
            hidden[j] += amount * first[row + j]
    squash(hidden)


@any_order
def squash(units: np.ndarray) -> None:
    """Squash the sums of a layer into -1 to 1."""
    for j in range(units.size):
        x = min(max(units[j], np.float32(-3)), np.float32(3))
        square = x * x
        units[j] = x * (np.float32(27) + square) / (np.float32(27) + np.float32(9) * square)


@any_order
def weigh(rows: np.ndarray, base: int, units: np.ndarray, sums: np.ndarray) -> None:
    """Write weighted sums of a layer's `units` to `sums`. The rows of the stage, one for each sum with its bias last, begin
    at row `base`. Four sums at a time: each unit is read once for all of them."""
    size, number = units.size, sums.size
    for o in range(0, number - 3, 4):
        r0 = (base + o) * (size + 1)
        r1, r2, r3 = r0 + (size + 1), r0 + 2 * (size + 1), r0 + 3 * (size + 1)
        t0, t1, t2, t3 = rows[r0 + size], rows[r1 + size], rows[r2 + size], rows[r3 + size]
        for j in range(size):
            unit = units[j]
            t0 += unit * rows[r0 + j]
            t1 += unit * rows[r1 + j]
            t2 += unit * rows[r2 + j]
            t3 += unit * rows[r3 + j]
        sums[o], sums[o + 1], sums[o + 2], sums[o + 3] = t0, t1, t2, t3
    for o in range(number - number % 4, number):
        row = (base + o) * (size + 1)
        total = rows[row + size]
        for j in range(size):
            total += units[j] * rows[row + j]
        sums[o] = total


@any_order
def soften(sums: np.ndarray, number: int) -> None:
    """Turn the first `sums` into probabilities: their softmax."""
    most, total = sums[0], np.float32(0)
    for o in range(1, number):
        most = max(most, sums[o])
    for o in range(number):
        sums[o] = np.exp(sums[o] - most)
        total += sums[o]
    for o in range(number):
        sums[o] /= total


def logistic(x: float) -> float:
    """The probability whose log-odds are `x`."""
    return 1.0 / (1.0 + exp(-x)) if x > -500.0 else 0.0
