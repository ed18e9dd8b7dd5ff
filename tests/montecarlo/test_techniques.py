"""The techniques of Monte Carlo search: each finds the true value, and does what its paper says."""

import math
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from search.oracles import Judged, expected, trees

from counterplay import Game, load, state
from counterplay.core.game import CHANCE
from counterplay.core.rules import legal
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.search import TreeSearch, mcts
from counterplay.montecarlo.tree import ROOT
from counterplay.search.textbook.minimax import minimax

TECHNIQUES = [
    SimulationOptions(fpu=0.5),
    SimulationOptions(decisive="all"),
    SimulationOptions(decisive="tree"),
    SimulationOptions(rollout="uniform"),
    SimulationOptions(rollout="eps", epsilon=0.3),
    SimulationOptions(mix=0.5),
    SimulationOptions(mix=1.0),
    SimulationOptions(length=2),
    SimulationOptions(rave=100),
    SimulationOptions(rave=100, grave=20),
    SimulationOptions(bias=1.0),
    SimulationOptions(implicit=0.3),
    SimulationOptions(expand=0),
    SimulationOptions(expand=5),
]


def names(options):
    return " ".join(f"{k}={v}" for k, v in vars(options).items() if v != getattr(SimulationOptions, k))


@pytest.mark.parametrize("options", TECHNIQUES, ids=names)
def test_every_technique_proves_tic_tac_toe(options):
    game = load("tic-tac-toe")
    for moves in ("", "a1 b1", "a1 b1 b2", "a1 c3"):
        s = game.start(moves).state
        found = mcts(game, s, simulations=100_000, options=options, megabytes=8)
        assert (found.proven, found.value) == (True, minimax(game, s, 9).value), moves


@pytest.mark.parametrize("options", TECHNIQUES, ids=names)
@settings(max_examples=10)
@given(trees())
def test_every_technique_proves_trees_with_chance(options, tree):
    game = Judged(tree)
    s = game.initial()
    found = mcts(game, s, simulations=50_000, options=options, megabytes=0.1)
    assert found.proven
    assert found.value == pytest.approx(expected(game, s, 99, game.to_move(s)), abs=1e-6)


def grown(options, simulations=300):
    game = load("tic-tac-toe")
    search = TreeSearch(game, options, megabytes=1)
    search.begin(game.initial())
    search.run(simulations=simulations)
    return search.trees[0]


def nodes(tree, game, s, node=ROOT):
    """Every node with its state."""
    yield node, s
    for k in tree.children(node):
        yield from nodes(tree, game, game.result(s, int(tree.action[k])), k)


def test_implicit_minimax_is_minimax_of_the_evaluation_over_the_tree():
    game = load("tic-tac-toe")
    tree = grown(SimulationOptions(implicit=0.5, solver=False), 500)

    def backed_up(node, s):
        values = [backed_up(k, game.result(s, int(tree.action[k]))) for k in tree.children(node)]
        if values:
            wanted = max(values) if game.to_move(s) == 0 else min(values)
        else:
            wanted = (game.utility if game.is_terminal(s) else game.evaluate)(s, 0)
        if node != ROOT or values:
            assert tree.estimate[node] == pytest.approx(wanted), node
        return wanted

    backed_up(ROOT, game.initial())


def test_with_infinite_urgency_each_action_is_tried_before_any_is_tried_twice():
    game = load("tic-tac-toe")
    tree = grown(SimulationOptions(solver=False), 200)
    for node, _ in nodes(tree, game, game.initial()):
        visits = [int(tree.visits[k]) for k in tree.children(node)]
        if visits and 0 in visits:
            assert max(visits) <= 1
    lazy = grown(SimulationOptions(solver=False, fpu=-1.0), 200)
    visits = [[int(lazy.visits[k]) for k in lazy.children(n)] for n, _ in nodes(lazy, game, game.initial())]
    assert any(each and 0 in each and max(each) > 1 for each in visits)


