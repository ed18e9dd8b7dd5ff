"""max^n, paranoid and best-reply search: equal to plain recursions, pruned or not."""

import random
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.oracles import Drawn, Judged, clipped, dated, expected, replied, trees, vector

from counterplay import CounterplayError, Game, load, state
from counterplay.core.errors import Unsuitable
from counterplay.core.rules import legal
from counterplay.games.mnk import Mnk
from counterplay.games.mnk import State as Cells
from counterplay.games.pig import Pig, State
from counterplay.search.chance.expectiminimax import PRUNINGS, expectiminimax
from counterplay.search.many_players.search import BestReply, MaxN, Paranoid, best_reply, maxn, paranoid
from counterplay.search.memory import Scale
from counterplay.search.textbook.minimax import minimax

CLOSE = 1e-9

TEXTBOOK = [
    [[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)]],
    [[(5, 1, 1), (1, 5, 2)], [(7, 7, 1), (5, 4, 5)]],
]
"""Russell & Norvig, the tree of three players A, B and C."""


def as_tree(part):
    return {"payoffs": list(part)} if isinstance(part, tuple) else [as_tree(each) for each in part]


def midgames(game, count, moves):
    """Positions after random moves in which the game goes on."""
    found, choose = [], random.Random(1)
    while len(found) < count:
        p = game.start()
        while len(p.moves) < moves and not p.is_over:
            p.play(choose.choice(p.options()))
        if not p.is_over:
            found.append(p.state)
    return found


# max^n.


def test_the_textbook_tree_of_three():
    game = Drawn(as_tree(TEXTBOOK))
    for prune in (False, True):
        found = maxn(game, game.initial(), 3, prune=prune)
        assert (found.action, found.value, found.line, found.proven) == (0, 1, (0, 0, 0), True)
        assert MaxN(prune).values(game, game.initial(), 3) == (1, 2, 6)
    assert maxn(game, game.initial(), 3, prune=False).nodes == 15
    options = maxn(game, game.initial(), 3, prune=False).options
    assert [(option.action, option.value) for option in options] == [(0, 1), (1, 1)]


@pytest.mark.parametrize(
    "players, zero_sum",
    [(3, True), pytest.param(3, False, marks=pytest.mark.slow), pytest.param(2, False, marks=pytest.mark.slow)],
)
def test_maxn_finds_what_a_plain_recursion_finds(players, zero_sum):
    @settings(max_examples=40)
    @given(trees(players, zero_sum), st.integers(1, 6))
    def check(tree, depth):
        game = Judged(tree)
        s = game.initial()
        plain, pruned = MaxN(prune=False), MaxN()
        values = plain.values(game, s, depth)
        assert values == pytest.approx(vector(game, s, depth), abs=CLOSE)
        assert pruned.values(game, s, depth) == values
        ours, theirs = pruned.search(game, s, depth), plain.search(game, s, depth)
        assert (ours.action, ours.value) == (theirs.action, theirs.value)
        assert ours.nodes <= theirs.nodes

    check()


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 3, 4])
def test_maxn_for_three_on_a_board(depth):
    """Wins count more the sooner they come, as in every search without chance."""
    game = Mnk(3, 3, 3, players=3)
    fewer = 0
    for s in midgames(game, 12, 3):
        values = [Scale.of(game).plain(value) for value in vector(game, s, depth)]
        found = {prune: MaxN(prune).values(game, s, depth) for prune in (False, True)}
        assert found[False] == pytest.approx(values, abs=CLOSE)
        assert found[True] == found[False]
        nodes = [maxn(game, s, depth, prune=prune).nodes for prune in (True, False)]
        assert nodes[0] <= nodes[1]
        fewer += nodes[0] < nodes[1]
    assert fewer >= (6 if depth > 1 else 0)


