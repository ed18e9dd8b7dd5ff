"""Expectiminimax, Star1 and Star2: equal to a plain recursion, at fewer nodes, within budgets."""

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.oracles import Drawn, Judged, expected, size, trees, vector

from counterplay import CHANCE, CounterplayError, load
from counterplay.core.errors import Unsuitable
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import legal
from counterplay.games.pig import HOLD, ROLL, Pig, State
from counterplay.games.tree import Tree
from counterplay.search.chance.chance_nodes import ChanceContext
from counterplay.search.chance.expectiminimax import PRUNINGS, Expectiminimax, expectiminimax
from counterplay.search.engine.transposition_table import NO_ACTION, TranspositionTable
from counterplay.search.many_players.search import MaxN
from counterplay.search.textbook.minimax import minimax

CLOSE = 1e-12

# Values.


@settings(max_examples=60)
@given(trees(), st.integers(1, 7))
def test_all_prunings_find_the_value_of_a_plain_recursion(tree, depth):
    game = Judged(tree)
    s = game.initial()
    hero = game.to_move(s)
    value = expected(game, s, depth, hero)
    nodes = {}
    for prune in PRUNINGS:
        for table in (0, 0.1):
            found = expectiminimax(game, s, depth, prune=prune, table=table)
            assert found.value == pytest.approx(value, abs=CLOSE)
            assert expected(game, game.result(s, found.action), depth - 1, hero) == pytest.approx(value, abs=CLOSE)
            assert found.line[0] == found.action
            nodes[prune, table] = found.nodes
    assert nodes["star1", 0] <= nodes["none", 0] <= size(game, s)
    assert nodes["star2", 0] <= nodes["none", 0]


@settings(max_examples=60)
@given(trees(), st.integers(1, 6))
def test_a_position_in_which_chance_moves_has_a_value(tree, depth):
    game = Judged(tree)
    for s in (game.result(game.initial(), action) for action in legal(game, game.initial())):
        if game.is_terminal(s) or game.to_move(s) != CHANCE:
            continue
        hero = game.viewer(s)
        value, each = expected(game, s, depth, hero), vector(game, s, depth)
        for prune in PRUNINGS:
            found = Expectiminimax(prune).deepen(game, s, depth=depth, every=True)
            assert (found.action, found.line) == (NO_ACTION, ())
            assert found.value == pytest.approx(value, abs=CLOSE)
            behind = {o.action: expected(game, game.result(s, o.action), depth, hero) for o in found.options}
            assert {o.action: o.value for o in found.options} == pytest.approx(behind, abs=CLOSE)
            assert set(behind) == set(legal(game, s))
        assert MaxN().values(game, s, depth) == pytest.approx(each, abs=CLOSE)
        assert MaxN().search(game, s, depth).value == pytest.approx(each[hero], abs=CLOSE)
        assert Expectiminimax().deepen(game, s, nodes=1).value is None  # nothing was seen


@settings(max_examples=60)
@given(trees(), st.integers(1, 6), st.booleans(), st.floats(-10, 10), st.floats(0.01, 10))
def test_outside_its_window_star_gives_a_bound(tree, depth, probes, alpha, width):
    """The return-value theorem: L <= a implies V <= L; a < L < b implies V = L; L >= b implies V >= L."""
    game = Judged(tree)
    s = game.initial()
    search = Expectiminimax("star2" if probes else "star1").started(game, s, depth)
    beta = alpha + width
    true = expected(game, s, depth, game.to_move(s))
    found = search.look(s, depth, alpha, beta)
    if found <= alpha:
        assert true <= found + CLOSE
    elif found >= beta:
        assert true >= found - CLOSE
    else:
        assert found == pytest.approx(true, abs=CLOSE)


@given(trees(chance=False), st.integers(1, 6))
@settings(max_examples=30)
def test_without_chance_it_is_minimax(tree, depth):
    game = Judged(tree)
    s = game.initial()
    found, wanted = expectiminimax(game, s, depth), minimax(game, s, depth)
    assert (found.value, found.plies) == (wanted.value, wanted.plies)
    assert expectiminimax(game, s, depth, table=0).action == wanted.action


@pytest.mark.parametrize("prune", PRUNINGS)
def test_on_a_board_it_agrees_with_minimax_to_the_last_bit(prune):
    p = load("tic-tac-toe").start("b2 a1")
    found, wanted = expectiminimax(p.game, p.state, 5, prune=prune), minimax(p.game, p.state, 5)
    assert (found.value, found.plies) == (wanted.value, wanted.plies)


