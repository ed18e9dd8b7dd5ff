"""Three and Nine Men's Morris: the rules against OpenSpiel and against sets of points, the notation against itself."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.derived import derive
from counterplay.core.rules import legal
from counterplay.endgame.table import build_table
from counterplay.games.morris import NINE, THREE, NineMensMorris, ThreeMensMorris, names, rows


@pytest.mark.peer
@pytest.mark.parametrize("seed", range(12))
def test_nine_mens_morris_agrees_with_openspiel(seed):
    """The same actions and the same end, as long as OpenSpiel continues (it ends games after 200 moves)."""
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = NineMensMorris(), random.Random(seed)
    s, t = game.initial(), pyspiel.load_game("nine_mens_morris").new_initial_state()
    for _ in range(150):
        assert game.is_terminal(s) == t.is_terminal()
        if game.is_terminal(s):
            assert [game.utility(s, player) for player in range(2)] == t.returns()
            return
        assert game.to_move(s) == t.current_player()
        assert sorted(legal(game, s)) == sorted(t.legal_actions())
        action = rng.choice(legal(game, s))
        s = game.result(s, action)
        t.apply_action(action)


def test_boards_are_read_from_their_drawings():
    assert len(list(names(NINE))) == 24
    assert len(list(rows(NINE))) == 16
    assert len(list(rows(THREE))) == 8
    assert len(ThreeMensMorris(diagonals=False).rows) == 6


# An independent version of Three Men's Morris, on sets of points, swept until nothing changes.

LINES = [{(0, y), (1, y), (2, y)} for y in range(3)] + [{(x, 0), (x, 1), (x, 2)} for x in range(3)]
DIAGONALS = [{(0, 0), (1, 1), (2, 2)}, {(0, 2), (1, 1), (2, 0)}]
POINTS = [(x, y) for x in range(3) for y in range(3)]


def value_by_sweeps(diagonals, flying):
    """The value to the first player and its distance, and the number of positions."""
    lines = LINES + (DIAGONALS if diagonals else [])

    def beside(a, b):
        straight = abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
        return flying or straight or (diagonals and (1, 1) in (a, b) and a != b)

    def after(s):
        mine, theirs, placed = s
        free = [point for point in POINTS if point not in mine | theirs]
        if any(line <= theirs for line in lines):
            return []
        if placed < 6:
            return [(theirs, mine | {point}, placed + 1) for point in free]
        return [(theirs, mine - {a} | {b}, 13 - placed) for a in mine for b in free if beside(a, b)]

    start = (frozenset(), frozenset(), 0)
    below, pending = {}, [start]
    while pending:
        s = pending.pop()
        if s not in below:
            below[s] = after(s)
            pending += below[s]
    known = {s: (-1, 0) for s in below if not below[s]}  # to the side to move
    for ply in range(1, 60):
        for s in below:
            if s not in known:
                found = [known.get(t) for t in below[s]]
                if (-1, ply - 1) in found:
                    known[s] = (1, ply)
                elif all(each and each[0] == 1 and each[1] < ply for each in found):
                    known[s] = (-1, ply)
    return known.get(start, (0, None)), len(below)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "diagonals, flying",
    [(True, False), *(pytest.param(*each, marks=SLOW) for each in ((True, True), (False, False), (False, True)))],
)
def test_three_mens_morris_is_worth_what_sweeps_over_sets_say(diagonals, flying):
    game = derive(ThreeMensMorris(diagonals, flying), compiled=False)
    table = build_table(game, game.initial())
    assert (tuple(table.probe(game.initial())), table.known.count) == value_by_sweeps(diagonals, flying)


def test_a_mill_takes_a_man_that_is_in_none():
    p = load("nine-mens-morris").start("a7 b2 d7 d2 g7")
    assert p.legal() == ["xb2", "xd2"]
    assert p.play("xb2").to_move == 1
    taken = load("nine-mens-morris").start(position="www/bbb/.../....../.../..b/... w 9 takes")
    assert taken.legal() == ["xf2"]
    assert len(load("nine-mens-morris").start(position="www/bbb/.../....../.../.../... w 9 takes").legal()) == 3


def test_whoever_has_two_men_or_cannot_move_loses():
    p = load("nine-mens-morris").start(position="ww./.w./.../b...../.../.b./.b. w 18")
    assert len(p.play("d6-g7").legal()) == 3
    assert p.play("xa4").returns == (1.0, -1.0)
    blocked = "wb./.../.../wb..../.../.../w{}. w 18"
    assert not load("nine-mens-morris:flying=off").start(position=blocked.format(".")).is_over
    assert load("nine-mens-morris:flying=off").start(position=blocked.format("b")).returns == (-1.0, 1.0)


def test_a_player_with_three_men_flies():
    position = "w.w/.../.../w...../.../b.b/b.b w 18"
    assert len(load("nine-mens-morris").start(position=position).legal()) == 3 * (24 - 7)
    assert len(load("nine-mens-morris:flying=off").start(position=position).legal()) == 4


@st.composite
def playthroughs(draw):
    spec = draw(st.sampled_from(["nine-mens-morris", "nine-mens-morris:men=4", "three-mens-morris"]))
    p, rng = load(spec).start(), draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, 50))):
        if not p.is_over:
            p.play(rng.choice(p.options()))
    return p


@settings(max_examples=30)
@given(playthroughs())
def test_positions_are_read_back(p):
    assert p.game.parse_position(p.position) == p.state


@pytest.mark.parametrize(
    "position, sentence",
    [
        ("www", "is not a position: write rows"),
        ("www/.../... w 6", "the rows have 3, 3, 3, 6, 3, 3, 3 points"),
        ("www/.../.../....../.../.../... w 4", "of 4 men placed 2 are white, not 3"),
        ("w../.../.../b...../.../.../... b 2", "the other side's turn"),
        ("w../.../.../b...../.../.../... b 2 takes", "no man is taken without a mill"),
        ("x../.../.../b...../.../.../... w 2", "'x' in row 1 is not one of"),
    ],
)
def test_wrong_positions(position, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        load("nine-mens-morris").start(position=position)


def test_men_are_three_to_nine():
    with pytest.raises(CounterplayError, match="3 to 9 men, not 10"):
        load("nine-mens-morris:men=10")
