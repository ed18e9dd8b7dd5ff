"""Chess: the rules against published counts and against python-chess, positions and moves as text in both directions."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.language.bits import ones
from counterplay.core.perft import perft
from counterplay.games.chess.notation import uci
from counterplay.games.chess.setup import back_rank
from counterplay.games.chess.tables import BISHOP_STEPS, ROOK_STEPS, ray

chess = pytest.importorskip("chess")

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PERFT = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4865609),
    (KIWIPETE, 4, 4085603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422333),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2103487),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3894594),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326672),
    ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 4, 667366),
    ("qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", 4, 382958),
]
"""Counts of positions that generators are tested with: chessprogramming.org, also those of Chess960."""


@pytest.mark.parametrize("position, depth, leaves", PERFT)
def test_the_tree_has_its_published_size(position, depth, leaves):
    game = load("chess")
    assert perft(game, game.parse_position(position), depth) == leaves


@pytest.mark.slow
def test_deeper_trees_have_their_published_size():
    game = load("chess")
    assert perft(game, game.initial(), 6) == 119060324
    assert perft(game, game.parse_position(KIWIPETE), 5) == 193690690


# Lock-step with python-chess.


def twin(fen, chess960=False):
    """python-chess's board of a position."""
    return chess.Board(fen, chess960=chess960)


def agree(game, p, board):
    """Compare everything that both know about a position."""
    s = p.state
    assert p.position == board.fen()
    ours = {uci(game, action, board.chess960): action for action in p.options()}
    over = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
    over = over or board.is_fifty_moves() or board.is_repetition(3)
    if over:
        assert not ours
        expected = (-1.0 if board.turn else 1.0) if board.is_checkmate() else 0.0
        assert p.returns == (expected, 0.0 - expected)
        return None
    assert set(ours) == {move.uci() for move in board.legal_moves}
    assert bool(s.checkers) == board.is_check()
    assert set(ones(s.checkers)) == set(board.checkers())
    assert set(ones(s.pinned)) == {
        q for q in chess.SquareSet(board.occupied_co[board.turn]) if board.is_pinned(board.turn, q)
    }
    return ours


def lockstep(game, fen, seed, chess960, plies=400):
    """One random game; its positions."""
    rng = random.Random(seed)
    p, board = game.start(position=fen), twin(fen, chess960)
    for _ in range(plies):
        ours = agree(game, p, board)
        if ours is None:
            break
        text = rng.choice(sorted(ours))
        move = board.parse_uci(text)
        if not chess960 or game.result(p.state, ours[text]).checkers or rng.random() < 0.3:
            written = game.action_text(p.state, ours[text])
            assert written == board.san(move)
            assert game.parse_action(p.state, written) == game.parse_action(p.state, text) == ours[text]
        board.push(move)
        p.play(ours[text])
    assert game.parse_position(p.position) == p.state
    return p.states


STARTS = [chess.STARTING_FEN, KIWIPETE, "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1", "8/8/4k3/8/8/3NB3/4K3/8 w - - 80 90"]


@pytest.mark.peer
@pytest.mark.parametrize("seed", range(8))
def test_random_games_agree_with_python_chess(seed):
    lockstep(load("chess"), STARTS[seed % len(STARTS)], seed, False, plies=120)


@pytest.mark.peer
@pytest.mark.parametrize("number", [0, 21, 959])
def test_random_games_of_chess960_agree_with_python_chess(number):
    game = load(f"chess:start={number}")
    assert game.start().position == chess.Board.from_chess960_pos(number).fen()
    lockstep(game, game.start().position, number, True, plies=80)


@pytest.fixture(scope="module")
def named():
    """The positions that have a key, over all parts of the test."""
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_a_hundred_thousand_positions_agree_with_python_chess(part, named):
    game, seen = load("chess"), 0
    for seed in range(1000 * part, 1000 * (part + 1)):
        chess960 = seed % 5 == 0
        fen = chess.Board.from_chess960_pos(seed % 960).fen() if chess960 else STARTS[seed % len(STARTS)]
        for s in lockstep(game, fen, seed, chess960):
            same = s._replace(clock=0, ply=s.ply % 2)
            assert named.setdefault(int(game.key(s)), same) == same
            seen += 1
        if seen >= 10_000:
            return
    raise AssertionError(f"only {seen} positions")