def test_shallow_pruning_leaves_out_a_known_leaf():
    """Player 1 has 5 elsewhere. Once player 2 has 3 of a sum of 0 with nobody below -6, player 1 gets no more than 3."""
    first = {"payoffs": [5, -3, -2]}
    second = {"player": 1, "actions": [{"payoffs": [-6, 3, 3]}, {"payoffs": [6, -6, 0]}]}
    game = Drawn({"player": 0, "actions": [first, second]})
    assert maxn(game, game.initial(), 2, prune=False).nodes == 5
    assert maxn(game, game.initial(), 2).nodes == 4
    general = Drawn(
        {"player": 0, "actions": [first, {**second, "actions": [*second["actions"], {"payoffs": [6, 6, 6]}]}]}
    )
    assert maxn(general, general.initial(), 2).nodes == 6  # not a constant sum: nothing may be pruned
    assert maxn(general, general.initial(), 2).value == 6


def test_who_has_everything_looks_no_further():
    game = Drawn(as_tree([[(1, 9, 1), (0, 0, 0)], [(0, 9, 0), (1, 2, 0), (1, 0, 0)]]))
    assert maxn(game, game.initial(), 2).nodes == 5
    assert maxn(game, game.initial(), 2, prune=False).nodes == 8


@settings(max_examples=30)
@given(trees(chance=False), st.integers(1, 6))
def test_maxn_with_two_opponents_is_minimax(tree, depth):
    game = Judged(tree)
    s = game.initial()
    wanted = minimax(game, s, depth)
    for prune in (False, True):
        found = maxn(game, s, depth, prune=prune)
        assert (found.action, found.value, found.plies) == (wanted.action, wanted.value, wanted.plies)


@pytest.mark.parametrize(
    "spec, moves, depth", [pytest.param("connect-four", "4 4 3", 5, marks=pytest.mark.slow), ("tic-tac-toe", "b2", 8)]
)
def test_on_boards_for_two_maxn_is_minimax_to_the_last_bit(spec, moves, depth):
    p = load(spec).start(moves)
    wanted = minimax(p.game, p.state, depth)
    for method in (maxn, paranoid, best_reply):
        found = method(p.game, p.state, depth)
        assert (found.value, found.plies) == (wanted.value, wanted.plies)
        assert minimax_value_of(p, found.action, depth) == wanted.value
    assert maxn(p.game, p.state, depth).action == wanted.action


def minimax_value_of(p, action, depth):
    after = p.game.result(p.state, action)
    if p.game.is_terminal(after):
        return p.game.utility(after, p.to_move)
    value = minimax(p.game, after, depth - 1).value
    return value if p.game.to_move(after) == p.to_move else -value


def test_estimates_that_do_not_add_up_are_shifted_before_anything_is_left_out():
    class Boastful(Judged):
        """Every player overestimates their own position."""

        def evaluate(self, s, player):
            return 5.0 + (s.node * 7 + player * 3) % 11

    @settings(max_examples=30)
    @given(trees(3, True, chance=False), st.integers(1, 3))
    def check(tree, depth):
        game = Boastful(tree)
        s = game.initial()
        values = MaxN(prune=False).values(game, s, depth)
        assert MaxN(prune=True).values(game, s, depth) == values
        assert sum(values) == pytest.approx(0, abs=1e-4)

    check()


# Paranoid.


@pytest.mark.parametrize("players, zero_sum", [(3, True), pytest.param(2, False, marks=pytest.mark.slow)])
def test_paranoid_search_is_that_of_two_sides(players, zero_sum):
    @settings(max_examples=30)
    @given(trees(players, zero_sum), st.integers(1, 6))
    def check(tree, depth):
        game = Judged(tree)
        s = game.initial()
        hero = game.to_move(s)
        value = expected(game, s, depth, hero)
        nodes = {}
        for prune in PRUNINGS:
            found = paranoid(game, s, depth, prune=prune, table=0)
            assert found.value == pytest.approx(value, abs=CLOSE)
            assert expected(game, game.result(s, found.action), depth - 1, hero) == pytest.approx(value, abs=CLOSE)
            assert paranoid(game, s, depth, prune=prune).value == pytest.approx(value, abs=CLOSE)
            nodes[prune] = found.nodes
        assert max(nodes["star1"], nodes["star2"]) <= nodes["none"]

    check()


@pytest.mark.slow
def test_paranoia_on_a_board():
    game = Mnk(3, 3, 3, players=3)
    for s in midgames(game, 12, 4):
        value = Scale.of(game).plain(expected(game, s, 5, s.turn))
        found = paranoid(game, s, 5)
        assert found.value == pytest.approx(value, abs=CLOSE)
        assert not found.proven  # the others need not be against the hero
        assert found.nodes < paranoid(game, s, 5, prune="none").nodes


