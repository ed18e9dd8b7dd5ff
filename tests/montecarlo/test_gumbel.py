"""Gumbel's rule: sequential halving as published, a policy that only improves, proofs as with the other rules."""

from dataclasses import replace
from math import ceil, log2
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.oracles import Drawn

from counterplay import CounterplayError, Game, load, state
from counterplay.montecarlo.gumbel import CONSIDERED, improve, soften
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.policy_search import PolicyTree, answer, search_by_policy
from counterplay.montecarlo.search import mcts
from counterplay.montecarlo.simulator import Simulator
from counterplay.montecarlo.tree import ROOT, SimulationTree
from counterplay.players.specs import player
from counterplay.search.textbook.minimax import minimax

GUMBEL = SimulationOptions(select="gumbel", mix=1.0)
WITHOUT_PROOFS = replace(GUMBEL, solver=False)


@state
class Pull(NamedTuple):
    arm: int


class Bandit(Game):
    """One action, and what it pays: the first the most."""

    compiled = False

    def __init__(self, arms: int = 4):
        self.arms = arms

    def initial(self):
        return Pull(-1)

    def to_move(self, s):
        return 0

    def actions(self, s, out):
        for arm in range(self.arms):
            out.append(arm)

    def result(self, s, action):
        return Pull(action)

    def is_terminal(self, s):
        return s.arm >= 0

    def utility(self, s, player):
        return (1.0 - 2.0 * s.arm / self.arms) * (1 if player == 0 else -1)


def even(states, actions):
    return [np.ones(len(each)) for each in actions], np.zeros(len(states))


