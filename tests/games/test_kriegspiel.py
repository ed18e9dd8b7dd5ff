"""Kriegspiel: rules and referee against OpenSpiel, what players know, notation, pictures, and players in the dark."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.rules import legal
from counterplay.games.kriegspiel.board import BLACK, NOWHERE, STARTS, WHITE
from counterplay.games.kriegspiel.rules import Kriegspiel
from counterplay.hidden.particle_filter import ParticleFilter


class Plain(Kriegspiel):
    """Uncompiled."""

    compiled = False


def told_by_openspiel(message, said, took_in_passing, promotes):
    """Whether OpenSpiel's referee says the same. It does not announce a capture en passant, counts a pawn try that
    promotes four times, and never announces check: it looks for moves of the side in check onto its own king."""
    taken = re.search(r"(Pawn|Piece) at (\w\d) captured", message)
    if (taken is not None) != (said & 3 > 0 and not took_in_passing):
        return False
    if taken and (("Pawn", "Piece")[(said & 3) - 1], said >> 2 & 63) != (taken[1], square(taken[2])):
        return False
    tries = re.search(r"(\d+) pawn tr", message)
    return promotes or (int(tries[1]) if tries else 0) == said >> 16


def square(name):
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


@pytest.mark.peer
@pytest.mark.parametrize(
    "size, start, games",
    [
        (8, "", 3),
        (4, "", 4),
        (8, "1k5r/P5pp/8/8/8/8/PP5p/R3K2R", 4),
        (8, "r3k2r/8/8/2pP4/1P1p2pP/8/4P1P1/R3K2R", 4),
        (4, "k3/3P/p3/3K", 4),
    ],
)
def test_rules_and_referee_agree_with_openspiel(size, start, games):
    """Tries, refusals, announcements and the end, move by move. There small boards have double steps, and pawns may try
    to take where nothing can be taken; there Black is player 0, and a game ends when nothing is left to try."""
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = Plain(size, start), random.Random(size)
    fen = game.position_text(game.initial()) + " 1"
    options = {"board_size": size, "fen": fen, "threefold_repetition": False}
    other = pyspiel.load_game("kriegspiel", options)
    for _ in range(games):
        s, t = game.initial(), other.new_initial_state()
        for _ in range(60):
            if game.is_terminal(s) or t.is_terminal():
                break
            assert s.player == 1 - t.current_player()
            ours = {game.action_text(s, action): action for action in legal(game, s)}
            theirs = {t.action_to_string(action): action for action in t.legal_actions()}
            more = set(theirs) - set(ours)
            takes = {text for text in more if s.pawn >> square(text) & 1 and text[0] != text[2]}
            double = {text for text in more if size < 8 and abs(int(text[1]) - int(text[3])) == 2}
            assert set(ours) <= set(theirs)
            assert more == double | (set() if s.said >> 16 else takes) | (more & refused_texts(game, s))
            text = rng.choice(sorted(ours))
            if s.said >> 16 and rng.random() < 0.5:
                text = rng.choice(sorted(x for x in ours if s.pawn >> square(x) & 1))
            before, mover = game.pieces(s), s.player
            taken = game.taken_square(before, ours[text])
            s = game.result(s, ours[text])
            t.apply_action(theirs[text])
            message = t.observation_string(0).split("\n")[-1]
            assert ("Illegal" in message) == (s.player == mover)
            if s.player != mover:
                in_passing = taken not in (NOWHERE, square(text[2:]))
                rank = game.size - 2 if s.player == WHITE else 1
                promotes = any(q // 8 == rank for q in range(64) if s.pawn >> q & 1)
                assert told_by_openspiel(message, s.said, in_passing, promotes), (message, hex(s.said))
        if game.is_terminal(s) and "record" not in game.ending(s) and "fifty" not in game.ending(s):
            while not t.is_terminal():  # there a player is mated only after all tries
                t.apply_action(t.legal_actions()[0])
                assert "Illegal" in t.observation_string(0)
            assert t.returns() == [game.utility(s, BLACK), game.utility(s, WHITE)]


@pytest.mark.peer
def test_checks_and_pawn_tries_agree_with_python_chess():
    chess = pytest.importorskip("chess")
    game, rng, met = Plain(8, "3qk2r/1P4b1/2n5/3p4/5n2/1B4P1/4Q1K1/R7"), random.Random(2), set()
    for _ in range(25):
        s = game.initial()
        for _ in range(30):
            if game.is_terminal(s):
                break
            s = game.result(s, rng.choice(legal(game, s)))
            board = chess.Board(game.position_text(s).split(" record")[0] + " 1")
            checks = [line_by_names(chess, board, at) for at in board.checkers()]
            assert sorted(checks) == sorted(s.said >> shift & 7 for shift in (8, 11) if s.said >> shift & 7)
            takes = {(m.from_square, m.to_square) for m in board.legal_moves if is_pawn_capture(chess, board, m)}
            assert len(takes) == s.said >> 16
            met |= set(checks)
    assert met == {1, 2, 3, 4, 5}


def is_pawn_capture(chess, board, m):
    return board.piece_type_at(m.from_square) == chess.PAWN and board.is_capture(m)


def line_by_names(chess, board, checker):
    """1 by a knight, 2 rank, 3 file, 4 the longer diagonal of the king's two, 5 the shorter one."""
    king = board.king(board.turn)
    if board.piece_type_at(checker) == chess.KNIGHT:
        return 1
    if chess.square_rank(king) == chess.square_rank(checker):
        return 2
    if chess.square_file(king) == chess.square_file(checker):
        return 3
    lengths = {}
    for sign in (1, -1):
        line = [q for q in chess.SQUARES if on_diagonal(chess, q, king, sign)]
        lengths[checker in line] = len(line)
    return 4 if lengths[True] > lengths[False] else 5


