"""Continual re-solving: as good as an equilibrium when consulted everywhere, with any gadget; and the player."""

from __future__ import annotations

import numpy as np
import pytest
from equilibrium.random_deals import RandomDeals
from equilibrium.two_cards import TwoCards

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.public_tree import dealt, public_tree
from counterplay.equilibrium.resolving import Constraint, Follower, Resolved, judge_resolving
from counterplay.equilibrium.sequence_form import solve_sequence_form
from counterplay.equilibrium.strategy_grid import strategy_grid
from counterplay.equilibrium.subgame import Subgame
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.liars_dice import LiarsDice
from counterplay.players.specs import player
from counterplay.players.wording import in_words


def plain(kind, *arguments, **options):
    """A game in plain Python: its tree needs no compilation."""
    return type(kind.__name__, (kind,), {"compiled": False})(*arguments, **options)


GAMES = {
    "kuhn": lambda: plain(KuhnPoker),
    "liar's dice": lambda: plain(LiarsDice, 1, 3),
    "leduc with three cards": lambda: plain(LeducPoker, suits=1, raises=1),
    "leduc without suits": lambda: plain(LeducPoker, raises=1, distinct_suits=False),
}


@pytest.mark.parametrize("gadget", ["cfr-d", "max-margin"])
@pytest.mark.parametrize("name", GAMES)
def test_asked_everywhere_it_is_close_to_an_equilibrium(name, gadget):
    """Within 0.02 of what as many iterations over the whole game reach; a policy that is wrong somewhere loses far
    more.
    """
    game = GAMES[name]()
    whole = PublicLearner(game, public_tree(game, False), "cfr+")
    whole.run(100)
    found = judge_resolving(game, 100, gadget)
    assert found.exploitability <= whole.evaluation().exploitability + 0.02
    assert found.values[0] == pytest.approx(whole.evaluation().values[0], abs=0.02)


@pytest.mark.parametrize("gadget", ["cfr-d", "max-margin"])
@pytest.mark.parametrize("seed", range(3))
def test_in_random_games_it_is_close_to_the_linear_program(seed, gadget):
    """Re-solved everywhere, no more than 0.03 worse than as many iterations over the whole game (payoffs are within 1); and
    the game's value, by the linear program, lies between what both best responses leave."""
    game = RandomDeals(seed)
    whole = PublicLearner(game, public_tree(game, False), "cfr+")
    whole.run(150)
    found, tree = judge_resolving(game, 150, gadget), information_tree(game)
    value = evaluate_policy(tree, solve_sequence_form(tree)).values[0]
    assert found.exploitability <= whole.evaluation().exploitability + 0.03
    for judged in (found, whole.evaluation()):
        assert -judged.responses[1] - 1e-6 <= value <= judged.responses[0] + 1e-6


@pytest.mark.parametrize("gadget", ["cfr-d", "max-margin"])
@pytest.mark.parametrize("seed", range(6))
def test_in_random_games_a_gadget_gives_no_hand_more(seed, gadget):
    """Re-solved with the values of a rough solution, from random reaches: no hand of the opponent gets more, except
    for 0.03 in total, the error of the iterations."""
    game, rng, me = RandomDeals(seed), np.random.default_rng(seed), seed % 2
    state, weights = dealt(game, False)
    reach = rng.random(game.private_hands)
    before = Resolved(game, me, Constraint(state, reach, None, weights), 5, "cfr-d")
    values = before.values_at(0, reach)
    after = Resolved(game, me, Constraint(state, reach, values, weights), 400, gadget)
    assert np.maximum(after.values_at(0, reach) - values, 0).sum() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("gadget", ["cfr-d", "max-margin"])
