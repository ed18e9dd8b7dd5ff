"""Checkers: the rules against OpenSpiel and published counts, jumps one by one, PDN against itself and by hand."""

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.oracles import dated

from counterplay import CounterplayError, load
from counterplay.core.language.bits import ones
from counterplay.core.perft import perft
from counterplay.core.playout import playouts
from counterplay.core.rules import legal
from counterplay.games.checkers.board import BOARD, ROWS, column_of, index, row_of, square_of, squares
from counterplay.games.checkers.evaluation import lead, roaming
from counterplay.games.checkers.pdn import read_pdn, write_pdn
from counterplay.games.checkers.rules import FIRST_JUMP, FIRST_WAY, Checkers
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import Technique
from counterplay.search.memory import Scale

ROUND = "W:WK30:BK25,K26,K18,K17,1"
"""A king that can go round a square of four kings, either way, back to where it stands."""


# The board.


def test_squares_are_numbered_as_players_do():
    assert [square_of(index(square)) for square in range(1, 33)] == list(range(1, 33))
    assert [(row_of(index(n)), column_of(index(n))) for n in (1, 4, 5, 8, 29, 32)] == [
        (0, 1), (0, 7), (1, 0), (1, 6), (7, 0), (7, 6),
    ]  # fmt: skip
    assert sum(ROWS) == BOARD


# Rules.


class Steps:
    """OpenSpiel's side: a jump is several of its actions, all by the same player; its board is ours turned around."""

    DIRECTIONS = (1, 0, 3, 2)  # ours 0..3: down-left, down-right, up-right, up-left, seen from the other side

    def of(self, action):
        """Its actions for one of ours."""
        place, jumps, way = action & 63, action >> FIRST_JUMP & 15, action >> FIRST_WAY
        found = []
        for _ in range(max(1, jumps)):
            direction, row, column = way & 3, 7 - row_of(place), 7 - column_of(place)
            found.append(((row * 8 + column) * 4 + self.DIRECTIONS[direction]) * 2 + (jumps > 0))
            place += (4, 5, -4, -5)[direction] * (2 if jumps else 1)
            way >>= 2
        return found


@pytest.mark.peer
@pytest.mark.parametrize("playthroughs", [150, pytest.param(2000, marks=pytest.mark.slow)])
def test_rules_agree_with_openspiel(playthroughs):
    """Every partial jump has the same continuations; OpenSpiel's only draw is the one after 40 plies without a
    capture.
    """
    pyspiel = pytest.importorskip("pyspiel")
    game, steps, rng = Checkers(limit=40, repetitions=0, advances=False), Steps(), random.Random(1)
    theirs, ends, long_jumps = pyspiel.load_game("checkers"), set(), 0
    for _ in range(playthroughs):
        s, t = game.initial(), theirs.new_initial_state()
        while not game.is_terminal(s):
            ways = {action: steps.of(action) for action in legal(game, s)}
            assert len({tuple(way) for way in ways.values()}) == len(ways)
            chosen = rng.choice(list(ways))
            for i, step in enumerate(ways[chosen]):
                assert not t.is_terminal()
                assert t.current_player() == s.player
                assert sorted({way[i] for way in ways.values() if way[:i] == ways[chosen][:i]}) == t.legal_actions()
                t.apply_action(step)
            long_jumps += len(ways[chosen]) > 1
            s = game.result(s, chosen)
        assert t.is_terminal()
        assert [game.utility(s, 0), game.utility(s, 1)] == t.returns()
        ends.add(t.returns()[0])
    assert ends == {-1, 0, 1}
    assert long_jumps > 200


def test_perft_is_known():
    game = load("checkers")
    known = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680]
    assert [perft(game, game.initial(), depth) for depth in range(1, 10)] == known


def test_who_can_jump_must_and_goes_on():
    p = load("checkers").start(position="B:W10,18,26:B6,12")
    assert p.legal() == ["6x15x22x31"]  # not 12-16, nor an end on the way
    assert p.play("6x31").position == "W:W:B12,K31"
    assert p.returns == (1, -1)  # nothing is left to White


def test_a_man_that_is_crowned_stops():
    p = load("checkers").start(position="B:W26,27:B23")
    assert p.legal() == ["23x30", "23x32"]
    p.play("23x30")
    assert p.position == "W:W27:BK30"


