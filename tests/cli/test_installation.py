"""`doctor` and `cache`, extras that are missing, and the package as it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from counterplay.api import doctor as examination
from counterplay.evaluation import residual
from counterplay.learning import network

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
OURS = ("test", "docs", "bench")


def test_doctor_finds_nothing_wrong_here(answer):
    found = answer("doctor")
    assert found["ok"]
    states = {symptom["what"]: symptom["state"] for symptom in found["symptoms"]}
    assert states["compiler"] == states["cache"] == states["numba"] == "ok"
    assert set(states.values()) <= {"ok", "missing"}


def test_doctor_names_the_extra_that_is_missing(run, monkeypatch):
    real = examination.importlib.util.find_spec
    monkeypatch.setattr(examination.importlib.util, "find_spec", lambda name: None if name == "torch" else real(name))
    code, out, _ = run("doctor")
    assert code == 0
    line = next(line for line in out.splitlines() if line.startswith("missing"))
    assert line.split()[1] == "learn"
    assert "pip install 'counterplay[learn]'" in line


def test_doctor_says_what_to_do_about_a_cache_that_others_may_write(run, monkeypatch, tmp_path):
    tmp_path.chmod(0o777)
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    code, out, _ = run("doctor")
    assert code == 2
    assert next(line for line in out.splitlines() if line.startswith("wrong")).split()[1] == "cache"
    assert "set COUNTERPLAY_CACHE to a folder of your own" in out


def test_doctor_says_that_the_compiler_is_switched_off(run, monkeypatch):
    monkeypatch.setattr("counterplay.core.fingerprint.jit_enabled", lambda: False)
    code, out, _ = run("doctor")
    assert code == 2
    assert "unset NUMBA_DISABLE_JIT" in out


def test_cache_is_shown_and_cleared_and_nothing_else_is_touched(answer, run, monkeypatch, tmp_path):
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    (tmp_path / f"perft-{'0a' * 16}").write_bytes(b"x" * 500)
    (tmp_path / ".part-abc").write_bytes(b"x")
    for mine in ("notes.txt", "perft-short"):
        (tmp_path / mine).write_text("mine")
    assert answer("cache") == {"folder": str(tmp_path), "files": 2, "bytes": 501, "cleared": False}
    code, out, _ = run("cache", "--clear")
    assert (code, out) == (0, f"removed 2 compiled kernels, 0.0 MB from {tmp_path}\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["notes.txt", "perft-short"]
    assert answer("cache")["files"] == 0
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path / "none"))
    assert answer("cache", "--clear")["files"] == 0


# Extras.


def test_every_extra_has_its_row_in_the_table_and_its_line_in_doctor():
    purposes = set(EXTRAS) - {*OURS, "all"}
    page = (ROOT / "docs" / "install.md").read_text()
    rows = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert rows == purposes | {"all"}
    assert set(examination.EXTRAS) == purposes
    assert EXTRAS["all"] == [f"counterplay[{','.join(name for name in EXTRAS if name in purposes)}]"]
    for extra, (packages, _) in examination.EXTRAS.items():
        brought = {item.split(">")[0] for item in EXTRAS[extra] if not item.startswith("counterplay")}
        assert brought == set(packages)


def test_a_shipped_network_asks_for_no_more_than_it_needs(monkeypatch):
    for module in ("onnx", "onnxruntime"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(ValueError, match=r"pip install 'counterplay\[nets\]'"):
                residual.graph((1, 2, 2), {}, 0) if module == "onnx" else residual.session(b"", 1)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match=r"pip install 'counterplay\[learn\]'"):
        network.torch_module()


# The wheel in a fresh environment, used from another folder.

SCENE = """
import json, sys
import counterplay
from counterplay.players.specs import player
assert not counterplay.__file__.startswith(sys.argv[1]), counterplay.__file__
p = counterplay.load("connect-four").start("4 4 3")
with player(sys.argv[2]) as chosen:
    print(json.dumps(chosen.choose(p).action))
"""


def python_of(home: Path, wheel: Path, extras: str) -> Path:
    """A fresh environment with the wheel in it."""
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = home / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", "pip"], check=True, env=without_the_source())
    subprocess.run([*pip, f"counterplay{extras} @ {wheel.as_uri()}"], check=True, env=without_the_source())
    return python


def without_the_source() -> dict[str, str]:
    """The environment without PYTHONPATH: pip would take a source folder on it for an installed package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def test_every_file_that_is_not_python_is_in_the_wheel():
    source = ROOT / "src" / "counterplay"
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["counterplay"]
    packed = {file for pattern in shipped for file in source.glob(pattern)}
    others = {file for file in source.rglob("*") if file.is_file() and file.suffix not in (".py", ".pyc")}
    assert sorted(others - packed) == []


@pytest.mark.slow
def test_the_wheel_works_bare_and_with_extras_from_another_folder(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT], check=True, cwd=tmp_path
    )
    (wheel,) = tmp_path.glob("counterplay-*.whl")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "scene.py").write_text(SCENE)

    def use(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, *arguments], cwd=elsewhere, env=without_the_source(), capture_output=True, text=True, timeout=300
        )

    bare = python_of(tmp_path / "bare", wheel, "")
    assert use(bare, "scene.py", str(ROOT), "alphabeta:depth=6").stdout.strip().isdigit()
    solved = use(bare, "-m", "counterplay", "solve", "connect-four", "--json")  # from the shipped book
    assert json.loads(solved.stdout)["value"] == 1
    refused = use(bare, "-m", "counterplay", "search", "connect-four", "--player", "mcts:net=connect-four")
    assert refused.returncode == 2
    assert "pip install 'counterplay[nets]'" in refused.stderr
    assert "pip install 'counterplay[web]'" in use(bare, "-m", "counterplay", "serve").stderr

    full = python_of(tmp_path / "full", wheel, "[nets,web]")
    assert use(full, "scene.py", str(ROOT), "mcts:net=connect-four,simulations=20").stdout.strip().isdigit()
    states = {
        each["what"]: each["state"]
        for each in json.loads(use(full, "-m", "counterplay", "doctor", "--json").stdout)["symptoms"]
    }
    assert (states["nets"], states["web"], states["learn"]) == ("ok", "ok", "missing")
    assert use(full, "-c", "import torch").returncode != 0
    assert use(full, "-c", "import counterplay.web.server").returncode == 0
