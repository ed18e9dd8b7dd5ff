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


def exploitabilities(**how):
    found = [equilibrium("kuhn-poker", method="mccfr", iterations=500, seed=seed, **how) for seed in range(6)]
    assert all(each.iterations == 500 for each in found)
    return np.array([each.exploitability for each in found])


@pytest.mark.scale
def test_samplers_learn_as_well_as_one_process():
    alone, together = exploitabilities(), exploitabilities(samplers=4)
    error = np.hypot(alone.std(), together.std()) / np.sqrt(6)
    assert abs(alone.mean() - together.mean()) < 3 * error + 0.01


def test_the_same_samplers_in_processes_learn_the_same(tmp_path):
    here, there = (equilibrium("kuhn-poker", method="mccfr", iterations=60, samplers=2, workers=n) for n in (0, 2))
    assert here.exploitability == there.exploitability
    assert here.policy.probabilities.tolist() == there.policy.probabilities.tolist()
