"""Plain alpha-beta on Connect Four: against C++, against OpenSpiel, and against the same source uncompiled.

All sides search the same tree: columns from left to right, no table, and at the horizon the same evaluation, which
counts stones near the middle. Before anything is timed, all must agree on the number of nodes, the value and the best
column.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import openspiel
from benchmarks.measure import Comparison, Differs, Outcome, Skipped, Turn, race, turn
from counterplay.core.language.bits import bit, count
from counterplay.games.connect_four import ConnectFour, State
from counterplay.search.textbook.alpha_beta import search

NAME = "alpha_beta"
SOURCE = Path(__file__).parent / "reference" / "alpha_beta.cpp"
COMPILE = ["g++", "-std=c++20", "-O3", "-march=native"]

CPP_TARGET, OPENSPIEL_TARGET, UNCOMPILED_TARGET = 0.7, 50.0, 1000.0


class Centred(ConnectFour):
    """Connect Four with an evaluation that every side of the benchmark shares."""

    def evaluate(self, s: State, player: int) -> float:
        """A stone counts by its column: 0 at the edge, 3 in the middle of 7."""
        theirs, lead = s.mine ^ s.filled, 0
        for margin in range(1, 4):
            middle = (bit(self.index(self.width - 2 * margin, 0)) - 1) << self.index(margin, 0)
            lead += count(s.mine & middle) - count(theirs & middle)
        return lead / 128.0 if player == s.ply % 2 else lead / -128.0


class Uncompiled(Centred):
    """The same rules, in plain Python."""

    compiled = False


class Found(NamedTuple):
    """The results that all searches must agree on."""

    nodes: int  # below the root
    value: float
    column: int


def run(quick: bool) -> Iterator[Outcome]:
    """All comparisons."""
    with tempfile.TemporaryDirectory() as folder:
        yield from against_cpp(Path(folder), depth=9 if quick else 10, turns=5 if quick else 25)
    yield against_openspiel(depth=6 if quick else 7, turns=2 if quick else 5)
    yield against_uncompiled(depth=5 if quick else 6, turns=1 if quick else 5)


def ours(game: ConnectFour, depth: int) -> Found:
    """The results of our search from the start."""
    decision = search(game, game.initial(), depth)
    return Found(decision.nodes, decision.value, decision.action)


def compare(peer: str, depth: int, theirs: Found, their_turn: Turn, target: float | None, turns: int) -> Outcome:
    """Race the compiled search against a peer that has found `theirs` at this depth."""
    game = Centred()
    found = ours(game, depth)
    work = f"connect-four, depth {depth}: {found.nodes:,} nodes"
    if found != theirs:
        return Differs(NAME, work, peer, f"we found {found}, the peer {theirs}")
    seconds, their_seconds = race(turn(lambda: ours(game, depth)), their_turn, turns)
    return Comparison(NAME, work, "nodes/s", found.nodes / seconds, peer, found.nodes / their_seconds, target)


# C++.


def against_cpp(folder: Path, depth: int, turns: int) -> Iterator[Outcome]:
    """The same search in C++, and one with the rules written into it, which has no target."""
    forms = {"generic": ("C++, the same search", CPP_TARGET), "fused": ("C++, rules in the loop", None)}
    if shutil.which("g++") is None:
        for peer, _ in forms.values():
            yield Skipped(NAME, f"connect-four, depth {depth}", peer, "g++ is not installed")
        return
    program = folder / "alpha_beta"
    done = subprocess.run([*COMPILE, str(SOURCE), "-o", str(program)], capture_output=True, text=True)
    for form, (peer, target) in forms.items():
        if done.returncode:
            yield Skipped(NAME, f"connect-four, depth {depth}", peer, f"g++ failed: {done.stderr.strip()[:200]}")
            continue
        _, found = cpp(program, form, depth)
        yield compare(peer, depth, found, functools.partial(cpp_turn, program, form, depth), target, turns)


def cpp_turn(program: Path, form: str, depth: int) -> float:
    """The C++ program's turn."""
    return cpp(program, form, depth)[0]


def cpp(program: Path, form: str, depth: int) -> tuple[float, Found]:
    """The seconds of the C++ program, and its results."""
    command = [str(program), form, str(depth), "1"]
    nodes, value, column, seconds = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), Found(int(nodes), float(value), int(column))


# OpenSpiel.


def against_openspiel(depth: int, turns: int) -> Outcome:
    """OpenSpiel's alpha-beta: Python over states in C++."""
    if openspiel.pyspiel is None:
        return Skipped(NAME, f"connect-four, depth {depth}", "OpenSpiel", openspiel.MISSING)
    from open_spiel.python.algorithms.minimax import alpha_beta_search  # type: ignore[import-untyped]

    game = openspiel.pyspiel.load_game("connect_four")
    think = functools.partial(alpha_beta_search, game, value_function=centred, maximum_depth=depth)
    counted = Counted(game.new_initial_state(), [0])
    value, column = think(state=counted)
    found = Found(counted.nodes[0], value, column)
    return compare("OpenSpiel", depth, found, turn(think), OPENSPIEL_TARGET, turns)


WEIGHTS = (0, 1, 2, 3, 2, 1, 0)


def centred(state: Any) -> float:
    """The evaluation of `Centred` to the first player, computed the fastest way in Python: a stone's weight is its
    column's, and the history is the columns."""
    weights = [WEIGHTS[column] for column in state.history()]
    return (sum(weights[::2]) - sum(weights[1::2])) / 128.0


class Counted:
    """A state of OpenSpiel that counts the actions applied to it and to its clones; for an untimed run."""

    def __init__(self, state: Any, nodes: list[int]) -> None:
        self.state, self.nodes = state, nodes

    def clone(self) -> Counted:
        return Counted(self.state.clone(), self.nodes)

    def apply_action(self, action: int) -> None:
        self.nodes[0] += 1
        self.state.apply_action(action)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)


# Uncompiled.


def against_uncompiled(depth: int, turns: int) -> Outcome:
    """The same source as plain Python."""
    game = Uncompiled()
    return compare("uncompiled", depth, ours(game, depth), turn(lambda: ours(game, depth)), UNCOMPILED_TARGET, turns)
