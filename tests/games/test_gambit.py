"""Gambit's files: what is written is read again, the formats' variants are read, and wrong files are refused."""

from __future__ import annotations

import io
from fractions import Fraction

import numpy as np
import pytest
from games.sequence_form import solve

import counterplay as cp
from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.rules import legal
from counterplay.games.gambit import efg_text, exact, nfg_text, read_efg, read_nfg
from counterplay.games.matrix import Matrix
from counterplay.games.tree import Tree

PAYOFF_FORM = """NFG 1 R "Selten (IJGT, 75), Figure 2, normal form" { "Player 1" "Player 2" }
{ { "a b" "c" } { "" "right" } }
"with a comment"
1 1 0 2 1/2 2 1.5 -3"""

OUTCOME_FORM = """NFG 1 R "by outcomes" { "one" "two" } { 2 2 }
{ { "x" 1, 1 } { "" 0.5 2 } } 1 2 0 1"""

EXTENSIVE = """EFG 2 R "payoffs on the way" { "one" "two" }
"a comment"
c "deal" 1 "" { "x" 1/4 "y" 3/4 } 0
p "" 1 1 "told nothing" { "l" "r" } 1 "toll" { -1, 1 }
t "" 2 "" { 5, -5 }
p "" 2 7 "" { "in" "out" } 0
t "" 0
t "" 3 "" { 1 -1 }
p "" 1 1 1
t "" 2
t "" 3
"""


def test_payoffs_with_the_first_player_changing_fastest():
    game = Matrix(read_nfg(PAYOFF_FORM, "file"))
    assert game.position_text(game.parse_position("c right")) == "c right"
    assert game.action_text(game.initial(), 0) == "a-b"
    table = game.payoffs.reshape(2, 2, 2)
    assert table.tolist() == [[[1, 1], [0.5, 2]], [[0, 2], [1.5, -3]]]
    assert game.player_name(1) == "Player 2"


def test_payoffs_by_outcomes():
    game = Matrix(read_nfg(OUTCOME_FORM, "file"))
    assert game.payoffs.reshape(2, 2, 2).tolist() == [[[1, 1], [0, 0]], [[0.5, 2], [1, 1]]]


def test_a_tree_pays_on_the_way_and_shares_information():
    game = Tree(read_efg(EXTENSIVE, "file"))
    start = game.parse_position("/x")
    assert game.information(start, 0) == game.information(game.parse_position("/y"), 0)
    assert game.probability(game.initial(), 1) == 0.75
    paid = {path: game.utility(game.parse_position(path), 0) for path in ("/x/l", "/x/r/in", "/x/r/out", "/y/r")}
    assert paid == {"/x/l": 4, "/x/r/in": -1, "/x/r/out": 0, "/y/r": 0}


@pytest.mark.parametrize("name", ["rock-paper-scissors", "battle-of-the-sexes"])
def test_matrix_games_survive(name, tmp_path):
    game = load(name)
    (tmp_path / "game.nfg").write_text(nfg_text(game))
    again = load(f"matrix:{tmp_path}/game.nfg")
    assert np.array_equal(again.payoffs, game.payoffs)
    assert nfg_text(again) == nfg_text(game)


def test_three_players_survive():
    payoffs = np.random.default_rng(1).integers(-9, 9, (2, 3, 2, 3)).tolist()
    game = Matrix({"payoffs": payoffs})
    assert np.array_equal(Matrix(read_nfg(nfg_text(game), "file")).payoffs, game.payoffs)


def test_a_game_of_cards_survives(tmp_path):
    (tmp_path / "kuhn.efg").write_text(efg_text(load("kuhn-poker")))
    again = load(f"tree:{tmp_path}/kuhn.efg")
    assert again.traits[:4] == (2, True, True, True)
    assert solve(again).value == pytest.approx(-1 / 18)
    assert solve(again).sets == (6, 6)
    assert efg_text(Tree(read_efg(efg_text(again), "again"))) == efg_text(again)


def plain(spec):
    """A game whose kernels run uncompiled."""
    game = load(spec)
    game.compiled = False
    return game


def minimax(game, s):
    """The value of an open game to its first player, from the rules alone."""
    options = legal(game, s)
    if not options:
        return game.utility(s, 0)
    values = [minimax(game, game.result(s, action)) for action in options]
    return max(values) if game.to_move(s) == 0 else min(values)


SMALL = ["kuhn-poker", "goofspiel:cards=3", "dark-hex:size=2", "tree", "hex:size=2", "mnk:2,2,2", "rock-paper-scissors"]
LARGER = ["leduc-poker", "goofspiel:cards=4", "kayles:5", "mnk:3,2,2"]


