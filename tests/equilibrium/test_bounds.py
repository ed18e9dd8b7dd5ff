"""Trees and tables too large for memory are refused early, and a training that meets too much ends in a sentence."""

from __future__ import annotations

import pytest

from counterplay import load
from counterplay.equilibrium import information_tree as trees
from counterplay.equilibrium.identity import identity
from counterplay.equilibrium.information_tree import TooLarge, information_tree, is_far_larger
from counterplay.equilibrium.mccfr import FIRST_ROOM, OutOfMemory, SetTable, bytes_of
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


def test_a_table_takes_what_is_said():
    table = SetTable(3, FIRST_ROOM, 4 * FIRST_ROOM)
    arrays = (table.slots, table.keys, table.start, table.actions, table.regrets, table.sums, table.values)
    assert sum(array.nbytes for array in arrays) == pytest.approx(bytes_of(3, FIRST_ROOM, 4 * FIRST_ROOM), rel=0.01)


def test_a_training_that_meets_more_than_it_may_remember_ends_and_is_kept():
    game = load("liars-dice")
    training = PolicyTraining(learner_for(game, "mccfr-outcome", None, megabytes=1), None)
    kept = []
    with pytest.raises(OutOfMemory, match=r"information sets were met, and a table for more takes [\d,]+ MB, not 1"):
        training.run(iterations=1_000_000, save=kept.append)
    assert kept[-1].about["iterations"] == training.learner.count > 0
    assert len(kept[-1]) > 1000


def test_the_identity_of_a_game_asks_for_probabilities_only_where_chance_moves():
    assert len(identity(load("kriegspiel-ending"))) == 32
