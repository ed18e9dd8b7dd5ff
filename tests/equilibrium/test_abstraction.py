"""Abstractions: what they lose, what they keep, and how their policies are stored and played."""

import pytest

from counterplay import CounterplayError, load
from counterplay.equilibrium.abstraction import abstraction
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.equilibrium.policy import Policy, load_policy
from counterplay.equilibrium.sequence_form import solve_sequence_form
from counterplay.equilibrium.training import PolicyTraining, learner_for
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.rhode_island import RhodeIsland
from counterplay.players.specs import player


class PlainLeduc(LeducPoker):
    """Uncompiled."""

    compiled = False


class PlainIsland(RhodeIsland):
    """Uncompiled."""

    compiled = False


LEDUC = PlainLeduc()
VALUE = -0.085606424078


def test_without_suits_nothing_is_lost():
    tree, small = information_tree(LEDUC), information_tree(abstraction(LEDUC))
    assert (tree.sets, small.sets) == (936, 288)
    policy = Policy.on_tree(abstraction(LEDUC), small, solve_sequence_form(small))
    strategy, missing = policy.strategy(tree)
    found = evaluate_policy(tree, strategy)
    assert missing == 0
    assert found.values[0] == pytest.approx(VALUE, abs=1e-9)
    assert found.exploitability == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("method", ["cfr+", "mccfr"])
def test_a_policy_for_the_abstraction_is_kept_and_played(method, tmp_path):
    small = abstraction(LEDUC)
    own = information_tree(small) if method == "cfr+" else None
    training = PolicyTraining(learner_for(small, method, own), information_tree(LEDUC))
    last = training.run(iterations=300)
    assert last.exploitability < (0.01 if method == "cfr+" else 2.0)
    file = tmp_path / "leduc.policy"
    training.policy().save(file)
    read = load_policy(LEDUC, file)
    assert read.is_abstract
    one, other = (LEDUC.start(cards).state for cards in ("Js Qh", "Jh Qs"))
    assert read.at(one) == read.at(other)
    assert evaluate_policy(training.tree, read.strategy(training.tree)[0]).exploitability == pytest.approx(
        last.exploitability
    )
    p = LEDUC.start("Js Qh raise")
    chosen = player(f"policy:{file}")
    chosen.require(LEDUC)
    assert chosen.choose(p).action in p.options()
    with pytest.raises(CounterplayError, match="another game"):
        load_policy(PlainLeduc(raises=1), file)


def test_more_buckets_lose_less():
    worth = []
    for buckets in (1, 10):
        game = PlainIsland(2, 2, 1, buckets)
        small, tree = information_tree(abstraction(game)), information_tree(game)
        training = PolicyTraining(learner_for(abstraction(game), "cfr+", small), tree)
        worth.append(training.run(iterations=200).exploitability)
        assert small.sets < tree.sets
    assert worth[1] < worth[0] / 3


def test_what_has_no_abstraction():
    for spec in ("kuhn-poker", "leduc-poker:distinct_suits=off"):
        with pytest.raises(CounterplayError, match="has no abstraction"):
            abstraction(load(spec))
