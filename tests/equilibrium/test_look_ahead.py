"""Look-aheads with a frontier: exact values there change nothing, networks are in balance, ranges add up to 1; local best
response is a lower bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import load
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.equilibrium.blueprint import Blueprint
from counterplay.equilibrium.local_best_response import LocalResponder
from counterplay.equilibrium.look_ahead import Frontier, LookAhead
from counterplay.equilibrium.public_tree import after_event, dealt
from counterplay.equilibrium.public_unrolling import FRONTIER
from counterplay.equilibrium.resolving import Follower, answers, judge_resolving
from counterplay.equilibrium.value_network import (
    ValueNetwork,
    alike,
    by_strength,
    in_balance,
    possible,
    random_range,
    random_state,
    street,
)
from counterplay.equilibrium.vector_cfr import PublicWalker
from counterplay.evaluation.model import Model
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.liars_dice import LiarsDice
from counterplay.learning.methods import training_for
from counterplay.players.resolving import Resolve


def plain(kind, *arguments, **options):
    """A game in plain Python: its tree needs no compilation."""
    return type(kind.__name__, (kind,), {"compiled": False})(*arguments, **options)


def leduc():
    """Three ranks, one raise."""
    return plain(LeducPoker, raises=1)


class ExactLeaves:
    """The exact value of the rest, solved for the ranges that reach it."""

    def __init__(self, game, iterations):
        self.game, self.iterations = game, iterations

    def reach(self, s):
        return 0 if street(self.game, s) == 0 else -1

    def at(self, states, weights):
        def valued(player, own, other):
            found = np.zeros_like(own)
            for k, s in enumerate(states):
                pair = np.stack([own[k], other[k]] if player == 0 else [other[k], own[k]])
                found[k] = LookAhead(self.game, s, weights).solve(pair, self.iterations)[player]
            return found

        return valued


def test_with_the_rest_solved_at_the_frontier_it_is_as_good_as_to_the_end():
    """The mixture at the first decision is worth as much in the whole game, within the errors of so few iterations."""
    game = plain(LeducPoker, suits=1, raises=1)
    s, _ = dealt(game, True)
    ranges = np.ones((2, game.private_hands))
    whole = LookAhead(game, s).solve(ranges, 300)
    limited = LookAhead(game, s, None, ExactLeaves(game, 20)).solve(ranges, 60)
    assert limited.sum(axis=1) == pytest.approx(whole.sum(axis=1), abs=0.1)


def test_a_blueprint_that_both_follow_is_worth_what_it_earns():
    """A look-ahead whose frontier is valued by the uniform policy finds a reply to it, no worse than the uniform
    policy.
    """
    game = leduc()
    even = Blueprint(game, 2)
    s, _ = dealt(game, True)
    look = LookAhead(game, s, None, even)
    value = look.solve(np.ones((2, game.private_hands)), 30)
    assert value[0].sum() == pytest.approx(-value[1].sum(), rel=0.1)  # averages of products, iteration by iteration
    assert (look.tree.kind == FRONTIER).any()
    assert look.tree.nodes < even.tree.nodes


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_random_ranges_add_up_to_1_over_possible_hands(seed):
    game, rng = leduc(), np.random.default_rng(seed)
    before, s = random_state(game, dealt(game, True)[0], None, 1, rng)
    order = by_strength(game, s, rng)
    found = random_range(order, game.private_hands, rng)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert not found[~possible(game, s)].any()
    assert sorted(order) == sorted(np.flatnonzero(possible(game, s)))
    even = alike(game, before, s, found)
    assert even.sum() == pytest.approx(1)
    assert not even[~possible(game, s)].any()
    for rank in range(3):  # nothing told the suits of a rank apart before the card
        assert len({round(share, 12) for share in even[2 * rank : 2 * rank + 2] if share}) <= 1


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_local_best_response_is_a_lower_bound_for_random_policies(seed):
    """It never wins more than the best response, and finds part of what a random policy gives away."""
    game, rng = plain(LeducPoker, suits=1, raises=1), np.random.default_rng(seed)
    followed = Blueprint(game, 2)
    for node in followed.states:
        followed.set(node, rng.dirichlet(np.full(int(followed.tree.width[node]), 0.5), game.private_hands).T)
    exact = PublicWalker(followed.tree, followed.learned).evaluate()
    found = [LocalResponder(followed, player).value() for player in range(2)]
    assert all(value <= best + 1e-6 for value, best in zip(found, exact.responses, strict=True))
    assert sum(found) > 0


def test_what_a_network_is_asked_can_be_learned_from(trained):
    game, training, _ = trained
    asked = training.asked(30, 1, np.random.default_rng(3))
    assert len(asked) == 30
    for s, ranges in asked:
        assert street(game, s) == 1
        assert ranges.sum(axis=1) == pytest.approx(np.ones(2))
        assert not ranges[:, ~possible(game, s)].any()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_values_are_in_balance(seed):
    rng = np.random.default_rng(seed)
    ranges = rng.dirichlet(np.ones(6), (5, 2))
    values = in_balance(rng.normal(size=(5, 2, 6)), ranges)
    assert np.abs((values * ranges).sum(axis=(1, 2))).max() < 1e-12


@pytest.fixture(scope="module")
def trained():
    """A network of a few steps."""
    pytest.importorskip("torch")
    game = leduc()
    options = {"iterations": "20", "batch": "40", "updates": "100", "hidden": "32"}
    training = training_for(game, method="values", games=160, options=options)
    rows = []
    training.run(None, rows.append)
    return game, training, rows


def test_training_learns_the_values_of_situations(trained):
    game, training, rows = trained
    assert rows[-1]["loss"] < rows[0]["loss"] / 2
    network, rng = ValueNetwork(game, training.model()), np.random.default_rng(99)
    missed, size = 0.0, 0.0
    for each in training.situations(20, 1, rng):
        valued = network.at([each.state], None)
        for player in range(2):
            found = valued(player, each.ranges[player][None], each.ranges[1 - player][None])[0]
            missed += np.abs(found - each.worth[player]).sum()
            size += np.abs(each.worth[player]).sum()
    assert missed < 0.6 * size  # 1 would be a network that knows nothing


def test_onnx_answers_as_pytorch(trained):
    import torch

    game, training, _ = trained
    network, part = ValueNetwork(game, training.model()), training.memory
    from counterplay.equilibrium.value_network import inputs

    x, ranges = torch.from_numpy(inputs(part["features"], part["ranges"])), torch.from_numpy(part["ranges"])
    expected = training.trainees[1].answer(x, ranges).detach().numpy()
    assert network.answer(1, part["features"], part["ranges"]) == pytest.approx(expected, abs=1e-5)


def test_a_checkpoint_continues(trained, tmp_path):
    from counterplay.learning.runs import Run

    game, training, _ = trained
    run = Run(tmp_path / "run")
    run.begin(training.config)
    training.save(run, {"games": 160, "seconds": 1.0})
    again = training_for(
        game, method="values", games=320, options={"iterations": "20", "batch": "40", "updates": "100", "hidden": "32"}
    )
    again.resume(run)
    run.close()
    assert again.count == training.count
    for name, part in training.model().arrays.items():
        assert np.array_equal(again.model().arrays[name], part)


def test_rebel_plays_through_public_states():
    pytest.importorskip("torch")
    game = plain(LiarsDice, 1, 3)
    options = {"iterations": "10", "batch": "12", "updates": "20", "hidden": "16"}
    training = training_for(game, method="rebel", games=24, options=options)
    rows = []
    training.run(None, rows.append)
    assert training.count == 24
    assert training.memory["ranges"].sum(axis=2) == pytest.approx(np.ones((24, 2)), abs=1e-5)
    assert judge_resolving(game, 10, leaves=training.network()).exploitability < 1


def test_rebel_learns_every_street_of_a_game_of_cards():
    """Hands that end before the first public card teach nothing, however many of them there are."""
    pytest.importorskip("torch")
    options = {"iterations": "5", "batch": "2", "updates": "2", "hidden": "8"}
    training = training_for(leduc(), method="rebel", games=6, options=options)
    before = {name: part.copy() for name, part in training.model().arrays.items()}
    training.run(None)
    assert training.count == 6
    assert set(training.memory["street"]) == {1.0}
    assert any(not np.array_equal(part, before[name]) for name, part in training.model().arrays.items())


def test_a_network_of_another_street_or_kind_is_refused(trained):
    game, training, _ = trained
    network = ValueNetwork(game, training.model())
    with pytest.raises(CounterplayError, match="1 public cards, and this state has 0"):
        network.at([dealt(game, True)[0]], None)(0, np.ones((1, 6)), np.ones((1, 6)))
    other = Model.of(game, "linear", "features", {"weights": np.zeros((1, 3))})
    with pytest.raises(CounterplayError, match="not of counterfactual values"):
        ValueNetwork(game, other)
    with pytest.raises(Unsuitable, match="no public tree"):
        training_for(load("connect-four"), method="values", games=1)
    with pytest.raises(CounterplayError, match="not by both"):
        Resolve(net="leduc-poker", blueprint="x.npz")


def test_an_action_outside_the_look_ahead_is_met(trained):
    """Behind the frontier the player solves again; its range still adds up to 1."""
    game, training, _ = trained
    follower = Follower(game, 1, 20, leaves=ValueNetwork(game, training.model()))
    for action in (1, 2, 1):  # call, raise, call
        follower.play(action)
    card = next(iter(range(1, 7)))
    follower.play(card)
    follower.play(2)
    assert follower.solve().shares().sum(axis=0) == pytest.approx(np.ones(6))
    assert follower.reach.sum() > 0
    assert street(game, follower.state) == 1


@pytest.mark.parametrize("iterations", [1, 10])
def test_local_best_response_is_a_lower_bound(iterations):
    game = plain(LeducPoker, suits=1, raises=1)
    followed = Blueprint(game, 2)
    for player in range(2):
        for node, shares in answers(Follower(game, player, iterations), followed.tree, 0):
            followed.set(node, shares)
    exact = PublicWalker(followed.tree, followed.learned).evaluate()
    for player in range(2):
        assert LocalResponder(followed, player).value() <= exact.responses[player] + 1e-9


def test_local_best_response_finds_what_the_even_policy_loses():
    game = leduc()
    even = Blueprint(game, 2)
    exact = PublicWalker(even.tree, even.learned).evaluate()
    found = [LocalResponder(even, player).value() for player in range(2)]
    assert all(value <= best + 1e-9 for value, best in zip(found, exact.responses, strict=True))
    assert sum(found) > 0.5 * exact.nash_conv


def test_events_leave_some_deal():
    game = leduc()
    s, _ = dealt(game, True)
    s = game.result(game.result(s, 1), 1)
    assert street(game, after_event(game, s, 3, None)) == 1


class Recorded:
    """Values that are a fixed function of both ranges, whatever a state is called in its batch."""

    def __init__(self, game):
        self.game = game

    def reach(self, s):
        return 0

    def at(self, states, weights):
        def valued(player, own, other):
            return own * 0.1 + other.sum(axis=1, keepdims=True) * np.arange(own.shape[1])

        return valued


def test_look_aheads_that_learn_together_learn_what_each_learns_alone():
    game = plain(LeducPoker, suits=1, raises=1)
    leaves, rng = Recorded(game), np.random.default_rng(1)
    start, _ = dealt(game, True)
    states = [start, game.result(start, 1)]
    ranges = [rng.dirichlet(np.ones(game.private_hands), 2) for _ in states]
    together = [LookAhead(game, s, None, leaves) for s in states]
    frontier = Frontier(together, leaves, None)
    frontier.learn(ranges, 7)
    frontier.learn(ranges, 4)
    for s, each, look in zip(states, ranges, together, strict=True):
        alone = LookAhead(game, s, None, leaves)
        assert look.worth(each) == pytest.approx(alone.solve(each, 11))
        assert look.learned.regrets == pytest.approx(alone.learned.regrets)


def test_folded_or_not_a_look_ahead_finds_the_same():
    """If both ranges treat suits alike."""
    game = plain(LeducPoker, raises=1)
    s, _ = dealt(game, True)
    by_rank = np.repeat(np.random.default_rng(2).dirichlet(np.ones(3), 2), 2, axis=1) / 2
    every, folded = (LookAhead(game, s, folded=each) for each in (False, True))
    assert folded.tree.nodes < every.tree.nodes
    assert folded.solve(by_rank, 20) == pytest.approx(every.solve(by_rank, 20), abs=1e-6)


def test_names_of_suits_do_not_matter_to_a_network(trained):
    """The same state with the suits swapped is worth the same to the hands with their suits swapped."""
    game, training, _ = trained
    network, rng = ValueNetwork(game, training.model()), np.random.default_rng(4)
    start, _ = dealt(game, True)
    before = game.result(game.result(start, 1), 1)
    swapped = np.array([1, 0, 3, 2, 5, 4])
    own, other = rng.random((2, 1, 6))
    for card in (1, 3, 5):
        s, t = (after_event(game, before, each, None) for each in (card, card + 1))
        here = network.at([s], None)(0, own * possible(game, s), other * possible(game, s))
        there = network.at([t], None)(0, (own * possible(game, s))[:, swapped], (other * possible(game, s))[:, swapped])
        assert there == pytest.approx(here[:, swapped])


def test_rebel_learns_states_of_both_players():
    """Re-solving needs both, including states after an odd number of actions."""
    pytest.importorskip("torch")
    game = plain(LiarsDice, 1, 3)
    training = training_for(game, method="rebel", games=40, options={"iterations": "5", "batch": "40", "updates": "1"})
    found = training.situations(40, 0, np.random.default_rng(0))
    assert {int(game.to_move(each.state)) for each in found} == {0, 1}
    assert all(each.state.bids for each in found)  # no look-ahead ends at the deal


def test_a_game_without_public_cards_needs_no_values():
    with pytest.raises(Unsuitable, match="turns over no public card"):
        training_for(load("kuhn-poker"), method="rebel", games=1)
