"""Training networks that a search updates action by action: data, filters, rounding, generations that resume."""

import json
from dataclasses import replace

import numpy as np
import pytest

from counterplay import CounterplayError, Game, load
from counterplay.core.errors import Unsuitable
from counterplay.evaluation.accumulator import ONE, accumulator_shapes
from counterplay.evaluation.judged import judged
from counterplay.evaluation.model import Model, find_model
from counterplay.learning.accumulator_fit import fit_network, limited
from counterplay.learning.nnue import Generations, NnueTraining
from counterplay.learning.regression import cross_entropy
from counterplay.learning.runs import Run
from counterplay.learning.searched_games import game_line, head_line, play_searched, read_games
from counterplay.learning.sparse_positions import fitted_scale, positions_of

SMALL = "hex:size=4"
TINY = Generations(width=8, nodes=30, opening=2, batch=40, epochs=3, pairs=4)


@pytest.fixture(scope="module")
def games():
    return list(play_searched(load(SMALL), range(40), nodes=30, opening=2))


def test_a_game_depends_on_its_number_alone(games):
    assert list(play_searched(load(SMALL), [7], nodes=30, opening=2)) == [games[7]]


def test_results_and_values_are_those_of_the_games(games):
    game = load(SMALL)
    for each in games:
        s = game.initial()
        for action in each.actions:
            s = game.result(s, action)
        assert game.is_terminal(s) is False or game.utility(s, 0) == each.result
        assert len(each.values) == len(each.actions) - each.opening


def test_files_are_read_back_extended_and_joined(games, tmp_path):
    game, file = load(SMALL), tmp_path / "games.jsonl"
    text = head_line(game, 30) + "".join(map(game_line, games))
    file.write_text(text + text + '{"opening": 2, "act')
    assert read_games(game, file) == games + games


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello\n", "holds no searched games"),
        (json.dumps({"format": "counterplay searched games 1", "game": "chess"}) + "\n", "games of chess, not of hex"),
        (head_line(load(SMALL), 1) + "{}\n{}\n", "line 2: this is not a searched game"),
    ],
)
def test_other_files_are_refused(text, told, tmp_path):
    (tmp_path / "x").write_text(text)
    with pytest.raises(CounterplayError, match=told):
        read_games(load(SMALL), tmp_path / "x")


def test_illegal_games_are_refused(games):
    with pytest.raises(CounterplayError, match="game 2 of the data is not one of hex"):
        positions_of(load(SMALL), [games[0], games[1]._replace(actions=[0] * len(games[1].actions))])


def test_positions_are_in_the_movers_view_and_whole_games_are_held_out(games):
    found = positions_of(load(SMALL), games, skipped=0)
    assert 0 < found.held.sum() < len(found)
    first = next(i for i in range(len(found)) if found.value[i])  # search saw the end: the mover wins or loses
    assert set(np.unique(found.result)) <= {0.0, 1.0}
    assert first >= 0


def test_a_correction_begins_with_the_evaluation_that_it_corrects(games):
    pytest.importorskip("torch")
    game = load(SMALL)
    positions = positions_of(game, games, skipped=0)
    same = fit_network(game, positions, width=8, correct=True, epochs=1, rate=1e-9, last_rate=1e-9)
    assert same.model.link == "added"
    assert not same.model.arrays["second"].any()
    s = game.start("a1 b3 c2").state
    assert judged(game, same.model).evaluate(s, 0) == game.evaluate(s, 0) != 0
    scale = fitted_scale(game, positions)
    labels = 0.95 / (1 + np.exp(-positions.value / scale)) + 0.05 * positions.result
    before = cross_entropy(positions.static / scale, labels)
    assert same.loss == pytest.approx(before[positions.held].mean(), abs=1e-5)
    learned = fit_network(game, positions, width=8, correct=True, epochs=20).model
    after = cross_entropy(positions.static / scale + answers(learned, positions), labels)
    assert after[~positions.held].mean() < before[~positions.held].mean()


def answers(model, positions):
    """A network's values of positions, computed by hand from its arrays."""
    first, second = (model.arrays[name].astype(float) for name in ("first", "second"))
    padded = np.concatenate([first[:-1], np.zeros((1, first.shape[1]))]) / ONE
    active = np.clip(padded[positions.features].sum(2) + first[-1] / ONE, 0, 1) ** 2
    return (active * second[positions.stage] / 64).sum((1, 2)) + model.arrays["bias"][positions.stage] / (ONE * 64)


def test_search_values_far_from_the_evaluation_count_as_tactics(games):
    positions = positions_of(load(SMALL), games, skipped=0)
    found = limited(positions, 0.25)
    assert (abs(positions.value - positions.static) > 0.25).any()
    assert abs(found.value - found.static).max() == pytest.approx(0.25)
    near = abs(positions.value - positions.static) < 0.25
    assert np.array_equal(found.value[near], positions.value[near])


class Bare(Game):
    """A game with sparse features, but no evaluation."""

    name, sparse_size = "bare", 4


def test_a_correction_needs_an_evaluation():
    with pytest.raises(Unsuitable, match="bare has no `evaluate`, so there is nothing that a network could correct"):
        NnueTraining(Bare(), replace(TINY, correct=True), games=1)


def test_a_network_is_not_continued_as_a_correction(tmp_path):
    game = load(SMALL)
    arrays = {name: np.zeros(shape, np.int16) for name, shape in accumulator_shapes(game, 8).items()}
    arrays["bias"], arrays["scale"] = arrays["bias"].astype(np.int32), np.ones(1, np.float32)
    Model.of(game, "nnue", "sparse", arrays).save(tmp_path / "alone.npz")
    settings = replace(TINY, correct=True, evaluation=str(tmp_path / "alone.npz"))
    with pytest.raises(CounterplayError, match="is not a network of this method with correct=on"):
        NnueTraining(game, settings, games=1)


@pytest.mark.slow
def test_a_run_goes_on_where_it_was(tmp_path):
    game = load(SMALL)
    whole, cut = NnueTraining(game, TINY, games=80), NnueTraining(game, TINY, games=80)
    for training, folder in ((whole, "whole"), (cut, "cut")):
        run = Run(tmp_path / folder)
        run.begin(training.config)
        training.verdict = lambda scores: "elo1" if len(scores) == 2 else ""  # every network is accepted
        if training is whole:
            training.run(run)
        else:
            training.save(run, training.advance())
        run.close()
    again = NnueTraining(game, TINY, games=80)
    again.verdict = whole.verdict
    run = Run(tmp_path / "cut")
    again.resume(run)
    again.run(run)
    assert again.accepted == whole.accepted == 2
    for name, part in whole.model().arrays.items():
        assert np.array_equal(part, again.model().arrays[name])
    assert find_model(str(tmp_path / "cut"), game).kind == "nnue"
