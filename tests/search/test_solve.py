"""Exact solving against minimax: values, distances, every action; bounds that always hold; refusals."""

from __future__ import annotations

import math
import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Game, load, state
from counterplay.core.rules import legal
from counterplay.games.hex import Hex
from counterplay.games.tree import Tree
from counterplay.search.memory import Scale
from counterplay.search.solving.solve import solve
from counterplay.search.textbook.minimax import minimax
from tests.search.oracles import dated, expected, trees

END = 99
SMALL = 0.001  # megabytes: a table that forgets almost everything


def true_value(game, s, player):
    """What `s` is worth to `player`, and how far away the end is if the result is the best or the worst."""
    value = expected(game, s, END, player)
    return Scale.of(game).plain(value), Scale.of(game).plies(value)


def later(truth):
    """The same value a ply later."""
    return truth[0], None if truth[1] is None else truth[1] + 1


def scaled(tree, factor):
    """The tree with all payoffs multiplied."""
    if "payoffs" in tree:
        return {"payoffs": [value * factor for value in tree["payoffs"]]}
    return {**tree, "actions": [scaled(child, factor) for child in tree["actions"]]}


def check(game, s, found, truths):
    """Compare what was found with the truth about each action."""
    answers = {each.action: (each.value, each.plies) for each in found.actions}
    assert answers == truths
    assert found.proven
    assert found.complete
    assert found.value == max(value for value, _ in truths.values())
    assert found.actions[0].value == found.value == truths[found.action][0]
    if truths[found.action][1] is not None:
        assert found.plies == truths[found.action][1] == found.actions[0].plies


@pytest.mark.slow
@given(trees(chance=False), st.sampled_from([1, 0.25]), st.sampled_from([1.0, SMALL]))
def test_every_action_of_a_random_tree(tree, factor, megabytes):
    game = Tree(scaled(tree, factor))
    s, mover = game.initial(), game.to_move(game.initial())
    truths = {a: later(true_value(game, game.result(s, a), mover)) for a in legal(game, s)}
    check(game, s, solve(game, s, every=True, megabytes=megabytes), truths)
    found = solve(game, s, megabytes=megabytes)
    assert (found.value, found.action in truths) == (true_value(game, s, mover)[0], True)
    best = {a for a, truth in truths.items() if truth == truths[found.action]}
    assert {each.action for each in found.actions} == best


@given(trees(chance=False), st.integers(1, 60), st.sampled_from(["search", "pns"]), st.booleans())
def test_bounds_hold_whatever_the_budget(tree, nodes, method, every):
    game = Tree(tree)
    s, mover = game.initial(), game.to_move(game.initial())
    found = solve(game, s, method=method, every=every, nodes=nodes)
    value, plies = true_value(game, s, mover)
    assert found.bounds[0] <= value <= found.bounds[1]
    assert found.complete or found.ran_out == "nodes"
    assert found.nodes <= nodes or found.complete
    if found.plies_bounds:
        assert found.plies_bounds[0] <= plies <= found.plies_bounds[1]
    for each in found.actions:
        value, plies = later(true_value(game, game.result(s, each.action), mover))
        assert each.bounds[0] <= value <= each.bounds[1]
        assert each.plies in (None, plies)
    if found.action is not None:
        assert true_value(game, game.result(s, found.action), mover)[0] >= found.bounds[0]


def sign(x):
    return (x > 0) - (x < 0)


@given(trees(chance=False), st.sampled_from([1.0, SMALL]))
def test_proof_numbers_find_who_wins_a_random_tree(tree, megabytes):
    game = Tree(tree)
    s, mover = game.initial(), game.to_move(game.initial())
    truths = {a: true_value(game, game.result(s, a), mover)[0] for a in legal(game, s)}
    for every in (False, True):
        found = solve(game, s, method="pns", every=every, megabytes=megabytes)
        assert found.proven
        low, high = found.bounds
        assert low <= max(truths.values()) <= high
        assert sign(low) == sign(high)
        assert truths[found.action] >= low
    assert {each.action: sign(each.bounds[0]) for each in found.actions} == {a: sign(v) for a, v in truths.items()}


def positions(game, plies, seed, number):
    """Positions after this many random actions."""
    rng = random.Random(seed)
    found = []
    while len(found) < number:
        p = game.start()
        for _ in range(plies):
            if not p.is_over:
                p.play(rng.choice(p.options()))
        if not p.is_over:
            found.append(p.state)
    return found


BOARDS = [("tic-tac-toe", 1), ("connect-four:5,4", 8), ("othello:4,score=on", 3)]
BOARDS.append(pytest.param("hex:3", 1, marks=pytest.mark.slow))


