"""Training: sampling is unbiased, every method reaches its goals, and killed training continues as if it had not been
killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.mccfr import Sampler, holding, learned
from counterplay.equilibrium.plans import evaluate_policy, uniform
from counterplay.equilibrium.policy import Policy, load_policy
from counterplay.equilibrium.training import METHODS, PolicyTraining, damaged, learner_for

KUHN, LEDUC = load("kuhn-poker"), load("leduc-poker")
TREES = {game: information_tree(game) for game in (KUHN, LEDUC)}


def training(game, method, seed=0):
    return PolicyTraining(learner_for(game, method, TREES[game], seed), TREES[game])


@pytest.mark.parametrize("outcome", [False, True])
def test_a_sampled_iteration_is_right_on_average(outcome):
    """From the uniform strategy, the mean of many first iterations is the first iteration of CFR. (For the first
    player: when the second one's turn comes, the first has changed their strategy already.)"""
    tree, runs = TREES[KUHN], 1500
    exact = Regrets(tree, VARIANTS["cfr"])
    exact.observe(tree, 0, 1)
    own = [k for k in range(tree.sets) if tree.owner[k] == 0]
    seen = np.zeros((runs, tree.sequences))
    sampler = Sampler(KUHN, outcome, seed=11)
    for run in range(runs):
        sampler.run(1)
        held = learned(sampler.table)
        policy = Policy(KUHN, held.keys[:, 0], held.keys[:, 1:], held.start, held.actions, held.regrets)
        for k in own:
            place = policy.index(0, tuple(tree.key_words()[k].tolist()))
            if place is not None:
                seen[run, tree.start[k] : tree.start[k + 1]] = held.regrets[held.start[place] : held.start[place + 1]]
        sampler.table.regrets[:] = 0.0  # back to the uniform strategy
    places = [i for k in own for i in range(tree.start[k], tree.start[k + 1])]
    mean, error = seen.mean(axis=0)[places], seen.std(axis=0)[places] / np.sqrt(runs)
    assert np.abs(exact.regrets[places]).max() > 0.1
    assert (np.abs(mean - exact.regrets[places]) <= 4.5 * error + 1e-9).all()


@pytest.mark.parametrize("method, most", [("mccfr", 0.02), ("mccfr-outcome", 0.06)])
def test_sampling_approaches_an_equilibrium(method, most):
    run = training(KUHN, method)
    last = run.run(iterations=60_000)
    assert last.iterations == 60_000
    assert last.exploitability < most
    assert last.values[0] == pytest.approx(-1 / 18, abs=2 * most)
    assert evaluate_policy(TREES[KUHN], uniform(TREES[KUHN])).exploitability > 0.4


def test_a_table_grows_and_keeps_what_it_holds():
    run = training(LEDUC, "mccfr", seed=3)
    run.run(iterations=300)
    before = learned(run.learner.sampler.table)
    after = holding(before)
    assert after.sets == len(before.keys) > 100
    assert all(np.array_equal(a, b) for a, b in zip(learned(after), before, strict=True))


def test_a_small_table_grows_by_itself(monkeypatch):
    from counterplay.equilibrium import mccfr as sampling

    usual = training(LEDUC, "mccfr", seed=3)
    usual.run(iterations=2000)
    monkeypatch.setattr(sampling, "FIRST_ROOM", 64)
    small = training(LEDUC, "mccfr", seed=3)
    assert small.learner.sampler.table.room == 64
    small.run(iterations=2000)
    assert small.learner.sampler.table.sets > 64
    assert small.points[-1].exploitability == pytest.approx(usual.points[-1].exploitability, rel=0.2)


@pytest.mark.parametrize("method", METHODS)
def test_what_was_saved_goes_on_as_if_nothing_had_been(method, tmp_path):
    file = tmp_path / "half.policy"
    whole, half = training(LEDUC, method, seed=5), training(LEDUC, method, seed=5)
    whole.run(iterations=60)
    half.run(iterations=30)
    half.policy().save(file)
    other = training(LEDUC, method, seed=5)
    other.resume(load_policy(LEDUC, file))
    assert other.learner.count == 30
    other.run(iterations=60)
    assert other.points[-1].iterations == 60
    assert np.array_equal(other.learner.strategy(TREES[LEDUC]), whole.learner.strategy(TREES[LEDUC]))
    assert [point[0] for point in other.points[:20]] == [point[0] for point in whole.points[:20]]


def test_goals():
    run = training(KUHN, "cfr+")
    last = run.run(exploitability=0.01)
    assert 0 < last.exploitability <= 0.01
    assert last.iterations == training(KUHN, "cfr+").run(exploitability=0.01).iterations  # the same everywhere
    assert run.run(iterations=5).iterations == last.iterations  # already there
    assert training(KUHN, "dcfr").run(seconds=0.05).iterations > 0
    stopped = training(KUHN, "cfr")
    stopped.stop.set()
    assert stopped.run(iterations=1000).iterations == 0
    without = PolicyTraining(learner_for(KUHN, "mccfr", None), None)
    assert without.run(iterations=10).exploitability is None
    with pytest.raises(Unsuitable, match="too large to compute"):
        without.run(exploitability=0.1)
    with pytest.raises(CounterplayError, match="no method 'sarsa'"):
        learner_for(KUHN, "sarsa", None)


def test_time_left_is_told():
    run = training(LEDUC, "cfr+")
    run.run(iterations=200)
    assert run.time_left(400, None, None) == pytest.approx(run.seconds, rel=0.01)
    assert run.time_left(None, run.seconds + 7, None) == pytest.approx(7)
    assert run.time_left(None, None, run.points[-1].exploitability / 2) > 0
    assert run.time_left(None, None, None) is None


def test_another_method_or_half_a_file_cannot_go_on(tmp_path):
    run = training(KUHN, "cfr+")
    run.run(iterations=3)
    saved = run.policy()
    with pytest.raises(CounterplayError, match=r"by cfr\+, not by dcfr; --fresh"):
        training(KUHN, "dcfr").resume(saved)
    saved.memory = {}
    with pytest.raises(CounterplayError, match=str(damaged())):
        training(KUHN, "cfr+").resume(saved)


SCRIPT = """
import sys
from pathlib import Path
from counterplay import load
from counterplay.core.formats import saving
from counterplay.equilibrium import training as t
from counterplay.equilibrium.information_tree import information_tree
t.SAVE_EVERY, saving.SHARE = 0.0, float("inf")
game = load("kuhn-poker")
tree = information_tree(game)
run = t.PolicyTraining(t.learner_for(game, "cfr+", tree), tree)
def save(policy):
    policy.save(Path(sys.argv[1]))
    print("saved", flush=True)
run.run(iterations=10**9, save=save)
"""


def test_a_killed_training_leaves_a_whole_file(tmp_path):
    file = tmp_path / "kuhn.policy"
    worker = subprocess.Popen([sys.executable, "-c", SCRIPT, str(file)], stdout=subprocess.PIPE, text=True)
    for _ in range(5):
        assert worker.stdout.readline() == "saved\n"
    time.sleep(0.05)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    run = training(KUHN, "cfr+")
    run.resume(load_policy(KUHN, file))
    reached = run.learner.count
    assert reached >= 5
    same = Regrets(TREES[KUHN], VARIANTS["cfr+"])
    iterate(TREES[KUHN], same, reached + 10)
    run.run(iterations=reached + 10)
    assert np.array_equal(run.learner.strategy(TREES[KUHN]), same.average(TREES[KUHN]))
