"""Kayles: the rules against a game on plain strings, the Grundy values against the literature and against minimax."""

import functools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.language.kernel import kernel
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games.kayles import Kayles, grundy_values

# OEIS A002186 (Guy and Smith 1956): rows of 0 to 83 pins.
PUBLISHED = [
    *(0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6),
    *(4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7),
    *(4, 1, 2, 8, 5, 4, 7, 2, 1, 8, 6, 7),
    *(4, 1, 2, 3, 1, 4, 7, 2, 1, 8, 2, 7),
    *(4, 1, 2, 8, 1, 4, 7, 2, 1, 4, 2, 7),
    *(4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 6, 7),
    *(4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7),
]

layouts = st.lists(st.integers(1, 7), min_size=1, max_size=3).map(lambda lengths: "-".join(map(str, lengths)))


@st.composite
def playthroughs(draw):
    """A game after some random moves, perhaps at its end."""
    p, random = Kayles(draw(layouts)).start(), draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, 12))):
        if not p.is_over:
            p.play(random.choice(p.options()))
    return p


def moves(rows):
    """The result of every action, by its text: an independent version of the rules, on strings such as "ii.i/ii"."""
    left, number = {}, 0
    for at, pin in enumerate(rows):
        number += pin != "/"
        if pin == "i":
            left[str(number)] = f"{rows[:at]}.{rows[at + 1 :]}"
            if rows[at : at + 2] == "ii":
                left[f"{number}-{number + 1}"] = f"{rows[:at]}..{rows[at + 2 :]}"
    return left


@functools.cache
def wins(rows):
    """Whether the side to move wins, by plain minimax over strings."""
    return not all(wins(after) for after in moves(rows).values())


# The rules.


@given(playthroughs())
def test_actions_are_those_of_the_strings(p):
    rows, turn = p.position.split()
    expected = moves(rows)
    assert sorted(p.legal()) == sorted(expected)
    assert p.is_over == (not expected)
    assert int(turn) - 1 == p.to_move == len(p) % 2
    for text in p.legal():
        assert p.play(text).position == f"{expected[text]} {3 - int(turn)}"
        p.undo()


def test_the_last_pin_wins():
    assert load("kayles:pins=3").start("2 1 3").returns == (1.0, -1.0)
    assert load("kayles:pins=3").start("1-2 3").returns == (-1.0, 1.0)
    assert load("kayles:pins=2").start("1-2").returns == (1.0, -1.0)


def test_neighbours_stand_in_one_row():
    p = load("kayles:pins=2-2").start()
    assert p.legal() == ["1", "2", "3", "4", "1-2", "3-4"]
    assert load("kayles:pins=3").start("2").legal() == ["1", "3"]


def test_all_places_can_be_used():
    p = load("kayles:pins=60").start("60 1")
    assert p.position == f".{'i' * 58}. 1"
    assert p.play("58-59").position == f".{'i' * 56}... 2"
    assert len(p.legal()) == 56 + 55
    assert p.game.parse_position(p.position) == p.state
    assert len(load(f"kayles:pins={'-'.join('1' * 30)}").start().legal()) == 30


def test_traits():
    game = load("kayles")
    assert game.traits == (2, False, False, True, (-1.0, 1.0))
    assert game.impartial


# Grundy values.


def test_grundy_values_are_the_published_ones():
    assert grundy_values(83) == PUBLISHED


def test_grundy_values_have_period_12_from_71_on():
    values = grundy_values(300)
    assert all(values[n] == values[n - 12] for n in range(83, 301))
    assert values[70] != values[82]


@pytest.mark.parametrize("pins", ["1", "2", "7", "11", "3-4", "4-4", "5-4", "2-3-1", "6-1-3"])
def test_the_side_to_move_wins_exactly_where_the_grundy_value_is_not_0(pins):
    game = Kayles(pins)
    pending, seen = [game.initial()], set()
    while pending:
        s = pending.pop()
        if s not in seen:
            seen.add(s)
            truth = wins(game.position_text(s).split()[0])
            assert (game.grundy_value(s) != 0) == truth
            assert game.evaluate(s, s.turn) == (1.0 if truth else -1.0) == -game.evaluate(s, 1 - s.turn)
            if game.is_terminal(s):
                assert game.utility(s, 0) == game.evaluate(s, 0)
            pending += [game.result(s, action) for action in legal(game, s)]


