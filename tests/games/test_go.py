"""Go: the rules against OpenSpiel and against a walk from stone to stone, published counts, superko, the notation."""

import math
import pickle
import random
import xml.etree.ElementTree as ET
from itertools import product

import numpy as np
import pytest
from games import naive_go
from games.naive_go import Position
from games.openspiel import pyspiel
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.errors import InvalidPosition
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.bits import count, signed
from counterplay.core.perft import perft
from counterplay.core.playout import playouts
from counterplay.core.rules import legal, step
from counterplay.games.go import notation
from counterplay.games.go.patterns import SHAPES
from counterplay.games.go.rules import Go
from counterplay.games.go.stones import NOWHERE
from counterplay.players.specs import player

SIZES = st.sampled_from([2, 3, 5, 7, 8, 9, 13, 19])  # one word to six; 7 and its guards fill a word but one column


# The rules.


@pytest.mark.peer
@pytest.mark.parametrize(
    "size, playthroughs",
    [
        *((2, 40), (3, 40), (4, 30), (5, 30), (9, 12), (13, 2), (19, 1)),
        *(pytest.param(size, number, marks=pytest.mark.slow) for size, number in ((5, 1000), (9, 1000), (13, 100))),
    ],
)
def test_rules_agree_with_openspiel(size, playthroughs):
    """OpenSpiel ends a game with a draw when a position recurs; it forbids only simple ko."""
    ours = Go(size, superko=False)
    theirs = pyspiel.load_game(f"go(board_size={size},komi=7.5,max_game_length=100000)")
    rng, repeated = random.Random(size), 0
    for _ in range(playthroughs):
        s, t, seen = ours.initial(), theirs.new_initial_state(), set()
        while not t.is_terminal():
            assert not ours.is_terminal(s)
            assert ours.to_move(s) == t.current_player()
            options = {openspiel_action(ours, action): action for action in legal(ours, s)}
            assert sorted(options) == sorted(t.legal_actions())
            seen.add(s.stones)
            chosen = rng.choice(sorted(options))
            s = ours.result(s, options[chosen])
            t.apply_action(chosen)
        if ours.is_terminal(s):
            assert [ours.utility(s, player) for player in (0, 1)] == t.returns()
        else:
            assert s.stones in seen
            repeated += 1
    assert repeated < playthroughs or size == 2


def openspiel_action(game, action):
    row, column = divmod(action, game.size)
    return action if action == game.skip else (game.size - 1 - row) * game.size + column


@settings(max_examples=25)
@given(st.sampled_from([2, 3, 4, 5, 6]), st.booleans(), st.booleans(), st.randoms())
def test_rules_agree_with_a_walk_from_stone_to_stone(size, superko, suicide, random):
    p, q = Go(size, 0.5, superko, suicide).start(), Position(size)
    for _ in range(8 * size * size):
        after = naive_go.moves(q, superko, suicide)
        assert p.options() == sorted(action_at(p.game, point) for point in after)
        assert stones_of(p.game, p.state) == q.stones
        assert p.game.hashed(*black_and_white(p.state)) == p.state.stones
        if not after:
            break
        point = random.choice([point for point in after if point is not None or random.random() < 0.3] or [None])
        p.play(action_at(p.game, point))
        q = after[point]
    assert p.game.margin(p.state) == naive_go.lead(q) - 0.5


def action_at(game, point):
    return game.skip if point is None else point[0] * game.size + point[1]


def black_and_white(s):
    return (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)


def stones_of(game, s):
    rows = notation.rows(game, s)
    cells = product(range(game.size), range(game.size))
    return tuple(((r, c), "xo".index(rows[r][c])) for r, c in cells if rows[r][c] != ".")


@pytest.mark.parametrize("superko, suicide", [(True, False), (False, False), (True, True)])
def test_the_tree_is_counted_compiled_as_by_hand(superko, suicide):
    """On 2x2 superko bites from the seventh ply on."""
    game = Go(2, superko=superko, suicide=suicide)
    expected = [naive_go.leaves(Position(2), depth, superko, suicide) for depth in range(1, 8)]
    assert [perft(game, game.initial(), depth) for depth in range(1, 8)] == expected