def test_all_moves_as_first_counts_what_was_played_later():
    """From the start of tic-tac-toe, a playout is long, so nearly every square is played sooner or later by each side."""
    tree = grown(SimulationOptions(solver=False, rave=50), 500)
    for k in tree.children():
        assert tree.visits[k] <= tree.amaf_visits[k] <= tree.visits[ROOT]
        assert abs(tree.amaf_total[k]) <= tree.amaf_visits[k]
    assert sum(int(tree.amaf_visits[k]) for k in tree.children()) > 3 * int(tree.visits[ROOT])


def test_decisive_moves_end_playouts_immediately():
    """o wins at once by c2; after anything else, x wins at once by c1: with decisive moves every playout sees it."""
    game = load("tic-tac-toe")
    p = game.start("a1 a2 b1 b2 c3")
    sharp = mcts(game, p.state, simulations=4, options=SimulationOptions(decisive="all", solver=False))
    assert {game.action_text(p.state, each.action): each.value for each in sharp.options} == {
        "c2": 1,
        "c1": 1,
        "a3": -1,
        "b3": -1,
    }
    proven = mcts(game, p.state, simulations=1, options=SimulationOptions(decisive="tree"))
    assert (proven.proven, proven.value, proven.plies) == (True, 1, 1)


def test_a_leaf_may_be_judged_without_a_playout():
    game = load("tic-tac-toe")
    tree = grown(SimulationOptions(mix=1.0, solver=False), 60)
    for node, s in nodes(tree, game, game.initial()):
        if tree.visits[node] == 1 and not tree.children(node) and not game.is_terminal(s):
            assert tree.total[node] == pytest.approx(game.evaluate(s, 0))


# Chance with many events.


@state
class Urn(NamedTuple):
    """The number of draws so far, and their sum."""

    drawn: int
    sum: int


class Draws(Game):
    """Choose an urn; then a number is drawn: from 0 to 999, or from 600 to 799."""

    compiled = False
    players = 1
    utility_bounds = (0.0, 1000.0)

    def initial(self):
        return Urn(0, 0)

    def to_move(self, s):
        return CHANCE if s.drawn == 1 else 0

    def actions(self, s, out):
        out.append(0)
        out.append(1)

    def chance(self, s, out):
        for i in range(1000 if s.sum == 0 else 200):
            out.append(i)

    def probability(self, s, event):
        return 0.001 if s.sum == 0 else 0.005

    def result(self, s, action):
        if s.drawn == 1:
            return Urn(2, action if s.sum == 0 else 600 + action)
        return Urn(1, action)

    def is_terminal(self, s):
        return s.drawn == 2

    def utility(self, s, player):
        return float(s.sum)


def test_many_events_get_places_as_the_visits_allow():
    game = Draws()
    search = TreeSearch(game, SimulationOptions(solver=False, widen=64), megabytes=1)
    search.begin(game.initial())
    found = search.run(simulations=1_500)
    tree = search.trees[0]
    assert found.action == 1
    assert found.value == pytest.approx(699.5, abs=30)
    for k in tree.children():
        filled = [j for j in tree.children(k) if tree.count[j] >= 0]
        assert len(filled) <= min(65, math.ceil(math.sqrt(tree.visits[k] + 1)))
        assert len({int(tree.action[j]) for j in filled}) == len(filled) > (5 if tree.visits[k] > 100 else 1)
        assert {int(tree.action[j]) for j in filled} <= set(
            legal(game, game.result(game.initial(), int(tree.action[k])))
        )
    all_events = mcts(game, game.initial(), simulations=1_500, options=SimulationOptions(widen=1000, solver=False))
    assert all_events.value == pytest.approx(699.5, abs=10)


def test_places_for_events_survive_pruning_and_threads():
    game = Draws()
    search = TreeSearch(game, SimulationOptions(solver=False, widen=64), megabytes=0.001, threads=2)
    search.begin(game.initial())
    found = search.run(simulations=1_000)
    assert found.nodes == 1_000
    assert found.action == 1