def test_dudeneys_puzzle():
    """Of 13 pins the second is down: fell the 6th or the 10th, which leaves groups of 1, 3 and 7."""
    game = load("kayles")
    s = game.parse_position("i.iiiiiiiiiii 1")
    after = {game.action_text(s, action): game.result(s, action) for action in legal(game, s)}
    assert [text for text, t in after.items() if game.grundy_value(t) == 0] == ["6", "10"]
    assert [text for text, t in after.items() if not wins(game.position_text(t).split()[0])] == ["6", "10"]


# Compiled, sampled, mirrored, seen by a network.


@kernel
def seen(game, s, action):
    """What compiled code computes for a state."""
    return game.grundy_value(s), game.evaluate(s, 0), game.symmetric(s, 1), game.symmetric_action(action, 1)


def test_compiled_and_plain_agree():
    game, random = load("kayles:pins=40-3-9"), Random(1)
    for _ in range(10):
        p = game.start()
        while not p.is_over:
            action = random.choice(p.options())
            assert seen(game, p.state, action) == seen.py_func(game, p.state, action)
            p.play(action)


@pytest.mark.parametrize("pins", ["5", "3-2", "1-1-1-1"])
def test_compiled_counts_are_those_of_the_strings(pins):
    def leaves(rows, depth):
        return 1 if depth == 0 else sum(leaves(after, depth - 1) for after in moves(rows).values())

    game = Kayles(pins)
    for depth in range(7):
        assert perft(game, game.initial(), depth) == leaves(game.position_text(game.initial()).split()[0], depth)


@given(playthroughs(), st.integers(0, 2**32))
def test_a_sample_is_legal(p, seed):
    if not p.is_over:
        assert p.game.sample(p.state, Rng(seed)) in p.options()


def test_samples_are_even():
    p, rng = load("kayles:pins=5-1").start("3"), Rng(5)
    drawn = [p.game.sample(p.state, rng) for _ in range(3500)]
    assert set(drawn) == set(p.options())
    assert all(400 < drawn.count(action) < 600 for action in p.options())


@given(playthroughs())
def test_mirrored_play_mirrors(p):
    game = p.game
    s = game.initial()
    for before, action in zip(p.states, p.actions, strict=False):
        assert game.symmetric(before, 1) == s
        assert game.symmetric(before, 0) == before
        assert game.symmetric_action(action, 0) == action
        s = game.result(s, game.symmetric_action(action, 1))
    assert game.symmetric(p.state, 1) == s
    rows = p.position.split()[0].split("/")
    assert game.position_text(s).split()[0] == "/".join(row[::-1] for row in rows)


def test_planes_show_the_pins():
    p = load("kayles:pins=4-2").start("2")
    out = np.zeros(p.game.plane_shape)
    p.game.planes(p.state, out)
    assert out.tolist() == [[[1, 0, 1, 1, 0, 1, 1]]]


# Notation.


@given(playthroughs())
def test_position_text_round_trips(p):
    assert p.game.parse_position(p.position) == p.state


def test_notation():
    p = load("kayles:pins=4-2").start("2 5-6")
    assert p.moves == ["2", "5-6"]
    assert p.position == "i.ii/.. 1"
    assert p.legal() == ["1", "3", "4", "3-4"]
    assert str(p) == "i . i i\n1 2 3 4\n. .\n5 6"
    assert p._repr_svg_().count("<polygon") == 3
    assert str(load("kayles:pins=10").start("2")).splitlines()[0] == " i  .  i  i  i  i  i  i  i  i"


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write i for each standing pin"),
        ("iiii/ii", "the player to move, such as 'iiii/ii 1'"),
        ("iiii/ii 3", "not a position"),
        ("iixi/ii 1", "not a position"),
        ("iiii/ii 1 1", "not a position"),
        ("iiiiii 1", "rows of 4/2 pins .* not 6"),
        ("iiii/iii 1", "rows of 4/2 pins .* not 4/3"),
        ("iiii/ii/ 1", "not 4/2/0"),
        ("i" * 9999 + " 1", "not a position"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why) as refused:
        load("kayles:pins=4-2").parse_position(text)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("pins", ["", "0", "61", "30-30", "3-0", "five", "5-", "3 4", "-1", 7])
def test_impossible_pins_are_refused(pins):
    with pytest.raises(CounterplayError, match="must be the length of a row, such as '13'"):
        Kayles(pins)


@pytest.mark.parametrize("action", ["0", "7", "4-5", "2-1", "1-3", "", "a", "1 2"])
def test_bad_actions_are_refused(action):
    with pytest.raises(CounterplayError, match="legal: 1 2"):
        load("kayles:pins=4-2").start().play(action)