@pytest.mark.parametrize("size, known", [(2, 57), (3, 12675)])
def test_legal_positions_are_as_many_as_tromp_counted(size, known):
    """Tromp & Farnebäck, "Combinatorics of Go", 2007."""
    game = Go(size)
    points = [r * game.stride + c for r in range(size) for c in range(size)]
    legal_ones = 0
    for colours in product((0, 1, 2), repeat=size * size):
        boards = [game.Board(sum(1 << at for at, c in zip(points, colours, strict=True) if c == k)) for k in (1, 2)]
        try:
            notation.require_liberties(game, *boards)
        except InvalidPosition:
            continue
        legal_ones += 1
    assert legal_ones == known


@pytest.mark.parametrize("size, value", [pytest.param(2, 1, marks=pytest.mark.slow), (3, 9)])
def test_small_boards_are_worth_what_is_known(size, value):
    found = player("alphabeta:depth=16").choose(Go(size, 0, score=True).start())
    assert found.value == value


# What is settled.


@pytest.mark.parametrize(
    "position, settled",
    [
        ("...../...../...../...../.....", 0),
        (".x.x./xxxxx/...../...../.....", 10),  # three eyes of one point
        (".x.../xx.../...../...../.....", 0),  # one eye
        (".x..x/xxxxx/...../...../.....", 10),  # eyes of one and of two points
        (".xo.x/xxxxx/...../...../.....", 10),  # a capturable stone changes nothing
        (".x.x./xx.xx/x.x../...../.....", 0),  # chains that share their eyes with others that have none
        (".x.x./xxxxx/ooooo/.o.o./o.o.o", 10),
    ],
)
def test_settled_stones(position, settled):
    game = load("go:5,komi=0,score=on")
    s = game.parse_position(f"{position} x")
    assert count(game.settled(s.mine)) == settled
    assert game.assured(s, 0) == (2 * settled - 25 if settled else -math.inf)


@settings(max_examples=25, deadline=None)
@given(size=st.sampled_from([3, 4]), suicide=st.booleans(), random=st.randoms(use_true_random=False))
def test_what_is_settled_stays_unless_it_is_squandered(size, suicide, random):
    game = Go(size, 0.5, suicide=suicide, score=True)
    p, seen = game.start(), [game.Board(0), game.Board(0)]
    for _ in range(60):
        s = p.state
        kept = [action for action in p.options() if not game.squanders(s, action) and action != game.skip]
        p.play(random.choice(kept) if kept else game.skip)
        s = p.state
        for side in (0, 1):
            settled = game.settled(s.mine if side == s.player else s.theirs)
            assert seen[side] & ~settled == 0
            seen[side] = settled
        assert not seen[0] & seen[1]
        if p.is_over:
            break


# Ko and superko.


def test_a_ko_is_not_retaken_immediately():
    for superko in ("on", "off"):
        p = load(f"go:5,superko={superko}").start(position=".xo../xo.o./.xo../...../..... x")
        p.play("C4")
        assert p.position == ".xo../x.xo./.xo../...../..... o last C4 ko B4"
        with pytest.raises(CounterplayError, match="'B4'"):
            p.play("B4")
        p.play("E1").play("D1").play("B4")  # after a threat and its answer
        assert p.position == ".xo../xo.o./.xo../...../...xo x last B4 ko C4"


def test_sending_two_and_returning_one_is_superko():
    """Black lets White take two stones and takes one back: the board is as it was, which simple ko does not detect."""
    position, moves = "...../...../...../oox../.x.x. x", "A1 C1"
    assert "B1" in load("go:5,superko=off").start(moves, position=position).legal()
    p = load("go:5").start(moves, position=position)
    assert "B1" not in p.legal()
    with pytest.raises(CounterplayError, match="'B1' is not legal here"):
        p.play("B1")
    assert p.play("E5").play("E1").play("B1").position == "....x/...../...../oox../.x.xo o last B1"


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("policy", ["local", "uniform"])
def test_playouts_repeat_no_position(size, policy):
    game, rng = Go(size, playouts=policy), Rng(3)
    for _ in range(30):
        s, path, ply = game.initial(), {}, 0
        while not game.is_terminal(s):
            path[ply] = signed(game.repetition_key(s))
            before = s
            action, s = step(game, s, path, ply, ActionStack(), rng)
            assert game.result(before, action) == s
            assert s.passes or signed(s.stones) not in [path[i] for i in range(ply + 1)]
            assert s.passes or s.stones != before.stones
            ply += 1


