"""Full and read-only disks, clocks that jump, caches that are damaged or used by many processes at once."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import subprocess
import sys
import time

import pytest

WRITING = (
    "match nim random random --games 400 --plies 0 --workers 0 -o {}/m.db",
    "tournament nim random random:seed=1 random:seed=2 --games 300 --plies 0 --workers 0 -o {}/t.db",
    "equilibrium leduc-poker --iterations 3 -o {}/p.npz",
    "openings tic-tac-toe --plies 4 -o {}/b.npz",
    "export leduc-poker {}/x.efg",
    "train tic-tac-toe --method td --games 300 -o {}/run",
    "tables build nim:1-2-3 -o {}/tables",
    "book learn nim:1-2 --player minimax:depth=1 --time 1s -o {}/nim.book",
    "exercises minimax --count 2 -o {}/sheet.html",
    "tune {}/w.json --games 2 --nodes 5 --check 0 --data {}/g.jsonl",
    "show chess --svg {}/board.svg",
    "trace connect-four --depth 5 -o {}/trace.json",
)
"""Commands that write, each more than a small disk holds (but the picture)."""


def run(words, **more):
    """A command as plain Python in a separate process."""
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "counterplay", *shlex.split(words)]
    return subprocess.run(command, capture_output=True, text=True, env=plain, timeout=300, **more)


@contextlib.contextmanager
def disk(folder, options):
    """A disk of its own, if one may be mounted here."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def is_told(done, of):
    assert done.returncode == 2, (done.args, done.stdout, done.stderr)
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, done.stderr
    assert re.search(of, errors[0]), errors
    assert "Traceback" not in done.stderr


def nothing_in_part(folder):
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]


@pytest.mark.parametrize(
    "words", [pytest.param(each, marks=pytest.mark.trust) for each in WRITING[:-1]] + [WRITING[-1]]
)
def test_a_full_disk_is_told_in_a_sentence(tmp_path, words):
    with disk(tmp_path / "full", "size=4k" if "export" not in words else "size=64k"):
        with contextlib.suppress(OSError):
            for i in range(8):
                (tmp_path / "full" / f"fill{i}").write_bytes(bytes(1 << 16))
        is_told(run(words.format(*2 * [tmp_path / "full"])), "no space left|disk is full|disk I/O|unable to open")
        assert not nothing_in_part(tmp_path / "full")


@pytest.mark.parametrize("words", [WRITING[0], *(pytest.param(each, marks=pytest.mark.trust) for each in WRITING[1:])])
def test_a_disk_that_may_not_be_written_is_told_in_a_sentence(tmp_path, words):
    with disk(tmp_path / "read", "ro"):
        is_told(run(words.format(*2 * [tmp_path / "read"])), "read-only|readonly|unable to open")


def test_a_results_file_in_a_folder_that_may_not_be_written_can_be_shown_and_not_gone_on_with(tmp_path):
    """The file is complete, so it is shown; continuing the match in it is refused."""
    folder = tmp_path / "read"
    match = "match nim random random --games {} --plies 0 --workers 0 -o {}/m.db"
    with disk(folder, "size=1m"):
        assert run(match.format(4, folder)).returncode == 0
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        shown = run(f"results {folder}/m.db")
        assert (shown.returncode, "4 games" in shown.stdout) == (0, True), shown.stderr
        is_told(run(match.format(8, folder)), "cannot write .* readonly database")


def test_a_clock_that_jumps_changes_no_budget(monkeypatch):
    from counterplay import load
    from counterplay.arena.openings import Opening
    from counterplay.arena.referee import Control, play
    from counterplay.players.specs import player

    now, rng = [1e9], random.Random(1)

    def jump():
        now[0] += rng.choice((-1e6, 1e6, 3600.0))
        return now[0]

    monkeypatch.setattr(time, "time", jump)
    monkeypatch.setattr(time, "time_ns", lambda: int(1e9 * jump()))
    found = player("mcts:time=0.3,solver=off").choose(load("tic-tac-toe").start())
    assert found.nodes > 1
    assert 0.1 < found.seconds < 10
    seats = [player("random"), player("random:seed=1")]
    played = play(load("tic-tac-toe"), seats, Opening(), control=Control(base=60.0))
    assert played.ended == "rules"
    assert max(played.seconds) < 60


@pytest.mark.trust
def test_eight_processes_compile_the_same_game_simultaneously(tmp_path):
    environment = {**os.environ, "COUNTERPLAY_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "counterplay", "search", "tic-tac-toe", "--depth", "4", "--json"]
    pipe = subprocess.PIPE
    started = [subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) for _ in range(8)]
    said = [process.communicate(timeout=600) for process in started]
    assert {process.returncode for process in started} == {0}, said
    assert len({re.sub(r'"seconds": [^,]*', "", out) for out, _ in said}) == 1
    # Whatever happens to the cached files, a process gets the same answer or recompiles.
    rng, files = random.Random(1), sorted((tmp_path / "cache").rglob("*"))
    kept = {file: file.read_bytes() for file in files if file.is_file()}
    assert kept
    for _ in range(6):
        for file, data in kept.items():
            at = rng.randrange(len(data))
            damage = (data[:at], b"", data[:at] + rng.randbytes(8) + data[at + 8 :], rng.randbytes(100), data + b"x")
            file.write_bytes(rng.choice(damage))
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
        assert done.returncode == 0, done.stderr
        assert re.sub(r'"seconds": [^,]*', "", done.stdout) == re.sub(r'"seconds": [^,]*', "", said[0][0])
