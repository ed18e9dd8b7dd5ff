"""Hex: the rules against OpenSpiel, small boards solved, connections against a walk over cells, the notation."""

import pickle
import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from games import must_play
from games.openspiel import lockstep
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games.hex import Hex

SIZES = st.sampled_from([1, 2, 3, 5, 8, 9, 12])  # one word, two and three; 8 fills a word


@pytest.mark.peer
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("size", [2, 3, 4, 8, 9, 11, 13])
def test_rules_agree_with_openspiel(size, swap):
    lockstep(Hex(size, swap), f"hex(board_size={size},swap={swap})", lambda s, action: action, playthroughs=12)


def test_one_cell_decides_the_smallest_board():
    """OpenSpiel does not see that the only stone connects both edges, so 1x1 is not compared with it."""
    p = load("hex:1").start("a1")
    assert p.is_over
    assert p.returns == (1, -1)


def wins(game, s, known):
    """Whether the side to move wins."""
    if s not in known:
        after = [game.result(s, action) for action in legal(game, s)]
        known[s] = any(game.is_terminal(t) or not wins(game, t, known) for t in after)
    return known[s]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_judge_by_must_play_agrees_with_minimax(random):
    """The whole 5x5 board is solved elsewhere."""
    p = load("hex:5").start()
    while len(p.actions) < 15 and not p.is_over:
        p.play(random.choice(p.options()))
    s = p.state
    if not p.is_over:
        assert must_play.wins(int(s.mine), int(s.theirs), first=p.to_move == 0) == wins(p.game, s, {})


@pytest.mark.parametrize("size, openings", [(1, "a1"), (2, "b1 a2"), (3, "c1 b2 a3 a2 c2")])
def test_winning_openings_are_known(size, openings):
    game, known = Hex(size), {}
    s = game.initial()
    after = {action: game.result(s, action) for action in legal(game, s)}
    winning = [action for action, t in after.items() if game.is_terminal(t) or not wins(game, t, known)]
    assert {game.action_text(s, action) for action in winning} == set(openings.split())


@pytest.mark.parametrize("size", [2, 3])
def test_with_swap_the_second_player_wins(size):
    """Whatever the first stone is worth, the second player takes the better side."""
    game = Hex(size, swap=True)
    assert not wins(game, game.initial(), {})


def test_the_tree_is_counted_compiled_as_by_hand():
    game = load("hex")
    assert [perft(game, game.initial(), depth) for depth in (1, 2, 3)] == [121, 121 * 120, 121 * 120 * 119]
    swap = load("hex:3,swap=on")
    assert [perft(swap, swap.initial(), depth) for depth in (1, 2, 3)] == [9, 9 * (8 + 1), 9 * (8 * 7 + 8)]


def connected(rows, stone):
    """Whether the stones join top to bottom (x) or left to right (o), by a walk from cell to cell."""
    n = len(rows)
    if stone == "o":
        rows = ["".join(row[c] for row in rows) for c in range(n)]
    waiting = [(0, c) for c in range(n) if rows[0][c] == stone]
    seen = set(waiting)
    for r, c in waiting:
        for at in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c), (r + 1, c - 1), (r - 1, c + 1)):
            if at not in seen and at[0] in range(n) and at[1] in range(n) and rows[at[0]][at[1]] == stone:
                seen.add(at)
                waiting.append(at)
    return any(r == n - 1 for r, _ in seen)


@settings(max_examples=25)
@given(SIZES, st.booleans(), st.randoms())
def test_a_win_is_a_connection(size, swap, random):
    p = Hex(size, swap).start()
    while not p.is_over:
        p.play(random.choice(p.options()))
        rows = p.game.rows(p.state)
        assert [connected(rows, stone) for stone in "xo"] == [p.is_over and p.returns[player] > 0 for player in (0, 1)]
    assert sorted(p.returns) == [-1, 1]