def test_all_starts_of_chess960():
    assert len({back_rank(number) for number in range(960)}) == 960
    assert [back_rank(number) for number in (0, 518, 959)] == ["BBQNNRKR", "RNBQKBNR", "RKRNNQBB"]


def test_sliders_stop_at_what_is_in_their_way():
    game, rng = load("chess"), random.Random(1)
    for _ in range(2000):
        occupied, square = rng.getrandbits(64) & rng.getrandbits(64), rng.randrange(64)
        for steps, attacks in ((ROOK_STEPS, game.rook_attacks), (BISHOP_STEPS, game.bishop_attacks)):
            expected = set()
            for step in steps:
                for target in ray(square, step):
                    expected.add(target)
                    if occupied >> target & 1:
                        break
            assert set(ones(attacks(square, type(game.initial().pawn)(occupied)))) == expected


# The end of a game.


@pytest.mark.parametrize(
    "position, returns",
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", (0, 0)),  # stalemate
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", (1, -1)),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", (1, -1)),  # mate comes before the clock
        ("7k/8/6K1/8/8/8/8/R7 b - - 100 90", (0, 0)),
        ("7k/8/6K1/8/8/8/8/N7 w - - 0 1", (0, 0)),
        ("7k/8/6K1/8/8/8/B7/2b5 w - - 0 1", None),  # bishops of two colours can mate
        ("7k/8/6K1/8/8/8/B7/3b4 w - - 0 1", (0, 0)),
        ("7k/8/6K1/8/8/8/N7/3n4 w - - 0 1", None),
    ],
)
def test_how_a_game_ends(position, returns):
    p = load("chess").start(position=position)
    assert p.is_over == (returns is not None)
    assert p.returns == (returns or (0, 0))


KNIGHTS = "Nf3 Nf6 Ng1 Ng8 "


def test_a_position_for_the_third_time_is_a_draw_or_for_the_fifth():
    assert not load("chess").start(KNIGHTS + "Nf3 Nf6 Ng1").is_over
    assert load("chess").start(KNIGHTS * 2).is_over
    strict = load("chess:claims=off")
    assert not strict.start(KNIGHTS * 3 + "Nf3 Nf6 Ng1").is_over
    assert strict.start(KNIGHTS * 4).is_over


def test_without_claims_75_moves_are_needed():
    game = load("chess:claims=off")
    assert not game.start(position="7k/8/6K1/8/8/8/8/R7 b - - 149 90").is_over
    assert game.start(position="7k/8/6K1/8/8/8/8/R7 b - - 150 90").is_over


def test_the_right_to_take_en_passant_is_part_of_a_position_only_where_it_is_legal():
    game = load("chess")
    assert game.start("e4 a6 e5 d5").position.split()[3] == "d6"
    assert game.start("e4 a6 d4 d5").position.split()[3] == "-"
    pinned = game.parse_position("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1")
    assert game.position_text(pinned).split()[3] == "-"
    assert game.key(pinned) == game.key(game.parse_position("8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"))


# Text.


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "is not a FEN"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "is not a FEN"),
        ("8/8/8/8/8/8/8 w - - 0 1", "7 ranks instead of 8"),
        ("k7/9/8/8/8/8/8/K7 w - - 0 1", "'9' in rank 7"),
        ("k7/71p/8/8/8/8/8/K7 w - - 0 1", "rank 7 has 9 squares"),
        ("k7/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has 2 kings"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "a pawn cannot be"),
        ("k7/8/8/8/8/P7/PPPPPPPP/K7 w - - 0 1", "9 pawns"),
        ("k7/8/8/8/QQQQ4/8/PPPPPP2/K7 w - - 0 1", "3 promoted pieces"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "w or b"),
        ("k7/8/8/8/8/8/8/K7 w Z - 0 1", "'Z' is not a castling right"),
        ("k7/8/8/8/8/8/8/4K2R w Q - 0 1", "White cannot castle by 'Q'"),
        ("k7/8/8/8/8/8/4K3/7R w K - 0 1", "White cannot castle by 'K'"),
        ("k7/8/8/8/8/8/8/4K1RR w KG - 0 1", "two rooks on one wing"),
        ("k7/8/8/8/8/8/8/R3K3 w - - 0 1", "could be taken"),
        ("k7/8/8/8/8/8/8/K7 w - e6 0 1", "en passant on 'e6'"),
        ("k7/8/8/8/8/8/8/K7 w - - x 1", "'x' is not a move count"),
        ("k2r4/8/8/1b6/8/4n3/8/3K4 w - - 0 1", None),
        ("k2r4/8/8/7b/8/4n3/8/3K3r w - - 0 1", "in check by 4 pieces"),
    ],
)
def test_positions_are_checked(text, why):
    game = load("chess")
    if why is None:
        assert game.position_text(game.parse_position(text)) == text
        return
    with pytest.raises(CounterplayError, match=why):
        game.parse_position(text)