def test_equal_ends_by_different_ways_are_different_actions():
    p = load("checkers").start(position="W:W31:B26,18,27,19,9")
    assert sorted(p.legal()) == ["31x22x15", "31x24x15"]
    assert len(set(p.options())) == 2
    with pytest.raises(CounterplayError, match=r"may mean 31x2\dx15 or 31x2\dx15: write every square"):
        p.play("31x15")
    assert p.play("31x22x15").position == "B:W15:B9,19,27"
    assert p.undo().play("31x24x15").position == "B:W15:B9,18,26"


def test_a_king_may_come_back_to_where_it_stood():
    game = load("checkers")
    p = game.start(position=ROUND)
    assert sorted(p.legal()) == ["30x21x14x23x30", "30x23x14x21x30"]
    assert p.play("30x30").position == "B:WK30:B1"  # both ways lead to the same, so the short form is plain


def test_who_cannot_move_loses():
    blocked = load("checkers").start(position="W:W13:B9,6,K1")
    assert blocked.is_over
    assert blocked.returns == (1, -1)


def test_plies_without_progress_are_counted():
    p = load("checkers:limit=4").start(position="B:WK32:BK1,2")
    for move in ("1-5", "32-28", "5-1"):
        assert not p.play(move).is_over
    assert p.position == "W:WK28:BK1,2:H3"
    assert p.play("28-32").is_over
    assert p.returns == (0, 0)
    p.undo().undo().play("2-6")
    assert p.state.quiet == 0  # a man's move is progress
    assert load("checkers:limit=4,advances=off").start("2-6", position="B:WK32:BK1,2").state.quiet == 1


def test_the_third_time_of_a_position_is_a_draw():
    moves = "1-5 32-28 5-1 28-32 "
    p = load("checkers").start(moves + moves, position="B:WK32:BK1,2")
    assert p.is_over
    assert p.returns == (0, 0)
    assert not load("checkers").start(moves, position="B:WK32:BK1,2").is_over
    assert load("checkers:repetitions=2").start(moves, position="B:WK32:BK1,2").is_over
    assert not load("checkers:repetitions=0").start(moves + moves, position="B:WK32:BK1,2").is_over


@pytest.mark.plain
@settings(max_examples=20)
@given(st.randoms())
def test_play_keeps_its_invariants(random):
    game = load("checkers")
    p = game.start()
    while not p.is_over:
        s = p.state
        assert not s.mine & s.theirs
        assert (s.mine | s.theirs) & BOARD == s.mine | s.theirs
        assert s.kings & (s.mine | s.theirs) == s.kings
        assert game.parse_position(p.position) == s
        assert game.evaluate(s, 0) == -game.evaluate(s, 1)
        assert abs(game.evaluate(s, 0)) < 0.95
        options = p.options()
        assert len({tuple(game.stops(action)) for action in options}) == len(options)
        action = random.choice(options)
        assert game.must_jump(s) == game.is_noisy(s, action)
        assert game.is_forcing(s, action, game.result(s, action)) == game.must_jump(game.result(s, action))
        if game.allows_null(s):
            after = game.null(s)
            assert (after.mine, after.theirs, after.player) == (s.theirs, s.mine, 1 - s.player)
        p.play(action)


def test_random_play_ends_evenly():
    played = playouts(load("checkers"), load("checkers").initial(), 2000)
    assert played.unfinished == 0
    assert abs(played.returns[0]) < 200


@pytest.mark.parametrize("spec", ["checkers:limit=0", "checkers:repetitions=1", "checkers:repetitions=-3"])
def test_bad_parameters_are_refused(spec):
    with pytest.raises(CounterplayError, match="checkers"):
        load(spec)


# Evaluation.


def value(text):
    return lead(load("checkers").parse_position(text))


def test_the_evaluation_agrees_with_books():
    assert value("B:W30,32:B1,2,3") > 50  # a man more
    assert value("B:WK20:BK13,K14,K17") > value("B:WK20,K19,K12:BK13,K14,K17,K18") > 0  # the same lead, fewer pieces
    assert value("B:W21,31:B9,3") > value("B:W21,22:B9,3")  # White has left the back rank
    assert value("B:W21,22:B1,3,9") > value("B:W21,22:B2,4,9")  # the bridge
    assert value("B:WK32:BK15,K19") < value("B:WK31:BK15,K19")  # the double corner is a refuge


def turned(board):
    """The board seen from the other side."""
    return squares(*(33 - square_of(place) for place in ones(board)))


