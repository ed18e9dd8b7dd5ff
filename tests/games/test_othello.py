"""Othello: the rules against OpenSpiel and against plain rules on a dict, 4x4 solved, the notation against itself."""

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from games.openspiel import lockstep
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games.othello import Othello

PASSING = "oooooooo/xoo.o.../oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo"  # only x can move: d2
SIZES = st.sampled_from([4, 6, 8])


@pytest.mark.peer
def test_rules_agree_with_openspiel():
    lockstep(load("othello"), "othello", lambda s, action: action, playthroughs=60)


class Discs(dict):
    """An independent version of the rules, disc by disc, for the sizes that OpenSpiel does not play."""

    def __init__(self, size):
        low, high = size // 2 - 1, size // 2
        super().__init__({(low, low): 1, (high, high): 1, (low, high): 0, (high, low): 0})
        self.size = size

    def turned(self, row, column, player):
        found = []
        for down, right in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)):
            line, at = [], (row + down, column + right)
            while self.get(at) == 1 - player:
                line.append(at)
                at = (at[0] + down, at[1] + right)
            if self.get(at) == player:
                found += line
        return found

    def options(self, player):
        empty = ((r, c) for r in range(self.size) for c in range(self.size) if (r, c) not in self)
        return [at for at in empty if self.turned(*at, player)]

    def place(self, at, player):
        for disc in [*self.turned(*at, player), at]:
            self[disc] = player


@pytest.mark.parametrize("size", [4, 6, 8])
def test_rules_agree_with_play_disc_by_disc(size):
    game, rng, passes = Othello(size, score=True), random.Random(size), 0
    for _ in range(30):
        s, discs, player = game.initial(), Discs(size), 0
        while discs.options(0) or discs.options(1):
            assert not game.is_terminal(s)
            assert game.to_move(s) == player
            options = discs.options(player)
            assert legal(game, s) == ([r * size + c for r, c in options] or [size * size])
            action = rng.choice(legal(game, s))
            if options:
                discs.place(divmod(action, size), player)
            else:
                passes += 1
            s, player = game.result(s, action), 1 - player
        assert game.is_terminal(s)
        lead = sum(1 if colour == 0 else -1 for colour in discs.values())
        assert (game.utility(s, 0), game.utility(s, 1)) == (lead, -lead)
    assert passes > 5


def test_perft_is_known():
    """From the tenth ply on it shows that a game may end early, after nine moves that take all discs."""
    game = load("othello")
    known = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056]
    assert [perft(game, game.initial(), depth) for depth in range(1, 11)] == known


def solve(game, s, alpha, beta, table):
    """The value to the side to move, by alpha-beta with bounds kept in `table`."""
    if game.is_terminal(s):
        return game.utility(s, s.player)
    low, high = table.get(s, (-16, 16))
    if low >= beta or low == high:
        return low
    if high <= alpha:
        return high
    alpha = max(alpha, low)
    best = -16
    for action in sorted(legal(game, s), key=lambda a: -game.ordering(s, a)):
        best = max(best, -solve(game, game.result(s, action), -beta, -max(alpha, best), table))
        if best >= beta:
            break
    table[s] = (low if best <= alpha else best, high if best >= beta else best)
    return best


def test_white_wins_by_8_on_4x4():
    """11 discs to 3, two squares left empty, which count for nobody."""
    scored, plain = Othello(4, score=True), Othello(4)
    assert solve(scored, scored.initial(), -16, 16, {}) == -8
    assert solve(plain, plain.initial(), -16, 16, {}) == -1


def test_the_start_is_as_players_know_it():
    p = load("othello").start()
    assert p.position == "......../......../......../...ox.../...xo.../......../......../........ x"
    assert p.legal() == ["d3", "c4", "f5", "e6"]
    assert p.play("D3").position == "......../......../...x..../...xx.../...xo.../......../......../........ o"


def test_a_pass_is_forced_and_only_then_legal():
    p = load("othello").start(position=f"{PASSING} o")
    assert p.legal() == ["pass"]
    assert not p.is_over
    p.play("pass")
    assert p.legal() == ["d2"]
    p.play("d2")
    assert p.position.startswith("oooooooo/xxxxo.../")


def test_the_end_counts_discs_but_not_empty_squares():
    text = "xxx./.xx./.xx./.... o"
    assert load("othello:4").start(position=text).returns == (1, -1)
    assert load("othello:4,score=on").start(position=text).returns == (7, -7)
    half = "xxxx/xxxx/oooo/oooo x"
    assert load("othello:4").start(position=half).returns == (0, 0)


def test_traits_state_the_bounds_of_what_is_scored():
    assert load("othello").traits.utility_bounds == (-1, 1)
    assert load("othello:6,score=on").traits.utility_bounds == (-36, 36)