@pytest.mark.slow
def test_playouts_compiled_are_those_of_plain_python():
    game = Go(4)
    found = playouts(game, game.initial(), 200, seed=1)
    assert found.unfinished == 0
    assert found.plies > 200 * 16


# Suicide.


def test_suicide_is_illegal_unless_it_is_allowed():
    position = ".xo./xxo./ooo./.... x"
    assert "A4" not in load("go:4").start(position=position).legal()
    p = load("go:4,suicide=on").start(position=position).play("A4")
    assert p.position == "..o./..o./ooo./.... o"
    assert "A1" not in load("go:3,suicide=on").start(position=".o./o.o/.o. x").legal()  # one stone: nothing changes


# Playouts.


@settings(max_examples=12)
@given(SIZES, st.booleans(), st.randoms())
def test_samples_are_legal_and_fill_no_eye(size, is_local, random):
    game = Go(size, playouts="local" if is_local else "uniform")
    p, rng = game.start(), Rng(random.randrange(10**6))
    for _ in range(40):
        if p.is_over:
            break
        s = p.state
        action = game.sample(s, rng)
        assert action in legal(game, s)
        if action != game.skip:
            assert not game.at(game.point(action)) & game.eyes(s.mine, s.theirs, game.empty(s))
        play_at_random(p, random)


def answers(position):
    """The moves that the local policy plays in a position, in 200 draws."""
    game = load(f"go:{position.index('/')}")
    s, rng = game.parse_position(position), Rng(5)
    return {game.action_text(s, game.sample(s, rng)) for _ in range(200)}


def test_the_local_policy_answers_the_last_move():
    assert answers("...../.xo../xo.../.x.../..... o last B2") == {"C3"}  # run with the stone in atari
    assert answers(".x.../xox../...../...../..... x last B4") == {"B3"}  # take what was left in atari
    free = answers("...../...../..x../...../..... o last C3")
    assert len(free) > 15


def matches(shape, cells):
    """Whether nine cells (. x o and a blank for the wall) are a shape as it is written, X being x."""
    meaning = {"x": ".o ", "o": ".x ", "?": ".xo ", "X": "x", "O": "o", ".": ".", " ": " "}
    return all(cell in meaning[wanted] for wanted, cell in zip(shape, cells, strict=True))


def views(cells):
    """Nine cells from all sides, and with the colours exchanged."""
    for each in (cells, cells.translate(str.maketrans("xo", "ox"))):
        rows = [each[:3], each[3:6], each[6:]]
        for _ in range(4):
            rows = ["".join(row) for row in zip(*rows[::-1], strict=True)]
            yield "".join(rows)
            yield "".join(row[::-1] for row in rows)


@settings(max_examples=40)
@given(st.sampled_from([3, 5, 9, 13, 19]), st.randoms())
def test_shapes_are_found_around_the_last_stone(size, random):
    """The policy's bits against characters, at the edges as well."""
    game = Go(size, superko=False)
    s = game.initial()
    for _ in range(random.randrange(1, 60)):
        s = game.result(s, random.choice(legal(game, s)[:-1] or [game.skip]))
        if s.last == NOWHERE:
            return
    rows = [" " * (size + 4)] * 2 + [f"  {row}  " for row in notation.rows(game, s)] + [" " * (size + 4)] * 2
    row, column = s.last // game.stride + 2, s.last % game.stride + 2
    expected = set()
    for r, c in product((row - 1, row, row + 1), (column - 1, column, column + 1)):
        if rows[r][c] == ".":
            cells = "".join(rows[at][c - 1 : c + 2] for at in (r - 1, r, r + 1))
            if any(matches("".join(shape), view) for shape in SHAPES for view in views(cells)):
                expected.add((r - 2) * game.stride + c - 2)
    found = game.shapely(s)
    assert {point for point in range(size * game.stride) if found >> point & 1} == expected


