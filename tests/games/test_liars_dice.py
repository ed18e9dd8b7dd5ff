"""Liar's dice: the rules against OpenSpiel, values against the linear program, the notation against itself."""

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve

from counterplay import CounterplayError, load
from counterplay.core.game import CHANCE
from counterplay.core.rules import legal
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.public_tree import public_tree
from counterplay.games.liars_dice import LiarsDice

GAME = load("liars-dice")


@pytest.mark.peer
@pytest.mark.parametrize(
    "ours, theirs",
    [
        ("liars-dice", "liars_dice"),
        ("liars-dice:dice=2", "liars_dice(numdice=2)"),
        ("liars-dice:3,3", "liars_dice(numdice=3,dice_sides=3)"),
        ("liars-dice:2,4,rule=reset-quantity", "liars_dice(numdice=2,dice_sides=4,bidding_rule=reset-quantity)"),
    ],
)
def test_rules_agree_with_openspiel(ours, theirs):
    game = load(ours)
    lockstep(game, theirs, lambda s, a: a - 1 if game.to_move(s) == CHANCE else a, playthroughs=300)


@pytest.mark.parametrize("sides, value, sets", [(3, 1 / 9, 192), (4, 1 / 16, 1024)])
def test_values_and_information_sets(sides, value, sets):
    found = solve(load(f"liars-dice:1,{sides}"))
    assert found.value == pytest.approx(value, abs=1e-9)
    assert sum(found.sets) == sets


@pytest.mark.parametrize(
    "wild, sides, value",
    [("none", 3, -1 / 9), ("none", 4, -1 / 8), ("none", 5, -3 / 25), ("lowest", 3, 1 / 3), ("lowest", 4, 0)],
)
def test_published_values_with_another_wild_face(wild, sides, value):
    class Plain(LiarsDice):
        compiled = False

    game = Plain(1, sides, wild=wild)
    learner = PublicLearner(game, public_tree(game, False), "pcfr+")
    learner.run(400)
    assert learner.evaluation().exploitability < 1e-4
    assert learner.evaluation().values[0] == pytest.approx(value, abs=1e-4)


def test_wild_dice_count_for_every_face():
    assert GAME.utility(GAME.parse_position("6 3 2-3 liar"), 0) == 1
    assert GAME.utility(GAME.parse_position("6 3 2-6 liar"), 0) == -1
    assert GAME.utility(GAME.parse_position("6 3 1-6 liar"), 0) == 1
    assert GAME.utility(GAME.parse_position("5 3 1-4 2-4 liar"), 1) == -1  # the second player bid and lied


def test_secrets():
    assert_compiled_secrets_agree(GAME, playthroughs=20)
    here, there = GAME.parse_position("2 5 1-2"), GAME.parse_position("3 5 1-2")
    assert GAME.information(here, 1) == GAME.information(there, 1)
    assert GAME.information(here, 0) != GAME.information(there, 0)
    assert GAME.board(here, viewer=1) == "player 1: ?\nplayer 2: 5\nbids: 1-2"
    assert GAME.board(GAME.parse_position("2 5 1-2 liar"), viewer=1) == "player 1: 2\nplayer 2: 5\nbids: 1-2 liar"


def test_resampling_keeps_what_is_known():
    from counterplay import Rng

    game, rng = load("liars-dice:dice=2"), Rng(3)
    s = game.parse_position("25 13 1-4 2-4")
    seen = set()
    for _ in range(300):
        other = game.resample(s, 1, rng)
        assert game.information(other, 1) == game.information(s, 1)
        assert legal(game, other) == legal(game, s)
        seen.add(game.dice_text(other.dice[0]))
    assert len(seen) == 21  # pairs of dice
    assert game.resample(game.parse_position("2 -"), 1, rng).rolled == 1


@pytest.mark.parametrize("spec", ["liars-dice:dice=2", "liars-dice:1,9"])
def test_positions_round_trip(spec):
    game = load(spec)
    for seed in range(20):
        p = game.start(seed=seed)
        while not p.is_over:
            assert game.parse_position(p.position) == p.state
            options = p.options()
            p.play(options[(seed * 7 + len(p)) % len(options)])
        assert game.parse_position(p.position) == p.state


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position as"),
        ("2", "write a position as"),
        ("7 1", "faces from 1 to 6"),
        ("22 1", "at most 1 dice"),
        ("- 1", "rolls when the first has"),
        ("2 - 1-2", "before all dice are rolled"),
        ("2 5 1-2 liar 2-2", "after the call"),
        ("2 5 2-2 1-2", "no action '1-2' here"),
        ("2 5 liar", "no action 'liar' here"),
    ],
)
def test_wrong_positions(text, why):
    with pytest.raises(CounterplayError, match=why):
        GAME.parse_position(text)


@pytest.mark.parametrize("spec", ["liars-dice:0", "liars-dice:1,1", "liars-dice:1,10", "liars-dice:6,6"])
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match="liars-dice"):
        load(spec)


def test_dice_are_drawn():
    picture = load("liars-dice:1,9").svg(load("liars-dice:1,9").parse_position("8 9"))
    assert picture.count("<circle") == 0  # too many pips: a digit
    assert GAME.svg(GAME.parse_position("3 5 1-2")).count("<circle") == 8
    assert GAME.svg(GAME.parse_position("3 5 1-2"), viewer=0).count("<circle") == 3
