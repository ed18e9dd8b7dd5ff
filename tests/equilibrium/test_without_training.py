"""Determinization and information-set search: the same as open search if nothing is hidden, and wrong where they must
be.
"""

from __future__ import annotations

import pytest

from counterplay import CounterplayError, Game, load
from counterplay.core.errors import Unsuitable
from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.games.mnk import TicTacToe
from counterplay.games.tree import Tree
from counterplay.hidden.determinization import determinize, open_hand
from counterplay.hidden.ismcts import information_search
from counterplay.players.hidden import Imagination
from counterplay.players.specs import player

GUESS = {"player": 0, "information": "guess", "actions": {"heads": 1, "tails": -1}}
ELSE = {"player": 0, "information": "guess", "actions": {"heads": -1, "tails": 1}}


class PlainTree(Tree):
    """Small enough not to be worth compiling."""

    compiled = False


class PlainTicTacToe(TicTacToe):
    """Likewise."""

    compiled = False


FUSION = PlainTree(
    {
        "chance": {
            "heads": ["1/2", {"player": 0, "information": "start", "actions": {"safe": 0.5, "guess": GUESS}}],
            "tails": ["1/2", {"player": 0, "information": "start", "actions": {"safe": 0.5, "guess": ELSE}}],
        }
    }
)
"""A coin lies hidden: take half a point, or guess, which is worth nothing on average."""


def test_determinization_is_wrong_where_strategies_fuse_and_regret_minimization_is_right():
    p = FUSION.start("heads")
    found = player("determinize:deals=20,depth=4").choose(p)
    assert FUSION.action_text(p.state, found.action) == "guess"  # in each deal it would guess right
    assert found.value == 1
    tree = information_tree(FUSION)
    memory = Regrets(tree, VARIANTS["cfr+"])
    iterate(tree, memory, 100)
    assert evaluate_policy(tree, memory.average(tree)).values[0] == pytest.approx(
        0.5, abs=0.01
    )  # it takes the safe half
    by_knowledge = information_search(FUSION, p.state, simulations=5000)
    assert FUSION.action_text(p.state, by_knowledge.action) == "safe"
    assert by_knowledge.value == pytest.approx(0.5, abs=0.01)


def test_where_nothing_is_hidden_determinization_is_the_search_itself():
    p = PlainTicTacToe().start("a1 b2 c3 b1")
    inner = player("alphabeta:depth=9").rank(p)
    found = player("determinize:deals=2,depth=9,inner=alphabeta").choose(p)
    assert found.action == inner.action
    assert {option.action: option.value for option in found.options} == pytest.approx(
        {option.action: option.value for option in inner.options}
    )


def test_an_open_hand_is_an_open_game():
    game = load("kuhn-poker")
    bare = open_hand(game)
    assert not bare.has_secrets
    assert game.has_secrets
    assert open_hand(load("tic-tac-toe")) == load("tic-tac-toe")
    # Everyone who sees the king folds, and whoever sees that they have the lower card does not bet.
    worth = player("expectiminimax:depth=4").rank(bare.start("K Q"))
    assert worth.value == 1


def test_determinization_averages_over_deals():
    game = load("kuhn-poker")
    s = game.start("Q K bet").state
    heard = []

    def judged(other):
        from counterplay.search.decision import Option

        heard.append(game.card(other, 0))
        return [Option(0, -1.0), Option(1, 2.0 if game.card(other, 0) == 1 else -2.0)]

    found = determinize(game, s, judged, 200, seed=3)
    assert set(heard) == {1, 2}  # they hold the king: the other has a jack or a queen
    share = heard.count(1) / 200
    assert {option.action: option.value for option in found.options} == pytest.approx({0: -1.0, 1: 4 * share - 2})


@pytest.mark.parametrize(
    "spec", ["ismcts:simulations=300", "ismcts:simulations=300,observers=one", "determinize:deals=4,depth=9"]
)
def test_the_players_play_poker_better_than_chance(spec):
    """The king calls a bet, the jack does not."""
    chosen = player(spec)
    assert chosen.spec == spec
    for cards, wanted in (("Q K bet", "bet"), ("Q J bet", "pass")):
        p = load("kuhn-poker").start(cards)
        chosen.require(p.game)
        assert p.game.action_text(p.state, chosen.choose(p).action) == wanted


def test_the_same_seed_makes_the_same_search():
    game = load("kuhn-poker")
    s = game.start("Q K").state
    one, two = (information_search(game, s, simulations=500, seed=8).options for _ in range(2))
    assert one == two
    assert sum(option.visits for option in one) == 500


class Mute(KuhnPoker):
    """Kuhn poker that does not say what a player considers possible."""

    compiled, resample = False, Game.resample


@pytest.mark.parametrize("spec", ["ismcts:simulations=300", "determinize:deals=20,depth=4"])
def test_without_resample_a_belief_filter_draws_what_is_possible(spec):
    game, chosen = Mute(), player(spec)
    chosen.require(game)
    assert "has no `resample`" in chosen.remark(game)
    assert chosen.remark(load("kuhn-poker")) == ""
    for deal, right in (("Q J", "pass"), ("Q K", "bet")):  # after a bet, fold the jack and call with the king
        p = game.start(f"{deal} bet")
        held = Imagination().possible(p, 100, 0)
        assert {game.information(s, 1) for s in held} == {game.information(p.state, 1)}
        assert len(set(held)) == 2
        assert game.action_text(p.state, chosen.choose(p).action) == right


def test_what_is_refused():
    class Circling(Game):
        compiled, repetition = False, "draw"

        def information(self, s, player):
            return 0

    with pytest.raises(Unsuitable, match="has a repetition rule"):
        player("ismcts").require(Circling())
    for wrong in ("ismcts:time=0", "ismcts:simulations=0", "ismcts:c=-1", "determinize:deals=0", "determinize:time=-1"):
        with pytest.raises(CounterplayError, match=wrong.partition(":")[0]):
            player(wrong)
    with pytest.raises(CounterplayError, match="simulations or a time"):
        information_search(load("kuhn-poker"), load("kuhn-poker").start("Q K").state)
