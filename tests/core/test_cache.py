"""The cache of compiled kernels, in fresh processes: it is hit when nothing changed and never when something did."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import counterplay

RULES = """
from typing import NamedTuple
import numpy as np
from counterplay import Game, state
from base import Base
import helper
from helper import limit

BONUS = 0

@state
class State(NamedTuple):
    left: int
    ply: int

class Mine(Base):
    def __init__(self, stones=9):
        self.heap = stones
        self.table = np.ones(16, np.int64)

    def initial(self):
        return State(self.heap, 0)

    def actions(self, s, out):
        for n in range(1, min(limit(s.left) + BONUS, s.left) + 1):
            out.append(n)

    def result(self, s, action):
        return State(s.left - action * self.table[1], s.ply + 1)

    def utility(self, s, player):
        return helper.sign(player, s.ply)
"""
BASE = """
from counterplay import Game

class Base(Game):
    def to_move(self, s):
        return s.ply % 2

    def is_terminal(self, s):
        return s.left <= 0
"""
HELPER = """
def limit(left):
    return 3

def sign(player, ply):
    return -1.0 if player == ply % 2 else 1.0
"""
RUN = """
import json, sys
from counterplay import load
from counterplay.core import perft, playout
game = load("rules.py")
leaves = [perft.perft(game, game.initial(), depth) for depth in range(5)]
played = playout.playouts(game, game.initial(), 50)
kernels = [perft._perft_root, playout._playouts]
hits = sum(sum(k.dispatcher.stats.cache_hits.values()) for k in kernels)
print(json.dumps({"leaves": leaves, "plies": played.plies, "returns": played.returns, "hits": hits}))
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (("rules.py", RULES), ("base.py", BASE), ("helper.py", HELPER), ("run.py", RUN)):
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder: Path, *, jit: bool = True, cache: str | None = None, package: Path | None = None):
    """The answers of a fresh process, and what it printed to stderr."""
    environment = {
        **os.environ,
        "COUNTERPLAY_CACHE": cache or str(folder / "cache"),
        "NUMBA_DISABLE_JIT": "0" if jit else "1",
    }
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # an edit within the same second must be seen
    if package:
        environment["PYTHONPATH"] = str(package)
    script = RUN if jit else RUN.replace("k.dispatcher.stats.cache_hits.values()", "[0]")
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


def plain(folder: Path):
    answers, _ = run(folder, jit=False)
    return {key: answers[key] for key in ("leaves", "plies", "returns")}


def test_a_second_process_finds_the_kernels(folder):
    first, _ = run(folder)
    second, _ = run(folder)
    assert first["hits"] == 0
    assert second == {**first, "hits": 2}
    assert first | plain(folder) == first


MADE = """
import sys
from typing import NamedTuple
from counterplay import state
from counterplay.core.language.kernel import kernel

@state
class Pair(NamedTuple):
    first: int
    second: bool

@kernel
def pair(n):
    return Pair(n, n > 1)

made = pair(2)
assert made == Pair(2, True) and type(made) is Pair, made
print(sum(pair.dispatcher.stats.cache_hits.values()))
"""


CIRCLE = """
from counterplay.core.language.kernel import kernel

def even(n):
    return True if n == 0 else odd(n - 1)

def odd(n):
    return False if n == 0 else third(n - 1)

def third(n):
    return even(n) if n < 100 else odd(n - 1)

@kernel
def is_even(n):
    return even(n)

assert [is_even(n) for n in range(3)] == [True, False, True]
print(sum(is_even.dispatcher.stats.cache_hits.values()))
"""


