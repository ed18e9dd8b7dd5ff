"""Exact solving of late positions: Connect Four beside a solver in C++, and Othello's last squares.

Both sides of Connect Four must find the same value and the same distance to the end; ours also finds all best columns.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Comparison, Differs, Outcome, Skipped, race
from benchmarks.speed.alpha_beta import COMPILE
from counterplay import load
from counterplay.search.solving.solve import solve

NAME = "solve"
SOURCE = Path(__file__).parent / "reference" / "connect_four.cpp"
PEER = "C++ solver"
MEGABYTES = 64
TARGET = 0.5
RATE = 10e6
"""The required nodes per second in Othello."""

MIDGAME = (
    *("6562517511122517", "446441562763", "256215335425", "266526445141", "115326643475", "35261224567551"),
    *("774717451564", "5444751575135141", "727161416566", "223735655572", "55657734362167", "471253672425"),
    *("5625575336477523", "416215447432"),
)
"""Columns of Connect Four, 12 to 16 stones, drawn at random from positions that take some search."""

SIXTEEN = (
    ("..oooooo/..oooxox/..xooxox/.xxxooox/..xxoxxx/..xxxxox/..xxxoox/...xxxxx x", -16),
    ("ooooo.../ooooox../.ooooxxx/ooooxox./xooooxo./xxxxxox./.xxoo.../.ooooo.. x", -22),
    ("..ooooo./.xxxxo../.oxooxox/oooxxox./ooooxxx./ooxxoxx./o.oooox./..oooo.. x", -4),
    ("...xxxx./..oooxx./..oooxxo/oooxxxxo/oooxooxo/oxoooo.o/o.xoo..o/.xxxoo.. x", 18),
    ("...x.x../.xxxxx../oxxoooo./xxxxooo./oxooxxoo/oooxxxoo/oxoooo../ooooo... x", -16),
    ("x..x..../xxxxx..o/oxoxoxoo/.oxxooxo/xxoxxxoo/.oxxxooo/..xxox../.xxxxxx. x", 16),
)
"""Othello with 16 empty squares, and the discs by which the side to move wins: from games between searches."""
TWENTY = "o..oooox/.oooooox/ooxxooox/ooxoooxx/ooooooxx/...oooox/....o..x/........ x", 38
"""Number 40 of the FFO test suite for endgame solvers: 20 empty squares, 38 discs."""


def run(quick: bool) -> Iterator[Outcome]:
    """Late positions of both games."""
    with tempfile.TemporaryDirectory() as folder:
        yield midgame(Path(folder), MIDGAME[:3] if quick else MIDGAME, 2 if quick else 7)
    yield othello("16 empty squares, all scores", SIXTEEN[:2] if quick else SIXTEEN, 1 if quick else 20)
    if not quick:
        yield othello("20 empty squares, FFO 40", (TWENTY,), 3)


# Connect Four.


def midgame(folder: Path, positions: tuple[str, ...], turns: int) -> Outcome:
    """Positions in the middle of the game, solved by both sides."""
    work = f"connect-four, {len(positions)} midgame positions"
    if shutil.which("g++") is None:
        return Skipped(NAME, work, PEER, "g++ is not installed")
    program = folder / "connect_four"
    done = subprocess.run([*COMPILE, str(SOURCE), "-o", str(program)], capture_output=True, text=True)
    if done.returncode:
        return Skipped(NAME, work, PEER, f"g++ failed: {done.stderr.strip()[:200]}")
    theirs, ours = cpp(program, positions)[1], scores(positions)
    if ours != theirs:
        return Differs(NAME, work, PEER, f"we find {ours}, the peer {theirs}")
    seconds, their_seconds = race(functools.partial(our_turn, positions), lambda: cpp(program, positions)[0], turns)
    rate = len(positions)
    return Comparison(NAME, work, "solved/s", rate / seconds, PEER, rate / their_seconds, TARGET)


def our_turn(positions: tuple[str, ...]) -> float:
    """Our CPU seconds."""
    started = time.process_time()
    scores(positions)
    return time.process_time() - started


def scores(positions: tuple[str, ...]) -> list[int]:
    """43 less the number of stones at the end for a win, the negative for a loss, 0 for a draw."""
    game, found = load("connect-four"), []
    for columns in positions:
        solution = solve(game, game.start(" ".join(columns)).state, megabytes=MEGABYTES)
        assert solution.value is not None
        assert solution.plies is not None
        found.append(int(solution.value) * (43 - len(columns) - solution.plies))
    return found


def cpp(program: Path, positions: tuple[str, ...]) -> tuple[float, list[int]]:
    """The CPU seconds of the C++ solver, and its scores."""
    command = [str(program), str(MEGABYTES), *positions]
    _, seconds, *found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), [int(score) for score in found]


# Othello.


def othello(what: str, positions: tuple[tuple[str, int], ...], turns: int) -> Outcome:
    """The end of a game, solved to the disc; the rate beside the required one."""
    game, best = load("othello:score=on"), 0.0
    for _ in range(turns):
        nodes, started = 0, time.process_time()
        for text, score in positions:
            found = solve(game, game.parse_position(text), megabytes=MEGABYTES)
            nodes += found.nodes
            if found.value != score:
                return Differs(NAME, f"othello, {what}", "published", f"we find {found.value} instead of {score}")
        best = max(best, nodes / (time.process_time() - started))
    seconds = nodes / best / len(positions)
    work = f"othello, {what}: {nodes:,} nodes, {seconds:.2f} s each"
    return Comparison(NAME, work, "nodes/s", best, "the goal", RATE, 1.0)
