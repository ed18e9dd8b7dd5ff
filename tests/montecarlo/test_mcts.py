"""Monte Carlo tree search: towards the true value, proofs that are true, the same tree from the same seed."""

import math
import random
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search.oracles import Drawn, Judged, expected, trees, trees_of_distinct_leaves, vector

from counterplay import CounterplayError, Game, load, state
from counterplay.core.errors import Unsuitable
from counterplay.core.rules import legal
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.search import TreeSearch, mcts
from counterplay.montecarlo.selection import most_urgent
from counterplay.montecarlo.tree import NEAR, ROOT
from counterplay.search.engine.decide import decide
from counterplay.search.textbook.minimax import minimax

CLOSE = 1e-9


def positions(game, count, moves, seed=1):
    """Positions after random moves in which the game goes on."""
    found, choose = [], random.Random(seed)
    while len(found) < count:
        p = game.start()
        while len(p.moves) < moves and not p.is_over:
            p.play(choose.choice(p.options()))
        if not p.is_over:
            found.append(p)
    return found


# Proofs.


@settings(max_examples=60)
@given(trees(), st.integers(0, 3))
def test_with_enough_simulations_a_tree_is_proven_and_the_value_is_that_of_a_plain_recursion(tree, seed):
    game = Judged(tree)
    s = game.initial()
    hero = game.to_move(s)
    found = mcts(game, s, simulations=20_000, seed=seed, megabytes=0.1)
    value = expected(game, s, 99, hero)
    assert found.proven
    assert found.value == pytest.approx(value, abs=1e-6)
    assert expected(game, game.result(s, found.action), 99, hero) == pytest.approx(value, abs=1e-6)
    assert found.nodes < 20_000  # it stops when nothing is left to learn


@settings(max_examples=40)
@given(trees(), st.integers(1, 200))
def test_bounds_hold_at_every_moment(tree, simulations):
    game = Judged(tree)
    search = TreeSearch(game, megabytes=0.1)
    search.begin(game.initial())
    search.run(simulations=simulations)
    found, low, high = search.trees[0], *game.utility_bounds
    high = max(abs(low), abs(high)) or 1

    def look(node, s):
        true = expected(game, s, 99, 0) / high
        assert found.lower[node] - CLOSE <= true <= found.upper[node] + CLOSE
        for k in found.children(node):
            look(k, game.result(s, int(found.action[k])))

    look(ROOT, game.initial())


@pytest.mark.parametrize("moves", [0, 2, 3, 5])
def test_tic_tac_toe_is_proven_as_minimax_has_it(moves):
    for p in positions(load("tic-tac-toe"), 5, moves):
        found, wanted = mcts(p.game, p.state, simulations=50_000), minimax(p.game, p.state, 9)
        assert found.proven
        assert found.value == wanted.value
        after = p.game.result(p.state, found.action)
        assert wanted.value == (
            0 if not legal(p.game, after) and not p.game.utility(after, 0) else best_reply(p, after)
        )


def best_reply(p, after):
    """What the player to move in `p` gets from `after` under best play."""
    if p.game.is_terminal(after):
        return p.game.utility(after, p.to_move)
    return -minimax(p.game, after, 9).value


def test_a_win_is_taken_as_soon_as_can_be_and_a_loss_put_off():
    """The distance to the end equals minimax's if the whole tree was searched; here, if a win is next."""
    game = load("tic-tac-toe")
    p = game.start("a1 a2 b1")  # x threatens c1
    found = mcts(game, p.state, simulations=2_000)
    assert game.action_text(p.state, found.action) == "c1"
    q = game.start("a1 a2 b1 b2")
    found = mcts(game, q.state, simulations=2_000)
    assert (game.action_text(q.state, found.action), found.value, found.plies, found.proven) == ("c1", 1, 1, True)


# Averages.


