"""GNU Backgammon, an independent implementation, as a judge of plays; its tests are skipped if it is missing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
needs_gnubg = pytest.mark.skipif(PROGRAM is None, reason="GNU Backgammon is not installed (`make system` installs it)")

PREPARE = [
    "set automatic roll off",
    "set automatic game off",
    "set automatic move off",
    "set automatic bearoff off",
    "set player 0 human",
    "set player 1 human",
    "set threads 1",
    "set evaluation chequerplay evaluation plies 0",
    "new session",
    "set turn 1",  # the lot has decided: the boards below are seen by this player
]
MOVE = re.compile(r"^ *\d+\. Cubeful \d-ply +(.+?) +Eq\.:")


def plays(requests: list[tuple[str, int, int]]) -> list[list[str]]:
    """All legal plays of each (position ID, die, die), as GNU Backgammon writes them; none where it must pass."""
    assert PROGRAM is not None
    lines = list(PREPARE)
    for position, a, b in requests:
        lines += [f"set board {position}", f"set dice {a} {b}", "hint 4000"]
    done = subprocess.run(
        [PROGRAM, "-t", "-q"], input="\n".join([*lines, "exit", "y", ""]), capture_output=True, text=True, timeout=600
    )
    answers: list[list[str]] = []
    for line in done.stdout.splitlines():
        if "The dice have been set to" in line:
            answers.append([])
        found = MOVE.match(line)
        if found:
            answers[-1].append(found[1])
    assert len(answers) == len(requests), done.stdout[-2000:] + done.stderr[-2000:]
    return answers


SCRIPT = """
import gnubg, json
for command in {prepare!r}:
    gnubg.command(command)
cube, context = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0), gnubg.evalcontext(0, 0, 0, 0, 0.0)
print("ANSWER", json.dumps([gnubg.evaluate((theirs, mine), cube, context)[0] for mine, theirs in {boards!r}]))
"""


def wins(boards: list[tuple[tuple[int, ...], tuple[int, ...]]], folder: Path) -> list[float]:
    """The probability that the side on roll wins from each pair of boards: its own counts from point 1 to the bar, and
    the other side's."""
    assert PROGRAM is not None
    script = folder / "ask.py"
    script.write_text(SCRIPT.format(prepare=PREPARE, boards=boards))
    done = subprocess.run([PROGRAM, "-t", "-q", "-p", str(script)], capture_output=True, text=True, timeout=600)
    answer = re.search(r"^ANSWER (.*)$", done.stdout, flags=re.MULTILINE)
    assert answer, done.stdout[-2000:] + done.stderr[-2000:]
    found: list[float] = json.loads(answer[1])
    return found
