"""Temporal differences: gradients against finite differences, exact values where they are known, runs that are killed."""

import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CHANCE, CounterplayError, Game, load, state
from counterplay.api.train import Trainer
from counterplay.cli import main, train
from counterplay.core.formats.archive import write_archive
from counterplay.core.language.features import blank, note
from counterplay.evaluation.judged import encoded, judged
from counterplay.games.mnk import Mnk
from counterplay.learning.heads import MOST_STRIDE, expected, new_head, spread_out, turn_around
from counterplay.learning.methods import training_for, usual_options
from counterplay.learning.runs import Run
from counterplay.learning.td_training import Recipe, TemporalTraining


@state
class Walk(NamedTuple):
    at: int


class RandomWalk(Game):
    """Five places; chance steps left or right; the right end pays 1 (Sutton 1988)."""

    players = 1
    utility_bounds = (0.0, 1.0)
    feature_names = ("a", "b", "c", "d", "e")

    def initial(self):
        return Walk(3)

    def to_move(self, s):
        return CHANCE

    def actions(self, s, out):
        pass

    def chance(self, s, out):
        out.append(0)
        out.append(1)

    def probability(self, s, event):
        return 0.5

    def result(self, s, action):
        return Walk(s.at + 2 * action - 1)

    def is_terminal(self, s):
        return s.at == 0 or s.at == 6

    def utility(self, s, player):
        return 1.0 if s.at == 6 else 0.0

    def features(self, s, out):
        note(out, s.at - 1, 1.0)


class PlainWalk(RandomWalk):
    """The same, uncompiled."""

    compiled = False


@pytest.mark.parametrize("hidden, deeper", [(0, 0), (3, 0), (3, 4)])
def test_the_gradient_is_that_of_finite_differences(hidden, deeper):
    game = encoded(load("tic-tac-toe"), "planes")
    made = new_head(game, hidden, deeper, seed=2)
    rng = np.random.default_rng(1)
    for part in made.arrays().values():
        part[...] = rng.normal(0, 0.1, part.shape)
    seen = blank(game.learned_room)
    game.learned_encode(game.start("b2 a1 c3").state, seen)
    hidden, chances = np.zeros(made.hidden_size, np.float32), np.zeros(2, np.float32)
    target = np.array([0.3, 0.7], np.float32)

    def loss():
        made.forward(0, seen, hidden, chances)
        return -float((target * np.log(chances)).sum())

    before = {name: part.copy() for name, part in made.arrays().items()}
    made.forward(0, seen, hidden, chances)
    made.backward(0, seen, hidden, chances, target, 1.0)
    steps = {name: part - before[name] for name, part in made.arrays().items()}
    for name, part in made.arrays().items():
        part[...] = before[name]
    for name, part in made.arrays().items():
        flat, taken = part.reshape(-1), steps[name].reshape(-1)
        for i in range(0, flat.size, 5):
            flat[i] += 1e-2
            up = loss()
            flat[i] -= 2e-2
            down = loss()
            flat[i] += 1e-2
            assert taken[i] == pytest.approx(-(up - down) / 2e-2, abs=3e-3), (name, i)


def test_a_rare_entry_takes_longer_steps_up_to_a_limit():
    game = encoded(load("tic-tac-toe"), "planes")
    made = new_head(game, hidden=3, deeper=0, seed=2)
    seen = blank(game.learned_room)
    for entry in (1, 4, 7):
        note(seen, entry, 0.5)
    hidden, chances, target = np.zeros(3, np.float32), np.zeros(2, np.float32), np.array([0.3, 0.7], np.float32)
    before = {name: part.copy() for name, part in made.arrays().items()}

    def steps(times, squares):
        made.times[0], made.squares[[1, 4, 7]] = times, squares
        for name, part in made.arrays().items():
            part[...] = before[name]
        made.forward(0, seen, hidden, chances)
        made.backward(0, seen, hidden, chances, target, 0.01)
        return (made.arrays()["first"] - before["first"])[0, [1, 4, 7], 0]

    usual = steps(0, [0, 0, 0]) / 2  # the first time, an entry of 0.5 counts as small
    assert steps(3, [0.75, 0.25, 0]) / usual == pytest.approx([2, 2 * 2**0.5, 4], rel=1e-2)  # once in 1, 2 and 4 states
    assert steps(1e6, [0, 0, 0]) / usual == pytest.approx([MOST_STRIDE] * 3, rel=1e-2)


