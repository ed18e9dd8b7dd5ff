"""Comparison training: its gradient, what it learns from an expert's plays, and runs that resume."""

from __future__ import annotations

import json

import numpy as np
import pytest

from counterplay import load, train
from counterplay.core.errors import CounterplayError
from counterplay.core.language.features import blank
from counterplay.evaluation.judged import encoded
from counterplay.evaluation.model import find_model
from counterplay.games.backgammon.board import count_at
from counterplay.learning.comparison import Comparison, compare
from counterplay.learning.heads import new_head
from counterplay.learning.methods import training_for

QUICK = {"expert": "negamax", "opening": 3, "hidden": 8, "epochs": 12, "rate": 0.1, "last_rate": 0.02, "sharpness": 4}


def test_a_step_goes_up_the_gradient_of_the_choice():
    game = load("tic-tac-toe")
    seen = encoded(game, "planes")
    training = Comparison(game, training_for(game, method="comparison", games=10).settings, 10, None)
    s, chosen = game.start("b2 a1 c3").state, 2
    head, rng = new_head(seen, 3, 0, seed=2), np.random.default_rng(1)
    for part in head.arrays().values():
        part[...] = rng.normal(0, 0.1, part.shape)

    def loss():
        return compare(seen, s, chosen, head, 20.0, 0.0, training.out)[0]

    before = {name: part.copy() for name, part in head.arrays().items()}
    compare(seen, s, chosen, head, 20.0, 1e-4, training.out)
    steps = {name: (part - before[name]) / 1e-4 for name, part in head.arrays().items()}
    for name, part in head.arrays().items():
        part[...] = before[name]
    checked = 0
    for name, part in head.arrays().items():
        flat, taken = part.reshape(-1), steps[name].reshape(-1)
        # Rare entries of the first layer take longer steps: there, look at the bias alone.
        for i in range(flat.size) if name == "second" else range(flat.size - 3, flat.size):
            flat[i] += 1e-2
            up = loss()
            flat[i] -= 2e-2
            down = loss()
            flat[i] += 1e-2
            slope = -(up - down) / 2e-2
            assert taken[i] == pytest.approx(slope, rel=0.05, abs=0.02), (name, i)
            checked += abs(slope) > 0.05
    assert checked >= 4  # slopes that are not nearly 0


def test_what_an_expert_chooses_becomes_likelier_and_a_run_that_was_stopped_ends_the_same(tmp_path, monkeypatch):
    train("tic-tac-toe", method="comparison", games=60, set=QUICK, output=tmp_path / "whole")
    rows = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    passes = [row for row in rows if "foretold" in row]
    assert len(passes) == QUICK["epochs"]
    assert passes[-1]["loss"] < 0.8 * passes[0]["loss"]
    assert passes[-1]["foretold"] > 0
    model = find_model(str(tmp_path / "whole"), load("tic-tac-toe"))
    assert (model.kind, model.encoding, model.about["games"]) == ("network", "planes", 60)

    advance, resume = Comparison.advance, Comparison.resume

    def once(self):
        if self.step > self.began:
            self.stop.set()
            return {}
        return advance(self)

    def resumed(self, run):
        resume(self, run)
        self.began = self.step

    monkeypatch.setattr(Comparison, "advance", once)
    monkeypatch.setattr(Comparison, "resume", resumed)
    for _ in rows:
        train("tic-tac-toe", method="comparison", games=60, set=QUICK, output=tmp_path / "parts")
    again = find_model(str(tmp_path / "parts"), load("tic-tac-toe"))
    for name, part in model.arrays.items():
        assert (part == again.arrays[name]).all(), name


@pytest.mark.parametrize(
    "game, options, sentence",
    [
        ("tic-tac-toe", {"preset": "neurogammon"}, "neurogammon is for backgammon, not for tic-tac-toe"),
        ("backgammon", {"preset": "neurogammon", "method": "td"}, "for the method comparison, not for td"),
        ("tic-tac-toe", {"set": {"expert": "nobody"}}, "no player 'nobody'"),
        ("tic-tac-toe", {"set": {"expert": "turing"}}, "turing plays chess, not tic-tac-toe"),
        ("tic-tac-toe", {"set": {"encoding": "raw"}}, "has no raw features"),
        ("kuhn-poker", {}, "has secrets"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(tmp_path, game, options, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        train(game, **{"method": "comparison", **options} if "preset" not in options else options, games=20,
              output=tmp_path / "run")  # fmt: skip
    assert not (tmp_path / "run").exists()


def test_raw_features_say_who_stands_where():
    game = load("backgammon")
    seen, p = encoded(game, "raw"), game.start(seed=4)
    assert (seen.stages, seen.learned_inputs) == (1, 197)
    while len(p) < 60 and not p.is_over:
        p.play(p.options()[len(p) * 7 % len(p.options())])
        listed = blank(seen.learned_room)
        seen.learned_encode(p.state, listed)
        values = np.zeros(seen.learned_inputs)
        values[listed.index[: listed.used[0]]] = listed.value[: listed.used[0]]
        assert values[196] == 1
        for side, board in ((values[:98], p.state.mine), (values[98:196], p.state.theirs)):
            points = side[:96].reshape(24, 4) @ [1, 1, 1, 2]
            assert points.tolist() == [count_at(board, point) for point in range(1, 25)]
            assert side[96] * 2 == count_at(board, 25)
            assert side[97] * 15 == pytest.approx(count_at(board, 0))
    assert seen.stage(p.state) == 0
