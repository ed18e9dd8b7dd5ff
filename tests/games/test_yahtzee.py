"""Yahtzee: boxes against hand-made dice, best play against Verhoeff, the table against the rules."""

import random
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.rules import legal
from counterplay.endgame.store import Tables
from counterplay.endgame.turns import TurnByTurn, build_turns, verify_turns
from counterplay.games.yahtzee import ALL, BOXES, ENOUGH, YAHTZEE, Yahtzee
from counterplay.games.yahtzee_turns import SIZE, expected_scores, index_of, solve_turns, turn_dice


def packed(text):
    return sum(1 << 3 * (int(face) - 1) for face in text)


@pytest.mark.parametrize(
    "dice, box, points",
    [
        ("11234", "ones", 2), ("66666", "sixes", 30), ("11234", "sixes", 0), ("33345", "three-of-a-kind", 18),
        ("33445", "three-of-a-kind", 0), ("33334", "four-of-a-kind", 16), ("33344", "full-house", 25),
        ("33333", "full-house", 0), ("33444", "full-house", 25), ("12346", "small-straight", 30),
        ("13456", "small-straight", 30), ("12356", "small-straight", 0), ("12345", "large-straight", 40),
        ("23456", "large-straight", 40), ("12346", "large-straight", 0), ("55555", "yahtzee", 50), ("55551", "yahtzee", 0),
        ("12366", "chance", 18),
    ],
)  # fmt: skip
def test_boxes(dice, box, points):
    assert Yahtzee().points(0, packed(dice), BOXES.index(box)) == points


def test_a_joker_is_a_yahtzee_whose_boxes_are_full():
    game, fives = Yahtzee(), packed("55555")
    for used, straight in ((0, 0), (1 << YAHTZEE, 0), (1 << 4, 0), (1 << YAHTZEE | 1 << 4, 40)):
        assert game.points(used, fives, BOXES.index("large-straight")) == straight


def test_bonuses():
    game = load("yahtzee")
    used = "1" * 5 + "0" + "0" * 5 + "1" + "0"
    p = game.start(position=f"score 100 upper 50 used {used} dice 66666 left 0 fifty")
    assert p.play("sixes").state.score == 100 + 30 + 35 + 100
    p = game.start(position=f"score 100 upper 50 used {used} dice 66611 left 0")
    assert p.play("sixes").state.score == 100 + 18 + 35
    p = game.start(position=f"score 100 upper 50 used {used} dice 66111 left 0")
    assert (p.play("sixes").state.score, p.state.upper) == (112, 62)


def test_rolls_are_as_likely_as_dice_are():
    game = load("yahtzee")
    s = game.initial()
    events = legal(game, s)
    assert len(events) == 252
    assert sum(game.probability(s, event) for event in events) == pytest.approx(1)
    for event in events[::17]:
        counts = [event >> 3 * face & 7 for face in range(6)]
        assert game.probability(s, event) == pytest.approx(factorial(5) / prod(map(factorial, counts)) / 6**5)


@settings(max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(0, 60))
def test_positions_are_read_back(rng, plies):
    p = load("yahtzee").start()
    for _ in range(plies):
        if not p.is_over:
            p.play(rng.choice(p.options()))
    assert p.game.parse_position(p.position) == p.state


@pytest.mark.parametrize(
    "position, sentence",
    [
        ("score 3", "is not a position"),
        ("score 9999 upper 0 used 0000000000000 dice - left 2 rolling", "the score is at most 1575"),
        ("score 0 upper 0 used 0000000000000 dice - left 2 fifty rolling", "an empty box cannot hold fifty"),
        ("score 0 upper 0 used 0000000000000 dice 123 left 1", "five dice lie on the table"),
        ("score 0 upper 0 used 0000000000000 dice 12 left 2 rolling", "first roll of a turn"),
    ],
)
def test_wrong_positions(position, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        load("yahtzee").start(position=position)


# Best play.


def test_the_last_turn_is_what_the_rules_say():
    """Only the ones box is left: best play keeps every one, and each die has three chances to show one."""
    game = load("yahtzee")
    table = TurnByTurn(game, expected_scores(least=ALL - 1))
    used = "0" + "1" * 12
    p = game.start(position=f"score 200 upper 63 used {used} dice - left 2 rolling")
    assert table.probe(p.state).value == pytest.approx(200 + 5 * (1 - (5 / 6) ** 3))
    p = game.start(position=f"score 200 upper 63 used {used} dice 11466 left 1")
    best = max(p.options(), key=lambda action: table.probe(game.result(p.state, action)).value)
    assert game.action_text(p.state, best) == "keep-11"
    assert table.probe(p.state).value == pytest.approx(202 + 3 / 6)


def test_without_bonuses_there_are_229_64_points():
    """A known trap: this is the value if the state omits the points in the upper boxes, and so the bonus, and a
    second Yahtzee counts like any other roll."""
    values, dice = np.zeros(SIZE), turn_dice()
    given = np.zeros((64, 64), np.uint8)
    given[:, ENOUGH] = 1  # all positions as if the bonus had been given already
    room = np.zeros((3, len(dice.points))), np.zeros((3, len(dice.after))), np.zeros(len(dice.after))
    none = np.full_like(dice.yahtzee, -1)
    solve_turns(ALL - 1, 0, values, given, dice.after, dice.without, dice.points, none, *room)
    assert values[index_of(0, ENOUGH, 0)] == pytest.approx(229.6385, abs=5e-5)


@pytest.mark.slow
def test_best_play_has_254_5896_points(tmp_path):
    game = load("yahtzee")
    table = build_turns(game)
    assert table.probe(game.initial()).value == pytest.approx(254.5896, abs=5e-5)
    assert table.summary[0]["positions"] == 536_448 - 128  # except those in which the game is over
    table.save(tmp_path)
    tables = Tables(tmp_path, game)
    assert verify_turns(tables.turns, sampled=2) > 1000
    rng, p = random.Random(1), game.start()
    while not p.is_over:
        here, actions = tables.ranked(p.state)
        if p.to_move >= 0:
            assert actions[0][1].value == pytest.approx(here.value)
            p.play(actions[0][0])
        else:
            p.play(rng.choice(p.options()))
    tables.turns.values[:] += np.linspace(0, 1, len(tables.turns.values))
    with pytest.raises(CounterplayError, match="does not follow from its successors"):
        verify_turns(tables.turns)
