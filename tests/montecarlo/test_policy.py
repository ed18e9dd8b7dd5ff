"""PUCT with an external policy: asked in batches, followed, and not needed if the rules decide."""

from dataclasses import replace

import numpy as np
import pytest
from search.oracles import Drawn

from counterplay import CounterplayError, load
from counterplay.core.game import CHANCE
from counterplay.core.language.rng import Rng
from counterplay.core.rules import legal
from counterplay.games.go.rules import Go
from counterplay.montecarlo.policy_search import USUAL, search_by_policy
from counterplay.search.textbook.minimax import minimax


class Even:
    """Knows nothing, and counts the questions."""

    def __init__(self):
        self.batches = []

    def __call__(self, states, actions):
        self.batches.append(len(states))
        return [np.ones(len(each)) for each in actions], np.zeros(len(states))


GAME = load("tic-tac-toe")
USUAL_WITHOUT_PROOFS = replace(USUAL, solver=False)
STARTS = ["", "a1", "a1 b1", "a1 b1 b2", "b2 a1 c3"]


def test_many_positions_are_solved_together():
    policy = Even()
    states = [GAME.start(moves).state for moves in STARTS]
    found = search_by_policy(GAME, states, policy, simulations=20_000, batch=16, leaves=4)
    for s, decision in zip(states, found, strict=True):
        assert (decision.proven, decision.value) == (True, minimax(GAME, s, 9).value)
    assert max(policy.batches) <= 16 + 3
    assert np.mean(policy.batches) > 4


def test_each_state_is_asked_about_with_its_actions_and_once():
    seen = []

    def policy(states, actions):
        assert [legal(GAME, s) for s in states] == actions
        seen.extend(states)
        return Even()(states, actions)

    search_by_policy(GAME, [GAME.initial()], policy, simulations=300, leaves=8)
    assert len(seen) == 300


def test_priors_and_values_steer():
    def policy(states, actions):
        """Likes the last action."""
        priors = [[0.1] * (len(each) - 1) + [5.0] for each in actions]
        return priors, [0.0] * len(states)

    (found,) = search_by_policy(GAME, [GAME.initial()], policy, simulations=60, leaves=1)
    assert found.action == 8
    assert found.options[0].visits > 40

    def hopeful(states, actions):
        """Whoever moves has a bad position, so the first action tried is a good one."""
        return Even()(states, actions)[0], [-0.5] * len(states)

    (found,) = search_by_policy(GAME, [GAME.initial()], hopeful, simulations=2, leaves=1)
    assert found.value == pytest.approx(0.5)


def test_the_policy_is_not_asked_where_chance_moves():
    game = Drawn([{"chance": [["1/4", [3, 9]], ["3/4", [-1, 7]]]}, [0, 1]])
    asked = []

    def policy(states, actions):
        asked.extend(game.to_move(s) for s in states)
        return Even()(states, actions)

    (found,) = search_by_policy(game, [game.initial()], policy, simulations=200, options=USUAL_WITHOUT_PROOFS)
    assert {option.action for option in found.options} == {0, 1}
    assert sum(option.visits for option in found.options) == 199  # the first one asks about the root
    assert asked
    assert CHANCE not in asked


@pytest.mark.parametrize(
    "answer, why",
    [
        (lambda states, actions: ([], []), "asked about 1 states"),
        (lambda states, actions: ([[1.0]], [0.0]), "a prior of 0 or more for each of the 9 actions"),
        (lambda states, actions: ([[-1.0] * 9], [0.0]), "a prior of 0 or more"),
        (lambda states, actions: ([[1.0] * 9], [[0.0, 1.0]]), "1 numbers as the value"),
        (lambda states, actions: ([[1.0] * 9], [float("nan")]), "1 numbers as the value"),
    ],
)
def test_a_policy_that_answers_nonsense_is_refused(answer, why):
    with pytest.raises(CounterplayError, match=why):
        search_by_policy(GAME, [GAME.initial()], answer, simulations=5)


def test_where_there_is_nothing_to_choose():
    over = GAME.start("a1 a2 b1 b2 c1").state
    with pytest.raises(CounterplayError, match="nothing to search"):
        search_by_policy(GAME, [over], Even(), simulations=5, options=USUAL)


class PlainGo(Go):
    """Go that is not compiled."""

    compiled = False


def test_what_would_repeat_a_position_is_not_asked_about():
    game = PlainGo(2, komi=0.5)
    for seed in range(100):
        p, rng = game.start(), Rng(seed)
        while not p.is_over and p.options() == legal(game, p.state):
            options = p.options()
            p.play(options[rng.below(len(options))])
        if not p.is_over:
            break
    allowed, asked = p.options(), []
    assert len(allowed) < len(legal(game, p.state))

    def policy(states, actions):
        asked.extend(actions)
        return Even()(states, actions)

    (found,) = search_by_policy(game, [p.state], policy, simulations=40, before=[p.before])
    assert asked[0] == allowed
    assert {option.action for option in found.options} == set(allowed)


def test_a_leaf_is_worth_what_the_policy_says_and_what_a_playout_gives():
    almost = GAME.start("a1 b1 c1 b2 a2 a3 b3").state  # two cells are left, and nobody makes a row

    def gloomy(states, actions):
        """Whoever moves has lost."""
        return Even()(states, actions)[0], [-1.0] * len(states)

    for mix, value in ((1.0, 1.0), (0.75, 0.75), (0.0, 0.0)):
        options = replace(USUAL_WITHOUT_PROOFS, mix=mix)
        (found,) = search_by_policy(GAME, [almost], gloomy, simulations=2, leaves=1, options=options)
        assert found.value == pytest.approx(value)
