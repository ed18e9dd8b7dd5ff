"""Input from outside, above all files: nothing that it names is run, and every mistake gives one sentence."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import sqlite3
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.arena.event import Event
from counterplay.arena.plan import Plan
from counterplay.arena.store import Store
from counterplay.core.formats import files
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.registry import is_spec_of
from counterplay.evaluation.judged import encoded
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import layer_shapes
from counterplay.players.specs import player

RACE = """
from counterplay import Game
from counterplay.core.language.features import note
class Race(Game):
    compiled = False
    feature_names = ("pile", "one")
    def __init__(self, size: int = 7, most: int = 2): self.size, self.most = size, most
    def initial(self): return (self.size, 0)
    def to_move(self, s): return s[1]
    def actions(self, s, out): out.extend(range(1, min(self.most, s[0]) + 1))
    def result(self, s, action): return (s[0] - action, 1 - s[1])
    def is_terminal(self, s): return s[0] == 0
    def utility(self, s, player): return -1.0 if player == s[1] else 1.0
    def features(self, s, out):
        note(out, 0, s[0])
        note(out, 1, 1.0)
"""
EVIL = "from pathlib import Path\nPath('run').touch()\n" + RACE
MATCH = ("random", "random:seed=5", "--games", 40, "--plies", 0, "--workers", 0)


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.py").write_text(RACE)
    yield
    for name in [name for name in sys.modules if name.startswith(("race_", "evil_"))]:
        del sys.modules[name]


def is_one_sentence(answer, why):
    code, out, err = answer
    assert (code, out) == (2, ""), answer
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert why in err


def test_parameters_of_a_file_need_no_names():
    assert load("race.py:9,3").parameters == load("race.py:Race:9,3").parameters == {"size": 9, "most": 3}
    assert load("race.py:9").parameters == {"size": 9, "most": 2}
    assert load("race.py:size=9").parameters == {"size": 9, "most": 2}
    assert is_spec_of("elsewhere/race.py:9,3", load("race.py:most=3,size=9"))
    assert not is_spec_of("race.py:9,3", load("race.py:9"))
    assert not is_spec_of("race.py:Other", load("race.py"))
    assert not is_spec_of("other.py", load("race.py"))
    assert is_spec_of("mnk:5,5,4", load("mnk:k=4,width=5,height=5"))


def test_fit_reads_the_games_of_ones_own_file(run):
    assert run("match", "race.py:9,3", *MATCH, "-o", "m.db")[0] == 0
    code, out, err = run("fit", "race.py:most=3,size=9", "m.db", "-o", "model.npz")
    assert code == 0, err
    assert "model.npz" in out
    is_one_sentence(run("fit", "race.py", "m.db", "-o", "model.npz"), "has games of race.py:9,3, not of Race")


def test_results_run_no_file_that_only_they_name(run):
    assert run("match", "race.py", *MATCH, "-o", "m.db")[0] == 0
    (Path.cwd() / "evil.py").write_text(EVIL)
    with sqlite3.connect("m.db") as db:
        (plan,) = db.execute("SELECT value FROM event WHERE key = 'plan'").fetchone()
        db.execute(
            "UPDATE event SET value = ? WHERE key = 'plan'", (json.dumps(json.loads(plan) | {"game": "evil.py"}),)
        )
    for command in (("results", "m.db"), ("book", "b.bin", "m.db"), ("fit", "race.py", "m.db", "-o", "x.npz")):
        is_one_sentence(run(*command), "has games of evil.py")
        assert not Path("run").exists()
    is_one_sentence(run("results", "m.db", "--game", "race.py"), "has games of evil.py, not of race.py")
    assert run("results", "m.db", "--game", "evil.py")[0] == 0


def test_resume_runs_no_file_that_only_the_run_names(run):
    (Path.cwd() / "evil.py").write_text(EVIL)
    (Path.cwd() / "r").mkdir()
    config = {"format": "counterplay run 1", "game": "evil.py", "method": "td", "games": 10, "seconds": None}
    (Path.cwd() / "r" / "config.json").write_text(json.dumps(config))
    is_one_sentence(run("train", "--resume", "-o", "r"), "name it before --resume")
    assert not Path("run").exists()


def test_damaged_results_are_told_in_a_sentence(run):
    assert run("match", "nim", *MATCH, "-o", "m.db")[0] == 0
    whole = Path("m.db").read_bytes()
    rng = random.Random(1)
    failed = 0
    for start in range(4096, len(whole), 4096):
        Path("m.db").write_bytes(whole[:start] + rng.randbytes(4096) + whole[start + 4096 :])
        code, _, err = run("results", "m.db", "--export", "m.json")
        assert code in (0, 2), err
        assert "fault" not in err
        failed += code == 2
    assert failed
    Path("m.db").write_bytes(whole)
    for plan in ("[]", "{}", "no JSON", '{"game": 3}', "null"):
        with sqlite3.connect("m.db") as db:
            db.execute("UPDATE event SET value = ? WHERE key = 'plan'", (plan,))
        is_one_sentence(run("results", "m.db"), "is damaged")


NONSENSE = (
    "DELETE FROM seats WHERE seat = 1",
    "DELETE FROM seats WHERE seat = 0",
    "UPDATE seats SET player = 7",
    "UPDATE seats SET player = 'x'",
    "UPDATE seats SET score = 'x' WHERE game = 1",
    "UPDATE seats SET utility = 9e999 WHERE game = 1",
    "UPDATE games SET round = 'x'",
)


def test_games_that_make_no_sense_are_told_in_a_sentence(run):
    assert run("match", "race.py", *MATCH, "-o", "whole.db")[0] == 0
    for change in (*NONSENSE, "UPDATE games SET moves = x'00ff' WHERE game = 1"):
        Path("m.db").write_bytes(Path("whole.db").read_bytes())
        with contextlib.closing(sqlite3.connect("m.db")) as db, db:
            db.execute(change)
        if change in NONSENSE:
            is_one_sentence(run("results", "m.db", "--game", "race.py", "--json"), "is damaged: game")
        is_one_sentence(run("results", "m.db", "--game", "race.py", "--export", "m.csv"), "is damaged: game")
        is_one_sentence(run("fit", "race.py", "m.db", "-o", "x.npz"), "is damaged: game")


def test_a_full_disk_in_mid_match_is_told_and_costs_no_game(tmp_path):
    game = load("nim:1-2-3")
    plan = Plan("nim:1-2-3", ("random", "random"), 400, plies=1)
    event = Event(game, plan, Store(tmp_path / "m.db"))
    (pages,) = event.store.db.execute("PRAGMA page_count").fetchone()
    event.store.db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(CounterplayError, match=r"cannot write .*: database or disk is full; earlier games are kept"):
        event.run(0)
    kept = len(event.store.done())
    assert 0 < kept == len(event.played) < 400
    event.store.close()


def test_garbage_as_pgn_is_told_in_a_sentence(run, monkeypatch):
    pytest.importorskip("chess")
    from counterplay.games.chess import pgn

    for seed in range(20):
        Path("garbage.pgn").write_bytes(random.Random(seed).randbytes(3000))
        code, _, err = run("book", "b.bin", "garbage.pgn")
        assert code == 2, err
        assert "fault" not in err

    def broken(file, **_):
        if file.readline():
            raise AssertionError

    monkeypatch.setattr(pgn, "library", lambda *_: type("Library", (), {"read_game": staticmethod(broken)}))
    Path("garbage.pgn").write_text("1\n2\n")
    code, _, err = run("book", "b.bin", "garbage.pgn")
    assert (code, err.count("it cannot be read")) == (2, 2)


def test_two_do_not_play_into_one_file_of_games(run):
    Path("games.jsonl").touch()
    held = files.hold(Path("games.jsonl"), "")
    is_one_sentence(run("tune", "w.json", "--games", 1, "--data", "games.jsonl"), "another program is writing to")
    held.close()


def test_arguments_are_checked_before_the_work(run, monkeypatch):
    from counterplay.games import gambit
    from counterplay.players.alpha_beta import AlphaBeta

    def work(*_):
        raise AssertionError("it has begun to work")

    monkeypatch.setattr(gambit, "efg_text", work)
    is_one_sentence(run("export", "kuhn-poker", "none/kuhn.efg"), "cannot write 'none/kuhn.efg': no such file")
    assert not Path("none").exists()
    monkeypatch.setattr(AlphaBeta, "prepare", work)
    is_one_sentence(run("trace", "connect-four"), "a trace needs a depth")
    is_one_sentence(run("trace", "pig"), "which has chance; the player `expectiminimax` does")


def test_an_archive_that_unpacks_to_more_than_it_holds_is_refused(tmp_path, monkeypatch):
    from counterplay.core.formats import archive

    file = tmp_path / "model.npz"
    write_archive(file, {"format": "x"}, {"weights": np.arange(1000)})
    assert read_archive(file, "x")[1]["weights"].shape == (1000,)
    monkeypatch.setattr(archive, "SMALL", 1 << 20)
    write_archive(file, {"format": "x"}, {"weights": np.zeros(1 << 19)})
    with pytest.raises(CounterplayError, match=r"would unpack to 4,19\d,\d\d\d"):
        read_archive(file, "x")
    # An array that says it is large, in a member that says it is small.
    with zipfile.ZipFile(file, "w") as made:
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }"
        made.writestr("weights.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    with pytest.raises(CounterplayError, match=r"would unpack to 8,000,000,000"):
        read_archive(file, "x")


@pytest.mark.parametrize(
    "made, name, wrong, read",
    [
        ("openings tic-tac-toe --plies 0 -o x.npz", "plies", 1.5, "solve tic-tac-toe --book x.npz"),
        ("openings tic-tac-toe --plies 0 -o x.npz", "keys", [1j], "openings tic-tac-toe --plies 0 -o x.npz"),
        ("openings tic-tac-toe --plies 0 -o x.npz", "values", [[float("nan")] * 9], "solve tic-tac-toe --book x.npz"),
        ("equilibrium kuhn-poker --iterations 1 -o x.npz", "owner", [b"y"] * 12, "strategy kuhn-poker x.npz"),
    ],
)
def test_arrays_of_another_kind_are_told_in_a_sentence(run, made, name, wrong, read):
    assert run(*made.split())[0] == 0
    with np.load("x.npz") as archive:
        arrays = {**archive, name: np.array(wrong)}
    np.savez_compressed("x.npz", **arrays)
    is_one_sentence(run(*read.split()), "is damaged: its parts are inconsistent")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users here")
def test_compiled_code_that_others_may_write_is_not_run(tmp_path, capsys, monkeypatch):
    from counterplay.core.native import cache

    folder = tmp_path / "new" / "cache"
    monkeypatch.setattr(cache, "_told", set())
    cache.write(folder / "kernel", [1, 2])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert cache.read(folder / "kernel") == [1, 2]
    folder.chmod(0o777)
    assert cache.read(folder / "kernel") is None
    cache.write(folder / "other", [1, 2])
    assert not (folder / "other").exists()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "is refused (others may write there)" in told
    folder.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert cache.read(folder / "kernel") is None


WRONG = {
    "note(out, 1, 1.0)": (
        "note(out, 7, 1.0)",
        "`features` notes feature 7, but `feature_names` has 2, numbered from 0",
    ),
    "note(out, 0, s[0])": ("note(out, 0, 1e99)", "`features` notes inf as 'pile'"),
    "out[s[0] % 3, 0, 0] = 1.0": ("out[s[0], 0, 0] = 1.0", "`planes` raises IndexError"),
    "return action - 1": ("return action", "`policy_index` is 2 for the action 2, but `policy_size` is 2"),
}
LEARNED = (
    RACE
    + """
    plane_shape, policy_size = (3, 1, 1), 2
    def planes(self, s, out): out[s[0] % 3, 0, 0] = 1.0
    def policy_index(self, s, action): return action - 1
"""
)


@pytest.mark.parametrize("right", WRONG)
def test_what_learning_reads_is_tried_before_it_begins(run, right):
    wrong, why = WRONG[right]
    assert right in LEARNED
    Path("race.py").write_text(LEARNED)
    assert run("match", "race.py", *MATCH, "-o", "m.db")[0] == 0
    Path("race.py").write_text(LEARNED.replace(right, wrong))
    for name in [name for name in sys.modules if name.startswith("race_")]:
        del sys.modules[name]
    for command in (("train", "race.py", "--games", 10, "-o", "r"), ("fit", "race.py", "m.db", "-o", "x.npz")):
        is_one_sentence(run(*command), why)
    game = load("race.py")
    with pytest.raises(CounterplayError, match=r"features|planes|policy_index"):
        encoded(game, "features")
    arrays = {name: np.zeros(shape, np.float32) for name, shape in layer_shapes(game, 2, 1).items()}
    Model.of(game, "residual", "planes", arrays).save(Path("net.npz"))
    for spec in ("net:net.npz", "mcts:net=net.npz,simulations=2"):
        with pytest.raises(CounterplayError, match=re.escape(why)):
            player(spec).require(game)