def test_the_lecture_tree_with_dice():
    """Max chooses between two dice, and Min answers the result: 0.9 * 2 + 0.1 * 3 against 0.9 * 1 + 0.1 * 4."""
    left = {"chance": [[0.9, {"player": 1, "actions": [2, 9]}], [0.1, {"player": 1, "actions": [3, 8]}]]}
    right = {"chance": [[0.9, {"player": 1, "actions": [1, 7]}], [0.1, {"player": 1, "actions": [4, 6]}]]}
    game = Drawn({"player": 0, "actions": {"left": left, "right": right}})
    for prune in PRUNINGS:
        found = expectiminimax(game, game.initial(), 2, prune=prune)
        assert found.value == pytest.approx(2.1)
        assert found.proven
        assert found.action == 0
    options = expectiminimax(game, game.initial(), 2, prune="none").options
    assert [(option.action, pytest.approx(option.value)) for option in options] == [(0, 2.1), (1, 1.3)]


def test_star1_leaves_out_what_cannot_matter():
    """With a certain 5 elsewhere, an event worth 2 with probability 3/4 is not enough even if the rest is worth 9:
    3.75 < 5.
    """
    game = Drawn({"player": 0, "actions": [5, {"chance": [["3/4", 2], ["1/4", {"player": 1, "actions": [9, -9]}]]}]})
    assert expectiminimax(game, game.initial(), 2, prune="none").nodes == 7
    assert expectiminimax(game, game.initial(), 2, prune="star1").nodes == 4


def test_star2_probes_before_it_searches():
    """After each of two events Min's first action is worth 1: the average is at most 1, and 4 is better."""
    bad = {"player": 1, "actions": [1, 7, 8, 9]}
    game = Drawn({"player": 0, "actions": [4, {"chance": [["1/2", bad], ["1/2", bad]]}, -9]})
    nodes = {prune: expectiminimax(game, game.initial(), 2, prune=prune, table=0).nodes for prune in PRUNINGS}
    assert nodes == {"none": 14, "star1": 11, "star2": 8}


def sorted_tree(rng, decisions, player=0):
    """The value of a random tree with the best action first everywhere, and the tree: dice fall after each action."""
    if decisions == 0:
        payoff = rng.randint(-100, 100)
        return payoff, payoff
    actions = []
    for _ in range(3):
        behind = [sorted_tree(rng, decisions - 1, 1 - player) for _ in range(2)]
        actions.append((sum(value for value, _ in behind) / 2, {"chance": [["1/2", tree] for _, tree in behind]}))
    actions.sort(key=lambda pair: pair[0], reverse=player == 0)
    return actions[0][0], {"player": player, "actions": [tree for _, tree in actions]}


def test_the_better_the_order_the_more_is_left_out():
    """The node counts are the signature of the pruning: a change in them is a change in the search."""
    nodes = dict.fromkeys(PRUNINGS, 0)
    for seed in range(40):
        value, tree = sorted_tree(random.Random(seed), 2)
        game = Judged(tree)
        for prune in PRUNINGS:
            found = expectiminimax(game, game.initial(), 3, prune=prune, table=0)
            assert found.value == pytest.approx(value, abs=CLOSE * 100)
            nodes[prune] += found.nodes
    assert nodes == {"none": 2560, "star1": 1919, "star2": 1522}


def test_of_equals_the_first_is_taken():
    even = {"chance": [["1/4", 1], ["1/2", 2], ["1/4", 3]]}
    game = Drawn({"player": 0, "actions": [1, even, {"chance": [["1/2", 0], ["1/2", 4]]}, 2, even]})
    for prune in PRUNINGS:
        found = expectiminimax(game, game.initial(), 2, prune=prune)
        assert (found.value, found.action) == (2, 1)
    assert expectiminimax(Drawn([3, 3, 3]), Drawn([3, 3, 3]).initial(), 1).action == 0


def test_one_player_against_the_dice():
    data = {
        "player": 0,
        "actions": [{"payoffs": [3]}, {"chance": [["1/2", {"payoffs": [0]}], ["1/2", {"payoffs": [8]}]]}],
    }
    game = Drawn(data)
    for prune in PRUNINGS:
        found = expectiminimax(game, game.initial(), 2, prune=prune)
        assert (found.action, found.value, found.proven) == (1, 4, True)
    found = expectiminimax(game, game.initial(), 1)  # at the horizon an estimate, the middle, stands for the dice
    assert (found.action, found.value, found.proven) == (1, 4, False)


# Pig: the same player may move again and again.


