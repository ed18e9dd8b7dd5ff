"""Subgames from given ranges: the value of a linear program, suits folded or not, what every hand does, and wrong input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from equilibrium.two_cards import TwoCards
from typer.testing import CliRunner

import counterplay as cp
from counterplay import load
from counterplay.cli.app import app
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.public_tree import PublicBelief, public_tree
from counterplay.equilibrium.ranges import read_ranges
from counterplay.equilibrium.sequence_form import solve_sequence_form
from counterplay.equilibrium.strategy_grid import grid_cells, strategy_grid
from counterplay.equilibrium.subgame import Subgame
from counterplay.games.holdem import TexasHoldem
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.rhode_island import RhodeIsland


class FromRanges(Game):
    """A game from a public state on, in which chance deals the hands by their ranges: deal by deal, without vectors."""

    compiled = False

    def __init__(self, game, state, ranges):
        self.game, self.state, self.ranges = game, state, ranges
        self.utility_bounds = game.utility_bounds
        hands = range(game.private_hands)
        public = int(game.public_cards(state))
        masks = [int(game.hand_cards(hand)) for hand in hands]
        self.deals = {
            1 + a * game.private_hands + b: ranges[0][a] * ranges[1][b]
            for a in hands
            for b in hands
            if not (masks[a] & masks[b]) and not (masks[a] | masks[b]) & public and ranges[0][a] * ranges[1][b] > 0
        }

    def initial(self):
        return None

    def to_move(self, s):
        return CHANCE if s is None else self.game.to_move(s)

    def chance(self, s, out):
        if s is None:
            for deal in self.deals:
                out.append(deal)
        else:
            self.game.chance(s, out)

    def probability(self, s, event):
        return self.deals[event] / sum(self.deals.values()) if s is None else self.game.probability(s, event)

    def actions(self, s, out):
        self.game.actions(s, out)

    def result(self, s, action):
        if s is None:
            return self.game.with_hands(self.state, *divmod(action - 1, self.game.private_hands))
        return self.game.result(s, action)

    def is_terminal(self, s):
        return s is not None and self.game.is_terminal(s)

    def utility(self, s, player):
        return self.game.utility(s, player)

    def information(self, s, player):
        return 0 if s is None else self.game.information(s, player)


def plain(kind, *arguments, **options):
    """A game in plain Python: its tree needs no compilation."""
    return type(kind.__name__, (kind,), {"compiled": False})(*arguments, **options)


@pytest.mark.parametrize(
    ("game", "position"),
    [
        (plain(LeducPoker), "Js Kh call raise call Qs"),
        (plain(LeducPoker), "Js Kh raise"),
        (plain(LeducPoker, betting="no-limit", raises=4), "Js Kh raise1 call Qs"),
        (plain(RhodeIsland, 3, 2), "Qs Ks call call Js call call"),
    ],
)
def test_the_value_is_that_of_the_linear_program(game, position):
    state = game.parse_position(position)
    ranges = np.random.default_rng(len(position)).random((2, game.private_hands))
    ranges[1, 0] = 0
    tree = information_tree(FromRanges(game, state, ranges))
    wanted = evaluate_policy(tree, solve_sequence_form(tree)).values[0]
    sub = Subgame(game, state, ranges, "pcfr+")
    sub.learner.run(300)
    found = sub.learner.evaluation()
    assert found.exploitability < 0.01
    assert -found.responses[1] - 1e-6 <= wanted <= found.responses[0] + 1e-6
    if game.to_move(state) != CHANCE:  # what hands are worth adds up to what the players get
        strategy = sub.decision()
        paid = game.invested(state, strategy.player)
        weights = (
            np.array([row.weight for row in strategy.rows])
            * ((sub.tree.pairs if strategy.player == 0 else sub.tree.pairs.T) @ sub.tree.ranges[1 - strategy.player])[
                [np.flatnonzero(sub.tree.hand == row.hand)[0] for row in strategy.rows]
            ]
        )
        value = weights @ [row.value - paid for row in strategy.rows] / weights.sum()
        assert value == pytest.approx(found.values[strategy.player], abs=1e-6)
        for row in strategy.rows:
            assert np.dot(row.shares, row.gains) == pytest.approx(row.value, abs=1e-6)
            assert sum(row.shares) == pytest.approx(1)


@pytest.fixture(scope="module")
def river():
    game = plain(TexasHoldem, stack=100, bets="1", raises=2)
    state = game.parse_position("?? ?? pot:60 Ks Td 7h 7c 2s")
    sub = Subgame(game, state, read_ranges(game, "TT+,AK,KQs,76s / 99-77,KJs+,QJ:0.5"), "dcfr")
    sub.learner.run(150)
    return sub


def test_a_river_is_solved(river):
    assert river.learner.evaluation().exploitability < 0.003 * river.pot
    first = river.decision()
    assert first.player == 1
    assert first.actions == ("check", "bet1", "all-in")
    text = {river.game.hand_name(row.hand): row for row in first.rows}
    assert "KsQs" not in text  # its king is on the board
    assert text["QsJs"].weight == 0.5
    assert text["QsJs"].value < 0.1  # whatever it does, it loses
    assert text["KhQh"].value < text["9s9h"].value + 40 < text["7s7d"].value
    later = river.decision("check all-in")
    assert later.actions == ("fold", "call")
    quads = next(row for row in later.rows if river.game.hand_name(row.hand) == "7s7d")
    assert quads.shares[1] > 0.999
    assert quads.value == pytest.approx(130, abs=0.1)  # all 200 chips, of which 70 are still to be paid
    with pytest.raises(CounterplayError, match="the hand is over"):
        river.decision("check check")


def test_the_table_has_a_cell_for_each_class(river):
    strategy = river.decision()
    cells = {cell.text: cell for cell in grid_cells(river.game, strategy)}
    assert set(cells) == {"99", "88", "77", "KJs", "KQs", "AKs"} - {"AKs"} | {"QJs", "QJo"}
    assert cells["77"].weight == pytest.approx(1 / 6)  # one of six is possible
    assert sum(cells["99"].shares) == pytest.approx(1)
    drawn = strategy_grid(river.game, strategy, "title")
    assert drawn.count("<text") >= 169 + len(cells)
    assert drawn.startswith("<svg")


def test_what_both_players_get_adds_up_to_0(river):
    s, _, reaches = river.reached("check all-in")
    strategy, waiting = river.decision("check all-in"), river.opposed("check all-in")
    assert (waiting.player, waiting.actions) == (1 - strategy.player, ())
    names, together = river.tree.hand.tolist(), 0.0
    for each, pairs in ((strategy, river.tree.pairs.T), (waiting, river.tree.pairs)):
        against = pairs @ reaches[1 - each.player]
        gains = [row.weight * against[names.index(row.hand)] * (row.value - s.paid[each.player]) for row in each.rows]
        together += sum(gains)
    assert strategy.player == 1
    assert together == pytest.approx(0, abs=1e-6 * sum(map(abs, gains)))
    drawn = strategy_grid(river.game, waiting, "button")
    assert drawn.count("<text") == 169 + 1 + len(grid_cells(river.game, waiting))  # names, the title, values


def test_folded_suits_change_nothing():
    game = TwoCards()
    state = game.result(game.result(game.initial(), 0), 14)
    names = game.suit_symmetries()[0][1]
    ranges = np.random.default_rng(3).random((2, game.private_hands))
    alike = (ranges + ranges[:, names]) / 2  # the same for both suits
    alike[0, [0, 14]] = 0
    trees = [public_tree(game, symmetric, root=PublicBelief(state, alike)) for symmetric in (True, False)]
    assert trees[0].nodes < trees[1].nodes
    assert public_tree(game, root=PublicBelief(state, ranges)).nodes == trees[1].nodes  # suits differ there
    found = []
    for tree in trees:
        learner = PublicLearner(game, tree, "cfr+", threads=1)
        learner.run(60)
        found.append(learner.evaluation())
    assert found[0].values == pytest.approx(found[1].values, abs=1e-5)
    assert found[0].responses == pytest.approx(found[1].responses, abs=1e-5)


def test_the_command_and_the_function_agree(tmp_path):
    options = ["--position", "Js Kh call call Qs", "--ranges", "K,Q:0.5 / J,Q", "--iterations", "50"]
    shown = CliRunner().invoke(app, ["equilibrium", "leduc-poker", *options, "--json"])
    data = json.loads(shown.stdout)
    found = cp.equilibrium("leduc-poker", position=options[1], ranges=options[3], iterations=50)
    assert data["values"] == pytest.approx(found.values)
    assert data["to_move"] == "player 1"
    assert {each["hand"] for each in data["hands"]} == {"Ks", "Kh", "Qh"}
    assert data["hands"][0]["strategy"].keys() == {"call", "raise"}
    for name in ("grid.svg", "grid.json"):
        told = CliRunner().invoke(app, ["equilibrium", "leduc-poker", *options, "-o", str(tmp_path / name)])
        assert f"{tmp_path / name}" in told.stdout.replace("\n", "")
    assert (tmp_path / "grid.svg").read_text().startswith("<svg")
    assert json.loads((tmp_path / "grid.json").read_text())["pot"] == 2
    assert str(found).splitlines()[3].startswith("player 1 to move, pot 2: call ")


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("leduc-poker", {"ranges": "K"}, "need a --position"),
        ("leduc-poker", {"position": "Js Kh", "ranges": "A"}, "no hand 'A': write a range as hands"),
        ("leduc-poker", {"position": "Js Kh", "ranges": "K:2"}, "the weight of a hand is from 0 to 1"),
        ("leduc-poker", {"position": "Js Kh", "ranges": "K:0"}, "is empty"),
        ("leduc-poker", {"position": "Js Kh", "ranges": "K/Q/J"}, "at most two ranges"),
        ("leduc-poker", {"position": "Js Kh call call Qs", "ranges": "Qs / K"}, "has a card that is on the table"),
        ("leduc-poker", {"position": "Js Kh", "ranges": "Ks"}, "shares a card with every hand"),
        ("leduc-poker", {"position": "Js Kh raise fold"}, "the hand is over"),
        ("leduc-poker", {"position": "Js"}, "must have both hands dealt"),
        ("leduc-poker", {"position": "Js Kh", "method": "lp"}, "not by lp"),
        ("leduc-poker", {"position": "Js Kh", "output": "x.npz"}, r"written as \.svg or \.json"),
        ("leduc-poker", {"position": "Js Kh", "after": "fold"}, "no action 'fold'"),
        ("leduc-poker", {"position": "Js Kh", "after": "call call"}, "a card is dealt next"),
        ("leduc-poker", {"position": "Js Kh", "abstract": True}, "for whole games"),
        ("leduc-poker", {"position": "Js Kh", "iterations": 0}, "must be above 0"),
        ("tic-tac-toe", {"position": "x"}, "has no public tree"),
    ],
)
def test_wrong_input_gets_a_sentence(game, options, why):
    with pytest.raises(CounterplayError, match=why):
        cp.equilibrium(load(game), **options)