@settings(max_examples=20)
@given(st.randoms())
def test_judgement_favours_no_colour(random):
    game = load("checkers:repetitions=0")
    s = game.initial()
    while not game.is_terminal(s):
        assert lead(s) == lead(
            s._replace(mine=turned(s.mine), theirs=turned(s.theirs), kings=turned(s.kings), player=1 - s.player)
        )
        s = game.result(s, random.choice(legal(game, s)))


def test_trapped_kings_are_seen():
    s = load("checkers").parse_position("W:WK4,24:B3,11")
    assert roaming(s.mine, s.theirs, s.kings, s.player) & squares(4) == 0
    s = load("checkers").parse_position("W:WK4,24:B3,12")
    assert roaming(s.mine, s.theirs, s.kings, s.player) & squares(4)


@pytest.mark.slow
def test_search_finds_a_shot():
    """A man is given up to take three (a jump forces the other side's next move)."""
    game = load("checkers")
    p = game.start(position="W:W30,26,27,31:B17,18,10,9")
    best = decide(game, p.state, depth=6)
    assert game.action_text(p.state, best.action) == "26-22"
    assert best.value > 0.3
    alone = game.start(position="B:WK32:BK18,K23")
    assert decide(game, alone.state, depth=15).value > 0


def followed(game, s, depth, ply=0):
    """Minimax to a depth; pending jumps are then played to the end, because they are compulsory."""
    if game.is_terminal(s):
        return dated(game, game.utility(s, s.player), ply)
    if depth <= 0 and not game.must_jump(s):
        return game.evaluate(s, s.player)
    return max(-followed(game, game.result(s, action), depth - 1, ply + 1) for action in legal(game, s))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_jumps_are_made_to_the_end_beyond_the_horizon(random, depth):
    game = load("checkers")
    s = game.initial()
    for _ in range(random.randint(0, 50)):
        s = game.result(s, random.choice(legal(game, s)))
        if game.is_terminal(s):
            return
    found = decide(game, s, depth=depth, first=depth, techniques=Technique.QUIESCENCE, table=0)
    assert found.value == pytest.approx(Scale.of(game).plain(followed(game, s, depth)), abs=1e-12)


# Planes and pictures.


def test_planes_turn_the_board_to_the_side_to_move():
    game = load("checkers")
    for text in ("B:WK30,21:B1,K19", "W:WK14,32:B12,K3"):
        planes = np.zeros(game.plane_shape)
        game.planes(game.parse_position(text), planes)
        found = {tuple(at) for at in np.argwhere(planes)}
        assert found == {(0, 0, 1), (1, 4, 5), (2, 5, 0), (3, 7, 2)}


def test_the_policy_is_turned_with_the_planes():
    game = load("checkers")
    black, white = (game.parse_position(text) for text in ("B:WK30,21:B1,K19", "W:WK14,32:B12,K3"))
    places = [sorted(game.policy_index(s, action) for action in legal(game, s)) for s in (black, white)]
    assert places[0] == places[1]
    assert len(set(places[0])) == 6  # the man has two ways, the king four


def test_pictures_show_every_piece():
    p = load("checkers").start(position="B:W21,K22:B1,K19")
    assert str(p).splitlines()[0] == " 1    b   .   .   .   4"
    assert str(p).splitlines()[5] == "21  w   W   .   .    24"
    shapes = list(ET.fromstring(p._repr_svg_()).iter())
    assert len([shape for shape in shapes if shape.tag.endswith("polygon")]) == 2  # crowns


# PDN.

GAME = """[Event "Blitz \\"A\\""]
[Black "A"]
[White "B"]
[Unknown "kept"]
[Result "*"]

1. 11-15 23-19 {a comment
[Not "a tag"]} 2. 8-11 22-17! (22-18 15x22 (9-13) 25x18) 3. 4-8 $1 17-13
4. 15-18 24-20 ; to the end of the line 5. 1-2
*

[FEN "W:W31:B26,18,10"]
1... 31x22 22x15 15x6 0-1
"""


def test_pdn_is_read():
    first, second = read_pdn(GAME)
    assert first.tags["Event"] == 'Blitz "A"'
    assert first.tags["Unknown"] == "kept"
    assert first.result == "*"
    assert first.playthrough.moves == ["11-15", "23-19", "8-11", "22-17", "4-8", "17-13", "15-18", "24-20"]
    assert second.result == "0-1"
    assert second.playthrough.moves == ["31x22x15x6"]
    assert load("checkers").start("1. 11-15 23-19 2. 8-11 *").moves == ["11-15", "23-19", "8-11"]