def halved(arms, simulations):
    """The visits of sequential halving (Karnin, Koren & Somekh 2013) where the first arms are the best."""
    considered = min(arms, CONSIDERED)
    phases, left, visits = max(ceil(log2(considered)), 1), considered, [0] * arms
    while True:
        for i in range(left * max(1, simulations // (phases * left))):
            if sum(visits) == simulations:
                return visits
            visits[i % left] += 1
        left = max(left // 2, min(left, 2))


def visits_of(decision, arms):
    seen = {option.action: option.visits for option in decision.options}
    return [seen[arm] for arm in range(arms)]


@settings(max_examples=60)
@given(st.integers(1, 30), st.integers(2, 100))
def test_sequential_halving_visits_evenly_and_drops_half(arms, simulations):
    found = pulled(arms, simulations)
    visits = visits_of(found, arms)
    assert visits == halved(arms, simulations)
    assert sum(visits) == simulations
    assert (np.diff(visits) <= 0).all()  # the first are the best, so they stay
    if simulations >= min(arms, CONSIDERED):
        assert min(visits[:CONSIDERED]) >= 1
        assert found.action == 0


def pulled(arms, simulations=None, **limits):
    game = Bandit(arms)
    if simulations is not None:
        limits["simulations"] = simulations + 1  # one asks about the root
    limits = {"leaves": 1, "options": WITHOUT_PROOFS, "megabytes": 0.01} | limits
    return search_by_policy(game, [game.initial()], even, **limits)[0]


def test_where_only_time_ends_a_search_rounds_follow_each_other_and_every_action_is_in_again():
    board = PolicyTree(Bandit(4), Pull(-1), (), WITHOUT_PROOFS, 0.01, 1, 0, 0)
    seen = []
    for _ in range(1 + 64 + 128 + 256):
        answer(even, board.gather(board.done + 1))
        seen.append([int(board.tree.visits[k]) for k in board.tree.children()])
    assert seen[64] == [24, 24, 8, 8]  # two phases of 32
    assert seen[64 + 128] == [72, 72, 24, 24]
    assert seen[64 + 128 + 256] == [168, 168, 56, 56]


@settings(max_examples=200)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_the_improved_policy_is_no_worse_than_the_one_that_was_asked(number, seed):
    rng = np.random.default_rng(seed)
    game, mover = load("tic-tac-toe"), seed % 2
    tree, simulator = SimulationTree(game, nodes=16, priors=True, logits=True), Simulator(game, WITHOUT_PROOFS)
    sign, below = 1 if mover == 0 else -1, slice(1, 1 + number)
    tree.first[ROOT], tree.count[ROOT], tree.mover[ROOT] = 1, number, mover
    tree.bounded[ROOT], tree.opinion[ROOT] = 0, rng.uniform(-1, 1)
    q, prior = rng.uniform(-1, 1, number), rng.dirichlet(np.full(number, 0.5)) + 1e-5
    prior /= prior.sum()
    tree.prior[below], tree.logit[below] = prior, np.log(prior)
    seen = rng.random(number) < 0.5
    if not seen.any():
        seen[0] = True
    n = np.where(seen, rng.integers(1, 10, number), 0)
    tree.visits[below], tree.total[below, 0] = n, sign * q * n
    assert improve(tree, simulator, ROOT) == n.sum()
    soften(tree, ROOT)
    target = tree.share[below].astype(float)
    assert target.sum() == pytest.approx(1, abs=1e-5)
    # With the values that search completes (what it did not see is worth its estimate), the target is no worse.
    mixed = (prior[seen] * q[seen]).sum() / prior[seen].sum()
    guess = (sign * float(tree.opinion[ROOT]) + n.sum() * mixed) / (1 + n.sum())
    completed = np.where(seen, q, guess)
    assert (target * completed).sum() >= (prior * completed).sum() - 1e-5


def test_many_positions_are_solved_together():
    game = load("tic-tac-toe")
    states = [game.start(moves).state for moves in ("", "a1", "a1 b1", "a1 b1 b2", "b2 a1 c3")]
    found = search_by_policy(game, states, even, simulations=20_000, batch=16, leaves=4, options=GUMBEL)
    for s, decision in zip(states, found, strict=True):
        assert (decision.proven, decision.value) == (True, minimax(game, s, 9).value)


def test_leaves_that_wait_leave_no_trace_in_the_averages():
    """A waiting leaf counts as its node's average so far, and is taken back: the sums are those of the values alone."""
    game, rng = load("tic-tac-toe"), np.random.default_rng(1)
    said = {}

    def policy(states, actions):
        for s in states:
            said.setdefault(s, rng.uniform(-1, 1))
        return even(states, actions)[0], [said[s] for s in states]

    for select in ("gumbel", "puct"):
        said.clear()
        options = replace(WITHOUT_PROOFS, select=select)
        board = PolicyTree(game, game.initial(), (), options, 1, 8, 0, 0)
        while board.done < 200:
            answer(policy, board.gather(200))
        tree = board.tree

        def total(node, s, tree=tree):
            """The sum of all values below a node, and how many they are, to player 0."""
            if game.is_terminal(s):
                return int(tree.visits[node]) * game.utility(s, 0), int(tree.visits[node])
            own = said[s] * (1 if game.to_move(s) == 0 else -1) if tree.visits[node] else 0.0
            below = [total(k, game.result(s, int(tree.action[k]))) for k in tree.children(node)]
            sums = own + sum(each[0] for each in below), bool(tree.visits[node]) + sum(each[1] for each in below)
            assert (float(tree.total[node, 0]), int(tree.visits[node])) == pytest.approx(sums, abs=1e-9)
            return sums

        assert total(ROOT, game.initial())[1] == 200


def test_rules_that_go_by_a_policy_and_those_that_do_not_are_kept_apart():
    game = load("tic-tac-toe")
    with pytest.raises(CounterplayError, match="select=uct uses no policy"):
        search_by_policy(game, [game.initial()], even, simulations=5, options=SimulationOptions())
    with pytest.raises(CounterplayError, match="select=gumbel needs a policy"):
        mcts(game, game.initial(), simulations=5, options=GUMBEL)
    many = Drawn({"player": 0, "actions": [{"payoffs": [1, 2, 3]}, {"payoffs": [2, 1, 3]}]})
    with pytest.raises(CounterplayError, match="two opponents"):
        search_by_policy(many, [many.initial()], even, simulations=5, options=GUMBEL)
    with pytest.raises(CounterplayError, match="simulations, or seconds"):
        search_by_policy(game, [game.initial()], even)
    with pytest.raises(CounterplayError, match="net=MODEL"):
        player("mcts:select=gumbel")
