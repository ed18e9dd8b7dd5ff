"""`doctor`: is everything that Counterplay needs in order, and if not, what to do about it?"""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from counterplay.api.cache import cache
from counterplay.api.result import Result

PACKAGES = ("numba", "llvmlite", "numpy", "scipy")
"""The packages of every installation."""
EXTRAS = {
    "nets": (("onnx", "onnxruntime"), "plays with the networks that come with the package"),
    "learn": (("torch",), "trains networks"),
    "web": (("nicegui",), "serves the app in the browser"),
    "chess": (("chess",), "reads PGN, opening books and Syzygy tables"),
    "plot": (("matplotlib",), "draws charts"),
    "adapters": (("pettingzoo", "gymnasium", "open_spiel", "mcp"), "environments and other libraries"),
    "scale": (("ray", "grpcio"), "runs long jobs on a cluster"),
    "notebook": (("anywidget",), "plays and steps through searches in notebooks"),
}
"""The packages of each extra, and what it does."""
MODULES = {"grpcio": "grpc"}
"""The modules of packages whose names differ."""
HUGE = 2e9
"""Clearing is advised from this many bytes of compiled code."""


class Symptom(NamedTuple):
    """One check and its outcome."""

    what: str
    state: str  # ok, missing (an extra that is not installed) or wrong
    detail: str
    advice: str = ""  # what to do about it


@dataclass(frozen=True, repr=False)
class Diagnosis(Result):
    """What `doctor` found."""

    symptoms: tuple[Symptom, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; an extra may be missing."""
        return all(symptom.state != "wrong" for symptom in self.symptoms)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"ok": self.ok, "symptoms": [symptom._asdict() for symptom in self.symptoms]}

    def __str__(self) -> str:
        wrong = [symptom.what for symptom in self.symptoms if symptom.state == "wrong"]
        return f"wrong: {', '.join(wrong)}" if wrong else "everything works"


def doctor(*, progress: Callable[[str], None] | None = None) -> Diagnosis:
    """Check versions, extras, the cache of compiled code and the machine, and compile a small kernel.

    `progress` receives what is being checked.
    """
    found: list[Symptom] = []
    for step in (versions, extras, cached, machine, compiles):
        if progress is not None:
            progress(step.__name__)
        found += step()
    return Diagnosis(tuple(found))


def versions() -> list[Symptom]:
    """The versions of Python and of the packages of every installation."""
    found = [Symptom("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}")]
    for name in ("counterplay", *PACKAGES):
        try:
            found.append(Symptom(name, "ok", version(name)))
        except PackageNotFoundError:
            found.append(Symptom(name, "wrong", "not installed", "pip install counterplay"))
    return found


def extras() -> list[Symptom]:
    """Which extras are installed."""
    found = []
    for extra, (packages, purpose) in EXTRAS.items():
        missing = [name for name in packages if importlib.util.find_spec(MODULES.get(name, name)) is None]
        if missing:
            advice = f"pip install 'counterplay[{extra}]'"
            found.append(Symptom(extra, "missing", f"{purpose}; not installed: {', '.join(missing)}", advice))
        else:
            found.append(
                Symptom(extra, "ok", f"{purpose}; {', '.join(f'{name} {version(name)}' for name in packages)}")
            )
    return found


def cached() -> list[Symptom]:
    """The cache of compiled code: where, how large, whether it can be used."""
    from counterplay.core.native.cache import is_ours

    held = cache()
    detail = f"{held}"
    try:
        usable = is_ours(held.folder) and os.access(held.folder, os.W_OK)
    except OSError as wrong:
        usable, detail = False, f"{held.folder}: {(wrong.strerror or str(wrong)).lower()}"
    if not usable:
        advice = "every start compiles again: set COUNTERPLAY_CACHE to a folder of your own with mode 700"
        return [Symptom("cache", "wrong", detail, advice)]
    large = "`counterplay cache --clear` empties it" if held.bytes > HUGE else ""
    return [Symptom("cache", "ok", detail, large)]


def machine() -> list[Symptom]:
    """Cores, and the threads that Numba would use."""
    import numba

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return [
        Symptom("cores", "ok", f"{cores} for this process, {os.cpu_count() or 1} in the machine"),
        Symptom("threads", "ok", f"{numba.config.NUMBA_NUM_THREADS} for kernels that run in parallel"),
    ]


def compiles() -> list[Symptom]:
    """Whether a kernel compiles and counts correctly."""
    from counterplay.core.fingerprint import jit_enabled
    from counterplay.core.perft import perft
    from counterplay.core.registry import load

    if not jit_enabled():
        advice = "games run as plain Python, hundreds of times slower: unset NUMBA_DISABLE_JIT"
        return [Symptom("compiler", "wrong", "switched off", advice)]
    game = load("tic-tac-toe")
    try:
        leaves = perft(game, game.initial(), 4)
    except Exception as wrong:  # whatever a broken toolchain raises
        said = f"{type(wrong).__name__}: {wrong}".splitlines()[0]
        return [Symptom("compiler", "wrong", said, "pip install --force-reinstall counterplay numba llvmlite")]
    if leaves != 3024:
        return [Symptom("compiler", "wrong", f"counts {leaves} leaves instead of 3024", "please report it")]
    return [Symptom("compiler", "ok", "compiles and counts tic-tac-toe correctly")]