@pytest.mark.parametrize(("spec", "plies"), BOARDS)
def test_positions_on_small_boards(spec, plies):
    game = load(spec)
    for s in positions(game, plies, seed=1, number=6):
        truths = {}
        for action in legal(game, s):
            after = game.result(s, action)
            if game.is_terminal(after):
                value, plies = game.utility(after, game.to_move(s)), 0
            else:
                below = minimax(game, after, END)
                value = below.value if game.to_move(after) == game.to_move(s) else -below.value
                plies = below.plies
            truths[action] = later((value + 0.0, plies if abs(value) == game.utility_bounds[1] else None))
        check(game, s, solve(game, s, every=True), truths)
        sure = solve(game, s, method="pns")
        assert sign(sure.bounds[0]) == sign(sure.bounds[1]) == sign(max(truths.values())[0])


def test_late_positions_of_connect_four():
    game = load("connect-four")
    for s in positions(game, 30, seed=4, number=12):
        expected = minimax(game, s, END)
        found = solve(game, s)
        assert (found.value, found.plies) == (expected.value, expected.plies or found.plies)
        assert found.plies == expected.plies or (found.value == 0 and found.plies == 42 - s.ply)


def test_what_is_known_of_small_boards():
    for spec in ("tic-tac-toe", "connect-four:5,4"):
        game = load(spec)
        assert solve(game, game.initial()).value == 0, spec
    game = load("othello:4,score=on")
    found = solve(game, game.initial())
    assert (found.value, len(found.actions)) == (-8, 4)  # all first moves are symmetric
    assert found.plies >= 10  # 11 to 3: ten discs were placed


@pytest.mark.slow
def test_published_endgames():
    game = load("othello:score=on")
    s = game.parse_position("o..oooox/.oooooox/ooxxooox/ooxoooxx/ooooooxx/...oooox/....o..x/........ x")
    found = solve(game, s)  # number 40 of the FFO test suite
    assert (found.value, [game.action_text(s, each.action) for each in found.actions]) == (38, ["a2"])
    game = load("go:2,komi=0,score=on")  # Tromp: 1 point for Black, with area scoring and positional superko
    assert solve(game, game.initial()).value == 1
    game = load("chess")
    p = game.start(position="r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1")
    found = solve(game, p.state, before=p.before)
    assert (found.value, found.plies, game.action_text(p.state, found.action)) == (1, 3, "Qh6+")


@pytest.mark.slow
@pytest.mark.parametrize(("size", "value"), [("4,4", 0), ("4,5", 0), ("5,5", 0), ("6,4", -1), ("6,5", 0), ("6,6", -1)])
def test_boards_of_connect_four(size, value):
    """The values are from Tromp's table."""
    game = load(f"connect-four:{size}")
    assert solve(game, game.initial()).value == value


class PlainHex(Hex):
    compiled = False


@pytest.mark.parametrize(
    ("game", "openings"), [(PlainHex(1), "a1"), (PlainHex(2), "b1 a2"), (Hex(3), "c1 a2 b2 c2 a3")], ids=repr
)
def test_winning_openings_of_hex(game, openings):
    s = game.initial()
    for method in ("search", "pns"):
        found = solve(game, s, every=True, method=method)
        winning = [game.action_text(s, each.action) for each in found.actions if each.value == 1]
        assert sorted(winning) == sorted(openings.split())
        assert found.value == 1


def test_symmetric_positions_have_the_same_solution():
    game = load("connect-four:5,4")
    for s in positions(game, 4, seed=7, number=4):
        mirrored = game.symmetric(s, 1)
        here, there = solve(game, s, every=True), solve(game, mirrored, every=True)
        assert (here.value, here.plies) == (there.value, there.plies)
        assert {(game.symmetric_action(each.action, 1), each.value, each.plies) for each in here.actions} == {
            (each.action, each.value, each.plies) for each in there.actions
        }


def test_a_small_table_changes_no_value():
    game = load("connect-four:5,4")
    small, large = (solve(game, game.initial(), every=True, megabytes=size) for size in (SMALL, 16))
    assert small.nodes > large.nodes
    assert [each._replace(action=0) for each in small.actions] == [each._replace(action=0) for each in large.actions]


def test_bounds_close_in_with_more_nodes():
    game = load("connect-four:5,4")
    before = (-1.0, 1.0)
    for nodes in (1, 100, 5_000, 20_000, 10**6):
        found = solve(game, game.initial(), nodes=nodes)
        assert before[0] <= found.bounds[0] <= 0 <= found.bounds[1] <= before[1]
        before = found.bounds
    assert found.complete
    assert before == (0, 0)


def test_time_runs_out_and_reports_come():
    game = load("connect-four")
    heard = []
    found = solve(game, game.initial(), seconds=0.5, report=heard.append)
    assert (found.bounds, found.ran_out, found.complete, found.action) == ((-1, 1), "time", False, None)
    assert heard
    assert all(each.nodes <= found.nodes and each.seconds <= found.seconds for each in heard)


# Repetition, endless lines, one player, any object as a state.


@state
class Place(NamedTuple):
    at: int
    turn: int


