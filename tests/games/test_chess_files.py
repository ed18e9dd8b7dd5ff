"""Chess files: EPD, PGN, Polyglot books, Syzygy tables; read back, and compared with python-chess."""

from __future__ import annotations

import random
import sys
import tomllib
from pathlib import Path

import pytest

from counterplay import CounterplayError, load
from counterplay.core.language.rng import Rng
from counterplay.games.chess import tablebase
from counterplay.games.chess.book import Book, board_of, write_book
from counterplay.games.chess.epd import read_epd, read_suite
from counterplay.games.chess.evaluation import LIMIT
from counterplay.games.chess.notation import uci
from counterplay.games.chess.pgn import read_pgn, write_pgn
from counterplay.games.chess.tablebase import Tablebase

chess = pytest.importorskip("chess")
pgn = pytest.importorskip("chess.pgn")
polyglot = pytest.importorskip("chess.polyglot")

WAC = '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";'


def test_without_python_chess_a_sentence_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "chess", None)
    monkeypatch.delitem(sys.modules, "chess.pgn")
    with pytest.raises(CounterplayError, match=r"needs python-chess: pip install 'counterplay\[chess\]'"):
        list(read_pgn(load("chess"), tmp_path / "games.pgn"))
    extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert [name.split(">")[0] for name in extras["chess"]] == ["chess"]


# EPD.


def test_a_record_of_epd():
    game = load("chess")
    record = read_epd(game, WAC)
    assert (record.name, record.operations["bm"]) == ("WAC.001", "Qg6")
    assert [game.action_text(record.state, action) for action in record.best] == ["Qg6"]
    assert record.is_solved_by(record.best[0])
    assert not record.is_solved_by(game.parse_action(record.state, "Qf4"))
    board, operations = chess.Board.from_epd(WAC)
    assert operations == {"bm": [chess.Move.from_uci("g3g6")], "id": "WAC.001"}
    assert board.epd() == " ".join(game.position_text(record.state).split()[:4])


def test_operations_of_epd():
    game = load("chess")
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    both = read_epd(game, f'{start} am f3 g4; bm e4 d4 Nf3; c0 "a comment; with a semicolon"; acd 7')
    assert len(both.best) == 3
    assert len(both.avoid) == 2
    assert both.operations["c0"] == '"a comment; with a semicolon"'
    assert both.operations["acd"] == "7"
    assert read_epd(game, f"{start} 0 1 bm e4;").best == (game.parse_action(both.state, "e4"),)
    assert read_epd(game, start).operations == {}
    assert len(read_suite(game, f"# a suite\n\n{start} bm e4;\n{WAC}\n")) == 2
    for text, why in (
        (f"{start} bm e5;", "line 1: no move 'e5'"),
        (f"{start} ;;", "not an EPD operation"),
        ("x", "not a FEN"),
    ):
        with pytest.raises(CounterplayError, match=why):
            read_suite(game, text)


# PGN.


def random_games(count, seed=0, plies=40):
    """Playthroughs of random moves with made-up results."""
    rng, found = random.Random(seed), []
    for number in range(count):
        game = load("chess" if number % 3 else "chess:start=21")
        p = game.start()
        for _ in range(plies):
            if p.is_over:
                break
            p.play(rng.choice(p.options()))
        result = rng.choice([(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)])
        found.append((p, p.returns if p.is_over else result))
    return found


def test_games_are_read_as_they_were_written(tmp_path):
    found = random_games(6)
    file = tmp_path / "games.pgn"
    file.write_text("\n\n".join(write_pgn(p, returns, White="A", Black="B") for p, returns in found))
    again = list(read_pgn(load("chess"), file))
    assert [p.moves for p, _ in again] == [p.moves for p, _ in found]
    assert [p.states[-1] for p, _ in again] == [p.states[-1] for p, _ in found]
    assert {tags["White"] for _, tags in again} == {"A"}
    results = {(1.0, -1.0): "1-0", (-1.0, 1.0): "0-1", (0.0, 0.0): "1/2-1/2"}
    assert [tags["Result"] for _, tags in again] == [results[returns] for _, returns in found]
    with pytest.raises(CounterplayError, match="cannot read"):
        list(read_pgn(load("chess"), tmp_path / "none.pgn"))
    file.write_text("1. e4 e5 2. Ke3 *")
    with pytest.raises(CounterplayError, match=r"games.pgn, game 1: illegal san"):
        list(read_pgn(load("chess"), file))


def test_games_that_cannot_be_read_are_skipped_by_their_number(tmp_path):
    file = tmp_path / "games.pgn"
    tags = ["", '[Variant "Atomic"]\n', '[Variant "Nonsense"]\n', "", '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n']
    tags += [f'[Variant "{name}"]\n' for name in ("Standard", "Chess960", "Fischerandom", "From Position")]
    moves = ["1. e4 e5 2. Ke3", "1. e4 e5", "1. e4 e5", "1. e4 -- 2. d4", "", *["1. e4"] * 4]
    file.write_text("".join(f'[Event "?"]\n{tag}\n{text} *\n\n' for tag, text in zip(tags, moves, strict=True)))
    told: list[str] = []
    assert [p.moves for p, _ in read_pgn(load("chess"), file, told.append)] == [["e4"]] * 4
    whys = ["illegal san", "its rules are those of Atomic, not of chess", "unsupported variant", "a null move"]
    whys += ["White has 0 kings"]
    for number, (sentence, why) in enumerate(zip(told, whys, strict=True), 1):
        assert sentence.startswith(f"{file}, game {number}: {why}")
        assert "\n" not in sentence