def on_diagonal(chess, a, b, sign):
    return chess.square_file(a) - chess.square_file(b) == sign * (chess.square_rank(a) - chess.square_rank(b))


def refused_texts(game, s):
    return {game.action_text(s, game.tried_before(s, i)) for i in range(s.refused)}


@settings(max_examples=4, deadline=None)
@given(st.sampled_from([4, 5, 6, 8]), st.randoms(use_true_random=True))
def test_knowledge_is_what_one_tried_and_heard(size, choose):
    """Two playthroughs look the same to a player exactly if they tried the same and the referee said the same."""
    game = Plain(size)
    known = {}
    for _ in range(6):
        s, seen = game.initial(), ((), ())
        for _ in range(12):
            if game.is_terminal(s):
                break
            action = choose.choice(legal(game, s)[:3])
            mover, s = s.player, game.result(s, action)
            heard = (s.said, s.refused)
            seen = tuple((*each, (action, heard) if mover == player else heard) for player, each in enumerate(seen))
            for player in (WHITE, BLACK):
                told = game.information(s, player)
                assert known.setdefault((player, seen[player]), told) == told
            assert game.parse_position(game.position_text(s)) == s
    assert len({(player, told) for (player, _), told in known.items()}) == len(known)


def test_the_referee_speaks():
    p = Plain(8).start("e2e4 d7d5 f1b5")
    assert p.game.referee(p.state) == "White has moved; check on the long diagonal"
    assert "d5e4" not in p.legal()  # no pawn tries were announced
    p.play("b8d7")
    assert p.game.referee(p.state) == "Black has moved; 1 pawn try"
    p.play("e4f5")
    assert p.to_move == WHITE
    assert p.game.board(p.state, WHITE).splitlines()[-1] == "White has tried e4f5: no"
    assert p.game.board(p.state, BLACK).splitlines()[-1] == "no"
    p.play("e4d5")
    assert p.game.referee(p.state) == "White has moved; a pawn taken on d5"
    assert not set(p.game.board(p.state, BLACK)) & set("PRNBQK")
    assert [piece.look for piece in p.game.diagram(p.state, WHITE).pieces if piece.look.islower()] == []
    mate = load("kriegspiel").start("f2f3 e7e5 g2g4 d8h4")
    assert mate.is_over
    assert mate.returns == (-1, 1)
    assert mate.game.referee(mate.state) == "Black has moved; check on the short diagonal; checkmate"


def test_taking_in_passing_and_castling():
    p = Plain(8, "4k2r/3p4/8/4P3/8/8/8/R3K3").start("a1a2 d7d5 e5d6")
    assert p.game.referee(p.state) == "White has moved; a pawn taken on d5"
    p.play("e8g8")
    assert p.position.startswith("5rk1/8/3P4/8/8/8/R7/4K3 w - - 1 record ")
    assert Plain(8, "4k3/8/8/8/8/8/8/R3K2R").start().legal().count("e1g1") == 1


def test_it_is_drawn_when_the_record_is_full():
    game = Plain(4, "k3/4/4/KR2")
    s, rng = game.initial(), random.Random(1)
    while not game.is_terminal(s):
        s = game.result(s, rng.choice(legal(game, s)))
    assert game.ending(s)
    full = game.initial()._replace(tried=(game.initial().tried[0] - 1,) * 2)
    assert game.is_terminal(full)
    assert game.utility(full, WHITE) == 0
    assert game.ending(full) == "the referee's record is full"


@pytest.mark.parametrize("text", ["8/8/8/8/8/8/8/8", "k7", "kk6/8/8/8/8/8/8/K7", "P3k3/8/8/8/8/8/8/4K3"])
def test_wrong_starts(text):
    with pytest.raises(CounterplayError, match="kriegspiel"):
        load(f"kriegspiel:start={text}")


@pytest.mark.parametrize(
    "text, why",
    [
        ("4k3/8/8/8/8/8/8/4K3 x", "is not a position"),
        ("4k3/8/8/8/8/8/8/4K3 w K", "nobody can castle"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6", "no pawn has just passed"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x", "not a move count"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - -", "already gives check"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 record 1 2", "not a referee's record"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 record 1 2 3 0 1", "does not agree"),
    ],
)
def test_wrong_positions(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("kriegspiel").parse_position(text)


def test_wrong_size():
    with pytest.raises(CounterplayError, match="size is from 4 to 8"):
        load("kriegspiel:3")


def test_a_belief_holds_the_truth_and_players_play_by_it():
    """On 4x4, compiled: particles know what the player knows, and a game between players in the dark ends by the rules."""
    from counterplay.players.specs import player

    game = load("kriegspiel:4")
    p, filters = game.start(), [ParticleFilter(game, seat, 500) for seat in (WHITE, BLACK)]
    seats = [player("ismcts:simulations=30"), player("random:seed=3")]
    while not p.is_over and len(p) < 24:
        if len(p) < 6:
            held = filters[p.to_move].follow(p)
            assert game.essence(p.state) in held
            assert {game.information(s, p.to_move) for s in held} == {
                game.information(game.essence(p.state), p.to_move)
            }
        p.play(seats[p.to_move].choose(p).action)


def test_starts_are_those_of_known_games():
    assert STARTS[5].split("/")[-1] == "RNBQK"
    assert load("kriegspiel:5").start().position == "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0"
