"""Chess evaluation: the same for both colours, exchanges against playing them out, search against mates."""

from __future__ import annotations

import json
import random

import pytest

from counterplay import CounterplayError, load
from counterplay.core.language.actions import Actions
from counterplay.core.rules import legal
from counterplay.games.chess.evaluation import VALUES
from counterplay.games.chess.game import Chess
from counterplay.games.chess.notation import uci
from counterplay.games.chess.position import CASTLING, KING, kind_of, piece_of, target_of
from counterplay.games.chess.weights import COUNT, packed, weights
from counterplay.search.engine.decide import decide
from counterplay.search.engine.iterative_deepening import Searcher
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.techniques import default_for
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.memory import INFINITY

chess = pytest.importorskip("chess")


def positions(count, seed=0):
    """Random positions, from the start and from endings."""
    game, rng = load("chess"), random.Random(seed)
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    starts = [None, kiwipete, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"]
    found = []
    while len(found) < count:
        p = game.start(position=rng.choice(starts))
        for _ in range(rng.randrange(60)):
            options = p.options()
            if not options:
                break
            p.play(rng.choice(options))
        if not p.is_over:
            found.append(p.state)
    return game, found


def test_judgement_is_the_same_for_both_colours():
    game, found = positions(60)
    for s in found:
        mirrored = game.parse_position(chess.Board(game.position_text(s)).mirror().fen())
        assert game.evaluate(mirrored, 1) == game.evaluate(s, 0) == -game.evaluate(s, 1)
    assert game.evaluate(game.initial(), 0) > 0  # to move is worth something
    queen_up = game.parse_position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    assert 0.05 < game.evaluate(queen_up, 0) < 0.15


def test_two_weights_in_one_number():
    rows = weights()
    assert rows.shape == (COUNT, 2)
    for (middle, end), both in zip(rows.tolist(), packed(rows).tolist(), strict=True):
        found = (both + (1 << 31)) >> 32
        assert (both - (found << 32), found) == (middle, end)


def test_noisy_moves_are_captures_and_promotions():
    game, found = positions(60, 1)
    for s in found:
        board = chess.Board(game.position_text(s))
        expected = {move.uci() for move in board.legal_moves if board.is_capture(move) or move.promotion}
        noisy = Actions()
        game.noisy_actions(s, noisy)
        assert {uci(game, action) for action in noisy} == expected
        assert {uci(game, action) for action in legal(game, s) if game.is_noisy(s, action)} == expected


def best_exchange(board, square):
    """The most that the side to move gains by taking on `square` with its cheapest piece, or by not taking; pins are
    ignored, as in the exchange that is tested."""
    takers = sorted(board.attackers(board.turn, square), key=lambda q: VALUES[board.piece_type_at(q) - 1])
    if not takers:
        return 0
    taker = takers[0]
    if board.piece_type_at(taker) == chess.KING and board.attackers(not board.turn, square):
        return 0  # a king may not
    won = VALUES[board.piece_type_at(square) - 1]
    after = board.copy(stack=False)
    after.set_piece_at(square, after.remove_piece_at(taker))
    after.turn = not after.turn
    return max(0, won - best_exchange(after, square))


def test_exchanges_are_those_that_are_played_out():
    game, found = positions(60, 2)
    compared = 0
    for s in found:
        for action in legal(game, s):
            if kind_of(action) >= CASTLING or piece_of(action) == KING:
                continue
            board = chess.Board(game.position_text(s))
            move = board.parse_uci(uci(game, action))
            taken = 100 if board.is_en_passant(move) else VALUES[(board.piece_type_at(move.to_square) or 7) - 1]
            board.push(move)
            gain = taken - best_exchange(board, target_of(action))
            for least in (gain - 1, gain, gain + 1):
                assert game.gains(s, action, least) == (gain >= least), (game.position_text(s), move, gain)
            compared += 1
    assert compared > 800


def test_passing_gives_the_move_to_the_other_side():
    game = load("chess")
    s = game.parse_position("4k3/8/8/3pP3/8/8/8/R3K3 w Q d6 0 1")
    after = game.null(s)
    assert game.position_text(after) == "4k3/8/8/3pP3/8/8/8/R3K3 b Q - 1 1"
    assert game.allows_null(s)
    assert not game.allows_null(game.parse_position("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"))  # pawns only: zugzwang
    assert not game.allows_null(game.parse_position("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1"))  # in check


MATES = [
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#", 1),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", "Qxf7#", 1),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 2),
]


@pytest.mark.parametrize("position, move, moves", MATES)
def test_mates_are_found(position, move, moves):
    game = load("chess")
    found = decide(game, game.parse_position(position), depth=2 * moves + 6)  # short cuts may see it later
    assert game.action_text(game.parse_position(position), found.action) == move
    assert (found.value, found.plies, found.proven) == (1.0, 2 * moves - 1, True)


PROBLEMS = [
    ("rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6", 2),  # Légal's mate
    ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 17", 2),  # Morphy in the opera
    ("1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1", 2),  # a pawn becomes a knight
    ("8/8/8/8/8/5K2/7k/5R2 w - - 0 1", 2),  # Black must move
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("r4rk1/5Npp/8/8/2Q5/8/6PP/7K w - - 0 1", 3),  # smothered
    ("rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9", 3),  # Réti against Tartakower
    ("k7/8/K7/8/8/8/8/1R6 w - - 0 1", 3),
    ("1k6/8/8/3K4/8/8/8/2R5 w - - 0 1", 4),
    ("1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21", 4),  # Anderssen's evergreen game
    ("r2r3k/6pp/8/6N1/2Q5/8/6PP/7K w - - 0 1", 4),
    ("5rk1/6p1/6P1/8/8/8/K7/Q5RR w - - 0 1", 5),  # rook, rook and queen on one file
    ("rn3r2/pbppq1p1/1p2pN1k/4N3/3P4/3B4/PPP2PPP/R3K2R w KQ - 1 13", 5),  # Lasker against Thomas
]
"""Positions and in how many moves there is a mate, and none sooner: by Stockfish, and by trying all moves."""


def can_mate(board, moves):
    """Whether the side to move can mate in this many moves, by trying all of them with python-chess."""
    for move in list(board.legal_moves):
        if moves == 1 and not board.gives_check(move):
            continue
        board.push(move)
        replies = list(board.legal_moves)
        mates = (bool(replies) and moves > 1) or board.is_checkmate()
        for reply in replies if mates else ():
            board.push(reply)
            mates = can_mate(board, moves - 1)
            board.pop()
            if not mates:
                break
        board.pop()
        if mates:
            return True
    return False


@pytest.mark.parametrize("position, moves", PROBLEMS)
def test_mates_are_found_in_as_few_moves_as_there_are(position, moves):
    game, board = load("chess"), chess.Board(position)
    for each in (board, board.mirror()):
        found = decide(game, game.parse_position(each.fen()), depth=2 * moves + 6)
        assert (found.value, found.plies, found.proven) == (1.0, 2 * moves - 1, True)
    if moves <= 3:
        assert can_mate(board, moves)
        assert not can_mate(board, moves - 1)


@pytest.mark.parametrize(
    "position, clock, value, choice",
    [
        ("4k3/8/8/8/8/8/8/Q3K3 w - -", 99, 0.0, None),  # no move wins any more
        ("4k3/8/8/8/8/8/8/Q3K3 w - -", 97, 0.0, None),
        ("7k/8/8/4K3/8/8/8/6Q1 w - -", 98, 0.0, None),  # a mate in 2 comes too late ...
        ("7k/8/8/4K3/8/8/8/6Q1 w - -", 97, 1.0, "Kf6"),  # ... or just in time
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - -", 99, 1.0, "Ra8#"),
        ("4k3/8/8/8/3r4/8/8/3QK3 w - -", 99, 0.1, "Qxd4"),
        ("4k3/8/8/8/8/8/4P3/Q3K3 w - -", 99, 0.1, "e4"),
    ],
)
def test_fifty_moves_are_counted_by_the_search(position, clock, value, choice):
    """At 99 only a mate, a capture or a pawn move wins. Table entries from when there was more time do not hide
    this.
    """
    game, table = load("chess"), TranspositionTable(1)
    s = game.parse_position(f"{position} {clock} 80")
    assert decide(game, s._replace(clock=0), depth=6, table=table).value > 0.1
    for found in (decide(game, s, depth=6), decide(game, s, depth=6, table=table)):
        assert found.value == pytest.approx(value, abs=0.03 if value == 0.1 else 0)
        assert choice in (None, game.action_text(s, found.action))


def test_a_draw_by_repetition_is_seen():
    """White, a rook up, must not return to the position with the knights back: it would be the third occurrence."""
    game = load("chess")
    p = game.start("Nf3 Nc6 Ng1 Nb8 Nf3 Nc6 Ng1", position="1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1")
    assert p.to_move == 1
    found = decide(game, p.state, depth=4, before=p.before)
    assert game.action_text(p.state, found.action) == "Nb8"
    assert found.value == 0.0
    assert decide(game, p.state, depth=4).value < -0.02  # a player who misses it loses


def test_taking_what_is_defended_is_not_followed_beyond_the_horizon():
    game = load("chess")
    s = game.parse_position("4k3/3p4/2p5/8/8/8/8/2Q1K3 w - - 0 1")
    assert game.is_losing(s, game.parse_action(s, "Qxc6"))
    assert decide(game, s, depth=1).value > 0.03


class Blind(Chess):
    """Chess with an evaluation that sees nothing in a position."""

    def evaluate(self, s, player):
        return 0.0


def test_parts_of_an_evaluation_go_with_it():
    game, found = positions(40, 5)
    assert (game.has_structure, game.has_sketch) == (True, True)
    for s in found:
        for player in (0, 1):
            assert game.evaluate_with(s, player, game.structure(s)) == game.evaluate(s, player)
        assert abs(game.sketch(s, 0) - game.evaluate(s, 0)) < 3 * game.sketch_error
    assert (Blind().has_structure, Blind().has_sketch) == (False, False)


def test_weights_are_packed_and_read_again(tmp_path):
    game = load("chess")
    rows = game.weight_rows()
    assert (packed(rows) == game.weights).all()
    assert (weights() == rows).all()
    other = game.with_weights(rows + 1)
    assert (other.weight_rows() == rows + 1).all()
    assert other.spec == game.spec
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"weights": (rows + 1).tolist()}))
    assert (load(f"chess:weights={file}").weight_rows() == rows + 1).all()
    file.write_text(json.dumps({"weights": rows[:-1].tolist()}))
    with pytest.raises(CounterplayError, match="another version"):
        load(f"chess:weights={file}")


