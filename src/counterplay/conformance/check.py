"""Is my game correct? The conformance report behind `counterplay check`.

    report = check("my_game.py")
    report.ok, report.findings

The rules are called in plain Python on thousands of random positions, and every answer is checked; compiled and plain
play are compared; small searches are compared with plain minimax; then come the invariants that algorithms rely on. All
of this runs in a separate process, compiled with bounds checks: rules that crash or hang are a finding like any other.
Last comes the speed of the game, compiled as usual.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from counterplay.conformance.report import Finding, Report
from counterplay.conformance.sameness import parts
from counterplay.core.calling import file_of
from counterplay.core.game import Game
from counterplay.core.registry import load

PATIENCE = 20.0
"""Seconds without a sign of life after which rules count as endless, not including compilation."""

STARTING = 120.0
"""Seconds that the process can take to start on a busy machine."""
PLAIN = ("names", "rules")
"""The steps before anything is compiled."""

Data = dict[str, Any]
Hear = Callable[[Finding], None]


def check(
    spec: str | Game,
    playthroughs: int = 2_000,
    seconds: float = 5.0,
    seed: int = 0,
    patience: float = PATIENCE,
    report: Hear | None = None,
) -> Report:
    """Examine a game. A file that does not load raises an error; everything else is in the report. `report` receives each
    finding as it is made."""
    game = load(spec) if isinstance(spec, str) else spec
    parcel, hear = handed_over(game), report or (lambda finding: None)
    if parcel is None:
        return check_here(game, playthroughs, seconds, seed, hear)
    asked = {**parcel, "playthroughs": playthroughs, "seconds": seconds, "seed": seed}
    examined = {"NUMBA_BOUNDSCHECK": "1", "PYTHONHASHSEED": "1"}  # sets have another order in the other process
    found, told = ask_process({**asked, "task": "examine"}, game, patience, examined, hear)
    rate = 0.0
    if all(finding.ok for finding in found):
        asked |= {"task": "speed", "order": told.get("order")}
        measured, told = ask_process(asked, game, patience, {"PYTHONHASHSEED": "2"}, hear)
        rate = told.get("rate", 0.0)
        found += measured
    return Report(game.spec, tuple(found), rate)


def check_here(
    game: Game, playthroughs: int = 2_000, seconds: float = 5.0, seed: int = 0, hear: Hear = lambda finding: None
) -> Report:
    """The same in this process, without bounds checks, for a class that another process cannot import."""
    from counterplay.conformance.examination import examine, speed

    found: list[Finding] = []
    for finding in examine(game, playthroughs, seconds, seed):
        found.append(finding)
        hear(finding)
    rate = 0.0
    if all(finding.ok for finding in found):
        measured, rate = speed(game, seed)
        found.append(measured)
        hear(measured)
    return Report(game.spec, tuple(found), rate)


def handed_over(game: Game) -> Data | None:
    """A game in a form that another process can recreate; None if its class is in no importable file."""
    module = type(game).__module__
    if module == "__main__":
        return None
    try:
        data = pickle.dumps(game)
    except Exception:  # whatever a user's parameter raises, or a class within a function
        return None
    file = Path(str(file_of(game)))
    own = getattr(sys.modules.get(module), "__spec__", None)
    loose = own is not None and own.parent == "" and module != file.stem  # as `import_file` names it
    return {
        "game": base64.b64encode(data).decode(),
        "file": str(file) if loose else "",
        "path": sys.path,
        "parts": parts(game),
    }


def ask_process(
    asked: Data, game: Game, patience: float, environment: dict[str, str], hear: Hear
) -> tuple[list[Finding], Data]:
    """The findings of a separate process, and what it says at its end; if it dies or hangs, that is a finding as well."""
    found: list[Finding] = []
    step = "process"

    def note(finding: Finding) -> None:
        found.append(finding)
        hear(finding)

    with worker(asked, environment) as (process, lines):
        alive, pulse = time.monotonic(), -1
        while True:
            try:
                said = lines.get(timeout=0.1)
            except queue.Empty:
                said = {}
            if said is None:
                note(Finding(step, False, death(process.wait(), step)))
                return found, {}
            if "begin" in said:
                step = said["begin"]
            if "finding" in said:
                note(Finding(*said["finding"]))
            if "done" in said:
                return found, said
            if said and ("beats" not in said or said["compiling"] or said["beats"] != pulse):
                alive, pulse = time.monotonic(), said.get("beats", pulse)
            if time.monotonic() - alive > (patience if step != "process" else STARTING):
                detail = (
                    f"{file_of(game)}: the rules have not returned after {patience:g} seconds in the step `{step}`; "
                    "is there an endless loop, perhaps only when compiled?"
                )
                note(Finding(step, False, detail))
                return found, {}


@contextlib.contextmanager
def worker(
    asked: Data, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[str], queue.Queue[Data | None]]]:
    """A process that examines a game, and its messages, None at its end; it ends with the context."""
    process = subprocess.Popen(
        [sys.executable, "-m", "counterplay.conformance.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    lines: queue.Queue[Data | None] = queue.Queue()

    def listen() -> None:
        assert process.stdout
        with contextlib.suppress(ValueError, OSError):
            for line in process.stdout:
                lines.put(json.loads(line))
        lines.put(None)

    try:
        assert process.stdin
        threading.Thread(target=listen, daemon=True).start()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
        yield process, lines
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream:
                    stream.close()


def death(code: int, step: str) -> str:
    """How a process ended unexpectedly."""
    if code >= 0:
        return f"the rules ended the process (exit code {code}) in the step `{step}`; do they call `exit`?"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = "perhaps out of memory" if name == "SIGKILL" else "an index outside its array, or endless recursion"
    who = "the rules" if step in PLAIN else "the compiled rules"
    return f"{who} crashed: their process died of {name} in the step `{step}` ({why})"