def test_the_visits_of_a_tree_worked_by_hand():
    """Three actions worth 1, 0.5 and -1, c = 1: each is tried once, and then the one with the highest
    value + sqrt(ln N / n)."""
    game = Drawn([2, [1, 1], [-2, -2]])
    search = TreeSearch(game, SimulationOptions(c=1.0, solver=False, expand=1 << 30), megabytes=0.01)
    search.begin(game.initial())
    values, visits = {0: 1.0, 1: 0.5, 2: -1.0}, {0: 0, 1: 0, 2: 0}
    for total in range(40):
        search.run(simulations=1)
        seen = {int(search.trees[0].action[k]): int(search.trees[0].visits[k]) for k in search.trees[0].children()}
        changed = [a for a in seen if seen[a] != visits[a]]
        assert len(changed) == 1
        if total >= 3:  # each was tried once before
            urgency = {a: values[a] + math.sqrt(math.log(total) / visits[a]) for a in visits}
            assert urgency[changed[0]] == pytest.approx(max(urgency.values()))
        visits = seen
    assert visits == {0: 33, 1: 6, 2: 1}


def test_averages_go_to_the_true_value_without_proofs():
    p = load("tic-tac-toe").start("a1 b1")
    found = mcts(p.game, p.state, simulations=60_000, options=SimulationOptions(solver=False))
    assert found.value == pytest.approx(1, abs=0.02)
    assert not found.proven
    assert minimax(p.game, p.game.result(p.state, found.action), 9).value == -1


@pytest.mark.slow
def test_on_pig_the_average_is_that_of_expectiminimax():
    game = load("pig:goal=12")
    p = game.start("roll 4 roll 3 hold roll 4 hold roll 2")
    wanted = expectation(game, p.state)
    found = mcts(game, p.state, simulations=100_000)
    assert found.value == pytest.approx(wanted, abs=0.02)
    options = {each.action: each.value for each in found.options}
    assert max(options, key=options.get) == found.action


def expectation(game, s, rounds=60):
    """The value of Pig to the player to move by iterating over all positions (its play may go in circles)."""
    hero, seen = game.to_move(s), {}

    def gather(t):
        if t not in seen:
            seen[t] = game.utility(t, hero) if game.is_terminal(t) else 0.0
            for option in legal(game, t):
                gather(game.result(t, option))

    gather(s)
    for _ in range(rounds):
        for t in seen:
            if not game.is_terminal(t):
                mover = game.to_move(t)
                below = [seen[game.result(t, option)] for option in legal(game, t)]
                seen[t] = (
                    sum(game.probability(t, e) * v for e, v in zip(legal(game, t), below, strict=True))
                    if mover < 0
                    else (max if mover == hero else min)(below)
                )
    return seen[s]


@pytest.mark.slow
@settings(max_examples=8)
@given(trees_of_distinct_leaves())
def test_many_players_go_to_max_n(tree):
    """If a player has equally good actions, max^n may have several vectors. So all payoffs differ, and trees in which
    chance averages them to nearly equal values are skipped."""
    game = Judged(tree)
    s = game.initial()
    assume(least_margin(game, s) >= 0.5)
    found = mcts(game, s, simulations=30_000, megabytes=1)
    assert found.value == pytest.approx(vector(game, s, 99)[game.to_move(s)], abs=1.0)
    assert vector(game, game.result(s, found.action), 99) == pytest.approx(vector(game, s, 99))


def least_margin(game, s):
    """The smallest margin, over all nodes, by which the best action beats the next one for the player who takes it."""
    if game.is_terminal(s):
        return math.inf
    below = [game.result(s, action) for action in legal(game, s)]
    margin = min(least_margin(game, t) for t in below)
    mover = game.to_move(s)
    if mover >= 0 and len(below) > 1:
        *_, second, first = sorted(vector(game, t, 99)[mover] for t in below)
        margin = min(margin, first - second)
    return margin


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, moves, simulations",
    [
        ("nim:3-4-5", "", 200_000),
        ("nim:1-4-5", "", 200_000),
        ("hex:size=3", "b2", 100_000),
        ("hex:size=3", "a1", 100_000),
        ("connect-four", "4 4 4 4 4 4 3 3 3 3 3 3 5 5 5 5 5 2 2 2 2 2 2 6 6", 400_000),
        ("connect-four", "1 2 1 2 2 1 3 4 3 4 4 3 5 6 5 6 6 5 7 7 1 2", 400_000),
    ],
)
@pytest.mark.parametrize("solver", [True, False])
def test_solved_games_go_to_their_value(spec, moves, simulations, solver):
    game = load(spec)
    s = game.start(moves).state
    wanted = decide(game, s).value
    found = mcts(game, s, simulations=simulations, options=SimulationOptions(solver=solver))
    assert found.value == pytest.approx(wanted, abs=1e-9 if solver and found.proven else 0.1)
    assert found.proven or not solver


