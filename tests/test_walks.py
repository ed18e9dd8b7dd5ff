"""The walks through the package that ARCHITECTURE.md describes: taken here, and compared with the page."""

import re
import sys
import threading
from pathlib import Path

from counterplay.cli import main

ROOT = Path(__file__).parents[1]
COMPILED = {"engine.py", "transposition_table.py", "move_ordering.py", "killers_and_history.py", "quiescence.py"}
"""What runs as machine code: no profile sees it."""


def described(title):
    """The files of one walk, in order, as the page names them."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    walk = page.split(f"**`{title}`**")[1].split("\n**")[0]
    down = walk.split("Up again")[0]
    return [name for name in re.findall(r"`([a-z_/]+\.py)`", down) if Path(name).name not in COMPILED]


def test_the_walk_of_a_search_is_the_one_that_is_described():
    argument = "search connect-four --player alphabeta:time=1"
    quick = argument.replace("time=1", "time=0.1").split()
    assert main(quick) == 0  # compiled now
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
        assert main(quick) == 0
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    files = described(f"counterplay {argument}")
    assert len(files) > 12
    assert [file for file in files if file not in seen] == []
    order = [seen.index(file) for file in files]
    taken = [file for _, file in sorted(zip(order, files, strict=True))]
    assert files == taken
    assert len(threads) == 2  # this one, and the one that searches
