"""The models that come with the package: small, for a game that is registered, and ready to play."""

import numpy as np
import pytest

from counterplay import load
from counterplay.evaluation.judged import judged
from counterplay.evaluation.model import SHIPPED, find_model, read_model, shipped
from counterplay.evaluation.residual import Residual


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_model_is_small_and_answers(name):
    file = SHIPPED / f"{name}.npz"
    assert file.stat().st_size < 4_000_000
    model = read_model(file)
    game = load(model.game)
    assert find_model(name, game).kind == model.kind
    low, high = game.utility_bounds
    p = game.start(seed=1)
    while p.to_move < 0:
        p.roll()
    p.play(p.options()[0])
    if model.kind == "residual":
        logits, values = Residual(game, model).policy([p.state], [p.options()])
        assert np.isclose(sum(logits[0]), 1)
        value = values[0]
    else:
        value = judged(game, model).evaluate(p.state, 0)
    assert low < value < high


def test_there_are_some():
    assert shipped()
