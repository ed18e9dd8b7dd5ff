"""Public trees: vectors over hands against the tree of information sets, and against plain play."""

from __future__ import annotations

import numpy as np
import pytest
from equilibrium.two_cards import TwoCards

from counterplay import load
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.language.state import words
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.information_tree import TooLarge, information_tree
from counterplay.equilibrium.public_policy import load_public_policy
from counterplay.equilibrium.public_training import PublicLearner, needs_public_tree
from counterplay.equilibrium.public_tree import public_tree
from counterplay.equilibrium.sequence_form import solve_sequence_form
from counterplay.equilibrium.training import TreeLearner, evaluate_policy
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.liars_dice import LiarsDice
from counterplay.games.rhode_island import RhodeIsland


def plain(kind, *arguments, **options):
    """A game in plain Python: its tree needs no compilation."""
    return type(kind.__name__, (kind,), {"compiled": False})(*arguments, **options)


GAMES = {
    "kuhn": lambda: load("kuhn-poker"),
    "leduc": lambda: load("leduc-poker"),
    "leduc without suits": lambda: plain(LeducPoker, distinct_suits=False),
    "leduc with three cards": lambda: plain(LeducPoker, suits=1),
    "liar's dice": lambda: plain(LiarsDice, 1, 3),
    "liar's dice, two each": lambda: plain(LiarsDice, 2, 2),
    "rhode island": lambda: plain(RhodeIsland, 3, 2),
    "two cards each": TwoCards,
}


@pytest.fixture(scope="module")
def made():
    """Games and their trees, made once."""
    kept = {}

    def make(name):
        if name not in kept:
            game = GAMES[name]()
            kept[name] = game, public_tree(game), information_tree(game)
        return kept[name]

    return make


@pytest.mark.parametrize("name", GAMES)
def test_iterations_are_those_of_the_information_sets(made, name):
    game, public, tree = made(name)
    vectors, sets = PublicLearner(game, public, "cfr+"), TreeLearner(game, tree, "cfr+")
    ties = name in (
        "rhode island",
        "two cards each",
    )  # regrets that are exactly equal: rounding errors decide between them
    for iterations in (1, 1, 0 if ties else 3):
        vectors.run(iterations)
        sets.run(iterations)
        found, wanted = vectors.evaluation(), evaluate_policy(tree, sets.strategy(tree))
        assert found.values == pytest.approx(wanted.values, abs=2e-6)
        assert found.responses == pytest.approx([one.value for one in wanted.responses], abs=2e-6)


@pytest.mark.parametrize("method", [method for method in VARIANTS if method != "cfr+"])
def test_variants_are_those_of_the_information_sets(made, method):
    game, public, tree = made("leduc")
    vectors, sets = PublicLearner(game, public, method), TreeLearner(game, tree, method)
    vectors.run(8)
    sets.run(8)
    wanted = evaluate_policy(tree, sets.strategy(tree))
    assert vectors.evaluation().exploitability == pytest.approx(wanted.exploitability, abs=1e-5)


@pytest.mark.parametrize("name", ["leduc", "rhode island", "two cards each"])
def test_a_policy_is_worth_the_same_over_information_sets_whatever_its_suits(made, name):
    """Each playthrough finds its strategy in the folded tree; together they are a policy that knows every suit."""
    game, public, tree = made(name)
    learner = PublicLearner(game, public, "cfr+")
    learner.run(10)
    policy, shares = learner.policy(), {}

    def visit(p):
        options = legal(game, p.state)
        if options and (mover := int(game.to_move(p.state))) >= 0:
            key = (mover, *words(game.information(p.state, mover)))
            if key not in shares:
                shares[key] = policy.of(p)
        for option in options:
            p.play(option)
            visit(p)
            p.undo()

    visit(Playthrough(game))
    rows = zip(tree.owner.tolist(), tree.key_words().tolist(), strict=True)
    strategy = np.concatenate([np.ones(2), *(list(shares[owner, *row].values()) for owner, row in rows)])
    found, wanted = learner.evaluation(), evaluate_policy(tree, strategy)
    assert found.values == pytest.approx(wanted.values, abs=1e-6)
    assert found.responses == pytest.approx([one.value for one in wanted.responses], abs=1e-6)
    assert public.nodes < public_tree(game, symmetric=False).nodes


@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.085606424078), ("two cards each", None)])
def test_values_are_those_of_the_linear_program(made, name, value):
    game, public, tree = made(name)
    if value is None:
        value = evaluate_policy(tree, solve_sequence_form(tree)).values[0]
    learner = PublicLearner(game, public, "pcfr+")
    learner.run(400)
    found = learner.evaluation()
    assert found.exploitability < 0.002
    assert -found.responses[1] - 1e-6 <= value <= found.responses[0] + 1e-6


def test_threads_change_nothing(made):
    game, public, _ = made("rhode island")
    alone, together = PublicLearner(game, public, "dcfr", threads=1), PublicLearner(game, public, "dcfr", threads=1)
    together.walker = type(together.walker)(public, together.regrets, 2)
    assert together.walker.pool is not None
    for learner in (alone, together):
        learner.run(5)
    assert (alone.regrets.sums == together.regrets.sums).all()
    assert alone.evaluation() == together.evaluation()


def test_a_training_goes_on_from_its_file(made, tmp_path):
    game, public, _ = made("leduc")
    whole, first, second = (PublicLearner(game, public, "pcfr+") for _ in range(3))
    whole.run(10)
    first.run(4)
    policy = first.policy()
    policy.about = {"iterations": 4}
    policy.save(tmp_path / "p.npz")
    second.restore(load_public_policy(game, tmp_path / "p.npz"))
    second.run(6)
    assert second.count == 10
    assert (second.regrets.sums == whole.regrets.sums).all()


def test_a_policy_of_another_game_and_a_damaged_one_are_refused(made, tmp_path):
    game, public, _ = made("leduc")
    policy = PublicLearner(game, public, "cfr+").policy()
    policy.save(tmp_path / "p.npz")
    with pytest.raises(CounterplayError, match="for another game"):
        load_public_policy(load("kuhn-poker"), tmp_path / "p.npz")
    policy.sums = policy.sums[1:]
    policy.save(tmp_path / "p.npz")
    with pytest.raises(CounterplayError, match="does not fit the game's public tree"):
        load_public_policy(game, tmp_path / "p.npz")


def test_games_without_private_deals_are_refused():
    with pytest.raises(Unsuitable, match="has no public tree: `private_hands`"):
        public_tree(load("tic-tac-toe"))


def test_trees_that_memory_does_not_hold_are_refused(monkeypatch):
    with pytest.raises(TooLarge, match="377,073 public nodes for 1,326 hands"):  # at once: it is not walked
        public_tree(load("texas-holdem"))
    monkeypatch.setattr("counterplay.equilibrium.public_tree.MOST_NUMBERS", 600)
    with pytest.raises(TooLarge, match=r"leduc-poker has more than 100 public nodes for 6 hands: start nearer"):
        public_tree(load("leduc-poker"))


def test_the_large_game_is_walked_by_its_public_tree_and_the_small_one_is_not():
    assert needs_public_tree(load("rhode-island:ranks=13,suits=4,raises=3"), "cfr+")
    assert not needs_public_tree(load("leduc-poker"), "cfr+")
    assert not needs_public_tree(load("rhode-island:ranks=13,suits=4,raises=3"), "mccfr")