# Books.


def test_a_book_has_what_was_played_by_its_weight(tmp_path):
    game, file = load("chess"), tmp_path / "book.bin"
    lines = [("e4 e5 Nf3", "1-0"), ("e4 c5 Nf3", "0-1"), ("d4 d5", "1/2-1/2"), ("a3", "0-1"), ("h3", "*")]
    assert write_book(file, [(game.start(moves), {"Result": result}) for moves, result in lines]) == 5
    book, s = Book(file), game.initial()
    assert {game.action_text(s, action): weight for action, weight in book.moves(game, s).items()} == {"e4": 2, "d4": 1}
    assert game.action_text(s, book.choose(game, s)) == "e4"
    drawn = [game.action_text(s, book.choose(game, s, Rng(seed))) for seed in range(60)]
    assert 30 <= drawn.count("e4") <= 50
    assert set(drawn) == {"e4", "d4"}
    assert book.choose(game, game.start("b3").state) is None
    assert Book(file).moves(game, game.start("e4 e5").state)  # of the game that was won
    with polyglot.open_reader(file) as reader:
        assert {entry.move.uci(): entry.weight for entry in reader.find_all(chess.Board())} == {"e2e4": 2, "d2d4": 1}
    with pytest.raises(CounterplayError, match="nothing to write"):
        write_book(file, [(game.start("e4"), {"Result": "*"})])
    (tmp_path / "odd.bin").write_bytes(b"odd")
    with pytest.raises(CounterplayError, match="not a Polyglot book"):
        Book(tmp_path / "odd.bin")


def test_every_kind_of_move_in_a_book(tmp_path):
    """Castling, promotions, en passant, Chess960: python-chess finds the moves that were written, and so do we."""
    file = tmp_path / "book.bin"
    castling = load("chess").start("e4 e5 Nf3 Nc6 Bb5 Nf6 O-O")
    promoting = load("chess").start("gxh8=N", position="4k2r/6P1/8/8/8/8/8/4K3 w - - 0 1")
    passing = load("chess").start("e4 a6 e5 d5 exd6")
    for p, _ in [(castling, 0), (promoting, 0), (passing, 0), *random_games(6, seed=5)]:
        write_book(file, [(p, {"Result": "1/2-1/2"})], plies=400)
        for s, action in zip(p.states, p.actions, strict=False):
            assert action in Book(file).moves(p.game, s)
            with polyglot.open_reader(file) as reader:
                board = board_of(p.game, s)
                moves = {board.uci(entry.move, chess960=True) for entry in reader.find_all(board)}
                assert uci(p.game, action, chess960=True) in moves


# Tables. No files are used: a stand-in answers as the tables would.


class StandIn:
    """King and rook against king, by distance to mate as a measure; everything else is missing."""

    def add_directory(self, folder):
        return 1

    def probe_wdl(self, board):
        self.require(board)
        if board.is_checkmate():
            return -2
        rooks = board.pieces(chess.ROOK, chess.WHITE)
        if not rooks or (board.turn == chess.BLACK and any(board.is_capture(move) for move in board.legal_moves)):
            return 0
        return 2 if board.turn == chess.WHITE else -2

    def probe_dtz(self, board):
        self.require(board)
        king = board.king(chess.BLACK)
        edge = min(king % 8, 7 - king % 8, king // 8, 7 - king // 8)
        distance = 10 + 4 * edge + chess.square_distance(board.king(chess.WHITE), king)
        return distance if board.turn == chess.WHITE else -distance

    def require(self, board):
        if chess.popcount(board.occupied) > 3:
            raise KeyError("no such table")


def test_tables_show_which_moves_keep_the_result(tmp_path, monkeypatch):
    import chess.syzygy

    with pytest.raises(CounterplayError, match="no Syzygy tables"):
        Tablebase(str(tmp_path))
    with pytest.raises(CounterplayError, match="no folder"):
        Tablebase(str(tmp_path / "none"))
    monkeypatch.setattr(chess.syzygy, "Tablebase", StandIn)
    game, tables = load("chess"), Tablebase(str(tmp_path))
    s = game.parse_position("8/8/8/8/8/1k6/7R/K7 w - - 0 1")
    found = tables.verdict(game, s)
    assert found.result == 2
    best = [game.action_text(s, action) for action in found.keep]
    assert best
    assert all(move.startswith("R") or move == "Kb1" for move in best)
    mate = game.parse_position("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert [game.action_text(mate, action) for action in tables.verdict(game, mate).keep] == ["Rh8#"]
    lost = game.parse_position("8/8/8/8/8/1kR5/8/K7 b - - 0 1")  # the rook hangs
    assert tables.verdict(game, lost).result == 0
    assert [game.action_text(lost, action) for action in tables.verdict(game, lost).keep] == ["Kxc3"]
    assert tables.verdict(game, game.initial()) is None
    assert tables.verdict(game, game.parse_position("7Q/8/8/8/8/1k6/7R/K7 w - - 0 1")) is None
    assert tablebase.MOST == 7
    assert tables.value(game, s) == tablebase.WON > LIMIT
    assert tables.value(game, lost) == 0.0
    assert tables.value(game, s._replace(clock=1)) is None  # the 50-move rule may come before the win
    assert tables.value(game, game.initial()) is None
