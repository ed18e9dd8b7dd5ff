"""The benchmarks compare like with like: every side does the same work, and different work never gets a ratio."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.endgame.ending_tables import EndingTables
from counterplay.games.backgammon.board import START, checkers

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # benchmarks/ is beside the package, not in it

from benchmarks import openspiel, report  # noqa: E402
from benchmarks.measure import Comparison, Differs, Duration, Match, Quota, Skipped, held  # noqa: E402
from benchmarks.speed import (  # noqa: E402
    alpha_beta,
    equilibrium,
    montecarlo,
    perft,
    playouts,
    solve,
    whole,
)
from benchmarks.strength import chess as chess_strength  # noqa: E402
from benchmarks.strength import pubeval, syzygy  # noqa: E402

pytestmark = pytest.mark.peer  # speed with bounds checks is meaningless

DEPTH = 5


def test_all_sides_of_alpha_beta_search_the_same_tree(tmp_path):
    pytest.importorskip("pyspiel")
    outcomes = [alpha_beta.against_openspiel(DEPTH, 1), alpha_beta.against_uncompiled(DEPTH - 1, 1)]
    if shutil.which("g++"):
        outcomes += alpha_beta.against_cpp(tmp_path, DEPTH, 1)
        assert len(outcomes) == 4
    for outcome in outcomes:
        assert isinstance(outcome, Comparison), outcome
        assert outcome.ours > 0 < outcome.theirs


def test_another_tree_gets_no_ratio():
    right = alpha_beta.ours(alpha_beta.Centred(), 3)
    for wrong in (right._replace(nodes=right.nodes + 1), right._replace(value=0.5), right._replace(column=0)):
        assert isinstance(alpha_beta.compare("peer", 3, wrong, lambda: 1.0, None, 1), Differs)


def test_without_a_compiler_the_reference_is_skipped_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    outcomes = list(alpha_beta.against_cpp(tmp_path, DEPTH, 1))
    assert [type(outcome) for outcome in outcomes] == [Skipped, Skipped]
    assert all("g++ is not installed" in report.line(outcome) for outcome in outcomes)


@pytest.mark.parametrize("event", playouts.EVENTS, ids=lambda event: event.ours)
def test_playouts_are_those_of_openspiel(event):
    pytest.importorskip("pyspiel")
    assert isinstance(playouts.compare(event, max(20, event.playouts // 50), 1), Comparison)


def test_playouts_of_another_game_get_no_ratio():
    pytest.importorskip("pyspiel")
    mixed = playouts.Event("tic-tac-toe", "connect_four", None, 200)
    assert isinstance(playouts.compare(mixed, 200, 1), Differs)


def test_perft_counts_as_openspiel_does():
    pytest.importorskip("pyspiel")
    assert isinstance(perft.compare("othello", "othello", 3, 1), Comparison)
    assert isinstance(perft.compare("tic-tac-toe", "connect_four", 3, 1), Differs)
    assert isinstance(perft.alone("othello", 3, 56, 5.0), Duration)
    assert isinstance(perft.alone("othello", 3, 57, 5.0), Differs)


def test_equilibria_are_openspiels():
    pytest.importorskip("pyspiel")
    event = equilibrium.Event("kuhn-poker", "kuhn_poker", 1.0, 5)
    assert isinstance(equilibrium.against_openspiel(event, 1), Comparison)
    other = equilibrium.against_openspiel(event._replace(ours="chicken"), 1)
    assert isinstance(other, Differs)
    assert isinstance(equilibrium.program(), Duration)
    assert {type(outcome) for outcome in equilibrium.matrix(1)} <= {Comparison, Skipped}


def test_openspiel_missing_is_said(monkeypatch):
    monkeypatch.setattr(openspiel, "pyspiel", None)
    outcomes = [alpha_beta.against_openspiel(3, 1), perft.compare("othello", "othello", 3, 1), *playouts.run(True)]
    assert all(isinstance(outcome, Skipped) and "open_spiel is not installed" in outcome.reason for outcome in outcomes)


def test_a_line_says_what_was_asked_and_whether_it_was_reached():
    comparison = Comparison("playouts", "hex", "moves/s", 2.5e7, "OpenSpiel", 5e5, 10.0)
    line = " ".join(report.line(comparison).split())
    assert line == "| playouts | hex | 25M moves/s | OpenSpiel | 500k moves/s | 50x | 10x: met |"
    assert "10x: not met" in report.line(comparison._replace(ours=4e6))
    assert "under 0.5 s: not met" in report.line(Duration("startup", "help", 0.6, 0.1, 0.5))
    assert report.record(comparison)["ratio"] == 50.0
    assert report.record(comparison)["met"] is True
    assert "the work differs: why" in report.line(Differs("playouts", "hex", "OpenSpiel", "why"))


def test_a_match_and_a_quota_say_whether_they_are_met():
    match = Match("strength", "hex", "OpenSpiel", [(1.0, 1.0), (1.0, 0.5), (0.5, 1.0)], 200.0)
    line = " ".join(report.line(match).split())
    assert line.startswith("| strength | hex | +280 Elo | OpenSpiel | 4-2-0 | | 200 Elo: met (")
    assert report.record(match)["met"] is True
    assert not match._replace(target=300.0).is_met
    assert not match._replace(certain=True).is_met  # three pairs are not many
    assert match._replace(pairs=20 * match.pairs, certain=True).is_met
    open_end = match._replace(target=None)
    assert open_end.is_met is None
    assert "4-2-0 | | (" in " ".join(report.line(open_end).split())
    quota = Quota("strength", "positions", 89, 100, 0.9)
    assert "| 89.0% | 89 of 100 | | | 90%: not met |" in " ".join(report.line(quota).split())


def test_chess_programs_that_are_missing_are_skipped_by_name(tmp_path):
    [skipped] = chess_strength.gauntlet(tmp_path / "none.db", {"Nobody": "uci:no-such-program"}, 0.0, True)
    assert isinstance(skipped, Skipped)
    assert skipped.peer == "Nobody"
    assert not list(tmp_path.iterdir())


def test_two_runs_do_not_mix_their_games(tmp_path):
    log = tmp_path / "games.jsonl"
    with held(log):
        assert log.read_text() == ""
        with pytest.raises(CounterplayError, match="another run is using"), held(log):
            pass
    with held(log):
        pass


class OneRook:
    """What Syzygy's files say of a rook against a bare king: the rook wins, unless it is lost or gives stalemate."""

    mistaken = False

    def add_directory(self, folder):
        return 1

    def probe_wdl(self, board):
        if len(board.piece_map()) > 3:
            raise KeyError("no such table")
        strong = next((square for square, piece in board.piece_map().items() if piece.symbol() in "Rr"), None)
        if strong is None or board.is_stalemate():
            return 0
        if board.turn == board.color_at(strong):
            return 2
        lost = any(board.is_capture(move) for move in board.legal_moves) and not self.mistaken
        return 0 if lost else -2


