"""Equilibria of games in normal form: against nashpy, against the definitions, and on games known to be hard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from counterplay import load
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.equilibrium.correlated import correlated_equilibrium, incentives
from counterplay.equilibrium.dominance import remove_dominated
from counterplay.equilibrium.lemke_howson import every_label, lemke_howson
from counterplay.equilibrium.logit import logit
from counterplay.equilibrium.normal_form import action_values, judged, proven, tables_of
from counterplay.equilibrium.supports import extreme_equilibria, support_enumeration
from counterplay.equilibrium.zero_sum import solve_zero_sum

CLASSICS = {
    "rock-paper-scissors": [((1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3))],
    "prisoners-dilemma": [((0, 1), (0, 1))],
    "matching-pennies": [((0.5, 0.5), (0.5, 0.5))],
    "battle-of-the-sexes": [((1, 0), (1, 0)), ((0.6, 0.4), (0.4, 0.6)), ((0, 1), (0, 1))],
    "stag-hunt": [((1, 0), (1, 0)), ((0.5, 0.5), (0.5, 0.5)), ((0, 1), (0, 1))],
    "chicken": [((1, 0), (0, 1)), ((0.5, 0.5), (0.5, 0.5)), ((0, 1), (1, 0))],
}

SMALL = st.integers(1, 4).flatmap(
    lambda rows: st.integers(1, 4).flatmap(
        lambda columns: arrays(np.float64, (2, rows, columns), elements=st.integers(-4, 4).map(float))
    )
)
"""Small integers: many of these games are degenerate."""


def flat(found):
    return sorted(tuple(np.round(np.concatenate(one.strategies), 6) + 0.0) for one in found)


@pytest.mark.parametrize("name", CLASSICS)
def test_classics(name):
    tables = tables_of(load(name))
    expected = sorted(tuple(np.round(np.concatenate(pair), 6)) for pair in CLASSICS[name])
    assert flat(support_enumeration(tables)) == expected
    assert flat(extreme_equilibria(tables)) == expected
    assert set(flat(every_label(tables))) <= set(expected)
    assert logit(tables).equilibrium.regret < 1e-9


def test_the_value_of_a_zero_sum_game():
    found = solve_zero_sum(tables_of(load("rock-paper-scissors")))
    assert np.allclose(found.strategies, 1 / 3)
    assert found.payoffs == (0.0, 0.0)
    uneven = solve_zero_sum(np.array([[[3.0, -1], [-2, 1]], [[-3.0, 1], [2, -1]]]))
    assert uneven.payoffs[0] == pytest.approx(1 / 7)
    with pytest.raises(Unsuitable, match="zero-sum games; `lemke-howson`"):
        solve_zero_sum(tables_of(load("chicken")))


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.floats(-50, 50)))
@settings(max_examples=60, deadline=None)
def test_linear_program_and_lemke_howson_agree_on_the_value(payoffs):
    tables = np.stack([payoffs, -payoffs])
    found = solve_zero_sum(tables)
    scale = max(float(np.abs(payoffs).max()), 1e-300)
    assert lemke_howson(tables).payoffs[0] == pytest.approx(found.payoffs[0], abs=1e-6 * scale)
    x, y = found.strategies
    assert (x @ payoffs).min() >= found.payoffs[0] - 1e-6 * scale  # what the rows guarantee
    assert (payoffs @ y).max() <= found.payoffs[0] + 1e-6 * scale


@given(SMALL)
@settings(max_examples=150, deadline=None)
def test_every_path_ends_in_an_equilibrium_in_degenerate_games_too(tables):
    for label in range(sum(tables.shape[1:])):
        assert lemke_howson(tables, label).regret <= 1e-9


@given(SMALL)
@settings(max_examples=100, deadline=None)
def test_paths_end_in_corners_of_the_set_of_equilibria(tables):
    corners = extreme_equilibria(tables)
    assert corners  # Nash: there is at least one
    assert all(one.regret <= 1e-7 for one in corners)
    assert len(set(flat(corners))) == len(corners)
    assert set(flat(every_label(tables))) <= set(flat(corners))


def test_random_games_have_the_equilibria_that_nashpy_finds():
    nash = pytest.importorskip("nashpy")
    rng = np.random.default_rng(7)
    for _ in range(15):
        rows, columns = rng.integers(2, 5, 2)
        tables = rng.normal(size=(2, rows, columns))
        theirs = sorted(
            tuple(np.round(np.concatenate(pair), 6) + 0.0)
            for pair in nash.Game(tables[0], tables[1]).vertex_enumeration()
        )
        assert np.array(flat(support_enumeration(tables))) == pytest.approx(np.array(theirs), abs=2e-6)
        assert np.array(flat(extreme_equilibria(tables))) == pytest.approx(np.array(theirs), abs=2e-6)
        assert len(theirs) % 2 == 1
        mixed = nash.Game(tables[0], tables[1]).lemke_howson(initial_dropped_label=1)
        assert np.concatenate(lemke_howson(tables, 1).strategies) == pytest.approx(np.concatenate(mixed), abs=1e-6)


def test_a_degenerate_game_on_which_careless_pivoting_goes_in_circles():
    tables = np.array([[[0, 2, 1], [2, 0, 1], [1, 1, 1]], [[2, 0, 1], [0, 2, 1], [1, 1, 1.0]]])
    assert all(lemke_howson(tables, label).regret < 1e-12 for label in range(6))
    even, last = (0.5, 0.5, 0.0), (0.0, 0.0, 1.0)
    corners = flat(extreme_equilibria(tables))
    assert corners == sorted([even + even, even + last, last + even, last + last])


def test_larger_games_are_solved_and_too_large_ones_refused():
    rng = np.random.default_rng(3)
    tables = rng.normal(size=(2, 40, 40))
    assert lemke_howson(tables, 5).regret < 1e-8
    for method in (support_enumeration, extreme_equilibria):
        with pytest.raises(CounterplayError, match="`lemke-howson` finds one"):
            method(tables)
    with pytest.raises(CounterplayError, match="label=80"):
        lemke_howson(tables, 80)
    with pytest.raises(Unsuitable, match="for two players, not for 3"):
        lemke_howson(rng.normal(size=(3, 2, 2, 2)))


@pytest.mark.parametrize("seed", range(6))
def test_the_logit_path_ends_in_an_equilibrium_of_three(seed):
    rng = np.random.default_rng(seed)
    tables = rng.normal(size=(3, *rng.integers(2, 4, 3)))
    path = logit(tables)
    assert path.equilibrium.regret < 1e-9
    for player in range(3):  # by the definition, action by action
        values = action_values(tables, path.equilibrium.strategies, player)
        played = path.equilibrium.strategies[player] > 1e-9
        assert values[played] == pytest.approx(values.max(), abs=1e-8)


def test_what_is_dominated_is_removed_in_turn():
    # The right column is dominated; then the bottom row; then the left column (Osborne & Rubinstein's kind of example).
    ours = np.array([[1, 1, 0], [0, 0, 2.0]])
    theirs = np.array([[0, 2, 1], [3, 1, 0.0]])
    removed, kept = remove_dominated(np.stack([ours, theirs]))
    assert [(one.player, one.action) for one in removed] == [(1, 2), (0, 1), (1, 0)]
    assert [actions.tolist() for actions in kept] == [[0], [1]]
    by_mixture = np.array([[3, 0], [0, 3], [1, 1.0]])
    removed, _ = remove_dominated(np.stack([by_mixture, np.zeros((3, 2))]))
    assert removed[0].action == 2
    assert removed[0].by == {0: pytest.approx(0.5), 1: pytest.approx(0.5)}
    assert removed[0].gain == pytest.approx(0.5)


@given(SMALL)
@settings(max_examples=40, deadline=None)
def test_no_equilibrium_uses_what_is_dominated(tables):
    removed, kept = remove_dominated(tables)
    assert all(len(actions) for actions in kept)
    for found in extreme_equilibria(tables):
        for one in removed:
            assert found.strategies[one.player][one.action] == 0


def test_the_best_correlated_equilibrium_of_chicken():
    tables = tables_of(load("chicken"))
    found = correlated_equilibrium(tables)
    assert found.payoffs == pytest.approx((8 / 3, 8 / 3))  # more than the mixed equilibrium's 2 and 2
    assert found.distribution == pytest.approx(np.array([[0, 1 / 3], [1 / 3, 1 / 3]]))


@given(SMALL)
@settings(max_examples=40, deadline=None)
def test_each_equilibrium_is_a_correlated_one_and_pays_no_more(tables):
    best = correlated_equilibrium(tables)
    assert best.regret <= 1e-7
    for found in extreme_equilibria(tables):
        distribution = np.outer(*found.strategies)
        assert (incentives(tables) @ distribution.ravel()).max(initial=0.0) <= 1e-7
        assert sum(found.payoffs) <= sum(best.payoffs) + 1e-6


def test_an_answer_that_is_none_is_an_error():
    tables = tables_of(load("prisoners-dilemma"))
    wrong = (np.array([1.0, 0]), np.array([1.0, 0]))
    assert judged(tables, wrong).regret == 5
    with pytest.raises(CounterplayError, match="a regret of 5"):
        proven(tables, wrong, "guessing")
    with pytest.raises(Unsuitable, match="cfr"):
        tables_of(load("kuhn-poker"))