def test_a_rash_move_leaves_one_liberty_and_takes_nothing():
    game = load("go:5")
    s = game.parse_position(".o.../...../o.xo./...../.o... x")
    empty = game.empty(s)
    rash = [p for p in range(30) if empty >> p & 1 and game.is_rash(game.at(p), s, empty)]
    assert [notation.vertex(game, point) for point in rash] == ["A5", "A1"]
    s = game.parse_position("xo.../.x.../...../...../..... x")
    assert not game.is_rash(game.at(notation.point_of(game, "C5")), s, game.empty(s))  # it takes B5


# Eyes and area.


def test_eyes_are_not_false():
    game = load("go:5")
    s = game.parse_position(".x.x./xxxx./..x.x/...x./..... x")
    eyes = game.eyes(s.mine, s.theirs, game.empty(s))
    assert {notation.vertex(game, point) for point in range(30) if eyes >> point & 1} == {"A5", "C5", "D3"}
    s = game.parse_position(".x.x./xxxxo/..x.x/..oxo/..... x")
    eyes = game.eyes(s.mine, s.theirs, game.empty(s))
    assert {notation.vertex(game, point) for point in range(30) if eyes >> point & 1} == {"A5", "C5"}


def test_area_counts_stones_and_what_only_they_reach():
    game = load("go:5,komi=0")
    s = game.parse_position(".xo../xxo../oo.../...../..... x")
    assert game.lead(s.mine, s.theirs) == 4 - 21
    assert game.lead(game.Board(0), game.Board(0)) == 0
    s = game.parse_position("x..../...../...../...../....o x")
    assert game.lead(s.mine, s.theirs) == 0


def test_komi_decides_and_an_equal_score_is_a_draw():
    assert load("go:3").start("B2 pass pass").returns == (1, -1)
    assert load("go:3,komi=9").start("B2 pass pass").returns == (0, 0)
    assert load("go:3,komi=9.5").start("B2 pass pass").returns == (-1, 1)
    assert load("go:3,komi=2.5,score=on").start("B2 pass pass").returns == (6.5, -6.5)


# Symmetry, planes, judgement.


@settings(max_examples=15)
@given(SIZES, st.randoms())
def test_play_in_a_mirror_is_the_same(size, random):
    game = Go(size, superko=False)
    s = game.initial()
    for _ in range(30):
        if game.is_terminal(s):
            break
        action = random.choice(legal(game, s))
        after = game.result(s, action)
        k = random.randrange(8)
        image = game.symmetric(s, k)
        assert sorted(game.symmetric_action(a, k) for a in legal(game, s)) == legal(game, image)
        assert game.result(image, game.symmetric_action(action, k)) == game.symmetric(after, k)
        assert game.evaluate(image, 0) == game.evaluate(s, 0) == -game.evaluate(s, 1)
        s = after


def test_planes_show_the_side_to_move_the_ko_and_who_gets_komi():
    game = load("go:5")
    s = game.parse_position(".xo../x.xo./.xo../...../..... o last C4 ko B4")
    planes = np.zeros(game.plane_shape)
    game.planes(s, planes)
    assert planes[0].sum() == 3
    assert planes[1].sum() == 4
    assert planes[6].astype(int).tolist() == [[0] * 5, [0, 1, 0, 0, 0], [0] * 5, [0] * 5, [0] * 5]
    assert planes[8].all()
    assert not planes[7].any()
    game.planes(game.result(s, game.skip), planes)
    assert planes[7].all()


@settings(max_examples=15)
@given(SIZES, st.randoms())
def test_planes_show_chains_with_one_liberty_or_two(size, random):
    game = Go(size, superko=False)
    s, planes = game.initial(), np.zeros(game.plane_shape)
    for _ in range(60):
        if game.is_terminal(s):
            break
        s = game.result(s, random.choice(legal(game, s)))
        planes[:] = 0
        game.planes(s, planes)
        board = {(int(row), int(column)): int(side) for side, row, column in np.argwhere(planes[:2])}
        for at, side in board.items():
            _, liberties = naive_go.chain(board, size, at)
            assert planes[(2 + 2 * side, *at)] == (len(liberties) == 1)
            assert planes[(3 + 2 * side, *at)] == (len(liberties) == 2)
        assert planes[2:6].sum() == sum(len(naive_go.chain(board, size, at)[1]) in (1, 2) for at in board)