@settings(max_examples=15)
@given(st.randoms(), st.booleans())
def test_pdn_round_trips(random, from_position):
    game = load("checkers")
    p = game.start(position="W:WK31,21,22:B26,18,10,27,19,11,9:H2" if from_position else None)
    while not p.is_over and random.random() < 0.99:
        p.play(random.choice(p.options()))
    text = write_pdn(p, Event='an "event"', White="\\")
    (record,) = read_pdn(text, game)
    assert record.playthrough.actions == p.actions
    assert record.playthrough.states == p.states
    assert record.tags["Event"] == 'an "event"'
    assert record.tags["White"] == "\\"
    expected = {(0.0, 0.0): "1/2-1/2", (1.0, -1.0): "0-1", (-1.0, 1.0): "1-0"}
    assert record.result == (expected[p.returns] if p.is_over else "*")
    assert max(map(len, text.splitlines())) < 100
    assert read_pdn(text + "\n" + text, game)[1].playthrough.actions == p.actions


def test_records_of_matches_are_pdn():
    p = load("checkers").start("11-15 23-19")
    text = p.game.playthrough_text(p, ["first", "second"], (0.0, 0.0), {"Date": "2026-11-16", "Round": "3"})
    (record,) = read_pdn(text)
    assert record.playthrough.moves == p.moves
    assert [record.tags[name] for name in ("Black", "White", "Date", "Round")] == ["first", "second", "2026.11.16", "3"]


def test_an_empty_text_has_no_games():
    assert read_pdn("") == []
    assert read_pdn(' \n[Event "nothing played"]\n')[0].playthrough.moves == []


@pytest.mark.parametrize(
    "text, why",
    [
        ("1. 11-15 {cut", "game 1: a comment is unclosed"),
        ("1. 11-15 (23-19", "game 1: a variation is unclosed"),
        ("1. 11-15 23-19\n[Event", "game 2: .* is not a tag"),
        ("1. 11-15 11-15", "game 1, ply 2, '11-15': no move '11-15' here"),
        ("1. 11-15 e4", "game 1, ply 2, 'e4': 'e4' is not a move"),
        ("1. 11-15 23-19 2. 15-24", "game 1, ply 3.*legal"),
        ('[GameType "20"]\n1. 32-28', "GameType '20' is not English draughts"),
        ('[FEN "W:W1:B2"]\n*', "game 1: .*man of white on 1 would be a king"),
    ],
)
def test_wrong_pdn_is_told_with_its_place(text, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        read_pdn(text)
    assert "\n" not in str(raised.value)


def test_fen_is_read_in_all_its_forms():
    game = load("checkers")
    assert game.position_text(game.initial()).startswith("B:W21,22,23,24,25")
    assert game.parse_position("B:W21-32:B1-12") == game.initial()
    assert game.parse_position(" b:b1-12:w21-32:H0:F1. ") == game.initial()
    s = game.parse_position("W:W18,K24,K30:BK1-2,9:H7")
    assert game.position_text(s) == "W:W18,K24,K30:BK1,K2,9:H7"


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "the side to move first"),
        ("X:W1:B2", "the side to move first"),
        ("B", "the side to move first"),
        ("B:W21", "the pieces of black are missing"),
        ("B:W21:W22", "each colour once"),
        ("B:W21:B1:Q3", "'Q3' is not part"),
        ("B:W33:B1", "'33' of white is not a square"),
        ("B:W0:B1", "is not a square"),
        ("B:W21,:B1", "is not a square"),
        ("B:WKK21:B1", "'KK21' of white is not a square"),
        ("B:W21,21:B1", "square 21 of white is named twice"),
        ("B:W21:B21", "piece of both sides"),
        ("B:W21-32,20:B1", "white has 13 pieces"),
        ("B:W21:BK1-13", "black has 13 pieces"),
        ("B:W21:B29", "write K29"),
        ("B:W:B", "the board is empty"),
        ("B:W21:B1:H99", "99 is too many"),
        ("B:" + "W" * 20000, "too long"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("checkers").parse_position(text)


@pytest.mark.parametrize(
    "move, why", [("", "not a move"), ("9-15", "no move '9-15' here"), ("9", "write 11-15"), ("9-14-18", "no move")]
)
def test_moves_that_are_none_are_refused(move, why):
    with pytest.raises(CounterplayError, match=why):
        load("checkers").start().play(move)


def test_a_step_instead_of_a_jump_is_explained():
    with pytest.raises(CounterplayError, match=r"a jump must be taken; legal: 6x15x22x31"):
        load("checkers").start("12-16", position="B:W10,18,26:B6,12")