@settings(max_examples=25)
@given(SIZES, st.booleans(), st.randoms())
def test_position_text_round_trips(size, swap, random):
    p = Hex(size, swap).start()
    if swap and size > 1:
        p.play(random.choice(p.options())).play(random.choice(["swap", random.choice(p.legal())]))
    while not p.is_over:
        assert p.game.parse_position(p.position) == p.state
        p.play(random.choice(p.options()))
    assert p.game.parse_position(p.position) == p.state


@settings(max_examples=12)
@given(SIZES, st.booleans(), st.randoms())
def test_play_turned_by_half_a_turn_is_the_same(size, swap, random):
    game = Hex(size, swap)
    s = game.initial()
    while not game.is_terminal(s):
        image = game.symmetric(s, 1)
        assert game.symmetric(image, 1) == s == game.symmetric(s, 0)
        assert sorted(game.symmetric_action(action, 1) for action in legal(game, s)) == legal(game, image)
        assert game.evaluate(image, 0) == game.evaluate(s, 0)
        action = random.choice(legal(game, s))
        turned = game.result(image, game.symmetric_action(action, 1))
        s = game.result(s, action)
        assert game.symmetric(s, 1) == turned


@settings(max_examples=30)
@given(st.integers(1, 9), st.randoms())
def test_evaluation_is_opposite_to_the_players_and_within_bounds(size, random):
    game = Hex(size)
    s = game.initial()
    while not game.is_terminal(s):
        assert -1 < game.evaluate(s, 0) == -game.evaluate(s, 1) < 1
        s = game.result(s, random.choice(legal(game, s)))


def test_evaluation_counts_the_stones_that_are_missing():
    game = load("hex:5")
    s = game.parse_position("..x../.oxo./...../.ox../..xo.")  # x lacks c3; o a4, c3 and e2
    assert game.distance(s.mine, s.theirs, s.my_linked, 0) == 1
    assert game.distance(s.theirs, s.mine, s.their_linked, 1) == 3
    assert game.evaluate(s, 0) == pytest.approx((3 - 1 + 0.5) / 6)


def test_a_null_move_hands_the_turn_over():
    game = load("hex:4")
    s = game.start("b2 c2 b3").state
    for text in ("b4", "b1"):
        assert game.allows_null(s)
        s = game.null(s)
        s = game.result(s, game.parse_action(s, text))
    assert game.is_terminal(s)
    assert game.utility(s, 0) == 1
    assert not game.allows_null(game.initial())


def test_the_middle_is_tried_first():
    game = load("hex:5")
    s = game.initial()
    assert game.action_text(s, max(legal(game, s), key=lambda action: game.ordering(s, action))) == "c3"


def test_random_moves_are_even():
    game, rng = load("hex:3,swap=on"), Rng(1)
    s = game.start("b2").state
    drawn = [game.sample(s, rng) for _ in range(4500)]
    assert sorted(set(drawn)) == legal(game, s)
    assert all(400 < drawn.count(action) < 600 for action in legal(game, s))


def test_swapping_takes_the_stone_over_reflected():
    p = load("hex:3,swap=on").start("c1 swap")
    assert p.position == ".../.../o.. x"
    assert "swap" not in p.legal()
    assert load("hex:3,swap=on").start("a2 swap").play("a1").position == "xo./.../... o"
    with pytest.raises(CounterplayError, match="swap"):
        load("hex:3").start("c1 swap")
    with pytest.raises(CounterplayError, match="swap"):
        load("hex:3,swap=on").start("c1 a1 swap")


def test_keys_distinguish_states_and_nothing_else():
    game, rng, seen = load("hex:4,swap=on"), random.Random(2), {}
    for _ in range(200):
        s = game.initial()
        while not game.is_terminal(s):
            s = game.result(s, rng.choice(legal(game, s)))
            assert seen.setdefault(int(game.key(s)), s) == s
    assert len(set(seen.values())) == len(seen) > 1000


