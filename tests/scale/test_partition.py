"""Exact CFR over a tree in parts: the same strategies as over the whole tree."""

from __future__ import annotations

import numpy as np
import pytest

from counterplay import CounterplayError, equilibrium, load
from counterplay.equilibrium.partitioned_cfr import PartitionedLearner, PartsRoom, Trunk
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.public_tree import public_tree
from counterplay.scale.crew import WorkCrew

SPEC = "rhode-island:ranks=3,suits=2"


def divided(method="cfr+"):
    game = load(SPEC)
    trunk = Trunk(game)
    return PartitionedLearner(game, trunk, method, WorkCrew(work=PartsRoom(trunk, method)))


@pytest.mark.parametrize("method", ["cfr+", pytest.param("pcfr+", marks=pytest.mark.slow)])
def test_a_tree_in_parts_learns_what_the_whole_tree_learns(method):
    game = load(SPEC)
    whole, parts = PublicLearner(game, public_tree(game), method), divided(method)
    for learner in (whole, parts):
        learner.run(0)
        learner.run(12)
    assert np.allclose(whole.policy().sums, parts.policy().sums, rtol=1e-4, atol=1e-5)
    assert parts.evaluation().exploitability == pytest.approx(whole.evaluation().exploitability, abs=1e-5)
    again = divided(method)  # goes on from what either saved
    saved = whole.policy()
    saved.about["iterations"] = 12
    again.restore(saved)
    for learner in (whole, again):
        learner.run(3)
    assert again.evaluation().exploitability == pytest.approx(whole.evaluation().exploitability, abs=1e-5)


def test_what_cannot_be_divided_is_refused():
    for spec, method, why in (
        ("kuhn-poker", "cfr+", "no public card to divide its tree at"),
        ("liars-dice", "cfr+", "its hands are not cards"),
    ):
        with pytest.raises(CounterplayError, match=why):
            equilibrium(spec, method=method, iterations=1, cluster="local:1x1")
    with pytest.raises(CounterplayError, match="--workers is for mccfr and mccfr-outcome; --cluster"):
        equilibrium(SPEC, method="cfr+", iterations=1, workers=2)


@pytest.mark.scale
def test_parts_stay_on_the_nodes_of_a_cluster(cluster, tmp_path):
    file = tmp_path / "policy.npz"
    found = equilibrium(SPEC, method="cfr+", iterations=6, cluster="local:2x1", output=file)
    longer = equilibrium(SPEC, method="cfr+", iterations=10, cluster="local:2x1", output=file)
    game = load(SPEC)
    alone = PublicLearner(game, public_tree(game), "cfr+")
    alone.run(6)
    assert found.exploitability == pytest.approx(alone.evaluation().exploitability, abs=1e-5)
    alone.run(4)
    assert longer.exploitability == pytest.approx(alone.evaluation().exploitability, abs=1e-5)