def test_evaluation_sees_nearer_points():
    game = load("go:5,komi=0,score=on")
    assert game.evaluate(game.parse_position("...../...../..x../...../..... o"), 0) == 24.5
    assert game.evaluate(game.parse_position("...../x...o/...../...../..... x"), 0) == 0.5


def test_captures_are_tried_first():
    game = load("go:5")
    s = game.parse_position(".x.../xox../...../...../...o. x last B4")
    assert game.action_text(s, max(legal(game, s), key=lambda action: game.ordering(s, action))) == "B3"


# Notation and pictures.


@settings(max_examples=12)
@given(SIZES, st.booleans(), st.randoms())
def test_position_text_round_trips(size, suicide, random):
    p = Go(size, suicide=suicide).start()
    for _ in range(40):
        assert p.game.parse_position(p.position) == p.state
        if p.is_over:
            break
        play_at_random(p, random)


def play_at_random(p, random):
    """Any legal action; listing all of them takes longer, because superko forbids some."""
    for action in random.sample(options := legal(p.game, p.state), len(options)):
        try:
            p.play(action)
            return
        except CounterplayError:
            continue


def test_vertices_are_those_of_go_players():
    p = load("go:19").start("Q16 d4 J10")
    assert p.moves == ["Q16", "D4", "J10"]
    assert notation.point_of(p.game, "I5") == NOWHERE
    assert str(load("go:3").start("B2 a1")) == "   A B C\n 3 . . .\n 2 . x .\n 1(o). ."


@pytest.mark.parametrize("size", [3, 9, 19])
def test_states_survive_pickling(size):
    p = Go(size).start("A1 B1 A2")
    copy = pickle.loads(pickle.dumps(p.state))
    assert copy == p.state
    assert type(copy) is type(p.state)


def test_pictures_show_every_stone_and_mark_the_last():
    p = load("go:9").start("E5 C3")
    drawn = p.game.diagram(p.state)
    assert {drawn.cells[piece.cell].name: piece.look for piece in drawn.pieces} == {"E5": "x", "C3": "o"}
    assert drawn.last == ("C3",)
    circles = [shape for shape in ET.fromstring(p._repr_svg_()) if shape.tag.endswith("circle")]
    assert len(circles) == 5 + 1  # dots and the ring; stones are groups
    assert circles[-1].get("fill") == "none"


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "side to move"),
        (".../.../...", "side to move"),
        (".../... x", "3 rows"),
        (".../.../.... x", "4 cells"),
        (".../.z./... x", "'z'"),
        ("xo./o../... x", "A3 has no liberty"),
        (".../.x./... o last A1", "the last move, A1, is not a stone of x"),
        (".../.x./... x last B2", "not a stone of o"),
        (".../.x./... o last", "'' is not a point"),
        (".../.x./... o last D4", "'d4' is not a point"),
        (".../.x./... o last pass pass pass", "'pass' is out of place"),
        (".../.x./... o last pass ko A1", "'ko' is out of place"),
        (".../.x./... o ko B2", "no ko at B2"),
        (".../.x./... o ko A1", "no ko at A1"),
        (".x./x.x/.x. o ko B2", "no single stone"),
        (".../.x./... o perhaps", "'perhaps' is out of place"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("go:3").parse_position(text)


@pytest.mark.parametrize(
    "spec", ["go:1", "go:20", "go:9,komi=x", "go:9,komi=nan", "go:9,komi=1001", "go:superko=maybe", "go:playouts=wild"]
)
def test_bad_parameters_are_refused(spec):
    with pytest.raises(CounterplayError, match="go"):
        load(spec)


@pytest.mark.parametrize("action", ["B2", "I1", "D1", "A0", "A4", "", "1A", "pas"])
def test_illegal_actions_are_refused(action):
    with pytest.raises(CounterplayError, match="legal: A3 B3 C3 A2 C2 A1 B1 C1 pass"):
        load("go:3").start("B2").play(action)
