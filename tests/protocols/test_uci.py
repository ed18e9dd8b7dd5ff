"""UCI: conversations with the engine, by hand, by python-chess's client and with Stockfish on the other side."""

from __future__ import annotations

import queue
import re
import shutil
import subprocess
import sys
import threading
import time
import weakref

import pytest

from counterplay.core.errors import CounterplayError
from counterplay.core.language.bits import count
from counterplay.core.language.rng import Rng
from counterplay.games.chess.book import write_book
from counterplay.games.chess.game import Chess
from counterplay.games.chess.tablebase import Verdict
from counterplay.players.specs import player
from counterplay.protocols.uci.analysis import Analysis, AnalysisLine
from counterplay.protocols.uci.go import read_limits
from counterplay.protocols.uci.server import UciServer
from counterplay.protocols.uci.strength import pick, weakness
from counterplay.search.deepening import Patience
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.transposition_table import TranspositionTable

chess = pytest.importorskip("chess")
pytest.importorskip("chess.engine")

WAIT = 300  # seconds; a first search waits until it is compiled

SOON = 5  # seconds for what should take a fraction of one, on a busy machine


class Ear:
    """What the engine says, line by line."""

    def __init__(self):
        self.lines = queue.Queue()

    def write(self, text):
        for line in text.splitlines():
            self.lines.put(line)

    def flush(self):
        pass


class Conversation:
    """An engine in this process."""

    def __init__(self):
        self.commands, self.ear = queue.Queue(), Ear()
        self.server = UciServer("0", iter(self.commands.get, None), self.ear)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()

    def send(self, *lines):
        for line in lines:
            self.commands.put(line)

    def until(self, word):
        """The lines up to the first that begins with a word."""
        found = []
        while not found or not found[-1].startswith(word):
            found.append(self.ear.lines.get(timeout=WAIT))
        return found


@pytest.fixture
def engine():
    talk = Conversation()
    yield talk
    talk.send("quit")
    talk.thread.join(WAIT)
    assert not talk.thread.is_alive()


def infos(lines):
    """The info lines of a search, as dicts."""
    pattern = r"depth (\d+) seldepth (\d+) multipv (\d+) score (cp|mate) (-?\d+) nodes (\d+) nps (\d+) .* pv (.+)"
    names = ("depth", "seldepth", "multipv", "kind", "score", "nodes", "nps", "pv")
    return [dict(zip(names, found.groups(), strict=True)) for line in lines if (found := re.search(pattern, line))]


def test_greeting(engine):
    engine.send("uci", "isready")
    lines = engine.until("readyok")
    assert lines[0].startswith("id name Counterplay")
    assert "option name Hash type spin default 64 min 1 max 65536" in lines
    assert lines.index("uciok") < lines.index("readyok")


def test_a_search_to_a_depth_reports_every_depth(engine):
    engine.send("position startpos moves e2e4 e7e5", "go depth 5")
    lines = engine.until("bestmove")
    told = infos(lines)
    assert [each["depth"] for each in told] == ["1", "2", "3", "4", "5"]
    assert lines[-1].split()[1] == told[-1]["pv"].split()[0]
    board = chess.Board()
    for text in ["e2e4", "e7e5", *told[-1]["pv"].split()]:
        board.push_uci(text)  # every line is legal