def test_chess_tables_beside_syzygys(tmp_path, monkeypatch):
    chess = pytest.importorskip("chess.syzygy")
    monkeypatch.delenv("SYZYGY_PATH", raising=False)
    (skipped,) = syzygy.run(True)
    assert isinstance(skipped, Skipped)
    EndingTables(tmp_path, load("chess")).build("KRK", threads=1)
    monkeypatch.setattr(chess, "Tablebase", OneRook)
    monkeypatch.setenv("SYZYGY_PATH", str(tmp_path))
    monkeypatch.setenv("CHESS_TABLES", str(tmp_path))
    assert [(each.succeeded, each.tried) for each in syzygy.run(False)] == [(syzygy.POSITIONS, syzygy.POSITIONS)]
    monkeypatch.setattr(OneRook, "mistaken", True)
    (found,) = syzygy.run(False)
    assert 200 < found.tried - found.succeeded < 400  # the rook is lost in about one position of twenty
    monkeypatch.setattr(OneRook, "probe_wdl", lambda self, board: {}["KRK"])
    (skipped,) = syzygy.run(True)
    assert "has no files of it" in report.line(skipped)


@pytest.mark.slow
def test_both_sides_simulate():
    pytest.importorskip("pyspiel")
    outcome = montecarlo.against_openspiel(montecarlo.Event("tic-tac-toe", "tic_tac_toe", 2000, None), 10, 1)
    assert isinstance(outcome, Comparison), outcome
    missing = montecarlo.Event("no-such-game", "tic_tac_toe", 10, None)
    assert isinstance(montecarlo.against_openspiel(missing, 1, 1), Skipped)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
def test_the_command_speaks_json():
    done = command("perft", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    *races, alone, stockfish, python_chess = [result["outcome"] for result in told["results"]]
    assert races in (["comparison"] * 2, ["skipped"] * 2)
    assert alone == "duration"
    assert {stockfish, python_chess} <= {"comparison", "skipped"}
    assert "date" in told["machine"]


def test_an_unknown_benchmark_is_refused_in_a_sentence():
    done = command("speed")
    assert done.returncode == 2
    assert "there is no benchmark 'speed'; there are alpha_beta, " in done.stderr


@pytest.mark.slow
def test_solvers_agree_or_get_no_ratio(tmp_path, monkeypatch):
    if shutil.which("g++"):
        assert isinstance(solve.midgame(tmp_path, solve.MIDGAME[-2:-1], 1), Comparison)
        monkeypatch.setattr(solve, "scores", lambda positions: [0] * len(positions))
        assert isinstance(solve.midgame(tmp_path, solve.MIDGAME[-2:-1], 1), Differs)
    right = solve.SIXTEEN[3]
    assert isinstance(solve.othello("a test", (right,), 1), Comparison)
    assert isinstance(solve.othello("a test", ((right[0], right[1] + 2),), 1), Differs)
    assert isinstance(whole.measure(whole.SMALL[0]), Duration)
    assert isinstance(whole.measure(whole.SMALL[0]._replace(value=0.0)), Differs)


def test_pubeval_sees_what_its_author_wrote(tmp_path, monkeypatch):
    weights = np.arange(pubeval.INPUTS, dtype=float)
    assert pubeval.score(START, START, weights) == 2 + 57 + 59 + 82 + 83 + 92 + 94
    hit = checkers((25, 2), (5, 1), (3, 12))
    ahead = checkers((20, 1), (4, 3), (1, 6))  # five are off, and a blot is on the other side's fifth point
    assert pubeval.score(ahead, hit, weights) == 20 + 21 + 102 + 103 + 117 + 119 * 1.5 + 120 * 2 / 2 + 121 * 5 / 15
    monkeypatch.chdir(tmp_path)
    (skipped,) = pubeval.run(True)
    assert "WT.race and WT.cntc, are not in this folder" in report.line(skipped)
    (tmp_path / "WT.race").write_text("1 2 three")
    with pytest.raises(CounterplayError, match="122 numbers"):
        pubeval.read(tmp_path / "WT.race")