# Seeds, memory, threads.


def shape(search):
    tree = search.trees[0]
    used = int(tree.used[0])
    return [tree.visits[:used].tolist(), tree.total[:used, 0].tolist(), tree.action[:used].tolist()]


def test_the_same_seed_makes_the_same_tree_and_another_seed_another():
    def grown(seed):
        game = load("tic-tac-toe")
        search = TreeSearch(game, seed=seed, megabytes=1)
        search.begin(game.initial())
        search.run(simulations=500)
        search.run(simulations=500)
        return shape(search)

    assert grown(3) == grown(3)
    assert grown(3) != grown(4)


def check(tree, game, s, node=ROOT):
    """The tree is whole: children are those of the position, visits add up."""
    children = tree.children(node)
    if children:
        assert sorted(int(tree.action[k]) for k in children) == sorted(legal(game, s))
        assert tree.mover[node] == game.to_move(s)
    for k in children:
        assert tree.visits[k] <= tree.visits[node]
        check(tree, game, game.result(s, int(tree.action[k])), k)


def test_a_full_tree_is_pruned_and_the_search_goes_on():
    game = load("tic-tac-toe")
    search = TreeSearch(game, SimulationOptions(solver=False), megabytes=0.001)
    search.begin(game.initial())
    found = search.run(simulations=30_000)
    assert found.nodes == 30_000
    assert search.trees[0].used[0] <= 4096
    check(search.trees[0], game, game.initial())
    assert sum(option.visits for option in found.options) == 30_000


def test_the_tree_below_what_was_played_is_kept():
    game = load("tic-tac-toe")
    search = TreeSearch(game, SimulationOptions(solver=False), megabytes=1)
    p = game.start()
    search.set_position(p)
    search.run(simulations=1_000)
    tree = search.trees[0]
    k = max(tree.children(), key=lambda k: tree.visits[k])
    j = max(tree.children(k), key=lambda j: tree.visits[j])
    visits, total = int(tree.visits[j]), float(tree.total[j, 0])
    assert visits > 5
    p.play(int(tree.action[k])).play(int(tree.action[j]))
    search.set_position(p)
    assert (tree.visits[ROOT], tree.total[ROOT, 0]) == (visits, total)
    check(tree, game, p.state)
    search.run(simulations=100)
    assert tree.visits[ROOT] == visits + 100
    search.set_position(game.start("b1 b3"))  # another playthrough
    assert tree.visits[ROOT] == 0


@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads_find_what_one_finds(parallel):
    p = load("tic-tac-toe").start("a1 b1")
    found = mcts(
        p.game,
        p.state,
        simulations=20_000,
        threads=2,
        parallel=parallel,
        megabytes=0.5,
        options=SimulationOptions(solver=False),
    )
    assert found.nodes == 20_000
    assert found.value == pytest.approx(1, abs=0.05)


def test_threads_lose_nothing():
    game = load("tic-tac-toe")
    search = TreeSearch(game, SimulationOptions(solver=False), threads=3)
    search.begin(game.initial())
    search.run(simulations=30_000)
    tree = search.trees[0]
    for node in (ROOT, *tree.children()):
        below, alone = (
            tree.children(node),
            0 if node == ROOT else 1,
        )  # the first visit of others is a playout from there
        assert int(tree.visits[node]) == sum(int(tree.visits[k]) for k in below) + alone
        assert abs(float(tree.total[node, 0]) - sum(float(tree.total[k, 0]) for k in below)) <= alone


def test_threads_lose_nothing_of_all_moves_as_first():
    p = load("tic-tac-toe").start("b2 a1 c1 a3 a2 c2 b3")  # two squares are empty: nobody moves a second time
    search = TreeSearch(p.game, SimulationOptions(solver=False, rave=100), threads=3)
    search.begin(p.state)
    search.run(simulations=30_000)
    tree = search.trees[0]
    for k in tree.children():
        assert tree.amaf_visits[k] == tree.visits[k]
        assert tree.amaf_total[k] == -tree.total[k, 0]  # to the second player, who moves