def test_chances_stand_for_values_and_turn_around():
    payoffs, target = np.array([-3.0, -1.0, 1.0, 3.0]), np.zeros(4, np.float32)
    for value in (-3, -2, 0, 0.5, 1, 3):
        spread_out(float(value), payoffs, target)
        assert expected(target, payoffs) == pytest.approx(value)
        turn_around(target)
        assert expected(target, payoffs) == pytest.approx(-value)


def test_the_random_walk_reaches_its_exact_values():
    recipe = Recipe(hidden=0, rate=0.2, last_rate=0.005, trace=0.7, gamble=0.0, batch=200)
    training = TemporalTraining(RandomWalk(), recipe, games=20_000)
    training.run(None)
    seen = judged(training.game, training.model())
    values = [seen.evaluate(Walk(at), 0) for at in range(1, 6)]
    assert values == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6], abs=0.03)


class Table(Mnk):
    """Tic-tac-toe with a table of all positions."""

    patterns = (tuple(range(9)),)

    def stones(self, s):
        return s.mine, s.second


@pytest.mark.slow
def test_tic_tac_toe_reaches_its_exact_values():
    recipe = Recipe(encoding="patterns", hidden=0, rate=2.0, last_rate=0.1, trace=0.3, gamble=0.4, batch=1000)
    training = TemporalTraining(Table(), recipe, games=200_000)
    training.run(None)
    seen, game, values = judged(training.game, training.model()), training.game, {}

    def moves(s):
        out = []
        game.actions(s, out)
        return out

    def value(s):
        if s not in values:
            ended = game.is_terminal(s)
            values[s] = game.utility(s, s.turn) if ended else max(-value(game.result(s, a)) for a in moves(s))
        return values[s]

    def worth(s, player):
        return game.utility(s, player) if game.is_terminal(s) else seen.evaluate(s, player)

    value(game.initial())
    judged_ones = [
        s for s in values if not game.is_terminal(s) and s != game.initial()
    ]  # nobody acted before the start
    assert len(judged_ones) == 4519
    errors = [abs(seen.evaluate(s, s.turn) - values[s]) for s in judged_ones]
    assert np.mean(errors) < 0.05
    for s in judged_ones:
        best = max(moves(s), key=lambda a: worth(game.result(s, a), s.turn))
        assert -values[game.result(s, best)] == values[s]


def test_two_hidden_layers_learn_compiled_as_plain():
    recipe = Recipe(hidden=3, deeper=2, batch=20, gamble=0.0, seed=3)
    compiled, plain = (TemporalTraining(game, recipe, games=40) for game in (RandomWalk(), PlainWalk()))
    for training in (compiled, plain):
        training.run(None)
    for name, part in compiled.average.arrays().items():
        assert np.allclose(part, plain.average.arrays()[name], atol=1e-4), name


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_gives_the_same_weights_also_across_a_stop(tmp_path, threads):
    game = RandomWalk()
    recipe = Recipe(hidden=3, batch=50, gamble=0.0, seed=7, threads=threads)
    whole = TemporalTraining(game, recipe, games=400)
    whole.run(None)
    first = TemporalTraining(game, recipe, games=400)
    run = Run(tmp_path / "run")
    run.begin(first.config)
    for _ in range(3):
        row = first.advance()
    first.save(run, row)
    run.close()
    again = TemporalTraining(game, recipe, games=400)
    run.begin(again.config)
    again.resume(run)
    assert again.played == 150
    again.run(run)
    for name, part in whole.average.arrays().items():
        assert np.array_equal(part, again.average.arrays()[name]), name
    run.close()


