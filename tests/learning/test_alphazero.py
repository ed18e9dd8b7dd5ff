"""AlphaZero: search that improves a policy, networks that answer as they were trained, runs that go on."""

import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.rules import legal
from counterplay.evaluation.residual import Residual
from counterplay.learning.alphazero import AlphaZero, Settings
from counterplay.learning.choosing import draw_gamma, improved, schedule, shares_of, soften
from counterplay.learning.forest import Forest
from counterplay.learning.methods import training_for
from counterplay.learning.network import Trainee
from counterplay.learning.run import Run
from counterplay.learning.versus import Thinker
from counterplay.players.specs import player

TINY = Settings(
    simulations=8, slots=8, width=4, blocks=1, positions=60, window=150, batch=16, opening=2, gate=4, gate_every=2
)


def tiny(seed=0, **changes):
    return AlphaZero(load("tic-tac-toe"), replace(TINY, seed=seed, **changes), games=10_000)


@given(st.integers(1, 30), st.integers(2, 100))
def test_sequential_halving_visits_evenly_and_drops_half(actions, simulations):
    plan = schedule(actions, simulations)[actions]
    visits = np.zeros(actions, int)
    for wanted in plan[:simulations]:
        ready = np.flatnonzero(visits == wanted)
        assert len(ready)
        visits[ready[0]] += 1  # the first are the best, so they stay
    assert visits.sum() == simulations
    assert (np.diff(visits) <= 0).all()
    if simulations >= actions:
        assert visits.min() >= 1


@settings(max_examples=200)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_the_improved_policy_is_no_worse_than_the_network(number, seed):
    rng = np.random.default_rng(seed)
    forest = Forest(load("tic-tac-toe"), 1, 16, learning=False)
    forest.first[0], forest.count[0], forest.mover[0], forest.worth[0] = 1, number, seed % 2, rng.uniform(-1, 1)
    sign = 1 if seed % 2 == 0 else -1
    q = rng.uniform(-1, 1, number)
    forest.logit[1 : 1 + number] = rng.normal(0, 2, number)
    shares_of(forest, 1, number)
    seen = rng.random(number) < 0.5
    if not seen.any():
        seen[0] = True
    forest.visits[1 : 1 + number] = np.where(seen, rng.integers(1, 10, number), 0)
    forest.total[1 : 1 + number] = sign * q * forest.visits[1 : 1 + number]
    improved(forest, 0, 0)
    soften(forest.target, number)
    prior, target = forest.prior[1 : 1 + number].astype(float), forest.target[:number].astype(float)
    assert target.sum() == pytest.approx(1, abs=1e-5)
    # With the values that search completes (what it did not see is worth its estimate), the target is no worse.
    n = forest.visits[1 : 1 + number]
    weight = np.maximum(prior[seen], 1e-6)
    mixed = (weight * q[seen]).sum() / weight.sum()
    guess = (float(forest.worth[0]) + n.sum() * mixed) / (1 + n.sum())
    completed = np.where(seen, q, guess)
    assert (target * completed).sum() >= (prior * completed).sum() - 1e-5


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.0])
def test_gamma_draws_have_their_mean_and_variance(shape):
    from counterplay.core.rng import Rng

    rng = Rng(3)
    drawn = np.array([draw_gamma(shape, rng) for _ in range(4000)])
    assert drawn.mean() == pytest.approx(shape, rel=0.1)
    assert drawn.var() == pytest.approx(shape, rel=0.2)


def test_onnx_answers_as_pytorch_does():
    game = load("tic-tac-toe")
    trainee = Trainee(game, 4, 2, 0.01, 0.0, seed=1, threads=1)
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (16, *game.plane_shape)).astype(np.float32)
    policy = np.full((16, 9), 1 / 9, np.float32)
    for _ in range(3):  # so that the normalisation is not what it was at first
        trainee.step(planes, policy, np.zeros(16, np.float32), 0.01)
    trainee.layers.eval()
    with trainee.torch.no_grad():
        logits, values = trainee.answer(trainee.torch.from_numpy(planes))
    found = Residual(game, trainee.model()).answer(planes)
    assert np.allclose(found[0], logits.numpy(), atol=1e-4)
    assert np.allclose(found[1], values.numpy(), atol=1e-4)


def test_the_first_generations_are_the_same_for_the_same_seed_and_others_for_another():
    one, two, other = tiny(5), tiny(5), tiny(6)
    for each in (one, two, other):
        assert "loss" not in each.advance()  # one learns from what came before, while one plays
        assert "loss" in each.advance()
    for name, part in one.trainee.arrays().items():
        assert np.array_equal(part, two.trainee.arrays()[name]), name
    assert not np.array_equal(one.trainee.arrays()["policy_w"], other.trainee.arrays()["policy_w"])


@pytest.mark.parametrize("search", ["gumbel", "puct"])
def test_what_is_written_down_is_a_policy_over_legal_actions_and_a_result(search):
    training = tiny(search=search)
    training.advance()
    planes, policy, thought, result = training.replay.parts[0]
    assert len(result) >= 60
    assert np.allclose(policy.sum(1), 1, atol=1e-4)
    taken = planes.astype(float).reshape(-1, 2, 9).sum(1)
    assert (policy[taken > 0] == 0).all()
    assert set(np.unique(result)) <= {-1.0, 0.0, 1.0}
    assert (np.abs(thought) <= 1.0001).all()