def test_threads_share_a_tree_that_overflows():
    game = load("tic-tac-toe")
    search = TreeSearch(game, SimulationOptions(solver=False), megabytes=0.001, threads=3)
    search.begin(game.initial())
    found = search.run(simulations=30_000)
    tree = search.trees[0]
    assert found.nodes == 30_000
    check(tree, game, game.initial())


# Refusals.


def test_hidden_information_is_refused():
    game = load("kuhn-poker")
    with pytest.raises(Unsuitable, match="hides information"):
        mcts(game, game.initial(), simulations=10)


@pytest.mark.parametrize(
    "given, why",
    [
        ({"simulations": 0}, "at least 1 simulation"),
        ({"seconds": -1}, "more than 0"),
        ({"megabytes": 0}, "memory=0 must be"),
        ({"threads": 0}, "threads=0 must be"),
    ],
)
def test_budgets_that_allow_nothing_are_refused(given, why):
    game = load("tic-tac-toe")
    with pytest.raises(CounterplayError, match=why):
        mcts(game, game.initial(), **given)


# Games that need not end.


@state
class Place(NamedTuple):
    """Where the walker stands, and how many steps were made."""

    at: int
    steps: int


class Walk(Game):
    """Two walkers share a circle of 8 places and take turns stepping; whoever steps onto place 4 wins. Nobody ever
    has to.
    """

    compiled = False
    evaluation_bounds = (-0.5, 0.5)

    def initial(self):
        return Place(0, 0)

    def to_move(self, s):
        return s.steps % 2

    def actions(self, s, out):
        out.append(1)
        out.append(7)

    def result(self, s, action):
        return Place((s.at + action) % 8, s.steps + 1)

    def is_terminal(self, s):
        return s.at == 4

    def utility(self, s, player):
        return 1.0 if player != s.steps % 2 else -1.0

    def evaluate(self, s, player):
        return 0.25 if player == 0 else -0.25

    def repetition_key(self, s):
        return s.at * 2 + s.steps % 2


class Circle(Walk):
    """The same, but a repeated position is a draw."""

    repetition = "draw"


def test_playouts_end_where_the_game_does_not():
    game = Walk()
    found = mcts(game, game.initial(), simulations=100, options=SimulationOptions(length=3))
    assert found.nodes == 100
    found = mcts(game, game.initial(), simulations=3, options=SimulationOptions(length=0))
    assert {option.value for option in found.options} == {0.25}  # by the evaluation


def test_with_a_rule_of_repetition_circles_are_draws():
    """Whoever steps onto place 3 or 5 lets the other win; so both go to and fro, which is a draw."""
    game = Circle()
    found = mcts(game, game.initial(), simulations=3_000)
    assert (found.proven, found.value) == (True, 0)
    before = (game.repetition_key(Place(1, 2)),)
    again = mcts(game, Place(0, 1), simulations=3_000, before=before)
    step = {option.action: option for option in again.options}[1]
    assert (step.value, step.plies) == (0, None)  # comes again at once


def test_the_history_of_a_playthrough_counts():
    game = Circle()
    p = game.start()
    p.play(1)
    search = TreeSearch(game, SimulationOptions(solver=False, c=5.0), megabytes=0.1)
    search.set_position(p)
    found = search.run(simulations=50)
    assert {option.action: option.value for option in found.options}[7] == 0
    tree = search.trees[0]
    back = next(k for k in tree.children() if tree.action[k] == 7)
    assert tree.visits[back] > 5
    assert not tree.children(back)  # the game is over there


def test_a_node_whose_actions_another_thread_has_just_proven_lost_is_left_as_it_is():
    game = load("tic-tac-toe")
    search = TreeSearch(game, threads=2)
    search.begin(game.initial())
    search.run(simulations=50)
    tree = search.trees[0]
    for k in tree.children():
        tree.settle(k, NEAR)  # lost for whoever moves at the root, which does not know it yet
    tree.bounded[ROOT] = 1
    before = tree.visits.copy()
    assert most_urgent(tree, search.simulators[0], ROOT, 0) in tree.children()
    assert (tree.visits == before).all()
