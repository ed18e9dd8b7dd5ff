"""Every command that takes --cluster: the same files from one process, from two and from a cluster."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from counterplay import play_match
from counterplay.arena.store import Store

pytestmark = pytest.mark.scale
EPD = """6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "back rank";
k7/8/1K6/8/8/8/8/7R w - - bm Rh8#; id "corner";
"""
ALPHAZERO = "simulations=8 slots=8 width=4 blocks=1 positions=60 window=150 batch=16 opening=2 gate=0 lanes=2"


def options(text):
    return [word for setting in text.split() for word in ("--set", setting)]


COMMANDS = {
    "match": "match connect-four mcts:simulations=200 random --games 8 --seed 3 -o OUT",
    "sprt": "match tic-tac-toe mcts:simulations=20 random --sprt 0,400 --seed 5 -o OUT",
    "tournament": "tournament tic-tac-toe mcts:simulations=20 random alphabeta:depth=3 --games 4 -o OUT",
    "alphazero": ["train", "tic-tac-toe", "--method", "alphazero", "--games", "30", "-o", "OUT", *options(ALPHAZERO)],
    "td": ["train", "tic-tac-toe", "--method", "td", "--games", "60", "-o", "OUT", *options("hidden=4 batch=20 threads=2")],
    "mccfr": "equilibrium kuhn-poker --method mccfr --samplers 2 --iterations 300 -o OUT.npz",
    "tables": "tables build chess --class KRK -o OUT --threads 1",
    "fit": "fit tic-tac-toe GAMES -o OUT.npz --labels alphabeta:depth=4",
    "suite": "suite EPD --depth 3 --json",
    "tune": "tune OUT.json --games 8 --nodes 60 --data OUT.games --seed 2",
    "book": "book learn hex:size=2 --player alphabeta:depth=2 --time 10m -o OUT",
}  # fmt: skip


def run(given, out, files, *how):
    """What a command prints; wherever it runs, it ends well and is silent about Ray."""
    words = given.split() if isinstance(given, str) else given
    names = {"GAMES": str(files / "games.db"), "EPD": str(files / "mates.epd")}
    told = [names.get(word, word.replace("OUT", str(out))) for word in words]
    found = subprocess.run(
        [sys.executable, "-m", "counterplay", *told, *how], capture_output=True, text=True, timeout=400
    )
    assert found.returncode == 0, found.stderr
    assert "ray" not in (found.stdout + found.stderr).replace("array", "")
    return found.stdout


def content(name, out, printed):
    """Everything that a command leaves behind, except what depends on the clock."""
    if name in ("match", "sprt", "tournament"):
        store = Store.existing(out)
        try:
            return [(text.game, text.opening, text.moves, each.scores) for text, each in store.texts_and_results()]
        finally:
            store.close()
    if name in ("alphazero", "td"):
        return {part: array.tolist() for part, array in np.load(out / "checkpoint.npz").items() if part != "head"}
    if name in ("mccfr", "fit"):
        file = out.with_suffix(".npz")
        return {part: array.tolist() for part, array in np.load(file).items() if array.dtype.kind == "f"}
    if name == "tables":
        return (out / "chess-KRK.table").read_bytes()
    if name == "suite":
        timed = ("seconds", "nodes_per_second")
        return [{key: each for key, each in row.items() if key not in timed} for row in json.loads(printed)["rows"]]
    if name == "tune":
        return out.with_suffix(".games").read_text(), json.loads(out.with_suffix(".json").read_text())["weights"]
    return sorted(line.rstrip(",") for line in out.read_text().splitlines())  # more at once come in another order


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Games and positions to work on."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "mates.epd").write_text(EPD)
    play_match("tic-tac-toe", "random", "random", games=6, seed=4, output=folder / "games.db", workers=0)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_leaves_the_same_behind_wherever_it_runs(name, tmp_path, files, cluster):
    found = []
    for number, how in enumerate((("--workers", "1"), ("--workers", "2"), ("--cluster", cluster.own.address))):
        out = tmp_path / str(number)
        printed = run(COMMANDS[name], out, files, *how)
        found.append(content(name, out, printed))
    assert len(found[0]) > 0
    assert found[0] == found[1] == found[2]
