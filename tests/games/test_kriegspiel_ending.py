"""Kriegspiel endings: the rules against OpenSpiel and against sets of squares; what White knows; notation."""

import random
import xml.etree.ElementTree as ET

import pytest
from games.naive_kriegspiel import Ending
from games.secrets import assert_compiled_secrets_agree
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.language.bits import ones
from counterplay.core.perft import perft
from counterplay.games.kriegspiel.ending import BLACK, NOWHERE, WHITE, KriegspielEnding


class Plain(KriegspielEnding):
    """Uncompiled."""

    compiled = False


games = st.builds(Plain, st.integers(3, 6), st.sampled_from(["rook", "queen"]), st.integers(1, 12))


@pytest.mark.peer
@pytest.mark.parametrize("size, piece", [(8, "rook"), (8, "queen"), (4, "rook")])
def test_rules_agree_with_openspiel(size, piece):
    """Tries, refusals, answers and the end, all three in a corner. There Black is in the dark as well, and has to try
    what is illegal until nothing is left."""
    pyspiel = pytest.importorskip("pyspiel")
    game, rng, ends = Plain(size, piece), random.Random(3), []
    corner = [rank * size + file for rank in range(4) for file in range(4)]
    for _ in range(60):
        king, at = rng.sample(corner, 2)
        free = [lone for lone in ones(game.free(king, at)) if lone in corner]
        if not free:
            continue
        p = game.start(position=game.rows_text(king, at, rng.choice(free)))
        options = {"board_size": size, "fen": f"{p.position} w - - 0 1", "threefold_repetition": False}
        t = pyspiel.load_game("kriegspiel", options).new_initial_state()
        while not p.is_over:
            assert p.to_move == 1 - t.current_player()  # Black is 0 there
            theirs = {t.action_to_string(a): a for a in t.legal_actions()}
            square = game.square_text
            origin = {"K": square(p.state.king), "k": square(p.state.lone)}
            ours = {}
            for text in p.legal():
                ours[origin.get(text[0], square(p.state.piece)) + text[1:]] = text
            if p.to_move == WHITE:
                assert sorted(ours) == sorted(theirs)
            else:
                assert set(ours) <= set(theirs)
            chosen = rng.choice(sorted(ours))
            mover = p.to_move
            p.play(ours[chosen])
            t.apply_action(theirs[chosen])
            if not p.is_over:
                assert (p.to_move == mover) == (1 - t.current_player() == mover)  # refused or not
        if p.state.moves < game.moves or p.to_move == BLACK:
            while not t.is_terminal():
                assert 1 - t.current_player() == BLACK
                t.apply_action(t.legal_actions()[0])
            assert [p.returns[1], p.returns[0]] == t.returns()
            ends.append(p.game.referee(p.state))
    assert len(set(ends)) > 1


@pytest.mark.parametrize("size, piece, depth", [(3, "rook", 6), (4, "rook", 5), (4, "queen", 4), (5, "queen", 3)])
def test_trees_agree_with_sets_of_squares(size, piece, depth):
    game = Plain(size, piece)
    for d in range(1, depth + 1):
        assert perft(game, game.initial(), d) == Ending(size, piece == "queen").leaves(d)


@pytest.mark.parametrize("size, piece", [(4, "rook"), (4, "queen"), (5, "queen"), (8, "queen")])
def test_the_referee_says_what_sets_of_squares_say(size, piece):
    game, other = Plain(size, piece), Ending(size, piece == "queen")
    words = ("no", "quiet", "rank", "file", "long", "short")
    rng = random.Random(5)
    for _ in range(400):
        three = rng.sample(range(game.cells), 3)
        king, at, lone = (divmod(square, size) for square in three)
        expected = "no" if king in other.near(lone) else other.heard(king, at, lone)
        assert words[game.verdict(*three)] == expected


@settings(max_examples=40, deadline=None)
@given(games, st.randoms(use_true_random=True), st.integers(0, 2**64 - 1))
def test_resampling_keeps_what_white_knows(game, random, seed):
    p, rng = game.start(), Rng(seed)
    while not p.is_over:
        assert game.parse_position(p.position) == p.state
        if p.state.lone != NOWHERE:
            other = game.resample(p.state, WHITE, rng)
            assert game.information(other, WHITE) == game.information(p.state, WHITE)
            assert game.parse_position(game.position_text(other)) == other  # a way that the king may have come
            assert game.resample(p.state, BLACK, rng) == p.state
            assert p.state.lone in ones(game.possible(p.state, p.state.moves))
        p.play(random.choice(p.options()))
    assert p.game.parse_position(p.position) == p.state


def test_compiled_secrets_agree():
    assert_compiled_secrets_agree(load("kriegspiel-ending"), playthroughs=5)


def test_the_referee_speaks():
    p = load("kriegspiel-ending").start("kd4 Kb2 kd3")
    assert p.game.board(p.state, WHITE).splitlines() == [
        "4  . ? ? ?",
        "3  . . . ?",
        "2  . K . ?",
        "1  . R . .",
        "   a b c d",
    ]
    p.play("Kc2")
    assert p.to_move == WHITE
    assert "Kc2" not in p.legal()
    assert p.game.board(p.state, WHITE).splitlines()[-1] == "White has tried Kc2: no"
    assert p.game.board(p.state, WHITE).count("?") == 2  # it is beside c2
    p.play("Rd1")
    assert p.game.referee(p.state) == "check on the file"
    assert p.game.board(p.state).splitlines()[1] == "3  . . . k"


def test_how_it_ends():
    taken = load("kriegspiel-ending").start("kd4 Rc1 kd3 Rc4 kc4")
    assert taken.is_over
    assert taken.returns == (0, 0)
    assert taken.game.referee(taken.state) == "the rook is taken: a draw"
    assert load("kriegspiel-ending:4,queen,1").start("kd4 Ka2 kc3").returns == (0, 0)
    won = load("kriegspiel-ending:3,queen").start("ka3 Qb2")
    assert won.is_over
    assert won.returns == (1, -1)
    assert won.game.referee(won.state) == "checkmate"


def test_pictures_hide_the_king():
    p = load("kriegspiel-ending").start("kd4 Kb2 kd3")
    for viewer, kings, marks in ((None, 2, 0), (BLACK, 2, 0), (WHITE, 1, 5)):
        looks = [piece.look for piece in p.game.diagram(p.state, viewer).pieces]
        assert (looks.count("K") + looks.count("k"), looks.count("?")) == (kings, marks)
        texts = [
            shape.text for shape in ET.fromstring(p.game.svg(p.state, viewer)).iter() if shape.tag.endswith("text")
        ]
        assert texts.count("?") == marks


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "not a board of 4 rows"),
        ("3k/4/4/KR3", "not a board"),
        ("3k/4/4/KK2", "not a board"),
        ("3k/4/4/KQ2", "not a board"),
        ("3k/4/4/K3", "not a board"),
        ("1k2/4/4/KR2", "cannot stand in check"),
        ("3k/4/4/KR2 Kd4", "'Kd4' cannot be tried there"),
        ("3k/4/4/KR2 kd3", "'kd3' cannot be tried there"),
    ],
)
def test_wrong_positions(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("kriegspiel-ending").parse_position(text)


@pytest.mark.parametrize("spec", ["size=2", "size=9", "piece=bishop", "moves=0", "moves=13"])
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match=r"kriegspiel|rook"):
        load(f"kriegspiel-ending:{spec}")
