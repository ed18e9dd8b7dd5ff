"""Trees and tables too large for memory are refused early, and training that meets too many information sets ends
with one sentence.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from counterplay import Game, load
from counterplay.api.strategy import strategy
from counterplay.equilibrium import information_tree as trees
from counterplay.equilibrium import knowledge
from counterplay.equilibrium.identity import identity
from counterplay.equilibrium.information_tree import TooLarge, information_tree, is_far_larger
from counterplay.equilibrium.mccfr import OutOfMemory
from counterplay.equilibrium.policy import load_policy
from counterplay.equilibrium.training import PolicyTraining, learner_for


def test_a_tree_far_too_large_is_refused_before_it_is_walked(monkeypatch):
    def walk(*_):
        raise AssertionError("it is walked")

    monkeypatch.setattr(trees, "unroll", walk)
    for spec in ("kriegspiel-ending", "kriegspiel-ending:size=6"):
        with pytest.raises(TooLarge, match="more than 50,000,000 histories; `mccfr` and `mccfr-outcome` sample"):
            information_tree(load(spec))


@pytest.mark.parametrize("spec", ["kuhn-poker", "leduc-poker", "liars-dice", "goofspiel:4", "dark-hex:size=2"])
def test_a_tree_that_can_be_held_is_not_refused(spec):
    assert not is_far_larger(load(spec), trees.MOST_HISTORIES)


def test_a_training_that_meets_more_than_it_may_remember_ends_and_is_kept(tmp_path):
    game, allowed = load("liars-dice"), 6
    training = PolicyTraining(learner_for(game, "mccfr-outcome", None, megabytes=allowed), None)
    training.learner.run(0)
    kept = []

    def save(policy):
        kept.append(policy.about["iterations"])
        policy.save(tmp_path / "policy.npz")

    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemory, match=r"sets were met, and training with more takes [\d,]+ MB, not 6"):
            training.run(iterations=1_000_000, save=save)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept[-1] == training.learner.count > 0
    assert len(load_policy(game, tmp_path / "policy.npz")) > 1000
    assert allowed / 4 < most / 2**20 < allowed  # all that it took: tables, the policy, its file


def test_the_identity_of_a_game_asks_for_probabilities_only_where_chance_moves():
    assert len(identity(load("kriegspiel-ending"))) == 32


class Maze(Game):
    """A long game of many choices, of which players see only their own."""

    compiled = False

    def initial(self):
        return (0, 0, 0)

    def to_move(self, s):
        return s[0] % 2

    def actions(self, s, out):
        out.extend(range(40))

    def result(self, s, action):
        return (s[0] + 1, *((s[1] * 7 + action) % 1009 if i == s[0] % 2 else s[1 + i] for i in range(2)))

    def is_terminal(self, s):
        return s[0] == 600

    def utility(self, s, player):
        return 1.0 if (s[1] > s[2]) == (player == 0) else -1.0

    def information(self, s, player):
        return s[0] * 2048 + s[1 + player]


def test_the_weight_of_an_improbable_history_does_not_overflow():
    learner = learner_for(Maze(), "mccfr-outcome", None)
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        learner.run(3)
    policy = learner.policy()
    assert np.isfinite(policy.probabilities).all()
    assert np.isfinite(policy.memory["regrets"]).all()


def test_the_strategy_of_a_game_far_too_large_is_what_the_policy_has_met(monkeypatch):
    monkeypatch.setattr(knowledge, "PATIENCE", 0.3)
    learner = learner_for(Maze(), "mccfr-outcome", None)
    learner.run(2)
    table = strategy(learner.game, learner.policy())
    assert 0 < len(table.rows) <= len(learner.policy())
    assert all(row.actions is not None for row in table.rows)