TALK = """
import pytest
from counterplay.core.language.kernel import kernel

def deep(n):
    if n > 3:
        raise ValueError("too large", n)
    if n == 2:
        print("two", n)
    return n

@kernel
def top(n):
    return deep(n)

assert [top(n) for n in (1, 2)] == [1, 2]
with pytest.raises(ValueError, match="5"):
    top(5)
print(sum(top.dispatcher.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(MADE, marks=pytest.mark.slow),
        pytest.param(CIRCLE, marks=pytest.mark.slow),
        pytest.param(TALK, marks=pytest.mark.slow),
    ],
    ids=["the class of a state", "functions that call each other", "what a helper prints and raises"],
)
def test_a_second_process_finds(folder, script):
    (folder / "made.py").write_text(script)
    environment = {**os.environ, "COUNTERPLAY_CACHE": str(folder / "cache")}
    for hits in ("0", "1"):  # once as it was compiled, once from the cache, where nothing has been named before
        done = subprocess.run(
            [sys.executable, "made.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
        )
        assert (done.stdout.split()[-1:], done.returncode) == ([hits], 0), done.stderr


EDITS = [
    ("rules.py", "s.left - action * self.table[1]", "s.left - action * self.table[1] - 1"),
    ("rules.py", "BONUS = 0", "BONUS = 1"),
    ("rules.py", "stones=9", "stones=7"),
    ("helper.py", "return 3", "return 2"),
    ("helper.py", "-1.0 if player", "-0.5 if player"),
    ("base.py", "s.left <= 0", "s.left <= 2"),
    ("rules.py", "np.ones(16, np.int64)", "np.ones((16), np.int8) * np.int8(2)"),
]


@pytest.mark.parametrize("edits", [EDITS[:2], pytest.param(EDITS[2:], marks=pytest.mark.slow)], ids=["some", "others"])
def test_an_edit_is_never_served_stale(folder, edits):
    before, _ = run(folder)
    for name, old, new in edits:
        edit(folder, name, old, new)
        after, _ = run(folder)
        assert after | plain(folder) == after, f"{old} -> {new}"
        assert {**after, "hits": 0} != {**before, "hits": 0}, f"{old} -> {new} changes nothing"
        edit(folder, name, new, old)
    again, _ = run(folder)
    assert again == {**before, "hits": 2}


def test_an_edited_package_is_never_served_stale(folder):
    package = folder / "package"
    shutil.copytree(
        Path(counterplay.__file__).parent, package / "counterplay", ignore=shutil.ignore_patterns("__pycache__")
    )
    before, _ = run(folder, package=package)
    edit(package / "counterplay" / "core", "rules.py", "rng.below(end - start)", "rng.below((end - start + 1) // 2)")
    after, _ = run(folder, package=package)
    assert after["hits"] == 1  # perft does not reach what was edited
    assert after["plies"] != before["plies"]
    edit(
        package / "counterplay" / "core" / "native",
        "pointer.py",
        "from __future__",
        "# another compiler\nfrom __future__",
    )
    assert run(folder, package=package)[0]["hits"] == 0


@pytest.mark.slow
def test_a_comment_changes_nothing(folder):
    run(folder)
    edit(folder, "rules.py", "BONUS = 0", "# no bonus\n\nBONUS = 0")
    assert run(folder)[0]["hits"] == 2


@pytest.mark.slow
def test_a_damaged_file_is_made_again(folder):
    first, _ = run(folder)
    for file in (folder / "cache").iterdir():
        file.write_bytes(file.read_bytes()[:-100])
    again, _ = run(folder)
    assert again == first
    assert run(folder)[0]["hits"] == 2


def test_a_folder_that_cannot_be_written_is_said_once(folder):
    (folder / "file").write_text("in the way")
    answers, said = run(folder, cache=str(folder / "file" / "cache"))
    assert answers | plain(folder) == answers
    assert said.count("cannot keep compiled code") == 1


@pytest.fixture
def impatient(monkeypatch, tmp_path):
    from counterplay.core.native import cache

    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "PATIENCE", 0.0)


def test_what_is_compiled_is_shown_with_its_time(impatient, capsys):
    from core import toys

    from counterplay.core.perft import perft

    game = toys.Subtraction(stones=33)
    perft(game, game.initial(), 2)
    said = capsys.readouterr().err
    assert re.fullmatch(r"compiling perft_root for Subtraction:stones=33, once \.\.\. \d+\.\d s\n", said)
    perft(game, game.initial(), 3)
    assert capsys.readouterr().err == ""


def test_what_does_not_compile_ends_its_line(impatient, capsys):
    from core import toys

    from counterplay.core.errors import BrokenGame
    from counterplay.core.perft import perft

    class Broken(toys.Subtraction):
        def is_terminal(self, s):
            if s.left == 0:
                return True
            return None

    game = Broken()
    with pytest.raises(BrokenGame, match="is_terminal"):
        perft(game, game.initial(), 2)
    assert re.fullmatch(r"compiling perft_root for \S*Broken, once \.\.\. not finished\n", capsys.readouterr().err)