def test_a_training_begins_with_the_weights_of_a_model_that_fits(tmp_path):
    first = TemporalTraining(RandomWalk(), Recipe(hidden=3, batch=50, threads=2), games=200)
    first.run(None)
    file = tmp_path / "first.npz"
    first.model().save(file)
    again = TemporalTraining(RandomWalk(), Recipe(evaluation=str(file), hidden=3, rate=0.0, last_rate=0.0), games=50)
    again.run(None)
    for name, part in first.average.arrays().items():
        assert np.allclose(again.average.arrays()[name], part)
        assert np.array_equal(again.head.arrays()[name], part)
    for other in ({"hidden": 4}, {"hidden": 0}, {"hidden": 3, "deeper": 2}):
        with pytest.raises(
            CounterplayError, match=f"td did not make it from features with hidden={other['hidden']} and"
        ):
            TemporalTraining(RandomWalk(), Recipe(evaluation=str(file), **other), games=50)


def test_threads_go_on_from_the_mean_of_what_each_has_learned():
    training = TemporalTraining(RandomWalk(), Recipe(hidden=3, batch=51, gamble=0.0, threads=2), games=51)
    alone = [TemporalTraining(RandomWalk(), Recipe(hidden=3), games=1).plays[0] for _ in range(2)]
    for play, rng, games in zip(alone, training.rngs, (25, 26), strict=True):
        play.rng.word.value = rng.word.value
        play.learn(games, training.settings.trace, training.settings.rate, 0.0)
    training.run(None)
    assert training.played == 51
    for name, part in training.head.arrays().items():
        one, other = (play.head.arrays()[name] for play in alone)
        assert not np.allclose(one, other)
        assert np.allclose(part, (one + other) / 2)
        assert np.array_equal(part, training.plays[1].head.arrays()[name])


def test_another_config_is_refused_with_what_differs(tmp_path):
    run = Run(tmp_path)
    run.begin(training_for(RandomWalk(), games=10).config)
    run.close()
    with pytest.raises(CounterplayError, match="hidden was 40 and is 8"):
        run.begin(training_for(RandomWalk(), games=10, options={"hidden": "8"}).config)


def test_a_damaged_checkpoint_is_one_sentence(tmp_path):
    training = training_for(RandomWalk(), games=20, options={"batch": "10"})
    run = Run(tmp_path)
    run.begin(training.config)
    training.run(run)
    file = tmp_path / "checkpoint.npz"
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(CounterplayError, match="is damaged"):
        training_for(RandomWalk(), games=20, options={"batch": "10"}).resume(run)
    run.close()


@pytest.mark.parametrize("damage", [{"word": None}, {"word": "1 2"}, {"step": "x"}, {"spent": []}])
def test_a_checkpoint_that_lacks_something_is_one_sentence(tmp_path, damage):
    training, run = training_for(RandomWalk(), games=20), Run(tmp_path)
    head = {"step": 1, "spent": 0.5, "lines": 1, "word": "7"} | damage
    head = {name: value for name, value in head.items() if value is not None}
    run.save({"lines": 1}, {}, training.model(), {})
    write_archive(tmp_path / "checkpoint.npz", {"format": "counterplay run 1", **head}, training.parts())
    with pytest.raises(CounterplayError, match="is damaged: it does not say how far"):
        training.resume(run)


