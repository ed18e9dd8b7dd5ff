"""The models that come with the package: small, for a registered game, and ready to play."""

import numpy as np
import pytest
from games import must_play

from counterplay import load
from counterplay.api.exploit_player import exploit_player
from counterplay.arena.openings import Opening
from counterplay.arena.referee import play
from counterplay.equilibrium.resolving import judge_resolving
from counterplay.equilibrium.value_network import ValueNetwork
from counterplay.evaluation.judged import judged
from counterplay.evaluation.model import SHIPPED, find_model, read_model, shipped
from counterplay.evaluation.residual import Residual
from counterplay.learning.gating import BatchSearcher
from counterplay.players.specs import player

CRITICAL = """
43467447132733:2 73376652256632:1234 45176615566327:4 53117133112641:34567 44571344247541:3 52463541764413:5
65343335216547:5 31411231155357:235 33112721237532:46 72567234424557:2 34512644731371:57 13635442421276:2
75615443431731:23 47642475172722:3 61616626346241:1 16343633662271:7 25712527374547:2 57323277563375:245
57624354147147:35 17617552212454:3 71463472564275:37 57643627322661:345 25563146414534:257 33537517613122:4
5363767665:47 174726121347:17 2451521624:45 327742771255:26 6243134223:3 457141625217:123457 5136332716:24
266342611554:2456 1265373464:1346 216174372265:36 2674124321:5 743245725446:234567 6343344214:12357
667333636743:35 7277643352:5 166642575564:4 3557763612:4 142212132425:1 2631343747:35 534225454225:45
1376141355:1 341334324116:2 5423172741:23457 354616521477:14
"""
"""Connect Four after random moves (columns, from 1), and the moves that keep the outcome, by the solver: the other moves
do not."""


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_model_is_small_and_answers(name):
    file = SHIPPED / f"{name}.npz"
    assert file.stat().st_size < 4_000_000
    model = read_model(file)
    game = load(model.game)
    assert find_model(name, game).kind == model.kind
    low, high = game.utility_bounds
    p = game.start(seed=1)
    while p.to_move < 0:
        p.roll()
    p.play(p.options()[0])
    if model.kind == "residual":
        logits, values = Residual(game, model).policy([p.state], [p.options()])
        assert np.isclose(sum(logits[0]), 1)
        value = values[0]
    elif model.kind == "values":
        ValueNetwork(game, model)  # which refuses what does not fit
        value = 0.0
    else:
        value = judged(game, model).evaluate(p.state, 0)
    assert low < value < high


@pytest.mark.slow
def test_the_connect_four_network_keeps_the_outcome():
    game = load("connect-four")
    thinker = BatchSearcher(Residual(game, find_model("connect-four", game)), 64)
    positions = [word.split(":") for word in CRITICAL.split()]
    chosen = thinker.choose([[int(column) - 1 for column in moves] for moves, _ in positions])
    kept = sum(str(action + 1) in best for action, (_, best) in zip(chosen, positions, strict=True))
    assert kept >= 0.9 * len(positions)


@pytest.mark.slow
def test_the_hex_network_wins_as_the_first_player():
    game = load("hex:5")
    with player("mcts:net=hex-5,simulations=64") as first:
        for seed in range(4):
            assert play(game, [first, player("mcts:simulations=2000", seed=seed)], Opening()).returns == (1.0, -1.0)


@pytest.mark.slow
def test_the_hex_network_begins_with_a_proven_win():
    p = load("hex:5").start()
    with player("mcts:net=hex-5,simulations=64") as first:
        assert not must_play.wins(0, 1 << first.choose(p).action, first=False)  # the other one is to move


@pytest.mark.slow
def test_the_hex_network_begins_in_the_middle_of_7x7():
    p = load("hex:7").start()
    with player("mcts:net=hex-7,simulations=64") as first:
        assert p.game.action_text(p.state, first.choose(p).action) == "d4"


@pytest.mark.slow
def test_the_go_network_begins_in_the_middle():
    p = load("go:5").start()
    with player("mcts:net=go-5,simulations=64") as first:
        assert p.game.action_text(p.state, first.choose(p).action) == "C3"


@pytest.mark.slow
def test_the_go_network_for_9x9_begins_in_the_middle_and_wins():
    game = load("go:9")
    p = game.start()
    with player("mcts:net=go-9,simulations=32") as strong:
        assert game.action_text(p.state, strong.choose(p).action) == "E5"
        for seed in range(2):
            weak = player("mcts:c=0.2,rave=1000,simulations=500", seed=seed)
            seats = [strong, weak] if seed else [weak, strong]
            assert play(game, seats, Opening()).returns[1 - seed] == 1.0


def test_the_leduc_network_resolves_to_a_strategy_that_is_hardly_exploitable():
    game = load("leduc-poker")
    network = ValueNetwork(game, find_model("leduc-poker", game))
    assert judge_resolving(game, 300, leaves=network).exploitability < 0.03


@pytest.mark.slow
def test_the_rhode_island_network_resolves_to_a_strategy_that_is_hardly_exploitable():
    found = exploit_player(load("rhode-island"), "resolve:net=rhode-island,iterations=100", "exact", None)
    assert found.exploitability < 0.015


@pytest.mark.parametrize("iterations, most", [(100, 0.05), pytest.param(300, 0.03, marks=pytest.mark.slow)])
def test_the_network_for_liars_dice_resolves_to_a_strategy_that_is_hardly_exploitable(iterations, most):
    game = load("liars-dice:sides=4")
    network = ValueNetwork(game, find_model("liars-dice-4", game))
    assert judge_resolving(game, iterations, leaves=network).exploitability < most


def test_there_are_some():
    assert shipped()
