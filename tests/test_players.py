"""Players: what their specs mean, what they choose, what they refuse."""

import pytest

from counterplay import CounterplayError, load
from counterplay.core.errors import Unsuitable
from counterplay.players.specs import PLAYERS, best, player


@pytest.mark.parametrize(
    "spec, whole",
    [
        ("random", "random"),
        ("random:seed=3", "random:seed=3"),
        ("random:3", "random:seed=3"),
        (" alphabeta ", "alphabeta:time=1"),
        ("alphabeta:depth=6", "alphabeta:depth=6"),
        ("alphabeta: depth = 6 ", "alphabeta:depth=6"),
        ("alphabeta:time=0.25", "alphabeta:time=0.25"),
        ("human", "human"),
    ],
)
def test_a_spec_makes_a_player_whose_repr_makes_it_again(spec, whole):
    made = player(spec)
    assert made.spec == whole
    assert repr(eval(repr(made))) == repr(made)


@pytest.mark.parametrize(
    "spec, why",
    [
        ("alphbeta", "did you mean alphabeta"),
        ("stockfish", "there are alphabeta, human, random"),
        ("", "there are"),
        ("random:sed=3", "did you mean seed"),
        ("random:depth=3", "random has no option 'depth'; it takes seed"),
        ("random:1,2", "no option for '2'"),
        ("random:seed=1,seed=2", "given twice"),
        ("human:5", "it takes no options"),
        ("alphabeta:depth=x", "depth='x' must be a whole number"),
        ("alphabeta:depth=2.5", "must be a whole number"),
        ("alphabeta:time=soon", "time='soon' must be a number"),
        ("alphabeta:depth=0", "1 to 512 plies"),
        ("alphabeta:depth=1000000", "1 to 512 plies"),
        ("alphabeta:time=0", "more than 0"),
        ("alphabeta:time=nan", "more than 0"),
        ("alphabeta:time=inf", "more than 0"),
        ("alphabeta:nodes=0", "at least 1 node"),
        ("alphabeta:null_move=perhaps", "must be on or off"),
    ],
)
def test_a_wrong_spec_is_one_sentence_that_names_what_there_is(spec, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        player(spec)
    assert "\n" not in str(raised.value)


def test_a_budget_replaces_the_one_in_the_spec():
    assert player("alphabeta:time=5", budget={"depth": 2}).spec == "alphabeta:depth=2"
    assert player("alphabeta:depth=9", budget={"time": 0.5}).spec == "alphabeta:time=0.5"
    with pytest.raises(CounterplayError, match="random has no option 'depth'"):
        player("random", budget={"depth": 2})


def test_a_seed_is_for_players_whose_spec_names_none():
    assert player("random", seed=7).spec == "random:seed=7"
    assert player("random:seed=2", seed=7).spec == "random:seed=2"
    assert player("alphabeta:depth=2", seed=7).spec == "alphabeta:depth=2"


def choices(spec, count=40):
    p, chooser = load("othello").start(), player(spec)
    for _ in range(count):
        p.play(chooser.choose(p).action)
    return p.moves


def test_the_random_player_plays_legally_by_its_seed():
    assert choices("random:seed=1") == choices("random:seed=1")
    assert choices("random:seed=1") != choices("random:seed=2")
    p, chooser = load("tic-tac-toe").start(), player("random")
    assert {chooser.choose(p).action for _ in range(200)} == set(range(9))


@pytest.mark.parametrize("moves, win", [("1 1 2 2 3 3", "4"), ("1 7 2 7 1 7 2", "7")])
def test_alpha_beta_takes_a_win(moves, win):
    p = load("connect-four").start(moves)
    thought = player("alphabeta:depth=1").choose(p)
    assert thought.value == 1
    assert thought.depth == 1
    assert p.game.action_text(p.state, thought.action) == win


def test_choosing_leaves_the_playthrough_as_it_was():
    p = load("connect-four").start("4 4")
    player("alphabeta:depth=4").choose(p)
    player("random").choose(p)
    assert p.moves == ["4", "4"]


@pytest.mark.parametrize(
    "spec, suits",
    [
        ("pig", "expectiminimax"),
        ("kuhn-poker", "random"),
        ("rock-paper-scissors", "random"),
        ("prisoners-dilemma", "random"),
        ("mnk:3,3,3,players=3", "maxn"),
    ],
)
def test_alpha_beta_refuses_games_that_it_does_not_suit(spec, suits):
    with pytest.raises(Unsuitable, match=suits):
        player("alphabeta").require(load(spec))


@pytest.mark.parametrize("spec", ["connect-four", "othello", "hex:5", "nim", "tic-tac-toe"])
def test_the_best_player_of_an_open_game_searches(spec):
    assert best(load(spec)) == "alphabeta"


def test_there_is_nothing_to_choose_where_the_game_is_over_or_chance_moves():
    for name in set(PLAYERS) - {"alphabeta"}:
        with pytest.raises(CounterplayError, match="the game is over"):
            player(name).choose(load("connect-four").start("1 2 1 2 1 2 1"))
        with pytest.raises(CounterplayError, match="chance moves, and its events are 1 2 3 4 5 6"):
            player(name).choose(load("pig").start("roll"))


def test_a_person_does_not_choose_without_a_board():
    with pytest.raises(CounterplayError, match="counterplay play"):
        player("human").choose(load("nim").start())