def test_the_rate_falls_evenly():
    training = TemporalTraining(RandomWalk(), Recipe(hidden=0, rate=0.4, last_rate=0.0, batch=25), games=100)
    assert [training.advance()["rate"] for _ in range(4)] == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_an_option_that_is_younger_than_a_run_is_as_usual(tmp_path):
    run, now = Run(tmp_path), training_for(RandomWalk(), games=10)
    run.begin({name: value for name, value in now.config.items() if name != "threads"})
    run.close()
    usual = asdict(usual_options("td"))
    assert not run.begin(now.config, usual=usual)
    run.close()
    with pytest.raises(CounterplayError, match="threads was 1 and is 2"):
        run.begin(training_for(RandomWalk(), games=10, options={"threads": "2"}).config, usual=usual)


@pytest.mark.parametrize(
    "asked, why",
    [
        ({"method": "magic"}, "no method 'magic'"),
        ({"preset": "magic"}, "no preset 'magic'; choose td-gammon, samuel or neurogammon"),
        ({"preset": "samuel"}, "is for checkers, not for tic-tac-toe"),
        ({"options": {"hiden": "3"}}, "td has no option 'hiden'"),
        ({"options": {"hidden": "many"}}, "must be a whole number"),
        ({"options": {"trace": "2"}}, "td: trace=2 must be from 0 to 1"),
        ({"options": {"seed": "-1"}}, "td: seed=-1 must be from 0"),
        ({"options": {"seed": "1" + "0" * 400}}, "td: seed=10+ must be from 0"),
        ({"games": 0}, "--games must be 1 or more"),
    ],
)
def test_wrong_wishes_are_one_sentence(asked, why):
    with pytest.raises(CounterplayError, match=why):
        training_for(load("tic-tac-toe"), **asked)