def test_mate_is_told_in_moves(engine):
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "go depth 4")
    lines = engine.until("bestmove")
    assert (infos(lines)[-1]["kind"], infos(lines)[-1]["score"]) == ("mate", "1")
    assert lines[-1] == "bestmove a1a8"
    engine.send("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "go mate 2")
    assert engine.until("bestmove")[-1].startswith("bestmove a1a6")
    engine.send("position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "go depth 3")
    assert engine.until("bestmove") == ["info depth 0 score mate 0", "bestmove (none)"]


@pytest.mark.parametrize(
    "position, move",
    [
        ("fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "(none)"),  # mated
        ("fen 7k/8/8/8/8/8/8/K7 w - - 0 1", "a1"),  # nobody can mate
        ("fen nonsense", "0000"),
    ],
)
def test_where_there_is_nothing_to_search_an_open_search_waits_all_the_same(engine, position, move):
    for go, end in (("infinite", "stop"), ("ponder", "ponderhit"), ("ponder wtime 1", "stop")):
        engine.send(f"position {position}", f"go {go}", "ponderhit" if go == "infinite" else "isready", "isready")
        assert not any(line.startswith("bestmove") for line in engine.until("readyok"))
        engine.send(end)
        assert engine.until("bestmove")[-1].startswith(f"bestmove {move}")


def test_several_lines(engine):
    engine.send("setoption name MultiPV value 3", "go depth 4")
    told = infos(engine.until("bestmove"))
    assert [each["multipv"] for each in told] == ["1", "2", "3"] * 4
    assert len({each["pv"].split()[0] for each in told[-3:]}) == 3
    assert int(told[-3]["score"]) >= int(told[-1]["score"])


def follow(script, lines):
    """The reports of an analysis whose searches follow a script; a value of None is where it is stopped."""
    game, told, looks = Chess(), [], iter(script)
    analysis = Analysis(game, game.initial(), (), TranspositionTable(1), 1, ())

    def look(depth, guess):
        value, actions = next(looks)
        if value is None:
            analysis.stop()
        return value or 0.0, actions

    analysis.look = look
    analysis.run(told.append, depth=2, lines=lines)
    return [(line.rank, line.depth, line.value, line.actions) for line in told], analysis.lines[0].actions


def test_lines_are_told_in_order():
    first = [(0.1, (1,)), (0.3, (2,)), (0.2, (3,))]
    told, best = follow([*first, (0.1, (2,)), (0.2, (1,)), (0.3, (3,))], 3)
    assert told[:3] == [(1, 1, 0.3, (2,)), (2, 1, 0.2, (3,)), (3, 1, 0.1, (1,))]
    assert told[3:] == [(1, 2, 0.3, (3,)), (2, 2, 0.2, (1,)), (3, 2, 0.1, (2,))]
    assert best == (3,)
    told, best = follow([*first, (0.1, (3,)), (0.15, (1,)), (None, ())], 3)  # stopped at the third
    assert told[3:] == [(1, 2, 0.15, (1,)), (2, 2, 0.1, (3,)), (3, 1, 0.3, (2,))]
    assert best == (1,)


def test_the_move_that_is_played_was_told_last():
    told, best = follow([(0.1, (1, 2)), (None, (3, 4))], 1)  # stopped when another move was better
    assert told == [(1, 1, 0.1, (1, 2)), (1, 1, 0.1, (3, 4))]
    assert best == (3, 4)
    assert follow([(0.1, (1, 2)), (None, ())], 1) == ([(1, 1, 0.1, (1, 2))], (1, 2))


ROOKS = "position fen 8/4k3/8/8/8/8/R7/1R2K3 w - - 0 1"  # mate in 4, but mate in 5 is seen first


def test_a_longer_mate_than_asked_for_does_not_end_the_search(engine):
    engine.send(ROOKS, "go mate 4")
    told = infos(engine.until("bestmove"))
    assert (told[-1]["kind"], told[-1]["score"]) == ("mate", "4")
    assert all(each["score"] != "4" for each in told[:-1])


def test_a_mate_further_away_than_was_searched_does_not_end_the_search(engine):
    engine.send(ROOKS, "go nodes 1000000")
    last = infos(engine.until("bestmove"))[-1]
    assert last["kind"] == "mate"
    assert int(last["depth"]) >= 2 * int(last["score"]) - 1


def test_a_mate_ends_neither_a_depth_nor_an_endless_search(engine):
    engine.send("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "go depth 6")
    assert [each["depth"] for each in infos(engine.until("bestmove"))] == list("123456")
    engine.send("go infinite")
    engine.until("info depth 6")
    engine.send("stop")
    engine.until("bestmove")


def test_all_threads_count():
    game, told = Chess(), []
    analysis = Analysis(game, game.initial(), (), TranspositionTable(1), 3, ())
    analysis.contexts[1].nodes = 100
    analysis.run(told.append, nodes=6000)
    assert all(line.nodes > 100 for line in told)
    assert sum(context.nodes for context in analysis.contexts) <= 6000 + 3 * 100  # beyond the horizon


def test_only_some_moves(engine):
    engine.send("go depth 4 searchmoves a2a3 h2h4")
    assert engine.until("bestmove")[-1].split()[1] in ("a2a3", "h2h4")


def test_an_endless_search_answers_isready_and_stops_when_told(engine):
    engine.send("isready")
    engine.until("readyok")
    engine.send("go infinite", "isready")
    assert "bestmove" not in " ".join(engine.until("readyok"))
    engine.until("info depth")
    engine.send("stop")
    assert engine.until("bestmove")[-1].split()[1]


def test_a_proven_endless_search_waits_for_stop(engine):
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "go infinite")
    engine.until("info depth 1")
    time.sleep(0.2)
    assert not [line for line in list(engine.ear.lines.queue) if line.startswith("bestmove")]
    engine.send("stop")
    assert engine.until("bestmove")[-1] == "bestmove a1a8"


def test_pondering(engine):
    engine.send("isready")
    engine.until("readyok")
    for go in ("wtime 1000 btime 1000", "movetime 100", "depth 2", "nodes 3000"):
        engine.send("position startpos moves e2e4 e7e5", f"go ponder {go}")
        said = engine.until("info depth 1")
        time.sleep(0.4)  # longer than it would take without `ponder`
        engine.send("isready")
        assert not any(line.startswith("bestmove") for line in said + engine.until("readyok"))
        began = time.perf_counter()
        engine.send("ponderhit")
        assert engine.until("bestmove")[-1].split()[2:3] == ["ponder"]
        assert time.perf_counter() - began < SOON
    engine.send("go ponder wtime 600000 btime 600000", "stop")
    assert engine.until("bestmove")


@pytest.mark.parametrize(
    "go", ["movetime 200", "wtime 300 btime 300", "wtime 100 btime 100 winc 100", "wtime 0", "movetime 0"]
)
def test_a_search_ends_in_time(engine, go):
    engine.send("isready")
    engine.until("readyok")
    began = time.perf_counter()
    engine.send(f"go {go}")
    assert infos(engine.until("bestmove"))
    took = time.perf_counter() - began
    assert took < SOON
    if go == "movetime 200":
        assert took > 0.1


def test_nodes_limit(engine):
    engine.send("go nodes 3000")
    assert all(int(each["nodes"]) <= 3000 for each in infos(engine.until("bestmove")))


@pytest.mark.parametrize(
    "go", ["go wtime 1 btime 1", "go movetime 1", "go nodes 1", "go infinite\nstop", "go ponder\nstop"]
)
def test_a_move_is_seen_before_it_is_played(engine, go):
    """However little time there is, depth 1 is searched: it takes what hangs."""
    engine.send("isready", "position fen k7/8/8/3q4/8/8/8/K2R4 w - - 0 1", *go.split("\n"))
    said = engine.until("bestmove")
    assert infos(said)[0]["pv"].split()[0] == "d1d5"
    assert said[-1].split()[1] == "d1d5"


MALFORMED = [
    "",
    "   ",
    "go depth",
    "go depth x",
    "go movetime 99999999999999999999",
    "go searchmoves e2e5",
    "position",
    "position fen",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position startpos moves e2e5",
    "position startpos moves e2e4 zzz",
    "setoption",
    "setoption name Nonsense value 3",
    "setoption name Hash value many",
    "setoption name Hash value -1",
    "setoption name Ponder value perhaps",
    "__init__",
    "say hello",
    "\x00\ufffd",
    "stop",
    "ponderhit",
    "do_go",
    "register later",
    "debug on",
]


def test_isready_does_not_age_the_table(engine):
    engine.send("go depth 1")
    engine.until("bestmove")
    age = engine.server.table.age
    engine.send("position startpos", "isready")
    engine.until("readyok")
    assert engine.server.table.age == age
    engine.send("go depth 1")
    engine.until("bestmove")
    assert engine.server.table.age == age + 1


def test_quit_is_obeyed_behind_other_words(engine):
    engine.send("joho quit")
    engine.thread.join(WAIT)
    assert not engine.thread.is_alive()


@pytest.mark.parametrize("value", ["value", "value ", "value <empty>"])
def test_an_option_may_be_empty(engine, tmp_path, value):
    write_book(tmp_path / "book.bin", [(Chess().start("a4 h5"), {"Result": "1-0"})])
    engine.send(f"setoption name BookFile value {tmp_path / 'book.bin'}", f"setoption name BookFile {value}", "isready")
    assert engine.until("readyok") == ["readyok"]
    assert engine.server.book is None


def test_malformed_commands_do_no_harm(engine):
    engine.send(*MALFORMED, "joho isready")  # words before a command are skipped
    lines = engine.until("readyok")
    told = [line for line in lines if line.startswith("info string")]
    assert len(told) >= 15
    engine.send("go depth 1")
    assert engine.until("bestmove")


def test_no_command_ends_the_engine(engine, monkeypatch):
    """Not even one that fails in an unforeseen way."""

    def fail(*arguments):
        raise ValueError("no such luck")

    engine.send(f"setoption name Hash value {'9' * 5000}", "isready")
    assert engine.until("readyok")[0].startswith("info string Hash is a number from 1 to 65536")
    engine.send("setoption name Threads value 2.5", "setoption name Nonsense value 3", "isready")
    said = engine.until("readyok")
    assert said[0] == "info string Threads is a number from 1 to 256, not '2.5'"
    assert said[1].startswith("info string no option 'Nonsense'; they are Hash")
    monkeypatch.setattr(engine.server, "analyse", fail)
    engine.send("isready")
    assert engine.until("readyok")[-2:] == ["info string ValueError: no such luck", "readyok"]
    engine.send("go depth 1")
    assert engine.until("bestmove")[-2] == "info string ValueError: no such luck"
    monkeypatch.setattr(engine.server, "first", fail)
    engine.send("position startpos moves e2e4", "isready")
    assert engine.until("readyok")[0] == "info string ValueError: no such luck"


def test_a_file_that_is_damaged_or_has_gone_does_not_keep_it_from_moving(engine, tmp_path):
    write_book(tmp_path / "book.bin", [(Chess().start("a4 h5"), {"Result": "1-0"})])
    engine.send(
        f"setoption name BookFile value {tmp_path / 'book.bin'}", "setoption name OwnBook value true", "isready"
    )
    engine.until("readyok")
    (tmp_path / "book.bin").unlink()
    engine.send("go depth 2")
    said = engine.until("bestmove")
    assert said[0] == "info string the operating system refused: no such file or directory"
    assert infos(said)[-1]["depth"] == "2"
    (tmp_path / "KRvK.rtbw").write_bytes(b"nonsense")
    (tmp_path / "KRvK.rtbz").write_bytes(b"nonsense")
    engine.send("setoption name OwnBook value false", f"setoption name SyzygyPath value {tmp_path}")
    engine.send("position fen 7k/8/8/8/8/8/8/KR6 w - - 0 1", "go depth 2")
    said = engine.until("bestmove")
    assert len([line for line in said if line.startswith("info string")]) == 1
    assert infos(said)[-1]["depth"] == "2"


def test_after_a_position_that_is_refused_there_is_none(engine):
    engine.send("position startpos moves e2e4", "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go depth 1")
    said = engine.until("bestmove")
    assert said[-2].startswith("info string there is no position")
    assert said[-1] == "bestmove 0000"
    engine.send("d", "position startpos moves e2e4", "go depth 1")
    said = engine.until("bestmove")
    assert said[0].startswith("info string there is no position")
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(said[-1].split()[1]) in board.legal_moves


def test_an_illegal_move_leaves_the_moves_before_it(engine):
    engine.send("position startpos moves d2d4", "position startpos moves e2e4 e7e5 e2e4 g8f6", "d")
    said = engine.until("Fen")
    assert said[0].startswith("info string no move 'e2e4' here")
    assert said[0].endswith("the moves before it were played")
    board = chess.Board()
    for move in ("e2e4", "e7e5"):
        board.push_uci(move)
    assert said[-1] == f"Fen: {board.fen()}"
    engine.send("position startpos moves e2e4 e7e5 g1f3", "d")
    board.push_uci("g1f3")
    assert engine.until("Fen")[-1] == f"Fen: {board.fen()}"


@pytest.mark.parametrize(
    "go, about",
    [
        ("go depth 2 searchmoves e2e4 e9e9", "no move 'e9e9' here"),
        ("go depth 2 searchmoves e9e9", "no move 'e9e9' here"),
        ("go nodes 50 movetime", "movetime needs a number"),
        ("go depth 2 wtime abc", "wtime needs a number"),
    ],
)
def test_wrong_arguments_of_go_are_reported_and_ignored(engine, go, about):
    engine.send(go)
    said = engine.until("bestmove")
    assert any(line.startswith(f"info string {about}") for line in said)
    if "e2e4" in go:
        assert said[-1].split()[1] == "e2e4"


def test_without_memory_for_a_table_the_last_size_stays(engine, monkeypatch):
    def scarce(megabytes):
        if megabytes > 8:
            raise CounterplayError(f"there is no memory for a table of {megabytes} MB")
        return TranspositionTable(megabytes)

    monkeypatch.setattr("counterplay.protocols.uci.conversation.TranspositionTable", scarce)
    engine.send("setoption name Hash value 2", "isready")
    assert engine.until("readyok") == ["readyok"]
    engine.send("setoption name Hash value 16", "isready")
    wrong = "info string there is no memory for a table of 16 MB; Hash is 2 again"
    assert engine.until("readyok") == [wrong, "readyok"]
    engine.send("go depth 1")
    assert engine.until("bestmove")[-1] != "bestmove 0000"


def test_a_table_that_is_no_longer_wanted_is_given_back(engine):
    engine.send("setoption name Hash value 4", "go depth 1")
    engine.until("bestmove")
    table = weakref.ref(engine.server.table)
    engine.send("setoption name Hash value 2", "isready")
    engine.until("readyok")
    assert table() is None


def test_without_memory_for_all_threads_there_are_fewer(engine, monkeypatch):
    room, made = 5, []

    def scarce(*arguments, **options):
        if len(made) == room:
            made.clear()
            raise MemoryError
        made.append(EngineContext(*arguments, **options))
        return made[-1]

    monkeypatch.setattr("counterplay.protocols.uci.analysis.EngineContext", scarce)
    engine.send("setoption name Threads value 14", "isready")
    assert engine.until("readyok") == ["info string there is no memory for 14 threads; Threads is 3 now", "readyok"]
    made.clear()
    engine.send("go depth 1")
    assert engine.until("bestmove")[-1] != "bestmove 0000"
    made.clear()
    room = 0
    engine.send("go depth 1")
    first, last = engine.until("bestmove")
    assert first == "info string there is no memory for a search; a smaller Hash leaves more"
    assert last != "bestmove 0000"


def test_counting_goes_on_beside_the_conversation(engine, monkeypatch):
    going, done = threading.Event(), threading.Event()

    def slow(game, s, depth):
        going.set()
        done.wait(WAIT)
        return 20

    engine.send("go perft 2")
    assert engine.until("Nodes")[-1] == "Nodes searched: 400"
    monkeypatch.setattr("counterplay.protocols.uci.conversation.perft", slow)
    engine.send("go perft 1", "isready", "stop", "go depth 1")
    assert going.wait(WAIT)
    assert engine.until("readyok") == ["readyok"]
    engine.until("bestmove")
    done.set()
    engine.send("go perft 1")
    assert engine.until("Nodes") == ["Nodes searched: 20"]  # not that of the one before, which was stopped


def test_chess960_castles_as_the_option_says(engine):
    position = "position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves"
    engine.send(f"{position} e1g1", "d")
    plain = engine.until("Fen")[-1]
    engine.send("setoption name UCI_Chess960 value true", f"{position} e1h1", "d")
    assert engine.until("Fen")[-1] == plain
    engine.send("position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "go depth 1 searchmoves e1h1")
    assert engine.until("bestmove")[-1].split()[1] == "e1h1"


def test_a_draw_that_nobody_claims_is_played_on(engine):
    moves = " ".join(["g1f3 g8f6 f3g1 f6g8"] * 3)
    engine.send(f"position startpos moves {moves}", "go depth 2")
    assert engine.until("bestmove")[-1] != "bestmove (none)"
    engine.send("position fen 7k/8/6K1/8/8/8/8/R7 b - - 120 90", "go depth 2")
    assert engine.until("bestmove")[-1].split()[1] == "h8g8"


def test_a_game_is_told_on_or_anew(engine):
    """Programs send the whole game with each move; the known part is not replayed, and games are not mixed up."""
    boards = []
    for moves in ("e2e4", "e2e4 e7e5", "e2e4 e7e5 g1f3", "e2e4", "e2e4 c7c5", "e2e4 c7c5 zzz", "d2d4"):
        engine.send(f"position startpos moves {moves}", "d")
        boards.append(engine.until("Fen")[-1].removeprefix("Fen: "))
    board, known = chess.Board(), []
    for moves in ("e2e4", "e2e4 e7e5", "e2e4 e7e5 g1f3", "e2e4", "e2e4 c7c5", "e2e4 c7c5", "d2d4"):
        board.reset()
        for move in moves.split():
            board.push_uci(move)
        known.append(board.fen())
    assert boards == known
    fen = "position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    engine.send(f"{fen} moves e1g1", "position startpos", f"{fen} moves a1a8", "d")
    assert engine.until("Fen")[-1] == "Fen: R3k3/8/8/8/8/8/8/4K2R b K - 1 1"


@pytest.mark.parametrize(
    "words, side, seconds",
    [
        ("movetime 1000", 0, 0.97),
        ("wtime 100000 btime 50000", 0, 99.97 / 25),
        ("wtime 100000 btime 50000", 1, 49.97 / 25),
        ("wtime 100000 btime 50000 winc 1000 binc 2000", 1, 49.97 / 25 + 1.5),
        ("wtime 10030 movestogo 5", 0, 2.0),
        ("wtime 10030 movestogo 1", 0, 8.0),
        ("wtime -5", 0, 0.001),
        ("movetime 40", 0, 0.02),  # the overhead takes half at most
        ("movetime 0", 0, 0.001),
        ("wtime 30 movestogo 1", 0, 0.8 * 0.015),
        ("infinite", 0, None),
        ("depth 3", 0, None),
    ],
)
def test_time_is_shared_out(words, side, seconds):
    found = read_limits(words.split()).allowance(side, 0.03)
    assert (found.soft or found.hard) == (None if seconds is None else pytest.approx(seconds))
    assert found.soft is None or found.soft <= found.hard <= max(3 * found.soft, 0.8 * 10.0)


def test_numbers_that_are_none_are_passed_over():
    words = "depth deep nodes searchmoves e2e4 movetime -5 wtime -5 mate 3"
    limits = read_limits(words.split())
    assert limits.numbers == {"wtime": -5, "mate": 3}
    assert limits.only == ("e2e4",)
    assert limits.wrong[0] == "depth needs a number, not 'deep'"
    assert len(limits.wrong) == 3
    assert read_limits(["movetime"]).allowance(0, 0.03) == (1.0, None)  # some limit was intended
    assert read_limits([]).allowance(0, 0.03) == (None, None)  # a bare `go` searches until it is stopped
    assert read_limits(["movetime", "depth", "3"]).allowance(0, 0.03) == (None, None)


def test_a_book_answers_immediately(engine, tmp_path):
    game = Chess()
    write_book(tmp_path / "book.bin", [(game.start("a4 h5"), {"Result": "1-0"})])
    engine.send(f"setoption name BookFile value {tmp_path / 'book.bin'}", "setoption name OwnBook value true")
    engine.send("position startpos", "go depth 3")
    assert engine.until("bestmove")[-1] == "bestmove a2a4"
    engine.send("position startpos moves a2a4", "go depth 1")  # Black lost there: not in the book
    assert "info string a move of the book" not in engine.until("bestmove")
    engine.send(f"setoption name BookFile value {tmp_path / 'none.bin'}", "isready")
    assert any("not a Polyglot book" in line for line in engine.until("readyok"))


def test_tables_leave_only_moves_that_keep_the_result(engine, monkeypatch):
    s = engine.server.game.parse_position("8/8/8/8/8/1k6/7R/K7 w - - 0 1")
    kept = engine.server.game.parse_action(s, "Rh8")

    class Tables:
        def verdict(self, game, s):
            return Verdict(2, (kept,), 5)

        def value(self, game, s):
            return None

    engine.server.tablebase = Tables()
    engine.send("position fen 8/8/8/8/8/1k6/7R/K7 w - - 0 1", "go depth 3")
    said = engine.until("bestmove")
    assert said[-1].split()[1] == "h2h8"
    assert "info string according to the tables won" in said
    assert all(" tbhits 1 " in line for line in said if " nodes " in line)
    engine.send("setoption name SyzygyPath value /no/such/folder", "isready")
    assert any("there is no folder" in line for line in engine.until("readyok"))


def test_the_network_is_an_option(engine):
    def score():
        engine.send("position startpos moves e2e4 c7c5 g1f3", "go depth 1")
        return infos(engine.until("bestmove"))[-1]["score"]

    corrected = score()
    engine.send("setoption name EvalFile value ", "isready")
    engine.until("readyok")
    assert not engine.server.searched.has_accumulators
    alone = score()
    engine.send("setoption name EvalFile value no-such-network", "isready")
    assert any("no model 'no-such-network'" in line for line in engine.until("readyok"))
    assert score() == alone
    engine.send("setoption name EvalFile value chess", "isready")
    engine.until("readyok")
    assert engine.server.searched.has_accumulators
    assert score() == corrected != alone
    engine.send("setoption name UCI_LimitStrength value true")
    assert score() == alone  # ratings were measured without the network


def test_limited_strength_searches_few_positions_and_varies(engine):
    engine.send("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1000")
    moves = set()
    for _ in range(6):
        engine.send("ucinewgame", "position startpos", "go wtime 100000 btime 100000")
        said = engine.until("bestmove")
        moves.add(said[-1].split()[1])
        nodes = [int(re.search(r"nodes (\d+)", line)[1]) for line in said if " nodes " in line]
        assert max(nodes) <= weakness(1000).nodes
    assert len(moves) > 1
    engine.send("setoption name UCI_Elo value 99", "isready")
    assert any("from 1000 to 2000" in line for line in engine.until("readyok"))
    engine.send("ucinewgame", "go infinite")  # that is for analysis
    while True:
        told = infos(engine.until("info depth"))
        if told and int(told[-1]["nodes"]) > weakness(1000).nodes:
            break
    engine.send("stop")
    engine.until("bestmove")


def test_the_worse_a_move_the_rarer_it_is_picked():
    lines = [AnalysisLine(i + 1, 1, -0.01 * i, (i,)) for i in range(3)]  # each a pawn worse
    rng = Rng(1)
    counts = [0, 0, 0]
    for _ in range(3000):
        counts[pick(lines, 1.0, rng).actions[0]] += 1
    assert counts[0] > 2 * counts[1] > 4 * counts[2] > 0
    assert {pick(lines, 0.001, rng).actions[0] for _ in range(100)} == {0}
    assert weakness(1000).nodes < weakness(1700).nodes < weakness(2000).nodes
    assert weakness(1000).spread > weakness(1700).spread > weakness(2000).spread > 0
    assert weakness(1000).lines > weakness(2000).lines == 1


def test_a_search_that_is_sure_ends_early():
    patience = Patience(10.0)
    patience.started -= 6.0
    assert not patience.is_over(1)  # new: worth all of it
    assert [patience.is_over(1) for _ in range(4)] == [False, False, False, True]
    assert not patience.is_over(2)
    patience.started -= 4.5
    assert patience.is_over(3)
    assert not Patience().is_over(1)


# Other programs.


COMMAND = [sys.executable, "-m", "counterplay", "uci"]


@pytest.mark.slow
def test_quit_ends_the_process_while_it_counts():
    conversation = "isready\ngo perft 9\nisready\nquit\n"
    done = subprocess.run(COMMAND, input=conversation, capture_output=True, text=True, timeout=WAIT)
    notes = re.sub(r"^compiling .*\n?", "", done.stderr, flags=re.MULTILINE)
    assert (done.returncode, done.stdout, notes) == (0, "readyok\nreadyok\n", "")


@pytest.mark.peer
def test_python_chess_drives_the_engine():
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=WAIT) as engine:
        assert engine.id["name"].startswith("Counterplay")
        engine.configure({"Hash": 16, "Threads": 2})
        board = chess.Board()
        found = engine.analyse(board, chess.engine.Limit(depth=5), multipv=2)
        assert len(found) == 2
        assert found[0]["depth"] == 5
        assert found[0]["pv"][0] in board.legal_moves
        played = engine.play(board, chess.engine.Limit(time=0.05), ponder=False)
        assert played.move in board.legal_moves
        mate = engine.play(chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"), chess.engine.Limit(depth=4))
        assert mate.move == chess.Move.from_uci("a1a8")
        frc = chess.Board.from_chess960_pos(0)
        assert engine.play(frc, chess.engine.Limit(depth=3)).move in frc.legal_moves


def test_the_truth_about_the_expected_line_corrects_the_search():
    """Taking a pawn wins by the evaluation, but the tables know that it only draws: another move is better."""
    game = Chess()
    s = game.parse_position("8/8/8/3k4/8/2p1K3/8/2R5 w - - 0 1")
    asked = []

    def truth(after):
        asked.append(after)
        return 0.0 if after.clock == 0 and not after.pawn else None

    told = {}
    for known in (None, truth):
        lines = []
        Analysis(game, s, (), TranspositionTable(1), 1, (), known).run(lines.append, depth=8)
        told[known] = {line.depth: line for line in lines}
    assert asked
    assert game.action_text(s, told[None][6].actions[0]) == "Rxc3"
    for depth in range(4, 9):
        assert game.action_text(s, told[truth][depth].actions[0]) != "Rxc3"
    assert told[truth][6].value < told[None][6].value


def test_a_win_that_tables_know_of_is_the_value_of_the_line():
    game = Chess()
    s = game.parse_position("8/5k2/8/2p5/1PP5/8/5K2/1r1R4 w - - 0 1")

    def truth(after):
        if after.clock or count(after.own | after.opp) > 6:
            return None
        return 0.96 if after.ply % 2 == 0 else -0.96

    told = {}
    Analysis(game, s, (), TranspositionTable(1), 1, (), truth).run(
        lambda line: told.update({line.depth: line.value}), depth=7
    )
    assert all(told[depth] == pytest.approx(0.96, abs=1e-3) for depth in range(3, 8))


def test_a_count_is_told_even_where_the_input_has_ended():
    ear = Ear()
    UciServer("0", iter(["go perft 3"]), ear).run()
    assert ear.lines.get(timeout=WAIT) == "Nodes searched: 8902"


POLYGLOT = shutil.which("polyglot") or shutil.which("polyglot", path="/usr/games")


@pytest.mark.slow
@pytest.mark.peer
@pytest.mark.skipif(POLYGLOT is None, reason="polyglot is not installed")
def test_polyglot_drives_the_engine(tmp_path):
    """Debian's adapter for boards that speak XBoard's protocol: it starts the engine and tells it what to do."""
    (tmp_path / "engine").write_text(f"#!/bin/sh\nexec {' '.join(COMMAND)}\n")
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "polyglot.ini").write_text(
        f"[PolyGlot]\nEngineDir = {tmp_path}\nEngineCommand = ./engine\nLog = false\nBook = false\n[Engine]\nHash = 4\n"
    )
    board = chess.Board()
    with player(f"xboard:{POLYGLOT} {tmp_path / 'polyglot.ini'},depth=3") as driven:
        p = Chess().start("e4 e5")
        for _ in range(3):
            p.play(driven.choose(p).action)
    for move in [p.game.protocol_text(s, action) for s, action in zip(p.states, p.actions, strict=False)]:
        board.push_uci(move)
    assert p.position == board.fen()
    assert len(p) == 5


STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")


@pytest.mark.peer
@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_a_whole_game_against_stockfish():
    """To its end: mate, or a draw by the rules, which python-chess says where it is claimed."""
    with (
        chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=WAIT) as ours,
        chess.engine.SimpleEngine.popen_uci(STOCKFISH, timeout=WAIT) as theirs,
    ):
        board, p = chess.Board(), Chess().start()
        while not p.is_over:
            engine, nodes = (ours, 2000) if board.turn else (theirs, 200)
            move = engine.play(board, chess.engine.Limit(nodes=nodes)).move
            assert move in board.legal_moves
            p.play(move.uci())
            board.push(move)
    assert p.position == board.fen()
    assert board.is_game_over(claim_draw=True)