def test_a_run_goes_on_and_keeps_within_its_window(tmp_path):
    run = Run(tmp_path / "run")
    training = tiny()
    run.begin(training.config)
    for _ in range(5):
        training.save(run, training.advance())
    run.close()
    assert len(list((tmp_path / "run" / "replay").glob("*.npz"))) == len(training.replay.parts) <= 4
    again = tiny()
    run.begin(again.config)
    again.resume(run)
    assert (again.step, again.played, again.positions) == (training.step, training.played, training.positions)
    for name, part in training.trainee.memory().items():
        assert np.array_equal(part, again.trainee.memory()[name]), name
    again.save(run, again.advance())
    assert [row["step"] for row in run.metrics()] == [1, 2, 3, 4, 5, 6]
    run.close()
    chunk = sorted((tmp_path / "run" / "replay").glob("*.npz"))[-1]
    chunk.write_bytes(chunk.read_bytes()[:100])
    with pytest.raises(CounterplayError, match="is damaged: these positions"):
        tiny().resume(run)


def test_a_run_begins_from_another_one(tmp_path):
    first, run = tiny(), Run(tmp_path / "first")
    run.begin(first.config)
    for _ in range(3):
        first.save(run, first.advance())
    run.close()
    second, into = tiny(start=str(run.folder), opening=0), Run(tmp_path / "second")
    into.begin(second.config)
    second.resume(into)
    second.prepare()
    assert (second.step, second.played, second.spent) == (3, 0, 0.0)
    for name, part in first.trainee.memory().items():
        assert np.array_equal(part, second.trainee.memory()[name]), name
    second.save(into, second.advance())
    into.close()
    run.folder.rename(tmp_path / "gone")
    third = tiny(start=str(run.folder), opening=0)
    third.resume(into)
    third.prepare()
    assert third.step == 4
    assert all(np.array_equal(a, b) for one, two in zip(third.replay.parts, second.replay.parts, strict=True)
               for a, b in zip(one, two, strict=True))  # fmt: skip
    with pytest.raises(CounterplayError, match="holds no run"):
        tiny(start=str(run.folder)).prepare()
    with pytest.raises(CounterplayError, match="that run has width=4, and here it is 8"):
        tiny(start=str(into.folder), width=8).prepare()


def test_a_training_that_is_killed_twice_loses_only_the_unfinished_generation(tmp_path):
    folder, fields = tmp_path / "run", asdict(TINY)
    begin = [
        "--method",
        "alphazero",
        "--games",
        "10000",
        *(w for k, v in fields.items() for w in ("--set", f"{k}={v}")),
    ]
    reached = 0
    for words in (begin, ["--resume"]):
        command = [sys.executable, "-m", "counterplay", "train", "tic-tac-toe", *words, "-o", str(folder)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 300
        while len(Run(folder).metrics()) < reached + 3 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.003)  # the next look comes in the midst of something
        process.kill()
        assert process.wait() == -signal.SIGKILL, process.stderr.read()
        process.stderr.close()
        again, run = tiny(), Run(folder)
        run.begin(again.config)
        again.resume(run)
        assert again.step >= reached + 2  # the last line may be that of a step whose checkpoint was not written
        assert len(again.replay.parts) > 1
        reached = again.step
        run.close()
    row = again.advance()
    assert row["step"] == reached + 1


def test_a_network_plays_by_its_file_and_is_refused_elsewhere(tmp_path):
    training = tiny()
    training.advance()
    file = tmp_path / "net.npz"
    training.model().save(file)
    p = load("tic-tac-toe").start("b2")
    for spec in (f"net:{file}", f"mcts:net={file},simulations=20"):
        assert player(spec).choose(p).action in p.options()
    with pytest.raises(CounterplayError, match="is a model for tic-tac-toe, not for connect-four"):
        player(f"net:{file}").require(load("connect-four"))
    with pytest.raises(CounterplayError, match="network with a policy"):
        player(f"alphabeta:evaluation={file}").require(load("tic-tac-toe"))


@pytest.mark.parametrize(
    "spec, options, why",
    [
        ("kuhn-poker", {}, "open games of two opponents"),
        ("nim", {}, "policy_size"),
        ("tic-tac-toe", {"search": "magic"}, "must be gumbel or puct"),
        ("tic-tac-toe", {"simulations": "1"}, "simulations=1 must be from 2"),
    ],
)
def test_wrong_wishes_are_one_sentence(spec, options, why):
    with pytest.raises(CounterplayError, match=why):
        training_for(load(spec), method="alphazero", games=10, options=options)


@pytest.mark.slow
def test_tic_tac_toe_is_never_lost_after_a_minute():
    game = load("tic-tac-toe")
    settings = Settings(simulations=16, slots=64, positions=2000, width=16, blocks=2, opening=4, gate=20, gate_every=5)
    training = AlphaZero(
        game, settings, games=20_000
    )  # less than a minute of one core; by games, it is always the same
    training.run(None)
    thinker = Thinker(Residual(game, training.model()), 16)
    for seat in (0, 1):
        open_lines = [[]]
        while open_lines:  # every game that an opponent can play
            mine = [line for line in open_lines if len(line) % 2 == seat]
            after = [[*line, a] for line, a in zip(mine, thinker.choose(mine), strict=True)] if mine else []
            for line in open_lines:
                if len(line) % 2 != seat:
                    s = state_after(game, line)
                    after += [[*line, a] for a in legal(game, s)]
            open_lines = []
            for line in after:
                s = state_after(game, line)
                if game.is_terminal(s):
                    assert game.utility(s, seat) >= 0, line
                else:
                    open_lines.append(line)


def state_after(game, line):
    s = game.initial()
    for action in line:
        s = game.result(s, action)
    return s