@pytest.mark.parametrize("spec", [*SMALL, *(pytest.param(spec, marks=pytest.mark.slow) for spec in LARGER)])
def test_gambit_finds_the_same_value_in_what_is_written(spec, tmp_path):
    pygambit = pytest.importorskip("pygambit")
    game = plain(spec)
    cp.export(game, tmp_path / "game.efg")
    text = (tmp_path / "game.efg").read_text()
    again = plain(f"tree:{tmp_path}/game.efg")
    value = solve(game).value if game.has_secrets else minimax(game, game.initial())
    assert solve(again).value == pytest.approx(value)
    theirs = pygambit.read_efg(io.StringIO(text))
    assert list(theirs.players) == [game.player_name(0), game.player_name(1)]
    found = pygambit.nash.lp_solve(theirs, rational=False).equilibrium
    assert float(found.payoffs[game.player_name(0)]) == pytest.approx(value)


def information_sets(game):
    """For each player, a state in each information set, in the order of writing."""
    found, waiting = [{} for _ in range(game.players)], [game.initial()]
    while waiting:
        s = waiting.pop()
        options, mover = legal(game, s), game.to_move(s)
        if options and mover != CHANCE:
            found[mover].setdefault(game.information(s, mover), s)
        waiting.extend(game.result(s, action) for action in reversed(options))
    return [list(each.values()) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["kuhn-poker", pytest.param("leduc-poker", marks=pytest.mark.slow)])
def test_our_equilibrium_is_one_to_gambit(spec):
    pygambit = pytest.importorskip("pygambit")
    game = load(spec)
    policy = cp.equilibrium(game, iterations=2000).policy
    theirs = pygambit.read_efg(io.StringIO(efg_text(game)))
    uniform = theirs.mixed_behavior_profile()
    chances = []
    for player, states in zip(theirs.players, information_sets(game), strict=True):
        for known, s in zip(theirs.get_infosets(player), states, strict=True):
            assert list(theirs.get_actions(known)) == [game.action_text(s, option) for option in legal(game, s)]
        chances.append([[policy.at(s)[option] for option in legal(game, s)] for s in states])
    assert theirs.mixed_behavior_profile(chances).max_regret() < 0.01 < uniform.max_regret()


@pytest.mark.parametrize("name", ["battle-of-the-sexes", "chicken", "prisoners-dilemma", "stag-hunt"])
def test_gambit_finds_the_same_equilibria_of_a_matrix_game(name):
    pygambit = pytest.importorskip("pygambit")
    theirs = pygambit.read_nfg(io.StringIO(nfg_text(load(name))))
    found = pygambit.nash.enummixed_solve(theirs, rational=True).equilibria

    def sorted_strategies(profiles):
        return sorted([[round(float(p), 9) for p in side] for side in profile] for profile in profiles)

    ours = [each.strategies for each in cp.equilibrium(name).equilibria]
    each_side = [
        [[profile[side][choice] for choice in theirs.get_strategies(side)] for side in theirs.players]
        for profile in found
    ]
    assert sorted_strategies(ours) == sorted_strategies(each_side)


def test_probabilities_add_up_as_fractions():
    assert exact([1 / 3, 1 / 3, 1 / 3]) == [Fraction(1, 3)] * 3
    assert sum(exact([0.1234567891, 0.2, 0.6765432109])) == 1


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "must begin with NFG 1 R"),
        ("EFG 2 R", "must begin with NFG 1 R"),
        ('NFG 1 R "t" { "a" "b" } { 2 }', "2 players, but strategies of 1"),
        ('NFG 1 R "t" { "a" "b" } { 2 2 } 1 2 3', "'the end of the file'"),
        ('NFG 1 R "t" { "a" "b" } { 1 1 } 1 2 3', "something follows"),
        ('NFG 1 R "t" { "a" "b" } { 1 1 } 1 x', "'x' is not a number"),
        ('NFG 1 R "t" { "a" "b" } { 1 1 } 1 1/0', "'1/0' is not a number"),
        ('NFG 1 R "t { "a" "b" } { 1 1 }', "quotation mark"),
        ('NFG 1 R "t" { "a" "b" } { 1 1 } { { "" 1 2 } } 2', "no outcome 2"),
    ],
)
def test_wrong_normal_forms(text, why):
    with pytest.raises(CounterplayError, match="not a readable Gambit file") as wrong:
        read_nfg(text, "file")
    assert why in str(wrong.value)


@pytest.mark.parametrize(
    "text, why",
    [
        ('t "" 0 x', "something follows"),
        ('p "" 3 1 "" { "a" } 0 t "" 0', "no player 3"),
        ('p "" 1 1 0 t "" 0', "without its actions"),
        ('p "" 1 1 "" { } 0', "without actions"),
        ('p "" 1 1 "" { "a" } 0', "'the end of the file'"),
        ('t "" 4', "without its payoffs"),
        ('t "" 4 "" { 1 }', "pays 1 players instead of 2"),
        ('x "" 4', "'x' does not begin a node"),
    ],
)
def test_wrong_trees(text, why):
    with pytest.raises(CounterplayError) as wrong:
        read_efg(f'EFG 2 R "t" {{ "a" "b" }} {text}', "file")
    assert why in str(wrong.value)


def test_each_game_says_who_reads_the_other_file(tmp_path):
    file = tmp_path / "a.efg"
    file.write_text(EXTENSIVE)
    with pytest.raises(CounterplayError, match="is read by tree:"):
        load(f"matrix:{file}")
