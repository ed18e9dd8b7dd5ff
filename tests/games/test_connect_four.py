"""Connect Four: the rules against OpenSpiel, the notation against itself."""

import pytest
from games.openspiel import lockstep
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.language.bits import bit, ones


def test_rules_agree_with_openspiel():
    lockstep(load("connect-four"), "connect_four", lambda s, column: column, playthroughs=200)


@given(st.integers(2, 7), st.integers(2, 6), st.randoms())
def test_position_text_round_trips(width, height, random):
    p = load(f"connect-four:{width},{height}").start()
    while not p.is_over:
        assert p.game.parse_position(p.position) == p.state
        p.play(random.choice(p.options()))
    assert p.game.parse_position(p.position) == p.state


@given(st.randoms())
def test_mirrored_play_mirrors(random):
    game = load("connect-four")
    p = game.start()
    while not p.is_over:
        action = random.choice(p.options())
        after = game.result(p.state, action)
        mirrored = game.result(game.symmetric(p.state, 1), game.symmetric_action(action, 1))
        assert game.symmetric(after, 1) == mirrored
        p.play(action)


@pytest.mark.parametrize(
    "text, why",
    [
        ("......./.......", "6 rows"),
        ("......./......./......./......./......./..x", "3 cells instead of 7"),
        ("......./......./......./......./......./..z....", "'z'"),
        ("......./......./......./......./..x..../.......", "is floating"),
        ("......./......./......./......./......./..xx...", "as many x as o"),
        ("......./......./......./......./oooo.../xxxx...", "x has four in a row, but"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("connect-four").parse_position(text)


@given(st.randoms())
def test_threats_are_the_cells_that_make_four(random):
    game = load("connect-four")
    p = game.start()
    while not p.is_over:
        for stones in (p.state.mine, p.state.mine ^ p.state.filled):
            if not game.has_four(stones):
                free = game.all & ~p.state.filled
                expected = {i for i in ones(free) if game.has_four(stones | bit(i))}
                assert set(ones(game.threats(stones, p.state.filled))) == expected
        p.play(random.choice(p.options()))


def test_estimates_are_opposite_and_a_threat_counts():
    game = load("connect-four")
    s = game.start("3 1 4 1 5").state  # x threatens on both sides
    assert game.evaluate(s, 0) == -game.evaluate(s, 1) > 0.1
