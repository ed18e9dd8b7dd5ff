"""Playthroughs: playing, taking back, repetition, and what each player sees."""

import pytest
from core import toys
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CHANCE, CounterplayError, Playthrough, load  # noqa: F401 (Playthrough is for eval)
from counterplay.core.perft import perft
from counterplay.core.rules import is_over
from counterplay.games.connect_four import ConnectFour  # noqa: F401 (for eval)


def test_playing_and_taking_back():
    p = load("connect-four").start()
    p.play("4").play(3)
    assert p.moves == ["4", "4"]
    assert p.to_move == 0
    assert p.undo().moves == ["4"]
    assert p.undo().state == p.game.initial()
    with pytest.raises(CounterplayError, match="cannot take back 1 of 0"):
        p.undo()


def test_what_is_legal_follows_the_board():
    p = load("connect-four:width=4,height=4").start("1 1 1")
    assert p.options() == [0, 1, 2, 3]
    p.play("1")
    assert p.options() == [1, 2, 3]
    p.options().clear()  # the caller's own list
    assert p.undo().options() == [0, 1, 2, 3]


def test_repr_round_trips():
    p = load("connect-four:width=6").start("1 2 3")
    assert repr(eval(repr(p))) == repr(p)
    assert eval(repr(p)).state == p.state
    q = p.game.start("1", position=p.position)
    assert eval(repr(q)).state == q.state


@pytest.mark.parametrize(
    "text, why", [("9", "no action '9'"), ("x", "no action 'x'"), (-1, "not legal"), (7, "not legal")]
)
def test_wrong_actions_are_refused_and_nothing_changes(text, why):
    p = load("connect-four").start("4")
    with pytest.raises(CounterplayError, match=why):
        p.play(text)
    assert p.moves == ["4"]


def test_nothing_can_be_played_when_it_is_over():
    p = load("connect-four").start("1 2 1 2 1 2 1")
    assert p.is_over
    assert p.returns == (1.0, -1.0)
    assert p.legal() == []
    with pytest.raises(CounterplayError, match="the game is over"):
        p.play("3")


def test_it_draws_itself():
    p = load("connect-four").start("4")
    assert p._repr_svg_().startswith("<svg")
    assert "x" in str(p)


def test_chance_rolls_until_a_player_moves():
    p = toys.Draws().start(seed=3)
    p.play(1)
    assert p.to_move == CHANCE
    p.roll()
    assert p.to_move == 1
    assert toys.Draws().start(seed=3).play(1).roll().actions == p.actions


def test_a_repeated_position_is_a_draw():
    p = toys.Shuffle("draw").start("1 0")
    assert p.is_over
    assert p.returns == (0.0, 0.0)


def test_threefold_counts_to_three():
    p = toys.Shuffle("draw", 3).start("1 0")
    assert not p.is_over
    assert p.play("1").play("0").is_over


def test_who_repeats_loses_where_the_rule_says_so():
    p = toys.Shuffle("loss").start("1 0")
    assert p.is_over
    assert p.returns == (1.0, -1.0)  # the second player brought the position about again


def test_a_forbidden_repetition_is_not_legal():
    p = toys.Shuffle("illegal").start("1")
    assert p.legal() == ["1"]
    with pytest.raises(CounterplayError, match="not legal"):
        p.play("0")


@pytest.mark.slow
@given(st.sampled_from(["draw", "loss", "illegal"]), st.integers(2, 3), st.sampled_from([2, 5]))
def test_perft_follows_the_repetition_rule_of_playthroughs(rule, occurrences, length):
    game = toys.Shuffle(rule, occurrences, length)

    def leaves(p, depth):
        if depth == 0:
            return 1
        total = 0
        assert is_over(game, p.state, p.before) == (not p.options())
        for action in p.options():
            total += leaves(p.play(action), depth - 1)
            p.undo()
        return total

    for depth in range(6):
        assert perft(game, game.initial(), depth) == leaves(game.start(), depth)
