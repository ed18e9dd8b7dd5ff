"""Fitting: planted weights are found again, and wrong wishes are one sentence."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CounterplayError, Game, load, state
from counterplay.cli import main
from counterplay.core.features import note
from counterplay.core.kernel import kernel
from counterplay.evaluation.judged import judged
from counterplay.evaluation.model import find_model
from counterplay.learning.regression import Accuracy, Fit, fit


@kernel
def evaluate(game, s, player):
    return game.evaluate(s, player)


@state
class Point(NamedTuple):
    a: float
    b: float
    late: bool


class Plane(Game):
    """Points of a plane, in two stages: only something to fit to."""

    utility_bounds = (-100.0, 100.0)
    feature_names = ("a", "b")
    stages = 2

    def initial(self):
        return Point(0.0, 0.0, False)

    def to_move(self, s):
        return 0

    def actions(self, s, out):
        out.append(0)

    def result(self, s, action):
        return s

    def is_terminal(self, s):
        return False

    def utility(self, s, player):
        return 0.0

    def features(self, s, out):
        note(out, 0, s.a)
        note(out, 1, s.b)

    def stage(self, s):
        return 1 if s.late else 0


PLANTED = np.array([[2.0, -3.0, 0.5], [-1.0, 4.0, -2.0]])


def lessons(number, link=lambda x, rng: x, seed=1):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        states = [Point(*rng.normal(0, 1, 2).tolist(), bool(rng.random() < 0.5)) for _ in range(10)]
        sums = [float(PLANTED[int(s.late)] @ [s.a, s.b, 1]) for s in states]
        found.append((states, [link(x, rng) for x in sums]))
    return found


@pytest.mark.parametrize("how", [Fit(ridge=0.0), Fit(method="stochastic", ridge=0.0, rate=0.1, epochs=6)])
def test_planted_weights_are_found(how):
    given = lessons(200)
    found = fit(Plane(), lambda: given, how)
    assert found.model.arrays["weights"] == pytest.approx(PLANTED, abs=1e-3)
    assert found.held.error < 0.01
    assert found.held.correlation > 0.9999
    assert found.samples + found.held.number == 2000


def test_logistic_regression_finds_planted_log_odds():
    def flip(x, rng):
        return 100.0 if rng.random() < 1 / (1 + np.exp(-x)) else -100.0

    given = lessons(2000, flip)
    found = fit(Plane(), lambda: given, Fit(method="stochastic", link="logistic", ridge=0.0, rate=0.1, epochs=6))
    assert found.model.arrays["weights"] == pytest.approx(PLANTED, rel=0.15, abs=0.2)
    for predicted, came, number in found.held.calibration():
        assert abs(predicted - came) < 400 / np.sqrt(number)


def test_a_ridge_holds_weights_back():
    given = lessons(50)
    free, held = (fit(Plane(), lambda: given, Fit(ridge=ridge)).model.arrays["weights"] for ridge in (0.0, 1.0))
    assert (np.abs(held[:, :2]) < np.abs(free[:, :2])).all()


def test_accuracy_is_that_of_the_whole():
    rng = np.random.default_rng(0)
    p, y = rng.uniform(-1, 1, 100), rng.uniform(-1, 1, 100)
    found = Accuracy(-1, 1)
    for part in (slice(0, 30), slice(30, 100)):
        found.add(p[part], y[part])
    assert found.error == pytest.approx(np.sqrt(((p - y) ** 2).mean()))
    assert found.correlation == pytest.approx(np.corrcoef(p, y)[0, 1])
    assert sum(n for _, _, n in found.calibration()) == 100


@pytest.mark.parametrize(
    "how, why",
    [
        ({"method": "magic"}, "exact or stochastic"),
        ({"link": "logistic"}, "no closed form"),
        ({"hold_out": 1.0}, "hold-out 1"),
        ({"rate": 0.0}, "rate above 0"),
    ],
)
def test_wrong_wishes_are_one_sentence(how, why):
    with pytest.raises(CounterplayError, match=why):
        Fit(**how)


def test_the_closed_form_refuses_large_tables():
    with pytest.raises(CounterplayError, match="take the method stochastic"):
        fit(load("othello"), list, Fit())


def test_fit_reads_a_match_and_plays_by_what_it_learned(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["match", "tic-tac-toe", "random", "random:seed=2", "--games", "40", "-o", "games.db", "--json"]) == 0
    capsys.readouterr()
    for labels in ("result", "solve"):
        assert main(["fit", "tic-tac-toe", "games.db", "-o", "m.npz", "--labels", labels, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["samples"] > 100
        assert told["held_out"] > 5
    assert told["correlation"] > 0.2
    game = load("tic-tac-toe")
    seen = judged(game, find_model("m.npz", game))
    middle, edge = (seen.evaluate(game.start(move).state, 0) for move in ("b2", "a2"))
    assert middle > edge
    assert evaluate(seen, game.start("b2").state, 0) == pytest.approx(middle)
    assert main(["fit", "connect-four", "games.db", "-o", "m.npz"]) == 2
    assert "has games of tic-tac-toe, not of connect-four" in capsys.readouterr().err
