"""Fitting: planted weights are recovered, and wrong options give one sentence."""

import json
import tempfile
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CounterplayError, Game, load, state
from counterplay.arena import recorded_games
from counterplay.cli import main
from counterplay.core.language.features import note
from counterplay.core.language.kernel import kernel
from counterplay.evaluation.judged import encoded, judged
from counterplay.evaluation.model import find_model
from counterplay.learning import recorded_games as learned_games
from counterplay.learning import samples
from counterplay.learning.chart import draw_calibration
from counterplay.learning.regression import Accuracy, FitOptions, fit


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


@pytest.mark.parametrize("how", [FitOptions(ridge=0.0), FitOptions(method="stochastic", ridge=0.0, rate=0.1, epochs=6)])
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
    found = fit(Plane(), lambda: given, FitOptions(method="stochastic", link="logistic", ridge=0.0, rate=0.1, epochs=6))
    assert found.model.arrays["weights"] == pytest.approx(PLANTED, rel=0.15, abs=0.2)
    for predicted, came, number in found.held.calibration():
        assert abs(predicted - came) < 400 / np.sqrt(number)


@pytest.mark.parametrize("method", ["exact", "stochastic"])
def test_a_ridge_holds_weights_back(method):
    given = lessons(50)
    free, held = (
        fit(Plane(), lambda: given, FitOptions(method=method, ridge=ridge)).model.arrays["weights"]
        for ridge in (0.0, 1.0)
    )
    assert (np.abs(held[:, :2]) < 0.8 * np.abs(free[:, :2])).all()


def test_samples_are_asked_for_once_and_come_back_as_they_were(monkeypatch):
    monkeypatch.setattr(samples, "BLOCK", 64)
    given, asked = lessons(20), []

    def source():
        asked.append(1)
        return given

    game = encoded(Plane(), "features")
    with samples.Spool(samples.blocks(game, source, 0.1)) as spool:
        assert (len(spool), spool.rows) == (4, 200)
        for _ in range(2):
            found = list(spool)
            assert np.concatenate([block.label for block in found]).tolist() == [y for _, part in given for y in part]
            assert sum(block.held.sum() for block in found) == 20
        first = [block.value[0, 0] for block in (spool[3], spool[0])]
        assert first == pytest.approx([given[19][0][2].a, given[0][0][0].a])
    fit(Plane(), source, FitOptions(method="stochastic"))
    assert len(asked) == 2


def test_a_full_disk_is_one_sentence(monkeypatch):
    class Full:
        def tell(self):
            return 0

        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    with pytest.raises(CounterplayError, match="temporary folder: no space left on device"):
        fit(Plane(), lambda: lessons(1), FitOptions())


@pytest.mark.slow
def test_memory_does_not_grow_with_the_positions(monkeypatch, tmp_path):
    rules = load("tic-tac-toe")

    def lesson(*_):
        start = rules.initial()
        return [rules.result(start, action) for action in range(9)], [0.5] * 9

    monkeypatch.setattr(samples, "BLOCK", 128)
    monkeypatch.setattr(learned_games, "lesson_of", lesson)

    def peak(games):
        monkeypatch.setattr(recorded_games, "read_games", lambda rules, file: range(games))
        tracemalloc.start()
        try:
            assert main(["fit", "tic-tac-toe", "any", "-o", str(tmp_path / "m.npz"), "--labels", "solve"]) == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(20)  # compiles
    assert peak(600) < 1.3 * peak(60)


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
        ({"ridge": float("nan")}, "ridge must be from 0"),
        ({"ridge": float("inf")}, "ridge must be from 0"),
        ({"ridge": -1.0}, "ridge must be from 0"),
    ],
)
def test_wrong_wishes_are_one_sentence(how, why):
    with pytest.raises(CounterplayError, match=why):
        FitOptions(**how)


def test_the_closed_form_refuses_large_tables_before_anything_is_read():
    with pytest.raises(CounterplayError, match="use --method stochastic"):
        fit(load("othello"), lambda: 1 / 0, FitOptions())


def test_weights_that_run_away_are_refused():
    given = lessons(200)
    with pytest.raises(CounterplayError, match="grew beyond all bounds"):
        fit(Plane(), lambda: given, FitOptions(method="stochastic", ridge=1e6, rate=10.0))


def test_calibration_is_drawn(tmp_path):
    accuracy = Accuracy(-1, 1)
    with pytest.raises(CounterplayError, match="no game was held out"):
        draw_calibration(accuracy, "none", tmp_path / "none.svg")
    accuracy.add(np.array([-0.95, 0.5, 0.5]), np.array([-1.0, 0.0, 1.0]))
    draw_calibration(accuracy, "a title", tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert text.count("<use") > 0
    draw_calibration(accuracy, "a title", tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def match(tmp_path, monkeypatch, capsys):
    """A folder with the games of a match."""
    monkeypatch.chdir(tmp_path)
    assert main(["match", "tic-tac-toe", "random", "random:seed=2", "--games", "40", "-o", "games.db", "--json"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    "options, why",
    [
        (["--ridge", "nan"], "ridge must be from 0"),
        (["--skip", "-5"], "--skip -5: give 0 or more plies"),
        (["--labels", "moves", "--plot", "x.png"], "a policy has no such plot"),
        (["--method", "network", "--plot", "x.png"], "a policy has no such plot"),
    ],
)
def test_the_command_refuses_wrong_wishes(tmp_path, monkeypatch, capsys, options, why):
    monkeypatch.chdir(tmp_path)
    assert main(["fit", "tic-tac-toe", "games.db", "-o", "m.npz", *options]) == 2
    told = capsys.readouterr().err
    assert why in told
    assert told.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("match")
def test_what_a_perfect_player_thinks_is_what_the_solver_says():
    weights = []
    for labels in ("solve", "minimax:depth=9"):
        assert main(["fit", "tic-tac-toe", "games.db", "-o", "m.npz", "--skip", "3", "--labels", labels]) == 0
        weights.append(find_model("m.npz", load("tic-tac-toe")).arrays["weights"])
    assert np.abs(weights[0]).max() > 0.1
    assert weights[1] == pytest.approx(weights[0])


@pytest.mark.usefixtures("match")
def test_a_stochastic_fit_by_command_with_its_plot(tmp_path, capsys):
    how = ["--labels", "solve", "--method", "stochastic", "--plot", "x.png", "--json"]
    assert main(["fit", "tic-tac-toe", "games.db", "-o", "m.npz", *how]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["method"] == "fit stochastic"
    assert told["samples"] > 100
    assert told["correlation"] > 0.2
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert find_model("m.npz", load("tic-tac-toe")).kind == "linear"


@pytest.mark.usefixtures("match")
def test_fit_reads_a_match_and_plays_by_what_it_learned(capsys):
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