@pytest.mark.slow
def test_a_killed_training_goes_on(tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "counterplay", "train", "tic-tac-toe", "--games", "3000000", "-o", str(run)]
    command += ["--set", "hidden=4", "--set", "batch=50"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 300
        while not (run / "checkpoint.npz").exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    config = json.loads((run / "config.json").read_text())
    training = training_for(load("tic-tac-toe"), games=config["games"], options={"hidden": "4", "batch": "50"})
    here = Run(run)
    here.begin(training.config)
    training.resume(here)
    played = training.played
    assert played >= 50
    training.save(here, training.advance())
    assert training.played == played + 50
    here.close()
    assert (run / "model.npz").exists()


SMALL = ["--games", "100", "--set", "hidden=4", "--set", "batch=50"]


def test_a_resumed_run_knows_its_game_and_only_gets_longer(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "tic-tac-toe", *SMALL, "-o", "run"]) == 0
    assert "positions/s" in capsys.readouterr().out
    before = Path("run", "config.json").read_text()
    for shorter in (["--games", "50"], ["--time", "0.000001"]):
        assert main(["train", "--resume", "-o", "run", *shorter]) == 2
        assert "only make it longer" in capsys.readouterr().err
    assert Path("run", "config.json").read_text() == before
    assert main(["train", "--resume", "-o", "run", "--games", "150", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 150
    assert main(["train", "-o", "run"]) == 2
    assert "name the GAME" in capsys.readouterr().err
    Path("run", "config.json").write_text(before.replace("tic-tac-toe", "Mine"))
    assert main(["train", "--resume", "-o", "run"]) == 2
    assert "give its file" in capsys.readouterr().err


def test_a_refused_training_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    def refuse(self):
        raise CounterplayError("not like this")

    with monkeypatch.context() as patch:
        patch.setattr(TemporalTraining, "prepare", refuse)
        assert main(["train", "tic-tac-toe", "--games", "9", "-o", str(tmp_path / "run")]) == 2
    assert "not like this" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert main(["train", "tic-tac-toe", *SMALL, "-o", str(tmp_path / "run")]) == 0


@pytest.mark.parametrize(
    "config, why",
    [
        ({"method": None}, "is damaged"),
        ({"game": 3}, "is damaged"),
        ({"games": "abc"}, "is damaged"),
        ({"games": 0}, "is damaged"),
        ({"seconds": [1]}, "is damaged"),
        ({"seconds": 0}, "is damaged"),
        ({"method": "magic"}, "no method 'magic'"),
        ({"hidden": "many"}, "must be a whole number"),
    ],
)
def test_a_damaged_config_is_one_sentence(tmp_path, capsys, config, why):
    whole = {"format": "counterplay run 1", **training_for(load("tic-tac-toe"), games=10).config, **config}
    (tmp_path / "config.json").write_text(json.dumps({k: v for k, v in whole.items() if v is not None}))
    assert main(["train", "tic-tac-toe", "--resume", "-o", str(tmp_path)]) == 2
    assert why in capsys.readouterr().err


def test_runs_are_listed_beside_damaged_ones(tmp_path, capsys):
    config = training_for(load("tic-tac-toe"), games=10).config
    for name in ("good", "lost"):
        Run(tmp_path / name).begin(config)
    (tmp_path / "lost" / "config.json").write_text('{"format": "counterplay run 1"}')
    row = {"games": 10, "seconds": 2.0, "loss": 0.25, "rating": 12.0, "length": 7.25}
    lines = ["7", "null", "{}", json.dumps(row), '{"games": "x", "seconds": 1}', '{"cut']
    (tmp_path / "good" / "metrics.jsonl").write_bytes("\n".join(lines).encode() + b"\xff")
    assert main(["runs", str(tmp_path)]) == 0
    good, lost = capsys.readouterr().out.splitlines()
    assert good.endswith("good: tic-tac-toe, td: 10 games, 2 s, loss 0.2500, rating +12, 7.2 plies a game")
    assert "lost: damaged: " in lost
    assert main(["runs", str(tmp_path), "--json"]) == 0
    good, lost = json.loads(capsys.readouterr().out)
    assert (good["lines"], good["last"]) == (1, row)
    assert "is damaged" in lost["damaged"]
    assert main(["runs", str(tmp_path / "nowhere")]) == 2
    assert "no folder" in capsys.readouterr().err


def test_a_training_says_how_far_it_is_where_no_terminal_is(tmp_path, monkeypatch, capsys):
    class Slow:
        step, share, stop = 0, 0.5, threading.Event()

        def run(self, run, report):
            report({"games": 3, "positions_per_second": 8, "seconds": 2.0})
            time.sleep(0.5)

    monkeypatch.setattr(train, "SILENCE", 0.0)
    trainer = Trainer("tic-tac-toe", "", "", None, 1, tmp_path / "run", False, {}, 0)
    trainer.training = Slow()
    train.conduct(trainer)
    trainer.files.close()
    assert capsys.readouterr().err.startswith("3 games, 8 positions/s, 2 s, about 2 s left\n")


def test_commands_train_go_on_and_list(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["train", "tic-tac-toe", "--games", "100", "-o", "run", "--set", "hidden=4", "--set", "batch=50"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["games"], told["model"]) == (100, str(Path("run") / "model.npz"))
    assert main(["train", "tic-tac-toe", "--resume", "-o", "run"]) == 0  # there is nothing left to do
    capsys.readouterr()
    assert main(["train", "tic-tac-toe", "--resume", "-o", "run", "--games", "150", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 150
    assert json.loads(Path("run", "config.json").read_text())["games"] == 150
    assert main(["train", "tic-tac-toe", "--resume", "-o", "run", "--set", "hidden=5"]) == 2
    assert "only --time or --games may be added" in capsys.readouterr().err
    assert main(["runs", "run", "--json", "--plot", "way.svg"]) == 0
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert rows[0]["last"]["games"] == 150
    assert Path("way.svg").read_text().startswith("<?xml")
    assert main(["train", "connect-four", "--resume", "-o", "run"]) == 2
    assert "is a run of tic-tac-toe, not of connect-four" in capsys.readouterr().err
    assert main(["train", "tic-tac-toe", "--resume", "-o", "nowhere"]) == 2
    assert "holds no run" in capsys.readouterr().err
