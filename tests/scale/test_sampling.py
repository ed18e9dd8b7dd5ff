"""Monte Carlo CFR by several samplers: the same wherever they run, and as good as one process."""

from __future__ import annotations

import numpy as np
import pytest

from counterplay import equilibrium
from counterplay.equilibrium.mccfr import Learned
from counterplay.equilibrium.sampling_rounds import difference, merged


def table(keys, regrets, sums, iterations):
    start = np.arange(len(keys) + 1) * 2
    actions = np.tile([0, 1], len(keys))
    return Learned(
        np.array(keys).reshape(-1, 2), start, actions, np.array(regrets, float), np.array(sums, float), iterations
    )


def test_changes_add_up_and_new_sets_meet():
    before = table([[0, 1]], [1, 2], [3, 4], 10)
    one = table([[0, 1], [1, 7], [1, 8]], [1, 5, 1, 1, 2, 2], [4, 4, 1, 0, 0, 1], 12)
    two = table([[0, 1], [1, 8]], [0, 2, 10, 20], [3, 5, 30, 40], 13)
    found = merged(before, [difference(before, one), difference(before, two)])
    assert found.iterations == 15
    assert found.keys.tolist() == [[0, 1], [1, 7], [1, 8]]
    assert found.regrets.tolist() == [0, 5, 1, 1, 12, 22]
    assert found.sums.tolist() == [4, 5, 1, 0, 30, 41]
    assert found.start.tolist() == [0, 2, 4, 6]


def exploitabilities(iterations, seeds, **how):
    found = [
        equilibrium("kuhn-poker", method="mccfr", iterations=iterations, seed=seed, **how) for seed in range(seeds)
    ]
    assert all(each.iterations == iterations for each in found)
    return np.array([each.exploitability for each in found])


def test_samplers_converge():
    """Samplers that all make the same correction simultaneously overshoot, and stay at 0.007."""
    assert exploitabilities(100_000, 3, samplers=2).mean() < 0.004


@pytest.mark.scale
@pytest.mark.parametrize("iterations", [1000, 10_000, 100_000])
@pytest.mark.parametrize("samplers", [2, 8])
def test_samplers_learn_as_well_as_one_process(iterations, samplers):
    """The average of 24 runs, whose error is a tenth, differs by at most three errors."""
    alone, together = exploitabilities(iterations, 24), exploitabilities(iterations, 24, samplers=samplers)
    error = np.hypot(alone.std(), together.std()) / np.sqrt(24)
    assert error < 0.2 * alone.mean()
    assert abs(alone.mean() - together.mean()) < 3 * error


def test_the_same_samplers_in_processes_learn_the_same(tmp_path):
    here, there = (equilibrium("kuhn-poker", method="mccfr", iterations=60, samplers=2, workers=n) for n in (0, 2))
    assert here.exploitability == there.exploitability
    assert here.policy.probabilities.tolist() == there.policy.probabilities.tolist()
