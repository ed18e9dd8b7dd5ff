"""The walks through the package that ARCHITECTURE.md describes: taken here, and compared with the page."""

import re
import sys
import threading
from pathlib import Path

import pytest

from counterplay.cli import main

ROOT = Path(__file__).parents[1]
COMPILED = {"engine.py", "transposition_table.py", "move_ordering.py", "killers_and_history.py", "quiescence.py"}
"""What runs as machine code: no profile sees it."""


def described(title):
    """The files of one walk, in order, as the page names them."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    walk = page.split(f"`{title}`**")[1].split("\n**")[0]
    down = walk.split("Up again")[0]
    return [name for name in re.findall(r"`([a-z_/]+\.py)`", down) if Path(name).name not in COMPILED]


def walked(arguments):
    """Each file of the package in the order in which a command first calls it, and the threads that did."""
    seen, threads = [], set()

    def profile(frame, event, _):
        if event == "call" and "/counterplay/" in frame.f_code.co_filename:
            file = frame.f_code.co_filename.split("/counterplay/")[-1]
            threads.add(threading.current_thread().name)
            if file not in seen:
                seen.append(file)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        assert main(arguments) == 0
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return seen, threads


def in_order(files, seen):
    """The same files, in the order in which they were seen."""
    assert set(files) <= set(seen)
    return sorted(files, key=seen.index)


def test_the_walk_of_a_search_is_the_one_that_is_described():
    argument = "search connect-four --player alphabeta:time=1"
    quick = argument.replace("time=1", "time=0.1").split()
    assert main(quick) == 0  # compiled now
    seen, threads = walked(quick)
    files = described(f"counterplay {argument}")
    assert len(files) > 12
    assert files == in_order(files, seen)
    assert len(threads) == 2  # this one, and the one that searches


@pytest.mark.slow
def test_the_walk_of_a_training_is_the_one_that_is_described(tmp_path):
    argument = "train connect-four --method alphazero"
    small = {
        "width": 4,
        "blocks": 1,
        "simulations": 8,
        "slots": 8,
        "positions": 60,
        "window": 150,
        "batch": 16,
        "gate": 4,
    }
    small |= {"gate_every": 1, "exact": 500}
    chosen = [word for name, value in small.items() for word in ("--set", f"{name}={value}")]
    seen, _ = walked([*argument.split(), "--games", "20", *chosen, "-o", str(tmp_path / "run")])
    files = described(f"counterplay {argument}")
    assert len(files) > 8
    assert set(files) <= set(seen)  # two threads take it, so the order is theirs
