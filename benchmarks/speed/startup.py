"""Waiting times: the command's help, and a small game's first answer without and with compiled code on disk."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Differs, Duration, Outcome, Skipped

NAME = "startup"
HELP, COLD, WARM = 0.5, 4.0, 1.5
"""The maximum wait in seconds."""

COMMAND = Path(sys.executable).with_name("counterplay")
QUESTIONS = [
    (["perft", "tic-tac-toe", "3", "--json"], '"leaves": 504'),
    (["perft", "kuhn-poker", "3", "--json"], '"leaves": 12'),
]
"""Small games, and a part of the right answer."""


def run(quick: bool) -> Iterator[Outcome]:
    """Help, then each question cold and warm."""
    if not COMMAND.exists():
        yield Skipped(NAME, "counterplay", "", "the command is not installed beside this Python")
        return
    times = 3 if quick else 7
    yield ask(["--help"], "Usage", [{}] * times, HELP, "")
    for arguments, answer in QUESTIONS:
        with tempfile.TemporaryDirectory() as folder:
            fresh = [{"COUNTERPLAY_CACHE": f"{folder}/{i}"} for i in range(1 if quick else 3)]
            yield ask(arguments, answer, fresh, COLD, ", cold")
            yield ask(arguments, answer, fresh[:1] * times, WARM, ", warm")


def ask(arguments: list[str], answer: str, settings: list[dict[str, str]], limit: float, state: str) -> Outcome:
    """The best time of a command, run once for each setting of its environment; each answer must be right."""
    shown = [argument for argument in arguments if argument != "--json"]
    work = f"counterplay {' '.join(shown)}{state}"
    seconds, cpu = [], []
    for setting in settings:
        started, worked = time.perf_counter(), cpu_of_children()
        done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, env={**os.environ, **setting})
        seconds.append(time.perf_counter() - started)
        cpu.append(cpu_of_children() - worked)
        if done.returncode or answer not in done.stdout:
            return Differs(NAME, work, "", f"expected {answer!r}, got {(done.stdout + done.stderr).strip()[:200]!r}")
    return Duration(NAME, work, min(seconds), min(cpu), limit)


def cpu_of_children() -> float:
    """Seconds of CPU time of all processes that this one has started and waited for."""
    times = os.times()
    return times.children_user + times.children_system
