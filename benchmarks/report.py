"""The table for people, and the same data for programs."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.measure import Comparison, Differs, Duration, Match, Mean, Outcome, Quota

COLUMNS = {"benchmark": 11, "work": 39, "ours": 14, "peer": 22, "theirs": 14, "ratio": 8, "target": 20}
"""The columns of a line, and their widths."""


METHOD = "rates: CPU time, best of several turns in alternation; waiting: wall clock, best of several"
BUSY = 0.3
"""The load per core above which waits are longer than they should be."""


def machine() -> dict[str, Any]:
    """What the figures depend on: the date, the processor and versions; nothing that identifies the machine."""
    versions = {name: _version(name) for name in ("counterplay", "numba", "llvmlite", "numpy", "open_spiel")}
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        **versions,
        "g++": _gcc_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _gcc_version() -> str | None:
    if shutil.which("g++") is None:
        return None
    return subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip() or None


def head(facts: dict[str, Any], quick: bool) -> str:
    """The lines above the table."""
    tools = ("counterplay", "python", "numba", "llvmlite", "numpy", "open_spiel", "g++")
    versions = ", ".join(f"{name} {facts[name] or 'missing'}" for name in tools)
    titles = _line([*COLUMNS])
    rule = "|".join(["", *("-" * (width + 2) for width in COLUMNS.values()), ""])
    place = f"{facts['date']}, {facts['processor']}, {facts['cores']} cores"
    if (facts["load"] or 0) > BUSY * facts["cores"]:
        place += f", busy already (load {facts['load']}): trust ratios and CPU times"
    how = "a smoke test, not figures" if quick else METHOD
    return f"{place}\n{versions}\n{how}\n\n{titles}\n{rule}"


def line(outcome: Outcome) -> str:
    """A line of the table."""
    if isinstance(outcome, Comparison):
        unit = " " + outcome.unit
        cells = [outcome.benchmark, outcome.work, rate(outcome.ours) + unit, outcome.peer, rate(outcome.theirs) + unit]
        target = "" if outcome.target is None else f"{outcome.target:,g}x: {verdict(outcome.is_met)}"
        return _line([*cells, times(outcome.ratio), target])
    if isinstance(outcome, Duration):
        target = f"under {outcome.target:g} s: {verdict(outcome.is_met)}"
        return _line(
            [
                outcome.benchmark,
                outcome.work,
                f"{outcome.seconds:.2f} s",
                f"({outcome.cpu:.2f} s of CPU time)",
                "",
                "",
                target,
            ]
        )
    if isinstance(outcome, Match):
        low, high = outcome.bounds
        games = [score for pair in outcome.pairs for score in pair]
        won, lost = games.count(1.0), games.count(0.0)
        record = f"{won}-{len(games) - won - lost}-{lost}"
        cells = [outcome.benchmark, outcome.work, f"{outcome.elo:+.0f} Elo", outcome.peer, record]
        above = "above " if outcome.certain else ""
        target = "" if outcome.target is None else f"{above}{outcome.target:g} Elo: {verdict(outcome.is_met)} "
        return _line([*cells, "", f"{target}({low:+.0f} to {high:+.0f})"])
    if isinstance(outcome, Quota):
        share = f"{outcome.succeeded / outcome.tried:.1%}"
        cells = [outcome.benchmark, outcome.work, share, f"{outcome.succeeded} of {outcome.tried}", "", ""]
        return _line([*cells, f"{outcome.target:.0%}: {verdict(outcome.is_met)}"])
    if isinstance(outcome, Mean):
        figure = f"{outcome.mean:+.3f} ({outcome.error:.3f})"
        cells = [outcome.benchmark, outcome.work, figure, outcome.peer, "", ""]
        target = "" if outcome.target is None else f"{outcome.target:+g} {outcome.unit}: {verdict(outcome.is_met)}"
        return _line([*cells, target or outcome.unit])
    what = "the work differs" if isinstance(outcome, Differs) else "skipped"
    return _line([outcome.benchmark, outcome.work, "", outcome.peer, "", "", f"{what}: {outcome.reason}"])


def _line(cells: list[str]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, COLUMNS.values(), strict=True)]
    return "| " + " | ".join(padded) + " |"


def rate(x: float) -> str:
    """Three digits and a unit: 12.3M."""
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if x >= scale:
            return f"{x / scale:.3g}{letter}"
    return f"{x:.3g}"


def times(ratio: float) -> str:
    """A ratio with sensible precision."""
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:,.0f}x"


def verdict(is_met: bool | None) -> str:
    """The verdict on a target."""
    return "met" if is_met else "not met"


def record(outcome: Outcome) -> dict[str, Any]:
    """An outcome for programs."""
    told = {"outcome": type(outcome).__name__.lower(), **outcome._asdict()}
    if isinstance(outcome, Comparison):
        told["ratio"] = outcome.ratio
    if isinstance(outcome, Match):
        told |= {"elo": outcome.elo, "bounds": outcome.bounds}
    if isinstance(outcome, Comparison | Duration | Match | Quota | Mean):
        told["met"] = outcome.is_met
    return told
