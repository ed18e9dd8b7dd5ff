"""Play and regression: labels are exact, runs go on where they were, and what is learned beats what was not."""

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.cli import main
from counterplay.evaluation.judged import judged
from counterplay.learning.methods import training_for
from counterplay.learning.rounds import Rounds, RoundsTraining
from counterplay.learning.run import Run
from counterplay.search.deepening import decide
from counterplay.search.solve import solve

SMALL = "othello:size=4"


def test_labels_are_exact_where_all_is_solved():
    game = load(f"{SMALL},score=on")
    training = RoundsTraining(game, Rounds(exact=12, opening=0), games=2)
    assert training.play(2) > 20
    assert training.label[0] == solve(game, game.initial()).value


def test_results_of_a_kindred_game_are_scaled():
    training = RoundsTraining(load(SMALL), Rounds(labels=f"{SMALL},score=on", batch=20, exact=6), games=50)
    training.run(None)
    assert training.played == 50
    assert np.abs(training.model().arrays["weights"]).max() * 16 == pytest.approx(np.abs(training.weights).max())
    p = load(SMALL).start()
    assert decide(judged(load(SMALL), training.model()), p.state, depth=2).action in p.options()


def test_a_run_goes_on_where_it_was(tmp_path):
    def begun(games):
        return RoundsTraining(load(SMALL), Rounds(batch=20, exact=6), games=games)

    whole, half = begun(80), begun(80)
    whole.run(None)
    run = Run(tmp_path)
    half.save(run, half.advance())
    half.save(run, half.advance())
    again = begun(80)
    again.resume(run)
    assert again.played == 40
    again.run(None)
    assert np.array_equal(again.weights, whole.weights)


def test_wrong_input_is_one_sentence(tmp_path, capsys):
    with pytest.raises(CounterplayError, match="not those of othello:size=4"):
        training_for(load(SMALL), method="rounds", options={"labels": "othello"})
    assert main(["train", "backgammon", "--method", "rounds", "-o", str(tmp_path)]) == 2
    assert "take td" in capsys.readouterr().err
