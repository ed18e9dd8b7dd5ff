"""Leagues: exact responses end in an equilibrium, the kernel plays the trained networks, and runs resume."""

from __future__ import annotations

import numpy as np
import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.equilibrium.double_oracle import DoubleOracle, solve_meta
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.equilibrium.policy import load_policy
from counterplay.learning.agents import Ground, answer, shape_of
from counterplay.learning.league_policy import LeaguePolicy, load_league
from counterplay.learning.methods import training_for
from counterplay.learning.runs import Run

KUHN = load("kuhn-poker")
QUICK = {"responses": "gradient", "hidden": "8", "batch": "32", "updates": "2", "trials": "20", "seed": "3"}


def league(game=KUHN, **options):
    return training_for(game, method="league", seconds=1e9, options=options)


def test_the_double_oracle_solves_kuhn_poker():
    tree = information_tree(KUHN)
    oracle, way = DoubleOracle(tree), []
    oracle.begin()
    while True:
        meta = solve_meta(oracle.payoffs)
        way.append(oracle.evaluation(meta.mixtures).exploitability)
        if way[-1] < 1e-12:
            break
        assert oracle.widen(meta.mixtures) > 0  # a player who can gain by a response does not have it yet
    assert way[0] > 0.1
    assert meta.value == pytest.approx(-1 / 18)
    assert evaluate_policy(tree, oracle.strategy(meta.mixtures)).values[0] == pytest.approx(-1 / 18)


def test_the_meta_game_holds_what_plans_earn():
    tree = information_tree(KUHN)
    oracle = DoubleOracle(tree)
    oracle.begin()
    oracle.widen((np.ones(1), np.ones(1)), exploiters=1)
    rows, columns = oracle.payoffs.shape
    for i in range(rows):
        for j in range(columns):
            pure = np.eye(rows)[i], np.eye(columns)[j]
            assert oracle.payoffs[i, j] == pytest.approx(oracle.evaluation(pure).values[0])


@pytest.mark.slow
@pytest.mark.parametrize("spec, value", [("goofspiel:cards=3", 0.0), ("leduc-poker", -0.085606424078)])
def test_the_double_oracle_solves_larger_games(spec, value):
    training = league(load(spec))
    training.prepare()
    training.run(None)
    assert training.exploitability < 1e-9
    assert solve_meta(training.oracle.payoffs).value == pytest.approx(value, abs=1e-7)


def test_a_league_is_a_run_that_can_be_left(tmp_path):
    whole = league(rounds="4")
    whole.prepare()
    whole.run(None)
    files = Run(tmp_path / "run")
    for rounds in ("2", "4"):
        part = league(rounds=rounds)
        files.folder.mkdir(exist_ok=True)
        part.resume(files)
        part.prepare()
        part.run(files)
    assert part.step == 4
    assert np.array_equal(part.oracle.payoffs, whole.oracle.payoffs)
    saved = load_policy(KUHN, files.model).strategy(whole.tree)[0]
    assert evaluate_policy(whole.tree, saved).exploitability == pytest.approx(whole.exploitability)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"responses": "magic"}, "tree or gradient"),
        ({"opponents": "nobody"}, "league or self"),
        ({"rounds": "-1"}, "rounds=-1"),
    ],
)
def test_wrong_options_are_refused(options, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        league(**options)


def test_unsuitable_games_are_refused():
    for spec in ("tic-tac-toe", "prisoners-dilemma"):
        with pytest.raises(Unsuitable):
            league(load(spec))
    with pytest.raises(CounterplayError, match="play no games"):
        training_for(KUHN, method="league", games=5)


@pytest.mark.slow
def test_responses_by_gradient_approach_an_equilibrium():
    """Without a bonus for entropy, agents forget actions and the league stays at 0.16."""
    pytest.importorskip("torch")
    training = league(responses="gradient", hidden="32", rounds="12", seed="1")
    training.prepare()
    training.run(None)
    assert training.exploitability < 0.08


def test_a_league_of_networks(tmp_path):
    """The kernel's network is the one that trains; a mixture is worth what its matrix says; a run goes on the same."""
    pytest.importorskip("torch")
    from counterplay.learning.agents import input_bits
    from counterplay.learning.policy_gradient import Responder

    shape = shape_of(KUHN, 8)
    rng = np.random.default_rng(5)
    agents = [np.stack([shape.fresh(rng) * 3 for _ in range(2)]) for _ in range(2)]
    ground = Ground(KUHN, shape, seed=1, room=1000)
    record = ground.play((agents[0], agents[1]), np.zeros((200, 2), np.int64), 0)
    logits = answer(shape, agents[0][0], record.keys)
    responder = Responder(KUHN, shape, agents[0][0], 0.01, 0.1, 0.01, 0)
    torch = responder.torch
    trained = responder.logits(responder.weights, torch.from_numpy(input_bits(record.keys))).detach().numpy()
    assert np.allclose(logits, trained, atol=1e-5)

    tree, mixtures = information_tree(KUHN), (np.array([0.25, 0.75]), np.array([0.6, 0.4]))
    policy = LeaguePolicy(KUHN, shape, (agents[0], agents[1]), mixtures)
    draws = np.array([(i, j) for i in range(2) for j in range(2)] * 5000, np.int64)
    returns = ground.play((agents[0], agents[1]), draws).returns.reshape(-1, 4)
    worth = evaluate_policy(tree, policy.strategy(tree)).values[0]
    expected = np.outer(*mixtures).ravel()
    error = 4 * np.sqrt((expected**2 * returns.var(axis=0)).sum() / len(returns))
    assert returns.mean(axis=0) @ expected == pytest.approx(worth, abs=error)

    file = tmp_path / "league.npz"
    policy.save(file)
    again = load_league(KUHN, file)
    p = KUHN.start()
    while p.to_move < 0 or len(p.actions) < 4:
        p.play(p.legal()[0 if len(p.actions) < 3 else 1])
    assert sum(again.of(p).values()) == pytest.approx(1)
    assert again.of(p) == policy.of(p)
    with pytest.raises(CounterplayError, match="another game"):
        load_league(load("kuhn-poker:players=3"), file)

    runs = []
    for rounds in (["2"], ["1", "2"]):
        files = Run(tmp_path / f"run{len(runs)}")
        files.folder.mkdir()
        for last in rounds:
            part = league(**QUICK, rounds=last, exploiters="1")
            part.resume(files)
            part.prepare()
            part.run(files)
        runs.append(part)
    assert runs[0].payoffs.shape == (5, 5)
    assert np.array_equal(runs[0].payoffs, runs[1].payoffs)
    assert np.array_equal(runs[0].agents[1], runs[1].agents[1])
