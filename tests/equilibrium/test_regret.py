"""Regret minimization and best responses: against OpenSpiel and against the definitions, number for number."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from equilibrium.naive import Naive, best_response_value
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import load
from counterplay.core.game import CHANCE
from counterplay.core.language.state import words
from counterplay.core.rules import legal
from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.plans import evaluate_policy, plan_of, strategy_of, uniform
from counterplay.equilibrium.policy import Policy
from counterplay.equilibrium.sequence_form import solve_sequence_form

KUHN, THREE, LEDUC, MERGED = "kuhn-poker", "kuhn-poker:players=3", "leduc-poker", "leduc-poker:distinct_suits=off"


@functools.cache
def tree_of(spec: str) -> Any:
    return information_tree(load(spec))


def trained(spec: str, variant: str, iterations: int) -> Regrets:
    memory = Regrets(tree_of(spec), VARIANTS[variant])
    iterate(tree_of(spec), memory, iterations)
    return memory


# Against the definitions.


@pytest.mark.parametrize("spec", [KUHN, THREE, "chicken"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_iterations_are_those_of_the_recursion_over_histories(spec, variant):
    game, tree = load(spec), tree_of(spec)
    naive, memory = Naive(game, VARIANTS[variant]), Regrets(tree, VARIANTS[variant])
    for _ in range(4):
        naive.iterate()
        iterate(tree, memory, 1)
        average = memory.average(tree)
        for (player, known), regrets in naive.regrets.items():
            k = next(
                i
                for i, (p, key) in enumerate(zip(tree.owner, tree.key_words().tolist(), strict=True))
                if (p, tuple(key)) == (player, words(known))
            )
            for i in range(tree.start[k], tree.start[k + 1]):
                action = int(tree.actions[i - tree.players])
                assert memory.regrets[i] == pytest.approx(regrets[action], abs=1e-12)
                assert average[i] == pytest.approx(naive.average((player, known), action), abs=1e-12)


@given(seed=st.integers(0, 1000), spec=st.sampled_from([KUHN, THREE, "chicken"]))
@settings(max_examples=20, deadline=None)
def test_best_responses_are_best(seed, spec):
    game, tree = load(spec), tree_of(spec)
    strategy = random_strategy(tree, seed)
    policy = Policy.on_tree(game, tree, strategy)
    for player, response in enumerate(evaluate_policy(tree, strategy).responses):
        assert response.value == pytest.approx(best_response_value(game, player, policy.at))
        mixed = strategy.copy()  # their best response earns what it promises
        own = np.repeat(tree.owner, np.diff(tree.start)) == player
        mixed[tree.players :][own] = response.strategy[tree.players :][own]
        assert evaluate_policy(tree, mixed).values[player] == pytest.approx(response.value)


def random_strategy(tree: Any, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).exponential(size=tree.sequences)
    return strategy_of(tree, noise)


def test_plans_and_strategies_are_two_forms_of_one():
    tree = tree_of(LEDUC)
    strategy = random_strategy(tree, 1)
    assert strategy_of(tree, plan_of(tree, strategy)) == pytest.approx(strategy)
    assert strategy_of(tree, np.zeros(tree.sequences)) == pytest.approx(uniform(tree))


# Against the literature.


@pytest.mark.parametrize(
    "spec, value, sets", [(KUHN, -1 / 18, 12), (LEDUC, -0.085606424078, 936), (MERGED, -0.085606424078, 288)]
)
def test_the_linear_program_finds_the_known_values(spec, value, sets):
    tree = tree_of(spec)
    found = evaluate_policy(tree, solve_sequence_form(tree))
    assert tree.sets == sets
    assert found.values == pytest.approx((value, -value), abs=1e-11)
    assert found.exploitability < 1e-9


def test_leduc_by_cfr_plus():
    tree = tree_of(LEDUC)
    memory = trained(LEDUC, "cfr+", 50)
    assert evaluate_policy(tree, memory.average(tree)).exploitability == pytest.approx(0.0341214564945, abs=1e-12)
    iterate(tree, memory, 950)
    found = evaluate_policy(tree, memory.average(tree))
    assert found.exploitability < 2.7e-4
    assert abs(found.values[0] + 0.085606424078) <= 2 * found.exploitability


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("spec", [KUHN, MERGED])
def test_values_lie_within_the_exploitability_of_the_exact_one(spec, variant):
    tree = tree_of(spec)
    exact = evaluate_policy(tree, solve_sequence_form(tree)).values[0]
    for iterations, most in [(10, 2.0), (300, 0.1)]:
        found = evaluate_policy(tree, trained(spec, variant, iterations).average(tree))
        assert found.exploitability <= most
        assert abs(found.values[0] - exact) <= found.nash_conv + 1e-12


def test_three_players_come_near_an_equilibrium_of_kuhn_poker():
    found = evaluate_policy(tree_of(THREE), trained(THREE, "cfr+", 2000).average(tree_of(THREE)))
    assert found.nash_conv < 1e-4
    assert sum(found.values) == pytest.approx(0, abs=1e-12)


# Against OpenSpiel.


def names_in_openspiel(game: Any, theirs: Any) -> dict[tuple[int, ...], str]:
    """What OpenSpiel calls each of our information sets; our actions have its numbers, our cards one more."""
    found: dict[tuple[int, ...], str] = {}
    waiting = [(game.initial(), theirs.new_initial_state())]
    while waiting:
        s, t = waiting.pop()
        if game.is_terminal(s):
            continue
        mover = game.to_move(s)
        if mover != CHANCE:
            name = t.information_state_string(mover)
            assert found.setdefault((mover, *words(game.information(s, mover))), name) == name
        shift = 1 if mover == CHANCE else 0
        waiting += [(game.result(s, action), t.child(action - shift)) for action in legal(game, s)]
    assert len(set(found.values())) == len(found)
    return found


def set_names(spec: str, theirs: Any) -> list[str]:
    """The same in the order of the tree."""
    tree, names = tree_of(spec), names_in_openspiel(load(spec), theirs)
    return [names[(p, *key)] for p, key in zip(tree.owner.tolist(), tree.key_words().tolist(), strict=True)]


OPENSPIELS = ("cfr", "cfr+", "linear", "dcfr")
THEIRS = {KUHN: "kuhn_poker", THREE: "kuhn_poker(players=3)", LEDUC: "leduc_poker"}


@pytest.mark.peer
@pytest.mark.parametrize(
    "spec, variant, iterations",
    [
        *((KUHN, variant, 20) for variant in OPENSPIELS),
        *((THREE, variant, 10) for variant in OPENSPIELS),
        (LEDUC, "cfr+", 2),
    ],
)
def test_regrets_and_averages_are_openspiels(spec, variant, iterations):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr, discounted_cfr

    solvers = {
        "cfr": cfr.CFRSolver,
        "cfr+": cfr.CFRPlusSolver,
        "linear": discounted_cfr.LCFRSolver,
        "dcfr": discounted_cfr.DCFRSolver,
    }
    theirs = pyspiel.load_game(THEIRS[spec])
    solver, tree = solvers[variant](theirs), tree_of(spec)
    memory, names = Regrets(tree, VARIANTS[variant]), set_names(spec, theirs)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
        iterate(tree, memory, 1)
    average = memory.average(tree)
    for k, name in enumerate(names):
        node = solver._info_state_nodes[name]
        total = sum(node.cumulative_policy.values())
        for i in range(tree.start[k], tree.start[k + 1]):
            action = int(tree.actions[i - tree.players])
            assert memory.regrets[i] == pytest.approx(node.cumulative_regret[action], abs=1e-12)
            if total > 0:
                assert average[i] == pytest.approx(node.cumulative_policy[action] / total, abs=1e-12)


@pytest.mark.peer
def test_leduc_strategies_are_those_of_openspiels_cpp():
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("leduc_poker")
    solver, tree = pyspiel.CFRPlusSolver(theirs), tree_of(LEDUC)
    memory, names = Regrets(tree, VARIANTS["cfr+"]), set_names(LEDUC, theirs)
    for _ in range(12):
        solver.evaluate_and_update_policy()
        iterate(tree, memory, 1)
    average, expected = memory.average(tree), solver.tabular_average_policy().policy_table()
    for k, name in enumerate(names):
        for i in range(tree.start[k], tree.start[k + 1]):
            assert average[i] == pytest.approx(dict(expected[name])[int(tree.actions[i - tree.players])], abs=1e-11)


@pytest.mark.peer
@pytest.mark.parametrize("spec", [KUHN, THREE, LEDUC])
def test_exploitability_is_openspiels_on_random_policies(spec):
    pyspiel = pytest.importorskip("pyspiel")
    theirs, tree = pyspiel.load_game(THEIRS[spec]), tree_of(spec)
    names = set_names(spec, theirs)
    for seed in range(2):
        strategy = random_strategy(tree, seed)
        table = {
            name: [(int(tree.actions[i - tree.players]), strategy[i]) for i in range(tree.start[k], tree.start[k + 1])]
            for k, name in enumerate(names)
        }
        policy, found = pyspiel.TabularPolicy(table), evaluate_policy(tree, strategy)
        assert found.nash_conv == pytest.approx(pyspiel.nash_conv(theirs, policy), abs=1e-11)
        if tree.players == 2:
            assert found.exploitability == pytest.approx(pyspiel.exploitability(theirs, policy), abs=1e-11)
