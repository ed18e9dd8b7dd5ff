"""m,n,k-games: the rules against OpenSpiel and a naive referee, the counts and values that are known."""

import functools
from random import Random

import numpy as np
import pytest
from games.openspiel import lockstep
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load, u64
from counterplay.core.formats.diagram import column_letter
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import legal
from counterplay.games.mnk import ANY_EMPTY, ONE_EMPTY, TWO_EMPTY, Mnk, TicTacToe

sizes = st.tuples(st.integers(1, 8), st.integers(1, 8))


@st.composite
def games(draw, players=(2, 3)):
    width, height = draw(sizes)
    return Mnk(width, height, draw(st.integers(1, max(width, height))), draw(st.sampled_from(players)))


@st.composite
def playthroughs(draw):
    """A game after some random moves, perhaps at its end."""
    p, random = draw(games()).start(), draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, p.game.width * p.game.height))):
        if not p.is_over:
            p.play(random.choice(p.options()))
    return p


def naive_lines(game):
    """Every line of k as a set of cells (column, row), found by walking over the board."""
    board = {(c, r) for c in range(game.width) for r in range(game.height)}
    ways = [(1, 0), (0, 1), (1, 1), (1, -1)]
    walks = [{(c + i * dc, r + i * dr) for i in range(game.k)} for c, r in board for dc, dr in ways]
    return [walk for walk in walks if walk <= board]


