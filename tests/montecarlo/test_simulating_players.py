"""The players that simulate: what they choose, what they keep, what the commands show of them."""

import pytest

from counterplay import load
from counterplay.players.specs import player


@pytest.mark.parametrize("spec", ["mcts:simulations=2000", "flat:playouts=200"])
def test_a_win_is_taken_and_every_action_is_judged(spec):
    p = load("tic-tac-toe").start("a1 a2 b1 b2")
    found = player(spec).choose(p)
    assert p.game.action_text(p.state, found.action) == "c1"
    assert {each.action for each in found.options} == set(p.options())
    assert found.options[0].action == found.action
    assert player(spec).rank(p).action == found.action


def test_flat_plays_each_action_equally_often():
    p = load("tic-tac-toe").start()
    found = player("flat:playouts=50").choose(p)
    assert [each.visits for each in found.options] == [50] * 9
    assert found.nodes == 450


def test_two_trees_of_one_player_play_a_whole_game():
    p, chooser = load("tic-tac-toe").start(), player("mcts:simulations=3000")
    while not p.is_over:
        p.play(chooser.choose(p).action)
    assert p.returns == (0, 0)


def test_a_playthrough_by_seed():
    def played(seed):
        p, chooser = load("tic-tac-toe").start(), player(f"mcts:simulations=30,seed={seed}")
        while not p.is_over:
            p.play(chooser.choose(p).action)
        return p.moves

    assert played(1) == played(1)
    assert len({tuple(played(seed)) for seed in range(6)}) > 1


def test_the_running_search_is_reported():
    p, heard = load("tic-tac-toe").start(), []
    player("mcts:time=0.7,solver=off").choose(p, heard.append)
    assert heard
    assert sum(option.visits for option in heard[-1].options) > 0
