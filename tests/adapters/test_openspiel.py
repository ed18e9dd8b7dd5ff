"""OpenSpiel both ways: its games through our kernels, our games under its tests and algorithms, the same numbers."""

from __future__ import annotations

import pytest

import counterplay as cp
from counterplay.core.errors import CounterplayError
from counterplay.core.registry import load
from counterplay.games import GAMES

pyspiel = pytest.importorskip("pyspiel")
LONG = (
    "backgammon",
    "chess",
    "go",
    "hex",
    "othello",
    "checkers",
    "pig",
    "kalah",
    "nine-mens-morris",
    "three-mens-morris",
    "pocket-cube",
    "shogi",
    "minishogi",
)
"""Random games that take long uncompiled."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in GAMES]
)
def test_every_game_passes_the_random_simulations_of_openspiel(name, capfd):
    game = load(name)
    game.compiled = False
    pyspiel.random_sim_test(cp.to_openspiel(game), 1, False, False)


def nash_conv(game, iterations):
    """The exploitability that OpenSpiel's own CFR+ reaches."""
    from open_spiel.python.algorithms import cfr, exploitability

    solver = cfr.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return exploitability.nash_conv(game, solver.average_policy())


def test_their_cfr_gives_the_same_on_our_kuhn_poker_as_on_theirs():
    assert nash_conv(cp.to_openspiel("kuhn-poker"), 8) == pytest.approx(
        nash_conv(pyspiel.load_game("kuhn_poker"), 8), abs=1e-12
    )


@pytest.mark.slow
def test_their_cfr_gives_the_same_on_our_leduc_poker_as_on_theirs():
    assert nash_conv(cp.to_openspiel("leduc-poker"), 3) == pytest.approx(
        nash_conv(pyspiel.load_game("leduc_poker"), 3), abs=1e-9
    )


def test_our_cfr_gives_the_same_on_their_leduc_poker_as_on_ours():
    theirs = cp.equilibrium("openspiel:leduc_poker", iterations=50)
    assert theirs.exploitability == pytest.approx(0.0341214564945, abs=1e-10)  # OpenSpiel's own after 50 iterations


def test_their_games_are_searched_and_solved():
    assert cp.search("openspiel:tic_tac_toe", moves="x(0,0) o(0,1)", depth=9).value == 1.0
    assert cp.search("openspiel:tic_tac_toe", moves="x(0,0)", depth=9).action == "o(1,1)"
    assert load("openspiel:tic_tac_toe").player_name(1) == "player 2"  # `--as 2`, as in our own games
    p = load("openspiel:tic_tac_toe").start("x(0,0) o(0,1) x(1,0) o(1,1)")
    assert cp.solve(p).value == 1.0
    assert cp.perft("openspiel:connect_four", 4).leaves == 2401
    assert cp.search("openspiel:pig(horizon=20)", depth=2).action == "roll"


def test_players_who_act_at_the_same_time_do_not_see_it():
    found = cp.equilibrium("openspiel:goofspiel(num_cards=3,imp_info=True)", iterations=200)
    assert found.values[0] == pytest.approx(0, abs=1e-3)
    game = load("openspiel:matching_pennies_3p")
    assert (game.players, game.has_secrets) == (3, True)
    s = game.initial()
    assert game.information(game.result(s, 0), 1) == game.information(game.result(s, 1), 1)


def test_positions_and_moves_are_read_back():
    game = load("openspiel:kuhn_poker")
    p = game.start("Deal:0 Deal:2 Pass")
    assert p.position == "0 2 0"
    assert game.parse_position(p.position) == p.state
    assert game.spec == "openspiel:kuhn_poker"
    assert load(game.spec) == game
    assert game.start(position="start").legal() == ["Deal:0", "Deal:1", "Deal:2"]


@pytest.mark.parametrize(
    "spec, said",
    [
        ("openspiel:tictactoe", "OpenSpiel has no game 'tictactoe'; did you mean tic_tac_toe"),
        ("openspiel:go(size=9)", r"cannot load 'go\(size=9\)': Unknown parameter 'size'"),
        ("openspiel:mfg_garnet", "is a mean-field game"),
        ("openspiel", "openspiel needs the parameter 'game'"),
    ],
)
def test_wrong_names_are_one_sentence(spec, said, capfd):
    with pytest.raises(CounterplayError, match=said) as wrong:
        load(spec)
    assert "\n" not in str(wrong.value)
    assert capfd.readouterr().err == ""


def test_a_wrong_position_is_one_sentence():
    with pytest.raises(CounterplayError, match="after '0' there is no '0'"):
        load("openspiel:kuhn_poker").start(position="0 0")


@pytest.mark.parametrize("spec", ["goofspiel(num_cards=3,imp_info=True)", "kuhn_poker", "matrix_rps"])
def test_what_is_drawn_is_possible(spec):
    game, rng = load(f"openspiel:{spec}"), cp.Rng(3)
    p = game.start(seed=2)
    while not p.is_over:
        for player in (0, 1):
            drawn = [game.resample(p.state, player, rng) for _ in range(20)]
            assert {game.information(s, player) for s in drawn} == {game.information(p.state, player)}
        p = p.roll() if p.to_move == cp.CHANCE else p.play(p.options()[-1])
    hidden = game.start(seed=2).roll().play(0)  # the second player has not seen it
    assert len({game.resample(hidden.state, 1, rng).history for _ in range(50)}) > 1


def test_their_games_play_matches():
    """One after the other, with chance, at the same time, with secrets."""
    for spec, strong in {
        "tic_tac_toe": "alphabeta:depth=3",
        "pig(winscore=6)": "expectiminimax:depth=3",
        "goofspiel(num_cards=3,imp_info=True)": "ismcts:simulations=20",
    }.items():
        found = cp.play_match(f"openspiel:{spec}", strong, "random", games=4, workers=0)
        assert found.games == 4
        assert found.to_json()["players"][0]["forfeits"] == 0