def test_the_table_does_not_hide_that_a_position_comes_again():
    """White is far ahead and may go back and forth. What the table knows from before is of no use: Black takes the
    draw at the third occurrence."""
    game = Chess()
    p = game.start(position="6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1")
    for move in ["Qd2", "Kf8", "Qd1", "Kg8", "Qd2", "Kf8"]:
        p.play(move)
    back, table = game.parse_action(p.state, "Qd1"), TranspositionTable(1)
    assert decide(game, game.result(p.state, back), depth=8, table=table).value < -0.05
    context = EngineContext(game, default_for(game), table, before=p.before)
    context.bar([action for action in legal(game, p.state) if action != back])
    assert Searcher(game, p.state, context).look(6, -INFINITY, INFINITY) == 0
    assert decide(game, p.state, depth=6, table=table, before=p.before).action != back


def test_a_mate_far_away_is_looked_for_nearer():
    """The table knows it at once. A player who relies on the table move after move may circle forever without
    mating.
    """
    game, table = Chess(), TranspositionTable(1)
    s = game.parse_position("8/4k3/8/8/8/8/R7/1R2K3 w - - 0 1")
    for _ in range(3):
        found = decide(game, s, depth=20, table=table)
        assert found.plies is not None
        assert 5 <= found.plies <= found.depth


def test_checks_are_known_before_they_are_given():
    game, found = positions(300, seed=5)
    checks = 0
    for s in found:
        for action in legal(game, s):
            gives = bool(game.result(s, action).checkers)
            assert game.threatens(s, action) == gives, (game.position_text(s), game.action_text(s, action))
            checks += gives
    assert checks > 200
