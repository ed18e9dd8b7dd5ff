"""`python tests/trust/kills.py JOB --kills N --seed N`: kill -9 of a long job at random moments, again and again.

The job is forked from a process that has imported and compiled everything it needs, so each kill hits its work and
not its start. Whenever it finishes, its result must equal that of an undisturbed run.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import random
import shlex
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for each other take whole cores where others work

import numpy as np
from trust.fuzzing import cpu_time, silence

from counterplay.cli import main

ENOUGH = 600.0
"""Seconds that an undisturbed job may take."""
ORPHANS = 10.0
"""Seconds after which a killed job's own processes must have gone."""


class Job(NamedTuple):
    """A command, and which of its results must be the same."""

    command: str
    found: Callable[[], Any]
    prepared: str = ""
    """A command that makes what the job reads."""
    forked: bool = False
    """Whether it is tried first in a fork: threads of its libraries would not survive in the others."""
    plain: bool = False
    """Whether rules run as plain Python, so that a fork, or what it starts, has no compiled code to load."""


def rows(file: str) -> Any:
    """The games of a results file, without what depends on the clock."""
    with contextlib.closing(sqlite3.connect(file)) as db:
        games = db.execute(
            "SELECT game, round, position, opening, moves, ended, note FROM games ORDER BY game"
        ).fetchall()
        return games, db.execute(
            "SELECT game, seat, player, utility, score, forfeit FROM seats ORDER BY game, seat"
        ).fetchall()


def arrays(file: str, *heads: str) -> Any:
    """The arrays of an archive, and some entries of its head."""
    with np.load(file) as archive:
        parts = {name: archive[name].tolist() for name in archive.files if name != "head"}
        head = json.loads(archive["head"].tobytes())
    return parts, [head[name] for name in heads]


def text(file: str) -> Any:
    """The content of a file."""
    return Path(file).read_bytes()


def tiny(**options: Any) -> str:
    """Options for a small training run."""
    return "".join(f" --set {name}={value}" for name, value in options.items())


TINY = tiny(
    simulations=4, slots=8, width=4, blocks=1, positions=60, window=150, batch=16, opening=2, gate=4, gate_every=2
)
VALUES = tiny(hidden=8, iterations=10, batch=10, updates=5, size=16)
JOBS = {
    "match": Job("match nim random mcts:simulations=30 --games 40 --workers 0 -o m.db", lambda: rows("m.db")),
    "match-workers": Job("match nim random mcts:simulations=30 --games 40 --workers 2 -o m.db", lambda: rows("m.db")),
    "match-longer": Job(
        "match nim random mcts:simulations=30 --games 40 --workers 0 -o m.db",
        lambda: rows("m.db"),
        "match nim random mcts:simulations=30 --games 12 --workers 0 -o m.db",
    ),
    "tournament-workers": Job(
        "tournament nim random random:seed=2 mcts:simulations=20 --games 12 --workers 2 -o t.db", lambda: rows("t.db")
    ),
    "tournament": Job(
        "tournament nim random random:seed=2 mcts:simulations=20 --games 12 --workers 0 -o t.db", lambda: rows("t.db")
    ),
    "td": Job(
        "train tic-tac-toe --method td --games 6000 -o run", lambda: arrays("run/checkpoint.npz", "step", "word")
    ),
    "rounds": Job(
        "train tic-tac-toe --method rounds --games 120 -o run", lambda: arrays("run/checkpoint.npz", "step", "word")
    ),
    "alphazero": Job(
        f"train tic-tac-toe --method alphazero --games 40{TINY} -o run",
        lambda: arrays("run/checkpoint.npz", "step", "word", "games", "positions"),
        forked=True,
        plain=True,
    ),
    "alphago": Job(
        "train tic-tac-toe --method alphago --games 240 -o run"
        + tiny(expert="random", batch=16, epochs=2, width=4, blocks=1),
        lambda: arrays("run/checkpoint.npz", "step", "word", "stage", "count"),
        forked=True,
        plain=True,
    ),
    "nnue": Job(
        "train hex:size=4 --method nnue --games 80 -o run"
        + tiny(width=4, nodes=10, opening=2, batch=40, epochs=1, pairs=1),
        lambda: arrays("run/checkpoint.npz", "step", "word"),
        forked=True,
        plain=True,
    ),
    "league": Job(
        "train kuhn-poker --method league --games 3 -o run"
        + tiny(responses="gradient", hidden=8, batch=8, updates=1, trials=4),
        lambda: arrays("run/checkpoint.npz", "step", "word"),
        forked=True,
        plain=True,
    ),
    "values": Job(
        f"train leduc-poker --method values --games 20{VALUES} -o run",
        lambda: arrays("run/checkpoint.npz", "step", "word"),
        forked=True,
        plain=True,
    ),
    "rebel": Job(
        f"train leduc-poker --method rebel --games 6{VALUES} -o run",
        lambda: arrays("run/checkpoint.npz", "step", "word"),
        forked=True,
        plain=True,
    ),
    "openings": Job("openings tic-tac-toe -o b.npz --plies 3", lambda: arrays("b.npz")),
    "tables": Job(
        "tables build checkers --class 3 -o endings",
        lambda: {file.name: file.read_bytes() for file in Path("endings").glob("*.table")},
    ),
    "table": Job(
        "tables build mnk:3,4,3 -o solved",
        lambda: {file.name: file.read_bytes() for file in Path("solved").glob("*.table")},
    ),
    "book": Job("book learn nim:2-3-4 --player minimax:depth=1 --time 1h -o n.book", lambda: text("n.book")),
    "tune": Job("tune w.json --games 16 --nodes 8 --data g.jsonl --check 0", lambda: (text("w.json"), text("g.jsonl"))),
    "cfr": Job("equilibrium kuhn-poker --method cfr+ --iterations 3000 -o p.npz", lambda: arrays("p.npz")),
    "mccfr": Job("equilibrium kuhn-poker --method mccfr --iterations 30000 -o p.npz", lambda: arrays("p.npz")),
    "mccfr-workers": Job(
        "equilibrium kuhn-poker --method mccfr --iterations 300 --workers 2 -o p.npz",
        lambda: arrays("p.npz"),
        plain=True,
    ),
    "public-tree": Job(
        "equilibrium rhode-island:ranks=3,suits=2,raises=1 --method cfr+ --iterations 60 -o p.npz",
        lambda: arrays("p.npz"),
    ),
    "export": Job("export leduc-poker x.efg", lambda: text("x.efg")),
    "fit": Job(
        "fit connect-four m.db -o m.npz --epochs 2",
        lambda: arrays("m.npz"),
        "match connect-four random random:seed=5 --games 60 --workers 0 -o m.db",
    ),
}


