"""USI: what it has beyond UCI, on minishogi, which compiles in less time; the conversation is tested in test_uci.py."""

from __future__ import annotations

import io
import os
import queue
import random
import sys
import threading

import pytest
from trust.protocols import Usi

from counterplay.arena.openings import Opening
from counterplay.arena.referee import play
from counterplay.games.shogi.game import MiniShogi
from counterplay.players.engines.process import GAMES_FOLDERS
from counterplay.players.specs import player
from counterplay.protocols.uci.go import read_limits
from counterplay.protocols.usi.server import UsiServer

WAIT = 300


class Talk:
    """An engine in this process, about minishogi."""

    def __init__(self):
        self.commands, self.lines = queue.Queue(), queue.Queue()
        self.server = UsiServer("0", iter(self.commands.get, None), self)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        self.send("setoption name USI_Variant value minishogi")

    def write(self, text):
        for line in text.splitlines():
            self.lines.put(line)

    def flush(self):
        pass

    def send(self, *lines):
        for line in lines:
            self.commands.put(line)

    def until(self, word):
        found = []
        while not found or not found[-1].startswith(word):
            found.append(self.lines.get(timeout=WAIT))
        return found


@pytest.fixture(scope="module")
def engine():
    talk = Talk()
    yield talk
    talk.send("quit")
    talk.thread.join(WAIT)
    assert not talk.thread.is_alive()


def said(*lines):
    """What the engine says to some lines, before the end of the input."""
    out = io.StringIO()
    UsiServer("0", iter(lines), out).run()
    return out.getvalue().splitlines()


def test_greeting():
    lines = said("usi")
    assert lines[0].startswith("id name Counterplay")
    assert "option name USI_Hash type spin default 64 min 1 max 65536" in lines
    assert "option name USI_Variant type combo default shogi var shogi var minishogi" in lines
    assert lines[-1] == "usiok"


def test_positions_and_where_there_is_no_search():
    mated = "position sfen 8k/8G/8G/9/9/9/9/9/K8 w - 1"
    assert said(mated, "go depth 1") == ["info depth 0 score mate 0", "bestmove resign"]
    assert said(mated, "go mate 1") == ["checkmate nomate"]
    entered = "position sfen K+R+B2G1GS/+P+P+P+P+P4/9/9/9/9/9/9/8k b RB 1"
    assert said(entered, "go btime 0 wtime 0 byoyomi 1000") == ["bestmove win"]
    assert said("position startpos moves 7g7f 3c3d", "d")[-1].endswith("/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3")


@pytest.mark.parametrize(
    "line, sentence",
    [
        ("position fen x", "position is followed by startpos or sfen"),
        ("position sfen 4k4/9/9/9/9/9/9/9/4KK3 b - 1", "Black has 2 kings instead of 1"),
        ("position startpos moves 7g7e", "no move '7g7e' here"),
        ("setoption name USI_Variant value chess", "USI_Variant is one of shogi, minishogi, not 'chess'"),
        ("setoption name USI_Hash value 0", "USI_Hash is a number from 1 to 65536, not '0'"),
        ("setoption name Nothing", "no option 'Nothing'; they are USI_Hash"),
        ("nonsense", "unknown command 'nonsense'"),
    ],
)
def test_unknown_commands_are_reported(line, sentence):
    (told,) = said(line)
    assert told.startswith("info string ")
    assert sentence in told


def test_byoyomi_is_spent_on_top_of_the_clock():
    allowed = read_limits(["btime", "0", "wtime", "0", "byoyomi", "10000"], "bw").allowance(0, 0.03)
    assert allowed.hard == allowed.soft == pytest.approx(9.97)
    allowed = read_limits(["byoyomi", "1000"], "bw").allowance(1, 0.0)
    assert allowed.soft == pytest.approx(1.0)
    allowed = read_limits(["btime", "100000", "wtime", "50000", "byoyomi", "1000"], "bw").allowance(1, 0.0)
    assert allowed.soft == pytest.approx(50 / 25 + 1)
    assert allowed.hard >= allowed.soft


def test_searches(engine):
    """A depth, several lines, a mate told in plies, `go mate`, ponder."""
    engine.send("position startpos", "go depth 3")
    lines = engine.until("bestmove")
    assert any(" depth 3 " in line and " score cp " in line for line in lines)
    engine.send("setoption name MultiPV value 2", "go nodes 500")
    assert any(" multipv 2 " in line for line in engine.until("bestmove"))
    engine.send("setoption name MultiPV value 1")
    mate = "position sfen 4k/5/4P/5/K4 b G 1"
    engine.send(mate, "go depth 4")
    lines = engine.until("bestmove")
    assert "score mate 1 " in lines[-2]
    assert lines[-1] == "bestmove G*1b"
    engine.send(mate, "go mate 60000")
    assert engine.until("checkmate")[-1] == "checkmate G*1b"
    engine.send("position startpos", "go mate 50")
    assert engine.until("checkmate")[-1] == "checkmate timeout"
    engine.send("position startpos moves 3e3d", "go ponder btime 1000 wtime 1000 byoyomi 0", "isready", "ponderhit")
    assert engine.until("bestmove")[-1].startswith("bestmove ")
    engine.send("go infinite", "isready", "stop", "gameover win", "usinewgame", "isready")
    assert sum(line.startswith("bestmove") for line in engine.until("readyok") + engine.until("readyok")) == 1


def test_a_little_garbage(engine):
    """After `engine` has compiled what a search needs."""
    fuzzer = Usi()
    for seed in range(8):
        lines = fuzzer.make(random.Random(seed))
        assert fuzzer.attempt(lines, None) == "", (seed, lines)


@pytest.mark.slow  # what it compiles may not be ready within the minute that an engine has
@pytest.mark.peer
def test_fairy_stockfish_plays_the_engine(monkeypatch):
    """Over USI on both sides."""
    monkeypatch.setenv("PATH", os.pathsep.join([os.environ["PATH"], *GAMES_FOLDERS]))
    if not any((os.access(os.path.join(folder, "fairy-stockfish"), os.X_OK)) for folder in os.get_exec_path()):
        pytest.skip("fairy-stockfish is not installed")
    ours = f"usi:{sys.executable} -m counterplay usi,nodes=300"
    with player(ours) as one, player("usi:fairy-stockfish,nodes=50") as other:
        played = play(MiniShogi(), [one, other], Opening())
    assert (played.ended, played.note) == ("rules", "")