@settings(max_examples=25)
@given(SIZES, st.booleans(), st.randoms())
def test_position_text_round_trips(size, score, random):
    p = Othello(size, score).start()
    while not p.is_over:
        assert p.game.parse_position(p.position) == p.state
        p.play(random.choice(p.legal()))
    assert p.game.parse_position(p.position) == p.state


@settings(max_examples=25)
@given(SIZES, st.integers(0, 7), st.randoms())
def test_symmetric_play_is_symmetric(size, k, random):
    game = Othello(size)
    s = game.initial()
    while not game.is_terminal(s):
        image = game.symmetric(s, k)
        options = [game.symmetric_action(action, k) for action in legal(game, s)]
        assert sorted(options) == legal(game, image)
        assert game.evaluate(image, 0) == game.evaluate(s, 0)
        action = random.choice(legal(game, s))
        s = game.result(s, action)
        assert game.symmetric(s, k) == game.result(image, game.symmetric_action(action, k))


def test_there_are_8_symmetric_forms():
    game = load("othello:6")
    s = game.start("c2 d2 e2").state
    forms = [game.symmetric(s, k) for k in range(game.symmetries)]
    assert forms[0] == s
    assert len(set(forms)) == 8
    for form in forms:
        assert {game.symmetric(form, k) for k in range(8)} == set(forms)


@settings(max_examples=25)
@given(SIZES, st.booleans(), st.randoms())
def test_evaluation_is_opposite_to_the_players_and_within_bounds(size, score, random):
    game = Othello(size, score)
    low, high = game.evaluation_bounds
    s = game.initial()
    while not game.is_terminal(s):
        assert low <= game.evaluate(s, 0) == -game.evaluate(s, 1) <= high
        s = game.result(s, random.choice(legal(game, s)))


def test_judgement_likes_corners():
    game = load("othello")
    s = game.parse_position(".......o/xoo...x./..oo.x../..oox.../..xxx.../..x...../......../........ x")
    corner = game.parse_action(s, "a1")
    assert max(legal(game, s), key=lambda action: game.ordering(s, action)) == corner
    assert max(legal(game, s), key=lambda action: game.evaluate(game.result(s, action), 0)) == corner


def test_random_moves_are_even():
    game, rng = load("othello"), Rng(1)
    s = game.initial()
    drawn = [game.sample(s, rng) for _ in range(2000)]
    assert sorted(set(drawn)) == legal(game, s)
    assert all(430 < drawn.count(action) < 570 for action in legal(game, s))
    assert game.sample(game.parse_position(f"{PASSING} o"), rng) == 64


def test_keys_distinguish_the_sides():
    game = load("othello:4")
    texts = [f"..../.{''.join(row)}./.xo./.... {mover}" for row in ("xx", "xo", "ox", "oo") for mover in "xo"]
    assert len({int(game.key(game.parse_position(text))) for text in texts}) == 8


def test_planes_show_the_side_to_move_first():
    game = load("othello:4")
    planes = np.zeros(game.plane_shape)
    game.planes(game.start("b1").state, planes)  # White to move
    assert planes.astype(int).tolist() == [
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]],
        [[0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
    ]


def test_pictures_show_every_disc():
    p = load("othello").start("d3 c3")
    assert str(p).splitlines()[3] == "3 . . o x . . . ."
    assert sorted(piece.look for piece in p.game.diagram(p.state).pieces) == ["o"] * 3 + ["x"] * 3
    discs = [shape for shape in ET.fromstring(p._repr_svg_()).iter() if shape.tag.endswith("circle")]
    assert len([disc for disc in discs if float(disc.get("r")) > 16]) == 6


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "the side to move, x or o"),
        ("..../.ox./.xo./....", "the side to move, x or o"),
        ("..../.ox./.xo./.... black", "the side to move, x or o"),
        ("..../.ox./.xo. x", "4 rows"),
        ("..../.ox./.xo./..... x", "5 cells instead of 4"),
        ("..../.ox./.xq./.... x", "'q'"),
        ("..../.ox./.x../.... x", "c3 is empty, but the middle never is"),
        ("..../.ox./.xo./.... x x", "5 cells instead of 4"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("othello:4").parse_position(text)


def test_discs_apart_from_the_others_are_refused():
    with pytest.raises(CounterplayError, match="disc on a1 is not joined"):
        load("othello:6").parse_position("x...../....../..ox../..xo../....../...... x")


@pytest.mark.parametrize("spec", ["othello:5", "othello:10", "othello:0", "othello:size=x", "othello:score=perhaps"])
def test_bad_parameters_are_refused(spec):
    with pytest.raises(CounterplayError, match="othello"):
        load(spec)


@pytest.mark.parametrize("action", ["d4", "a1", "i9", "", "pass", "3d"])
def test_illegal_actions_are_refused(action):
    with pytest.raises(CounterplayError, match="d3 c4 f5 e6"):
        load("othello").start().play(action)