def cells(game, stones):
    return {(i % game.width, i // game.width) for i in range(64) if stones >> i & 1}


# The rules.


def test_tic_tac_toe_agrees_with_openspiel():
    lockstep(load("tic-tac-toe"), "tic_tac_toe", lambda s, cell: (2 - cell // 3) * 3 + cell % 3, playthroughs=300)


@pytest.mark.parametrize("width, height, k", [(4, 3, 3), (2, 5, 4), (6, 6, 4), (9, 7, 5), (8, 8, 5), (1, 7, 2)])
def test_rules_agree_with_openspiel(width, height, k):
    def theirs(s, cell):  # OpenSpiel counts the rows from the top
        return (height - 1 - cell // width) * width + cell % width

    lockstep(Mnk(width, height, k), f"mnk(m={width},n={height},k={k})", theirs, playthroughs=30)


@given(games(), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_lines_are_those_that_a_walk_over_the_board_finds(game, some, more):
    stones = u64(some | more) & game.full
    assert game.has_line(stones) == any(line <= cells(game, stones) for line in naive_lines(game))


@given(playthroughs())
def test_every_player_gets_what_the_lines_say(p):
    game, s = p.game, p.state
    owner = {cell: i % game.players for i, cell in enumerate(p.actions)}
    stones = [cells(game, sum(1 << cell for cell in owner if owner[cell] == i)) for i in range(game.players)]
    winners = [i for i in range(game.players) if any(line <= stones[i] for line in naive_lines(game))]
    assert game.to_move(s) == len(p) % game.players
    assert game.is_terminal(s) == (bool(winners) or len(p) == game.width * game.height)
    if winners:
        assert winners == [(len(p) - 1) % game.players]
        others = {2: -1.0, 3: -0.5}[game.players]
        assert p.returns == tuple(1.0 if i in winners else others for i in range(game.players))
    else:
        assert p.returns == (0.0,) * game.players
    assert sum(p.returns) == 0


def test_three_players_share_the_loss():
    game = load("mnk:4,4,3,3")
    p = game.start("a1 a2 a3 b1 b2 c4 c1")
    assert p.is_over
    assert p.returns == (1.0, -0.5, -0.5)
    assert game.traits == (3, False, False, True, (-0.5, 1.0))
    assert load("mnk").traits == (2, False, False, True, (-1.0, 1.0))


@kernel
def seen(game, s, player, k, action):
    """What compiled code computes for a state."""
    return game.evaluate(s, player), game.symmetric(s, k), game.symmetric_action(action, k), game.ordering(s, action)


@pytest.mark.parametrize("spec", ["mnk:8,8,5", "mnk:6,5,4,3"])
def test_compiled_and_plain_agree(spec):
    game, random = load(spec), Random(1)
    for _ in range(10):
        p = game.start()
        while not p.is_over:
            s, action, k = p.state, random.choice(p.options()), random.randrange(game.symmetries)
            for player in range(game.players):
                assert seen(game, s, player, k, action) == seen.py_func(game, s, player, k, action)
            p.play(action)


# Known counts and values.


def test_tic_tac_toe_has_the_known_counts():
    game = TicTacToe()

    @functools.cache
    def tally(s):
        """Nodes below and at `s`, games that x wins, that o wins, draws."""
        if game.is_terminal(s):
            x = game.utility(s, 0)
            return 1, int(x > 0), int(x < 0), int(x == 0)
        below = [tally(game.result(s, action)) for action in legal(game, s)]
        return 1 + sum(b[0] for b in below), *(sum(b[i] for b in below) for i in (1, 2, 3))

    assert tally(game.initial()) == (549_946, 131_184, 77_904, 46_080)
    assert tally.cache_info().currsize == 5_478


@pytest.mark.parametrize(
    "spec, value",
    [
        ("tic-tac-toe", 0),
        ("mnk:4,3,3", 1),
        ("mnk:3,4,3", 1),
        ("mnk:5,2,3", 0),
        ("mnk:2,2,2", 1),
        ("mnk:5,1,3", 0),
    ],
)
def test_values(spec, value):
    game = load(spec)

    @functools.cache
    def best(s):
        """The value to the side to move."""
        if game.is_terminal(s):
            return game.utility(s, game.to_move(s))
        found = -1.0
        for action in legal(game, s):
            found = max(found, -best(game.result(s, action)))
            if found == 1.0:
                break
        return found

    assert best(game.initial()) == value


# Symmetry, judgement, planes.


@given(playthroughs())
def test_symmetric_play_is_symmetric(p):
    game = p.game
    assert game.symmetries == (8 if game.width == game.height else 4)
    for k in range(game.symmetries):
        s = game.initial()
        for before, action in zip(p.states, p.actions, strict=False):
            assert game.symmetric(before, k) == s
            s = game.result(s, game.symmetric_action(action, k))
        assert game.symmetric(p.state, k) == s
        assert game.evaluate(s, 0) == game.evaluate(p.state, 0)


def test_no_two_symmetries_are_the_same():
    for spec in "tic-tac-toe", "mnk:4,3,3":
        game = load(spec)
        s = game.start("a1 b1").state
        assert len({game.symmetric(s, k) for k in range(game.symmetries)}) == game.symmetries
        assert game.symmetric(s, 0) == s


@given(playthroughs())
def test_open_lines_are_counted(p):
    game, s = p.game, p.state
    empty = cells(game, game.empty(s))
    worth = []
    for stones in (s.mine, s.second, s.third):
        own = cells(game, stones)
        left = [len(line & empty) for line in naive_lines(game) if line <= own | empty]
        worth.append(ANY_EMPTY * len(left) + TWO_EMPTY * left.count(2) + ONE_EMPTY * left.count(1))
        assert game.prospects(stones, game.empty(s)) == worth[-1]
    values = [game.evaluate(s, i) for i in range(game.players)]
    low, high = game.evaluation_bounds
    assert all(low <= value <= high for value in values)
    assert sum(values) == pytest.approx(0)
    mine, second = values[s.turn], values[(s.turn + 1) % game.players]
    assert (mine > second) == (worth[0] > worth[1])
    assert (mine == second) == (worth[0] == worth[1])


def test_the_evaluation_plays_better_than_chance():
    game, rng, score = Mnk(5, 5, 4), Rng(1), 0.0

    def worth(s, player):
        return game.utility(s, player) if game.is_terminal(s) else game.evaluate(s, player)

    for i in range(20):
        p = game.start()
        while not p.is_over:
            options = p.options()
            if p.to_move == i % 2:
                values = [worth(game.result(p.state, action), i % 2) for action in options]
                p.play(options[values.index(max(values))])
            else:
                p.play(options[rng.below(len(options))])
        score += p.returns[i % 2]
    assert score >= 19


@pytest.mark.parametrize("width, height, k", [(3, 3, 3), (5, 4, 3)])
def test_crossings_count_the_lines_through_a_cell(width, height, k):
    game = Mnk(width, height, k)
    lines = naive_lines(game)
    for cell in range(width * height):
        through = sum((cell % width, cell // width) in line for line in lines)
        assert game.ordering(game.initial(), cell) == through
    assert game.lines == len(lines)


def test_a_null_move_only_passes_the_turn():
    game = load("mnk:4,4,3")
    s = game.start("a1 b2 c3").state
    passed = game.null(s)
    assert game.allows_null(s)
    assert not load("mnk:4,4,3,3").allows_null(s)
    assert game.rows(passed) == game.rows(s)
    assert game.to_move(passed) == 0
    assert game.null(passed) == s


@given(playthroughs(), st.integers(0, 2**32))
def test_a_sample_is_legal(p, seed):
    if not p.is_over:
        assert p.game.sample(p.state, Rng(seed)) in p.options()


def test_samples_are_even():
    game, rng = TicTacToe(), Rng(3)
    s = game.start("b2 a1 c3").state
    drawn = [game.sample(s, rng) for _ in range(3000)]
    assert {game.action_text(s, cell) for cell in drawn} == set(game.start("b2 a1 c3").legal())
    assert all(400 < drawn.count(cell) < 600 for cell in set(drawn))


@given(playthroughs())
def test_planes_show_each_players_stones(p):
    game, s = p.game, p.state
    out = np.zeros(game.plane_shape)
    game.planes(s, out)
    for plane, stones in enumerate((s.mine, s.second, s.third)[: game.players]):
        assert {(c, r) for r, c in np.argwhere(out[plane])} == cells(game, stones)


# Notation.


@given(playthroughs())
def test_position_text_round_trips(p):
    assert p.game.parse_position(p.position) == p.state


def test_tic_tac_toe_reads_exactly_the_positions_that_can_arise():
    game = TicTacToe()
    reached = {game.initial()}
    frontier = list(reached)
    while frontier:
        s = frontier.pop()
        for action in legal(game, s):
            after = game.result(s, action)
            if after not in reached:
                reached.add(after)
                frontier.append(after)
    read = set()
    for number in range(3**9):
        marks = "".join(".xo"[number // 3**i % 3] for i in range(9))
        try:
            read.add(game.parse_position(f"{marks[:3]}/{marks[3:6]}/{marks[6:]}"))
        except CounterplayError:
            pass
    assert read == reached


def test_cells_are_written_from_the_bottom_left():
    p = load("mnk:4,3,3").start("a1 d3 B2")
    assert p.position == "...o/.x../x..."
    assert p.moves == ["a1", "d3", "b2"]
    assert str(p) == "3 . . . o\n2 . x . .\n1 x . . .\n  a b c d"
    assert [column_letter(c) for c in (0, 25, 26, 63)] == ["a", "z", "aa", "bl"]
    assert load("mnk:64,1,3").start("bl1").position == "." * 63 + "x"


def test_the_picture_shows_every_stone():
    svg = load("mnk:4,4,3,3").start("a1 a2 a3 b1")._repr_svg_()
    assert (svg.count("<line") - 10, svg.count("<path"), svg.count("<circle"), svg.count("<polygon")) == (0, 2, 1, 1)


@pytest.mark.parametrize(
    "spec, text, why",
    [
        ("tic-tac-toe", ".../...", "3 rows"),
        ("tic-tac-toe", ".../.../..", "2 cells instead of 3"),
        ("tic-tac-toe", ".../.../..v", "'v'"),
        ("tic-tac-toe", ".../.../..o", "0 x and 1 o"),
        ("tic-tac-toe", ".../.x./..x", "2 x and 0 o"),
        ("tic-tac-toe", "ooo/xx./xx.", "o has 3 in a row, but x has moved since"),
        ("tic-tac-toe", "xxx/oo./o..", "x has 3 in a row, but o has moved since"),
        ("mnk:3,5,3", "xxx/oo./.oo/o../xxx", "no single stone made all of x's lines of 3 at once"),
        ("mnk:4,4,3,3", "..../..../..../.xv.", "1 x, 0 o and 1 v"),
        ("mnk:4,4,3,3", "..../vv../xxx./ooo.", "x has 3 in a row, but o has moved since"),
        ("mnk:4,4,3,3", "vv../vo../xxx./oo..", "x has 3 in a row, but v has moved since"),
    ],
)
def test_malformed_positions_are_refused(spec, text, why):
    with pytest.raises(CounterplayError, match=why):
        load(spec).parse_position(text)


@pytest.mark.parametrize(
    "spec, why",
    [
        ("mnk:0,3", "0x3 does not fit"),
        ("mnk:13,5", "13x5 does not fit"),
        ("mnk:3,3,4", "4 in a row on 3x3: k is 1 to 3"),
        ("mnk:3,3,0", "0 in a row"),
        ("mnk:3,3,3,4", "4 players"),
        ("mnk:3,3,3,1", "1 players"),
        ("tic-tac-toe:4", "takes no parameters"),
    ],
)
def test_impossible_boards_are_refused(spec, why):
    with pytest.raises(CounterplayError, match=why):
        load(spec)


def test_bad_actions_are_refused():
    p = load("tic-tac-toe").start("b2")
    for wrong in ("b2", "d1", "a4", "", "2b", "a1 a2"):
        with pytest.raises(CounterplayError):
            p.play(wrong)
    assert p.moves == ["b2"]
