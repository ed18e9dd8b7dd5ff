"""Play and regression: labels are exact, runs resume, and the trained player beats the untrained one."""

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.cli import main
from counterplay.evaluation.judged import judged
from counterplay.learning.methods import training_for
from counterplay.learning.rounds import Rounds, RoundsTraining, falling
from counterplay.learning.runs import Run
from counterplay.search.engine.decide import decide
from counterplay.search.solving.solve import solve

SMALL = "othello:size=4"


@pytest.mark.slow
def test_labels_are_exact_where_all_is_solved():
    game = load(f"{SMALL},score=on")
    training = RoundsTraining(game, Rounds(exact=12, opening=0), games=2)
    assert training.play(2) > 20
    assert training.label[0] == solve(game, game.initial()).value


@pytest.mark.slow
def test_labels_lie_between_what_search_thought_and_what_came():
    game = load(f"{SMALL},score=on")
    thought, came, mixed = (
        RoundsTraining(game, Rounds(exact=4, opening=0, gamble=0.0, trace=trace), games=4) for trace in (0.0, 1.0, 0.5)
    )
    numbers = {each.play(4) for each in (thought, came, mixed)}
    assert len(numbers) == 1  # the same games
    ends = np.flatnonzero(mixed.stage[: numbers.pop()] == 0)
    first = ends[0]
    assert thought.label[first] == 0.0  # by weights that are all 0
    assert abs(came.label[first]) == abs(came.label[first + 1])  # the same result, for either side
    assert mixed.label[first] == pytest.approx(0.5 * -mixed.label[first + 1])


def test_an_action_at_random_does_not_count_against_what_came_before():
    game = load(f"{SMALL},score=on")
    training = RoundsTraining(game, Rounds(exact=4, opening=0, gamble=1.0, trace=1.0), games=4)
    training.play(1)
    assert not training.label[:4].any()  # the search's values, with weights that are all 0


def test_a_second_training_begins_with_the_weights_of_the_first(tmp_path):
    recipe = Rounds(labels=f"{SMALL},score=on", batch=20, exact=6)
    training = RoundsTraining(load(SMALL), recipe, games=40)
    training.run(None)
    training.model().save(tmp_path / "first.npz")
    again = RoundsTraining(load(SMALL), Rounds(labels=recipe.labels, evaluation=str(tmp_path / "first.npz")), games=40)
    assert again.weights == pytest.approx(training.weights, abs=1e-4)


@pytest.mark.slow
def test_results_of_a_kindred_game_are_scaled():
    training = RoundsTraining(load(SMALL), Rounds(labels=f"{SMALL},score=on", batch=20, exact=6), games=50)
    training.run(None)
    assert training.played == 50
    assert np.abs(training.model().arrays["weights"]).max() * 16 == pytest.approx(np.abs(training.weights).max())
    p = load(SMALL).start()
    assert decide(judged(load(SMALL), training.model()), p.state, depth=2).action in p.options()


@pytest.mark.slow
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


def test_a_rate_falls_by_a_factor_or_stays():
    assert [falling(0.4, 0.1, share) for share in (0, 0.5, 1)] == pytest.approx([0.4, 0.2, 0.1])
    assert [falling(0.4, 0.0, share) for share in (0, 0.5, 1)] == [0.4] * 3
    assert falling(0.0, 0.1, 0.5) == 0.0


@pytest.mark.slow
def test_a_last_rate_of_0_still_learns():
    training = RoundsTraining(load(SMALL), Rounds(batch=20, exact=6, last_rate=0.0), games=20)
    row = training.advance()
    assert training.weights.any()
    assert row["rate"] == training.settings.rate
    assert row["positions_per_second"] > 0


def test_wrong_input_is_one_sentence(tmp_path, capsys):
    with pytest.raises(CounterplayError, match="not those of othello:size=4"):
        training_for(load(SMALL), method="rounds", options={"labels": "othello"})
    with pytest.raises(CounterplayError, match="rounds: seed=-1 must be from 0"):
        training_for(load(SMALL), method="rounds", options={"seed": "-1"})
    assert main(["train", "backgammon", "--method", "rounds", "-o", str(tmp_path)]) == 2
    assert "use td" in capsys.readouterr().err