@settings(max_examples=300)
@given(st.text(alphabet="rnbqkpRNBQKP12345678/ wb-KQkqae36", max_size=90))
def test_any_text_is_a_position_or_an_error(text):
    game = load("chess")
    try:
        s = game.parse_position(text)
    except CounterplayError:
        return
    assert game.parse_position(game.position_text(s)) == s


@pytest.mark.parametrize(
    "position, text, meant",
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "0-0", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O-O+", "e1c1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Rxh8+!?", "h1h8"),
        ("k7/7P/8/8/8/8/8/K7 w - - 0 1", "h8N", "h7h8n"),
        ("k7/7P/8/8/8/8/8/K7 w - - 0 1", "h7-h8=q", "h7h8q"),
        ("k7/8/8/8/8/8/3N4/K4N2 w - - 0 1", "Nde4", "d2e4"),
        ("k7/8/8/3pP3/8/8/8/K7 w - d6 0 1", "exd6e.p.", "e5d6"),
    ],
)
def test_moves_are_read_as_people_and_engines_write_them(position, text, meant):
    game = load("chess")
    s = game.parse_position(position)
    assert uci(game, game.parse_action(s, text)) == meant


@pytest.mark.parametrize(
    "text, why",
    [
        ("Nb3", "may mean Nbd2 or Nfd2|no move"),
        ("Nd2", "may mean Nbd2 or Nfd2"),
        ("O-O", "no move"),
        ("", "no move"),
        ("h8", "no move"),
    ],
)
def test_moves_that_mean_nothing_or_too_much_are_refused(text, why):
    game = load("chess")
    with pytest.raises(CounterplayError, match=why):
        game.parse_action(game.parse_position("k7/7P/8/8/8/5N2/8/KN6 w - - 0 1"), text)


# Compiled and plain, planes, picture.


@pytest.mark.plain
def test_shallow_trees_in_plain_python():
    game = load("chess")
    assert [perft(game, game.parse_position(KIWIPETE), depth) for depth in (1, 2)] == [48, 2039]


def test_planes_show_the_board_from_the_side_to_move():
    game = load("chess")
    for moves, row in (("", 1), ("e4", 1)):
        out = np.zeros(game.plane_shape)
        game.planes(game.start(moves).state, out)
        assert out[0, row].sum() == 8  # one's own pawns
        assert out[6, 6].sum() == (8 if not moves else 7)
        assert out[17].sum() == (64 if moves else 0)
    p = game.start("e4 a6 e5 d5")
    out = np.zeros(game.plane_shape)
    game.planes(p.state, out)
    assert out[14].sum() == 1
    assert out[14, 5, 3] == 1  # d6
    assert out[12].sum() == out[13].sum() == 2


@settings(max_examples=30)
@given(st.randoms())
def test_the_policy_is_turned_with_the_planes(random):
    game = load("chess")
    p = game.start(position="r3k2r/P1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/1PPBBPPP/R3K2R w KQkq - 0 1")
    for _ in range(random.randrange(40)):
        if p.is_over:
            return
        p.play(random.choice(p.options()))
    board = chess.Board(p.position)
    turned = game.start(position=board.mirror().fen())
    seen, image = np.zeros(game.plane_shape), np.zeros(game.plane_shape)
    game.planes(p.state, seen)
    game.planes(turned.state, image)
    assert np.array_equal(seen[:17], image[:17])
    places = [[q.game.policy_index(q.state, action) for action in q.options()] for q in (p, turned)]
    assert sorted(places[0]) == sorted(places[1])
    assert len(set(places[0])) == len(places[0])
    assert all(0 <= place < game.policy_size for place in places[0])


def test_the_picture_has_every_piece():
    game = load("chess")
    root = ET.fromstring(game.svg(game.initial()))
    assert len([e for e in root if e.tag.endswith("}g")]) == 32