def endings(goal, count):
    choose = random.Random(goal)
    for _ in range(count):
        scores = tuple(choose.randrange(goal // 2, goal - 1) for _ in range(2))
        player = choose.randrange(2)
        turn = choose.choice([0, *range(2, goal - scores[player])])
        yield State((*scores, 0, 0), turn, player, False)


def test_endings_of_pig_at_fewer_nodes():
    game, total = Pig(20), dict.fromkeys(PRUNINGS, 0)
    for s in endings(20, 12):
        value = expected(game, s, 4, s.player)
        for prune in PRUNINGS:
            found = expectiminimax(game, s, 4, prune=prune, table=0)
            assert found.value == pytest.approx(value, abs=CLOSE)
            assert expectiminimax(game, s, 4, prune=prune).value == pytest.approx(value, abs=CLOSE)
            total[prune] += found.nodes
    assert max(total["star1"], total["star2"]) < 0.9 * total["none"]


def best_play(goal):
    """Winning chances [mine, theirs, turn] of the player to move, by value iteration."""
    chances = np.full((goal, goal, goal + 6), 0.5)
    for _ in range(200):
        before = chances.copy()
        for mine in range(goal):
            chances[mine, :, goal - mine :] = 1
            for turn in reversed(range(goal - mine)):
                lost = 1 - before[:, mine, 0]
                roll = (lost + sum(chances[mine, :, turn + face] for face in range(2, 7))) / 6
                hold = 1 - before[:, mine + turn, 0] if turn else 0
                chances[mine, :, turn] = np.maximum(roll, hold)
        if np.abs(chances - before).max() < 1e-13:
            break
    return chances


def test_deep_search_finds_the_best_play_of_short_pig():
    """At 24 decisions' distance the estimates hardly matter."""
    goal = 20
    game, chances = Pig(goal), best_play(goal)
    for mine in (8, 14):
        for theirs in (9, 15):
            for turn in range(2, goal - mine, 2):
                s = State((mine, theirs, 0, 0), turn, 0, False)
                found = expectiminimax(game, s, 24)
                wins = chances[mine, theirs, turn]
                assert (found.value + 1) / 2 == pytest.approx(wins, abs=0.01)
                roll = (
                    1 - chances[theirs, mine, 0] + sum(chances[mine, theirs, turn + face] for face in range(2, 7))
                ) / 6
                hold = 1 - chances[theirs, mine + turn, 0]
                if abs(roll - hold) > 0.02:
                    assert found.action == (ROLL if roll > hold else HOLD)


class PlainPig(Pig):
    compiled = False


@pytest.mark.plain
def test_a_deep_plain_search_fills_its_table():
    s = Pig(20).start("roll 4 roll 6 hold roll 6 roll 5").state
    ours, plain = (expectiminimax(game, s, 9, samples=2) for game in (Pig(20), PlainPig(20)))
    assert ours.counts == plain.counts
    assert ours.counts["table_cuts"] > 20


@pytest.mark.plain
@pytest.mark.parametrize("prune", PRUNINGS)
def test_plain_and_compiled_look_at_the_same_nodes(prune):
    s = Pig(20).start("roll 4 roll 6 hold roll 5").state
    ours = expectiminimax(Pig(20), s, 3, prune=prune, samples=4)
    plain = expectiminimax(PlainPig(20), s, 3, prune=prune, samples=4)
    assert ours.value == pytest.approx(plain.value, abs=CLOSE)
    assert (ours.action, ours.nodes, ours.line, ours.counts) == (plain.action, plain.nodes, plain.line, plain.counts)


# The table and deepening.


@settings(max_examples=40)
@given(trees())
def test_each_iteration_finds_what_a_search_of_its_depth_finds(tree):
    game = Judged(tree)
    s, found = game.initial(), []
    last = Expectiminimax().deepen(game, s, report=found.append)
    assert last.proven
    assert last.value == found[-1].value
    for depth, each in enumerate(found, 1):
        assert each.depth == depth
        assert each.value == pytest.approx(expectiminimax(game, s, depth, prune="none").value, abs=CLOSE)
        assert each.proven == (depth == len(found))


def test_the_table_changes_no_value_where_paths_meet():
    """Points at risk add up in many ways: the same states come at many depths."""
    game = Pig(20)
    s = State((4, 9, 0, 0), 3, 0, False)
    found = []
    Expectiminimax().deepen(game, s, depth=7, report=found.append)
    for each in found:
        without = expectiminimax(game, s, each.depth, prune="none")
        assert each.value == pytest.approx(without.value, abs=CLOSE)
    assert found[-1].nodes < 0.2 * without.nodes


@pytest.mark.parametrize("seconds", [0.01, 0.2])
@pytest.mark.parametrize("spec", ["pig:20", "tic-tac-toe"])
def test_a_time_budget_is_kept(spec, seconds):
    game = load(spec)
    Expectiminimax().deepen(game, game.initial(), depth=1)  # compiles
    started = time.process_time()  # other work on this machine must not fail this test
    found = Expectiminimax().deepen(game, game.initial(), seconds=seconds)
    assert found.action in legal(game, game.initial())
    assert time.process_time() - started < seconds * 1.05 + 0.25
    assert found.depth >= 1 or seconds < 0.1
    assert found.proven or found.seconds >= 0.9 * seconds


def test_a_node_budget_is_kept_and_answers_from_what_was_completed():
    game = Pig(20)
    s, found = game.initial(), []
    whole = Expectiminimax().deepen(game, s, nodes=20_000, report=found.append)
    assert whole.nodes == 20_000
    assert (whole.depth, whole.value) == (found[-1].depth, found[-1].value)
    assert whole.value == pytest.approx(expectiminimax(game, s, whole.depth).value, abs=CLOSE)
    assert Expectiminimax().deepen(game, s, nodes=1).action == ROLL
    assert Expectiminimax().deepen(game, s, nodes=20_000)[:5] == whole[:5]


# Samples.


@kernel
def sampled(game, s, context, into):
    out = context.out
    context.list_events(game, s)
    for i in range(len(out)):
        into[out[i]] += context.weights[i]
    out.truncate(0)
    return 0


def uneven(events=30):
    chances = [(i + 1) / (events * (events + 1) / 2) for i in range(events)]
    return Tree({"player": 0, "actions": [0, {"chance": [[p, (i * 37) % 19 - 9] for i, p in enumerate(chances)]}]})


@pytest.mark.parametrize("samples", [1, 4, 7, 29])
def test_a_sample_is_fair(samples):
    """Over many seeds an event's weight is its probability on average, and never off by more than a share."""
    game = uneven()
    s = game.result(game.initial(), 1)
    true = np.array([game.probability(s, event) for event in legal(game, s)])
    mean = np.zeros(30)
    for seed in range(300):
        context = ChanceContext(
            game, 0, TranspositionTable(0.001), probes=False, remembers=False, samples=samples, seed=seed, nodes=None
        )
        weights = np.zeros(30)
        sampled(game, s, context, weights)
        assert weights.sum() == pytest.approx(1)
        assert np.abs(weights - true).max() < 1 / samples + 1e-9
        assert np.count_nonzero(weights) <= samples
        mean += weights / 300
    assert np.abs(mean - true).max() < 0.08 / samples**0.5


def test_samples_are_the_same_for_every_pruning_and_differ_by_seed():
    game = Pig(20)
    s = game.start("roll 4 roll 6 hold roll 5").state
    values = set()
    for seed in range(8):
        found = [expectiminimax(game, s, 5, prune=prune, samples=3, seed=seed) for prune in PRUNINGS]
        assert found[1].value == pytest.approx(found[0].value, abs=CLOSE)
        assert found[2].value == pytest.approx(found[0].value, abs=CLOSE)
        assert not any(each.proven for each in found)
        values.add(found[0].value)
    assert len(values) > 4
    exact = expectiminimax(game, s, 5)
    assert np.mean(list(values)) == pytest.approx(exact.value, abs=0.1)
    assert expectiminimax(game, s, 5, samples=6) == exact._replace(seconds=pytest.approx(0, abs=9))


# What is refused.


@pytest.mark.parametrize(
    "spec, why",
    [
        ("kuhn-poker", "hides information; the player `ismcts` does"),
        ("rock-paper-scissors", "hides information"),
        ("mnk:3,3,3,players=3", "two players with opposite interests.*`maxn`"),
        ("pig:players=3", "`maxn`"),
    ],
)
def test_games_that_it_does_not_suit_are_refused_in_a_sentence(spec, why):
    game = load(spec)
    with pytest.raises(Unsuitable, match=why) as raised:
        expectiminimax(game, game.initial(), 2)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "options, why",
    [
        ({"depth": 0}, "depth=0"),
        ({"depth": 100_000}, "depth=100000"),
        ({"depth": 2, "prune": "star3"}, "none, star1 or star2"),
        ({"depth": 2, "samples": -1}, "samples=-1"),
        ({"depth": 2, "table": -1}, "table=-1"),
        ({"depth": 2, "table": float("nan")}, "table=nan"),
    ],
)
def test_wrong_options_are_refused(options, why):
    with pytest.raises(CounterplayError, match=why):
        expectiminimax(Pig(20), Pig(20).initial(), **options)


@pytest.mark.parametrize("budget", [{"seconds": 0}, {"seconds": -1.0}, {"seconds": float("nan")}, {"nodes": 0}])
def test_budgets_that_allow_nothing_are_refused(budget):
    with pytest.raises(CounterplayError, match=r"needs|has a limit"):
        Expectiminimax().deepen(Pig(20), Pig(20).initial(), **budget)


def test_the_game_must_go_on():
    game = Pig(20)
    with pytest.raises(CounterplayError, match="the game is over"):
        expectiminimax(game, game.start("roll 6 roll 6 roll 6 roll 6").state, 2)
