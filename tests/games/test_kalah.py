"""Kalah: the rules against OpenSpiel, small boards against the published values, the notation against itself."""

import functools

import pytest
from games.openspiel import lockstep
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.rules import legal
from counterplay.games.kalah import Kalah

PUBLISHED = {1: "DLWLWD", 2: "WLLLWW", 3: "DWW", 4: "WW"}
"""By houses, for 1, 2, ... seeds: whether the first player wins, draws or loses (Irving, Donkers and Uiterwijk 2000)."""


@pytest.mark.peer
def test_rules_agree_with_openspiel():
    lockstep(Kalah(), "mancala", lambda s, action: action + 1 + 7 * s.turn, playthroughs=60)


@pytest.mark.parametrize("most", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_small_boards_are_worth_what_is_published(most):
    for houses, row in PUBLISHED.items():
        for seeds, letter in enumerate(row, 1):
            if houses * seeds <= most:
                for empty_capture in (False, True):
                    assert value(Kalah(houses, seeds, empty_capture)) == "LDW".index(letter) - 1


def value(game):
    """Plain minimax with a memory."""

    @functools.cache
    def minimax(s):
        if game.is_terminal(s):
            return game.utility(s, 0)
        after = [minimax(game.result(s, action)) for action in legal(game, s)]
        return max(after) if game.to_move(s) == 0 else min(after)

    return minimax(game.initial())


def test_a_last_seed_in_the_store_moves_again():
    p = load("kalah").start("c")
    assert p.to_move == 0
    assert p.play("f").to_move == 1


def test_captures():
    kalah = "kalah:houses=2,seeds=1"
    with pytest.raises(CounterplayError, match="has 4 seeds, not 2"):
        load(kalah).start(position="1-0-0 0-1-0 1")
    assert load(kalah).start("a", position="1-0-0 3-0-0 1").position == "0-0-4 0-0-0 2"
    assert load(kalah).start("a", position="1-0-0 0-3-0 1").position == "0-1-0 0-3-0 2"
    assert load(f"{kalah},empty_capture=on").start("a", position="1-0-0 0-3-0 1").position == "0-0-1 0-3-0 2"


def test_what_is_left_counts():
    p = load("kalah:houses=2,seeds=1").start(position="0-1-0 1-2-0 1").play("b")
    assert p.is_over
    assert p.returns == (-1.0, 1.0)


@settings(max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(0, 40))
def test_positions_are_read_back(rng, plies):
    p = load("kalah").start()
    for _ in range(plies):
        if not p.is_over:
            p.play(rng.choice(p.options()))
    assert p.game.parse_position(p.position) == p.state
    assert sum(sum(side) for side in p.game.sides(p.state)) == 48


@pytest.mark.parametrize(
    "position, sentence",
    [
        ("4-4-4", "is not a position: write each side's houses"),
        ("4-4-4-4-4-4-0 4-4-4-4-4-4-0 3", "is not a position"),
        ("4-4-4-4-4-x-0 4-4-4-4-4-4-0 1", "is not a position"),
        ("4-4-4-4-4-5-0 4-4-4-4-4-4-0 1", "has 48 seeds, not 49"),
    ],
)
def test_wrong_positions(position, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        load("kalah").start(position=position)


@pytest.mark.parametrize(
    "spec, sentence", [("kalah:8", "1 to 7 houses, not 8"), ("kalah:6,11", "1 to 10 seeds, not 11")]
)
def test_wrong_parameters(spec, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        load(spec)