# Best replies.


@pytest.mark.parametrize("players, zero_sum", [(3, True), (3, False)])
def test_best_reply_search_finds_what_a_plain_recursion_finds(players, zero_sum):
    @settings(max_examples=40)
    @given(trees(players, zero_sum), st.integers(1, 5))
    def check(tree, depth):
        game = Judged(tree)
        s = game.initial()
        value = replied(game, s, depth, game.to_move(s))
        plain, pruned = best_reply(game, s, depth, prune=False), best_reply(game, s, depth)
        assert plain.value == pytest.approx(value, abs=CLOSE)
        assert (pruned.value, pruned.action) == (plain.value, plain.action)
        assert pruned.nodes <= plain.nodes

    check()


@settings(max_examples=20)
@given(trees(), st.integers(1, 6))
def test_with_one_opponent_the_best_reply_is_his(tree, depth):
    game = Judged(tree)
    wanted = expectiminimax(game, game.initial(), depth)
    assert best_reply(game, game.initial(), depth).value == pytest.approx(wanted.value, abs=CLOSE)


def test_only_one_opponent_replies():
    """One opponent alone can hold the hero to 4, both together to 1: paranoid search expects 1, best-reply search 4."""
    third = [as_tree([(9, 0, 5), (4, 0, 0)]), as_tree([(4, 0, 5), (1, 0, 0)])]
    game = Drawn({"player": 0, "actions": [{"player": 1, "actions": third}, {"payoffs": [3, 0, 0]}]})
    assert paranoid(game, game.initial(), 3).action == 1
    found = best_reply(game, game.initial(), 3)
    assert (found.action, found.value) == (0, 4)


class Passing(Mnk):
    """An opponent who does not reply need not move."""

    def allows_null(self, s):
        return True

    def null(self, s):
        return Cells(s.second, s.third, s.mine, (s.turn + 1) % 3, s.won)


@pytest.mark.parametrize("game", [Mnk(3, 3, 3, players=3), Passing(3, 3, 3, players=3)])
def test_best_replies_on_a_board(game):
    """In one game the others act by the hint, in the other they pass."""
    for s in midgames(game, 8, 3):
        value = Scale.of(game).plain(replied(game, s, 3, s.turn))
        plain, pruned = best_reply(game, s, 3, prune=False), best_reply(game, s, 3)
        assert plain.value == pytest.approx(value, abs=CLOSE)
        assert (pruned.value, pruned.action) == (plain.value, plain.action)
        assert pruned.nodes < plain.nodes


# Chance, with more than two players.


@pytest.mark.slow
def test_pig_for_three():
    game = Pig(12, 3)
    for scores, turn in [((4, 5, 8, 0), 3), ((0, 5, 2, 0), 6), ((9, 9, 9, 0), 0)]:
        s = State(scores, turn, 1, False)
        values = vector(game, s, 3)
        for prune in (False, True):
            assert MaxN(prune).values(game, s, 3) == pytest.approx(values, abs=CLOSE)
        assert paranoid(game, s, 3).value == pytest.approx(expected(game, s, 3, 1), abs=CLOSE)
        assert best_reply(game, s, 3).value == pytest.approx(replied(game, s, 3, 1), abs=CLOSE)


class PlainMnk(Mnk):
    compiled = False


@pytest.mark.plain
@pytest.mark.parametrize("method", [maxn, paranoid, best_reply])
def test_plain_and_compiled_look_at_the_same_nodes(method):
    s = Mnk(3, 3, 3, players=3).start("b2 a1 c1 a3").state
    ours, plain = method(Mnk(3, 3, 3, players=3), s, 3), method(PlainMnk(3, 3, 3, players=3), s, 3)
    assert (ours.action, ours.value, ours.line) == (plain.action, plain.value, plain.line)
    assert (ours.nodes, ours.counts) == (plain.nodes, plain.counts)