def save_always() -> None:
    """Save as often as possible whatever is otherwise saved now and then, so more kills interrupt a save."""
    from counterplay.core.formats import saving
    from counterplay.search.solving import openings

    saving.SHARE = 1.0
    openings.HABIT = 0.0

    def begin(self: Any, save: Any, soonest: float, first: float) -> None:
        self.save, self.soonest, self.due = save, 0.0, 0.0

    saving.Saving.__init__ = begin  # type: ignore[method-assign]


def run_here(command: str) -> None:
    """Run a command in this process; it must work."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(shlex.split(command))
    if code != 0:
        raise AssertionError(f"{command} leaves with {code}: {said.getvalue()[-2000:]}")


def forked(command: str, seconds: float | None, modules: Path | None = None) -> str | None:
    """Run a command in a fork; kill it and everything that it started after this many seconds. Returns what went
    wrong, or None if it was killed before its end. What the fork has imported is written to `modules`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        wrong = ""
        try:
            os.setsid()
            silence()
            run_here(command)
            if modules is not None:
                modules.write_text("\n".join(sys.modules))
        except BaseException as raised:
            wrong = f"{type(raised).__name__}: {raised}"
        finally:
            os.write(writing, wrong.encode()[:4000])
            os._exit(0)
    os.close(writing)
    try:
        until = time.monotonic() + (ENOUGH if seconds is None else seconds)
        while time.monotonic() < until:
            done, _ = os.waitpid(child, os.WNOHANG)
            if done:
                child = 0
                return os.read(reading, 4096).decode(errors="replace")
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)  # the job alone: what it started must end by itself
        os.waitpid(child, 0)
        group, child = child, 0
        gone = time.monotonic() + ORPHANS
        while alive(group):
            if time.monotonic() > gone:
                os.killpg(group, signal.SIGKILL)
                return "processes that it started outlive it"
            time.sleep(0.01)
        return "it does not end" if seconds is None else None
    finally:
        os.close(reading)
        if child:
            os.killpg(child, signal.SIGKILL)


def alive(group: int) -> bool:
    """Whether a process of a group still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def disturb(name: str, kills: int, seed: int) -> str:
    """Kill a job this many times; returns the outcome."""
    job, rng = JOBS[name], random.Random(f"{name} {seed}")
    if job.plain:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    save_always()
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        os.environ["XDG_DATA_HOME"] = place

        def anew() -> None:
            folder = tempfile.mkdtemp(dir=place)
            os.chdir(folder)
            if job.prepared:
                if not (Path(place) / "prepared").exists():
                    run_here(job.prepared)
                    (Path(place) / "prepared").write_bytes(Path("m.db").read_bytes())
                Path("m.db").write_bytes((Path(place) / "prepared").read_bytes())

        anew()
        if job.forked:
            noted = Path(place) / "modules"
            assert not (wrong := forked(job.command, None, noted)), wrong
            for module in noted.read_text().split():  # imports take longer than the job
                with contextlib.suppress(Exception):
                    importlib.import_module(module)
        else:
            run_here(job.command)
        expected = job.found()
        anew()
        began = time.monotonic()
        assert not (wrong := forked(job.command, None)), wrong
        took = time.monotonic() - began
        assert job.found() == expected, "two undisturbed runs differ"
        killed = finished = 0
        anew()
        while killed < kills or not finished:
            last = killed >= kills
            wrong = forked(job.command, None if last else rng.uniform(0, took))
            if wrong is None:
                killed += 1
                if killed % 10 == 0:
                    print(f"{name}: {killed} kills, {finished} times to the end so far", file=sys.stderr, flush=True)
                continue
            assert not wrong, f"after {killed} kills (seed {seed}): {wrong}"
            assert job.found() == expected, f"after {killed} kills (seed {seed}) it comes to something else"
            left = [str(part) for part in Path().rglob("*") if part.name.endswith("-journal")]
            assert not left, left
            finished += 1
            anew()
        os.chdir("/")
    return (
        f"{name}: {killed} kills, {finished} times to the end, always the same; undisturbed {took:.2f} s, "
        f"{cpu_time():.0f} s of CPU time in all, seed {seed}"
    )


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("job", choices=JOBS)
    reader.add_argument("--kills", type=int, default=10)
    reader.add_argument("--seed", type=int, default=1)
    asked = reader.parse_args()
    print(disturb(asked.job, asked.kills, asked.seed))