class Corridor(Game):
    """Two push one token along a corridor in turn; player 0 wins at the upper end, player 1 at the lower one."""

    def __init__(self, rule: str = "draw", steps: int = 2, occurrences: int = 2, compiled: bool = False) -> None:
        self.repetition, self.steps, self.occurrences, self.compiled = rule, steps, occurrences, compiled

    def initial(self):
        return Place(3, 0)

    def to_move(self, s):
        return s.turn

    def actions(self, s, out):
        for step in range(1, self.steps + 1):
            if step == 1 or (s.at + step) % 4:  # some places are slippery
                out.append(s.at + step)
            if s.at % 3:
                out.append(s.at - step)

    def result(self, s, action):
        return Place(action, 1 - s.turn)

    def is_terminal(self, s):
        return s.at <= 0 or s.at >= 7

    def utility(self, s, player):
        return 1.0 if (s.at >= 7) == (player == 0) else -1.0


def with_history(game, path, hero):
    """The dated value to `hero` of the last position of `path`, by plain minimax."""
    s, ply = path[-1], len(path) - 1
    if game.is_terminal(s):
        return dated(game, game.utility(s, hero), ply)
    again = path.count(s) >= game.occurrences
    if again and game.repetition == "draw":
        return 0.0
    if again and game.repetition == "loss":
        return dated(game, 1.0 if hero == s.turn else -1.0, ply)
    after = [game.result(s, action) for action in legal(game, s)]
    if game.repetition == "illegal":
        after = [t for t in after if path.count(t) + 1 < game.occurrences]
    if not after:
        return 0.0
    return (max if s.turn == hero else min)(with_history(game, [*path, t], hero) for t in after)


@pytest.mark.parametrize("rule", ["draw", "loss", "illegal"])
@pytest.mark.parametrize(("steps", "occurrences"), [(2, 2), (1, 3)])
def test_what_came_before_counts_where_a_rule_of_repetition_says_so(rule, steps, occurrences):
    game = Corridor(rule, steps, occurrences, compiled=rule == "illegal" and steps == 2)
    for s in (Place(at, turn) for at in range(1, 7) for turn in (0, 1)):
        value = with_history(game, [s], s.turn)
        found = solve(game, s)
        assert found.value == Scale.of(game).plain(value), s
        if Scale.of(game).plies(value) is not None:
            assert found.plies == Scale.of(game).plies(value)


def test_positions_before_the_root_count():
    game = Corridor("draw", 2)
    rng = random.Random(3)
    for _ in range(20):
        p = game.start()
        for _ in range(rng.randint(1, 3)):
            if not p.is_over:
                p.play(rng.choice(p.options()))
        if not p.is_over:
            value = Scale.of(game).plain(with_history(game, p.states, p.to_move))
            assert solve(game, p.state, before=p.before).value == value


def test_a_line_without_end_is_refused():
    for compiled, method in ((True, "search"), (False, "search"), (False, "pns")):
        game = Corridor("none", 1, compiled=compiled)
        with pytest.raises(CounterplayError, match="a line of play continues for more than 1024 plies"):
            solve(game, game.initial(), method=method)


class Knapsack(Game):
    """One player packs numbers, each at most once, without going over 10."""

    players, zero_sum, utility_bounds, compiled = 1, False, (0.0, 10.0), False
    numbers = (4, 3, 6, 5)

    def initial(self):
        return frozenset()

    def to_move(self, s):
        return 0

    def actions(self, s, out):
        out.append(99)
        for i, size in enumerate(self.numbers):
            if i not in s and size + sum(self.numbers[j] for j in s) <= 10:
                out.append(i)

    def result(self, s, action):
        return s | {action}

    def is_terminal(self, s):
        return 99 in s

    def utility(self, s, player):
        return float(sum(self.numbers[i] for i in s if i != 99))


def test_one_player_and_any_object_as_a_state():
    game = Knapsack()
    found = solve(game, game.initial(), every=True)
    assert (found.value, found.plies, found.complete) == (10, 3, True)
    assert {each.action: each.value for each in found.actions} == {99: 0, 0: 10, 1: 9, 2: 10, 3: 9}


def test_what_does_not_suit_is_refused_in_a_sentence():
    for spec, what in (
        ("pig", "which has chance"),
        ("kuhn-poker", "which hides information"),
        ("mnk:players=3", "one player, or two with opposite interests"),
    ):
        game = load(spec)
        with pytest.raises(CounterplayError, match=what) as raised:
            solve(game, game.initial())
        assert "\n" not in str(raised.value)
    game = load("tic-tac-toe")
    for options, what in (
        ({"seconds": 0}, "time=0"),
        ({"nodes": 0}, "nodes=0"),
        ({"megabytes": 0}, "memory=0"),
        ({"megabytes": math.inf}, "memory=inf"),
        ({"method": "magic"}, "no method 'magic' to solve with; there are search, deepening, retrograde, pns, grundy"),
        ({"method": "grundy"}, "grundy suits impartial games, not tic-tac-toe; the method `search` does"),
    ):
        with pytest.raises(CounterplayError, match=what):
            solve(game, game.initial(), **options)
    with pytest.raises(CounterplayError, match="the game is over"):
        solve(game, game.start("a1 b1 a2 b2 a3").state)
    with pytest.raises(CounterplayError, match="pns suits games without a repetition rule"):
        solve(Corridor(), Corridor().initial(), method="pns")