@pytest.mark.parametrize("size", [3, 11, 13])
def test_states_survive_pickling(size):
    p = Hex(size).start("a1 b1 a2")
    copy = pickle.loads(pickle.dumps(p.state))
    assert copy == p.state
    assert type(copy) is type(p.state)


def test_planes_and_policy_turn_the_board_to_the_side_to_move():
    game = load("hex:2")
    planes = np.zeros(game.plane_shape)
    game.planes(game.start("b1").state, planes)
    assert planes.astype(int).tolist() == [[[0, 0], [0, 0]], [[0, 0], [1, 0]]]
    planes = np.zeros(game.plane_shape)
    game.planes(game.start("b1 a1").state, planes)
    assert planes.astype(int).tolist() == [[[0, 1], [0, 0]], [[1, 0], [0, 0]]]
    game = Hex(3, swap=True)
    first, second = game.initial(), game.start("b1").state
    assert [game.policy_index(first, action) for action in range(10)] == list(range(10))
    assert [game.policy_index(second, action) for action in range(10)] == [0, 3, 6, 1, 4, 7, 2, 5, 8, 9]


def test_pictures_show_every_stone_and_the_winning_chain():
    p = load("hex:3").start("b2 a1 a3 c3")
    assert str(p) == "   a b c\n 1 o . .\n  2 . x .\n   3 x . o"
    assert len(shapes(p, "polygon")) == 9 + 4
    assert stones(p) == {"b2": "x", "a1": "o", "a3": "x", "c3": "o"}
    p.play("b1")
    assert stones(p)["b1"] == "x"
    assert set(p.game.diagram(p.state).line) == {"b1", "b2", "a3"}


def stones(playthrough):
    drawn = playthrough.game.diagram(playthrough.state)
    return {drawn.cells[piece.cell].name: piece.look for piece in drawn.pieces}


def shapes(playthrough, tag):
    return [shape for shape in ET.fromstring(playthrough._repr_svg_()) if shape.tag.endswith(tag)]


@pytest.mark.parametrize(
    "spec, text, why",
    [
        ("hex:3", "", "3 rows"),
        ("hex:3", ".../...", "3 rows"),
        ("hex:3", ".../..../...", "4 cells instead of 3"),
        ("hex:3", ".../.z./...", "'z'"),
        ("hex:3", "xx./.../...", "as many x as o"),
        ("hex:3", "o../.../...", "as many x as o"),
        ("hex:3", "xo./xo./xo.", "x has connected its edges, but it is x's turn"),
        ("hex:3", "ooo/xx./xx.", "o has connected its edges, but it is o's turn"),
        ("hex:5", "xo..x/xo..x/x.o.x/xooox/xooox", "no single stone"),
        ("hex:3,swap=on", ".../.x./...", "the side to move, x or o"),
        ("hex:3,swap=on", ".../.x./... x", "1 x and 0 o with x to move is impossible"),
        ("hex:3,swap=on", ".../.../... o", "0 x and 0 o with o to move is impossible"),
        ("hex:3,swap=on", "oo./x../... o", "1 x and 2 o with o to move is impossible"),
        ("hex:3,swap=on", "oo./.../... x", "0 x and 2 o with x to move is impossible"),
    ],
)
def test_malformed_positions_are_refused(spec, text, why):
    with pytest.raises(CounterplayError, match=why):
        load(spec).parse_position(text)


@pytest.mark.parametrize("spec", ["hex:0", "hex:14", "hex:-3", "hex:size=x", "hex:swap=perhaps"])
def test_bad_parameters_are_refused(spec):
    with pytest.raises(CounterplayError, match="hex"):
        load(spec)


@pytest.mark.parametrize("action", ["a4", "d1", "b2", "", "swap", "1a"])
def test_illegal_actions_are_refused(action):
    with pytest.raises(CounterplayError, match="legal: a1 b1 c1 a2 c2 a3 b3 c3"):
        load("hex:3").start("b2").play(action)
