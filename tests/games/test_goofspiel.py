"""Goofspiel: the rules against OpenSpiel, values against the linear program, the notation against itself."""

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve

from counterplay import CounterplayError, Rng, load
from counterplay.core.rules import legal

GAME, HIDDEN = load("goofspiel"), load("goofspiel:5,hidden=on")


@pytest.mark.peer
@pytest.mark.parametrize(
    "ours, theirs",
    [
        ("goofspiel", "num_cards=4"),
        ("goofspiel:13", "num_cards=13"),
        ("goofspiel:5,descending", "num_cards=5,points_order=descending"),
        ("goofspiel:5,ascending,hidden=on", "num_cards=5,points_order=ascending,imp_info=True"),
        ("goofspiel:4,score=difference", "num_cards=4,returns_type=point_difference"),
    ],
)
def test_rules_agree_with_openspiel(ours, theirs):
    game = load(ours)
    turns = f"turn_based_simultaneous_game(game=goofspiel({theirs}))"
    lockstep(game, turns, lambda s, a: a - 1, playthroughs=200)


@pytest.mark.peer
@pytest.mark.parametrize("cards, order", [(4, "descending"), (3, "random")])
def test_information_is_openspiels(cards, order):
    """The same states look the same to the player to move, in all histories with hidden bids. (With open bids,
    OpenSpiel's players forget the order in which cards were played; ours do not.)"""
    pyspiel = pytest.importorskip("pyspiel")
    game = load(f"goofspiel:{cards},{order},hidden=on")
    theirs = f"turn_based_simultaneous_game(game=goofspiel(num_cards={cards},points_order={order},imp_info=True))"
    names: dict = {}
    waiting = [(game.initial(), pyspiel.load_game(theirs).new_initial_state())]
    while waiting:
        s, t = waiting.pop()
        if game.is_terminal(s):
            continue
        mover = game.to_move(s)
        if mover >= 0:
            name = t.information_state_string(mover)
            assert names.setdefault((mover, game.information(s, mover)), name) == name
        waiting += [(game.result(s, a), t.child(a - 1)) for a in legal(game, s)]
    assert len(set(names.values())) == len(names)


def test_a_symmetric_game_is_worth_nothing():
    assert solve(load("goofspiel:3")).value == pytest.approx(0, abs=1e-12)
    assert solve(load("goofspiel:4,descending,score=difference")).value == pytest.approx(0, abs=1e-12)


def test_traits():
    assert GAME.traits.chance
    assert not load("goofspiel:4,descending").traits.chance
    assert load("goofspiel:4,score=difference").utility_bounds == (-5.0, 5.0)


def test_the_last_cards_are_bid_by_themselves():
    end = GAME.parse_position("1,2,3 2,3,1 1,2,3")  # 4 is left to both, and for the prize 4
    assert GAME.is_terminal(end)
    assert GAME.points(end) == [3, 3]
    assert GAME.utility(end, 0) == 0
    end = GAME.parse_position("1,2,3 1,2,3 2,3,4")  # 4 against 1 for the prize 4
    assert GAME.points(end) == [4, 6]
    assert GAME.utility(end, 0) == -1


def test_secrets():
    assert_compiled_secrets_agree(GAME, playthroughs=10)
    here, there = GAME.parse_position("3 2 -"), GAME.parse_position("3 4 -")
    assert GAME.information(here, 1) == GAME.information(there, 1)
    assert GAME.information(here, 0) != GAME.information(there, 0)
    here, there = HIDDEN.parse_position("3,1 2 4"), HIDDEN.parse_position("3,1 2 5")
    assert HIDDEN.information(here, 0) == HIDDEN.information(there, 0)
    assert HIDDEN.information(here, 0) != HIDDEN.information(HIDDEN.parse_position("3,1 2 1"), 0)
    assert "player 2: ?" in HIDDEN.board(here, viewer=0)
    assert "player 2: 4" in GAME.board(GAME.parse_position("3,1 2 4"), viewer=0)


@pytest.mark.parametrize("game", [GAME, HIDDEN], ids=lambda game: game.spec)
def test_resampling_keeps_what_is_known(game):
    rng = Rng(5)
    for seed in range(10):
        p = game.start(seed=seed)
        while not p.is_over:
            options = p.options()
            for player in range(2):
                other = game.resample(p.state, player, rng)
                assert game.information(other, player) == game.information(p.state, player)
                assert game.parse_position(game.position_text(other)) == other
            p.play(options[(seed + len(p)) % len(options)])
            assert game.parse_position(p.position) == p.state


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position as"),
        ("3 2", "write a position as"),
        ("5 - -", "different cards from 1 to 4"),
        ("3,3 2 1", "different cards from 1 to 4"),
        ("1,2,3,4 - -", "the last card is played automatically"),
        ("- 2 -", "a bid before its turn"),
        ("3 - 2", "a bid before its turn"),
        ("3,1 2 -", "is impossible"),
    ],
)
def test_wrong_positions(text, why):
    with pytest.raises(CounterplayError, match=why):
        GAME.parse_position(text)


@pytest.mark.parametrize("spec", ["goofspiel:1", "goofspiel:14", "goofspiel:order=up", "goofspiel:score=points"])
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match="goofspiel"):
        load(spec)


def test_cards_are_drawn():
    s = HIDDEN.parse_position("3,1 2 4")
    assert ">?<" in HIDDEN.svg(s, viewer=0)
    assert ">?<" not in HIDDEN.svg(s)