def test_re_solving_does_not_give_the_opponent_more(gadget):
    """From random reaches in random public states: each hand of the opponent gets no more than before, except for the
    error of this many iterations (0.02 chips for all hands together)."""
    game, rng = TwoCards(), np.random.default_rng(5)
    state = game.result(game.result(game.initial(), 0), 14)
    for player_ in (0, 1):
        reach = rng.random(game.private_hands)
        before = Resolved(game, player_, Constraint(state, reach, None, None), 20, "cfr-d")  # a rough blueprint
        values = before.values_at(0, reach)
        after = Resolved(game, player_, Constraint(state, reach, values, None), 400, gadget)
        gained = np.maximum(after.values_at(0, reach) - values, 0) / (before.tree.pairs @ reach).max()
        assert gained.sum() < 0.02


@pytest.mark.slow
def test_the_tutorial_of_deepstack_leduc():
    """The second round after a bet of the pot, with Ks on the table, in hundredths of an ante: there uniform play
    loses 175, a thousand iterations of CFR 1.0 and continual re-solving 1.37, with the dead card counted among the
    hands."""
    game = plain(LeducPoker, betting="no-limit", raises=4)
    state = game.parse_position("Js Kh raise1 call Ks")
    share = 100 * (5 * 4) / (6 * 5)
    learner = Subgame(game, state, np.ones((2, 6)), "cfr").learner
    assert share * learner.evaluation().exploitability == pytest.approx(175, abs=1)
    learner.run(1000)
    assert share * learner.evaluation().exploitability < 1.0
    assert share * judge_resolving(game, 200, start=state).exploitability < 1.37


def test_it_goes_on_from_the_last_turn_and_meets_actions_that_it_did_not_consider():
    game = plain(LeducPoker, betting="no-limit", bets="0.5/1", raises=2)

    class Fewer(type(game)):
        """Without raises by half of the pot."""

        def actions(self, s, out):
            every: list[int] = []
            super().actions(s, every)
            for action in every:
                if action != 2:
                    out.append(action)

    follower = Follower(Fewer(betting="no-limit", bets="0.5/1", raises=2), 0, 30)
    follower.play(1)  # we check
    assert follower.reach.max() <= 1
    follower.play(2)  # a raise by half of the pot
    assert follower.node is None
    solution = follower.solve()
    assert solution.start.values is not None
    assert solution.shares().sum(axis=0) == pytest.approx(np.ones(6))
    with pytest.raises(CounterplayError, match="is not an action here"):
        follower.play(7)


def test_the_player_mixes_and_says_what_it_thinks():
    p = load("kuhn-poker").start("J K")
    chosen = player("resolve:iterations=200,seed=3")
    found = chosen.choose(p)
    assert {option.action for option in found.options} == set(p.options())
    assert sum(option.prior for option in found.options) == pytest.approx(1)
    assert found.value == pytest.approx(-1, abs=0.4)
    later = load("kuhn-poker").start("J K pass bet")
    assert "mixes pass 1.00, bet 0.00" in in_words(later, chosen.choose(later))
    assert chosen.choose(later).options[0].prior > 0.95  # a jack folds
    assert later.game.action_text(later.state, chosen.choose(later).action) == "pass"
    assert chosen.spec == "resolve:iterations=200,seed=3"


def test_it_shows_its_range_as_a_table():
    game = plain(LeducPoker, suits=1, raises=1)
    p = game.start("Js Qs raise")
    found = player("resolve:iterations=30").strategy(p)
    assert found.player == 1
    assert sum(row.weight for row in found.rows) == pytest.approx(1)
    assert all(sum(row.shares) == pytest.approx(1) for row in found.rows)
    assert strategy_grid(game, found).startswith("<svg")


def test_what_it_does_not_suit_is_refused():
    with pytest.raises(CounterplayError, match="has no public tree"):
        player("resolve").choose(load("tic-tac-toe").start())
    with pytest.raises(CounterplayError, match="too large to solve at each decision"):
        player("resolve").choose(load("texas-holdem").start("AsKs QdQh"))
    with pytest.raises(CounterplayError, match="must be 1 or more"):
        player("resolve:iterations=0")
