"""Noise on a policy, so that self-play tries what the policy dislikes: a Dirichlet distribution."""

from __future__ import annotations

from math import cos, log, pi, sqrt

import numpy as np

from counterplay.core.language.rng import Rng


def draw_dirichlet(shares: np.ndarray, number: int, concentration: float, rng: Rng) -> None:
    """Write random shares that add up to 1."""
    total = 0.0
    for i in range(number):
        drawn = draw_gamma(concentration, rng)
        shares[i] = drawn
        total += drawn
    for i in range(number):
        shares[i] /= np.float32(total)


def draw_gamma(shape: float, rng: Rng) -> float:
    """A draw from a gamma distribution (Marsaglia & Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = max(rng.uniform(), 1e-12) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / sqrt(9.0 * d)
    while True:
        x = sqrt(-2.0 * log(1.0 - rng.uniform())) * cos(2.0 * pi * rng.uniform())
        v = (1.0 + c * x) ** 3
        if v > 0.0 and log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * log(v):
            return boost * d * v + 1e-9
