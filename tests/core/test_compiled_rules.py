"""Rules that run compiled, one call at a time, say what the plain ones say."""

import pytest
from core import toys
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, CounterplayError, load
from counterplay.core.compiled_rules import CompiledRules, with_compiled_rules


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(["othello", "connect-four", "backgammon"]), st.randoms(use_true_random=False))
def test_a_game_is_replayed_alike(name, random):
    plain = load(name).start()
    again = with_compiled_rules(plain.game).start()
    assert isinstance(again.game, CompiledRules)
    while not plain.is_over and len(plain) < 60:
        options = plain.options()
        assert again.options() == options
        assert again.to_move == plain.to_move
        action = random.choice(options)
        text = plain.game.action_text(plain.state, action)
        plain.play(action)
        again.play(text if plain.game.to_move(plain.states[-2]) != CHANCE else action)
        assert again.state == plain.state
        assert type(again.state) is type(plain.state)
    assert again.is_over == plain.is_over
    assert again.returns == plain.returns


def test_what_is_illegal_stays_so():
    p = with_compiled_rules(load("connect-four")).start("4 4 4 4 4 4")
    with pytest.raises(CounterplayError, match="no action '4' here"):
        p.play("4")
    with pytest.raises(CounterplayError, match="'3' is not legal"):
        p.play(3)


def test_a_game_that_does_not_compile_stays_as_it_is():
    game = toys.AnyObject()
    assert not game.compiles
    assert with_compiled_rules(game) is game