@pytest.mark.parametrize("method", [MaxN(), Paranoid(), BestReply()])
def test_deepening_goes_on_until_all_is_seen(method):
    game = Mnk(3, 3, 3, players=3)
    s, found = game.start("b2 a1 c1 a3").state, []
    last = method.deepen(game, s, report=found.append)
    assert [each.depth for each in found] == list(range(1, len(found) + 1))
    assert last.depth <= 5
    assert last.proven == (method == MaxN())
    assert all(each.value == method.search(game, s, each.depth).value for each in found)
    values = {option.action: option.value for option in method.deepen(game, s, depth=3, every=True).options}
    assert set(values) == set(legal(game, s))
    assert max(values.values()) == method.search(game, s, 3).value
    plain = replace(method, prune="none" if isinstance(method, Paranoid) else False)
    assert values == {option.action: option.value for option in plain.search(game, s, 3).options}
    hurried = method.deepen(game, game.initial(), nodes=3000)
    assert hurried.nodes <= 3000
    assert 1 <= hurried.depth < 9


@pytest.mark.parametrize("method", [maxn, paranoid, best_reply])
def test_what_does_not_suit_is_refused_in_a_sentence(method):
    for spec in ("leduc-poker", "prisoners-dilemma"):
        game = load(spec)
        with pytest.raises(Unsuitable, match="hides information; the player `ismcts` does") as raised:
            method(game, game.initial(), 2)
        assert "\n" not in str(raised.value)
    with pytest.raises(CounterplayError, match="depth=0"):
        method(Mnk(players=3), Mnk(players=3).initial(), 0)


# Repetition.


@state
class Place(NamedTuple):
    at: int
    turn: int


class Corridor(Game):
    """Three push one token along a corridor in turn, 1 or 2 steps up or down; the two ends pay each of them
    differently.
    """

    players, zero_sum, utility_bounds = 3, False, (-1.0, 1.0)

    def __init__(self, rule: str = "draw") -> None:
        self.repetition = rule
        self.compiled = rule == "illegal"  # one is enough

    def initial(self):
        return Place(3, 0)

    def to_move(self, s):
        return s.turn

    def actions(self, s, out):
        for step in (1, 2):
            for way in (step, -step):
                if 0 <= s.at + way <= 6:
                    out.append(way + 2)

    def result(self, s, action):
        return Place(s.at + action - 2, (s.turn + 1) % 3)

    def is_terminal(self, s):
        return s.at == 0 or s.at == 6

    def utility(self, s, player):
        return (player - 0.5) / 2 if s.at == 6 else (0.75 - player) / 2

    def evaluate(self, s, player):
        return 0.1 * ((s.at * 5 + player * 3 + s.turn) % 7) - 0.3


def with_history(game, path, depth, hero=None):
    """max^n values of the last position of `path`; paranoid ones, if there is a hero."""
    s, ply = path[-1], len(path) - 1
    if game.is_terminal(s):
        return [dated(game, game.utility(s, p), ply) for p in range(3)]
    if game.repetition != "illegal" and s in path[:-1]:
        return [0.0 if game.repetition == "draw" else dated(game, 1.0 if p == s.turn else -1.0, ply) for p in range(3)]
    if depth == 0:
        return [clipped(game, game.evaluate(s, p)) for p in range(3)]
    after = [game.result(s, action) for action in legal(game, s)]
    if game.repetition == "illegal":
        after = [t for t in after if t not in path]
    if not after:
        return [0.0] * 3
    found = [with_history(game, [*path, t], depth - 1, hero) for t in after]
    if hero is None:
        return max(found, key=lambda values: values[s.turn])
    return (max if s.turn == hero else min)(found, key=lambda values: values[hero])


@pytest.mark.parametrize("rule", ["draw", "loss", "illegal"])
def test_what_comes_again_is_judged_by_the_rule_of_repetition(rule):
    game = Corridor(rule)
    for s in (Place(3, 0), Place(2, 1), Place(4, 2)):
        for depth in range(1, 6):
            values = [Scale.of(game).plain(value) for value in with_history(game, [s], depth)]
            for prune in (False, True):
                assert MaxN(prune).values(game, s, depth) == pytest.approx(values, abs=CLOSE)
            value = Scale.of(game).plain(with_history(game, [s], depth, s.turn)[s.turn])
            assert paranoid(game, s, depth).value == pytest.approx(value, abs=CLOSE)
