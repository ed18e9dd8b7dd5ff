"""A job: a stream of independent units of work, and what they all share.

A unit is a pure function of what the job shares and of its own plan and seed, so it does not matter where or how often
it is worked on. The job names a workshop, a function that is called once in each process with what is shared, and
returns the function that works on a unit. The process that began the job merges results in the order of the plan, and
only it writes files.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.fingerprint import rules_mark
from counterplay.core.game import Game
from counterplay.core.registry import load, names_file, parts_of

Work = Callable[[Any], Any]
"""The function that works on a unit. It can have `is_spent()`, whether the process should be replaced before the next
unit, `close()`, called before the process ends, and `stop`, an event that ends a unit of this process early."""


class Job(NamedTuple):
    """What all units of a job share. Everything in it can be pickled."""

    name: str  # what people call it: "the match"
    workshop: str  # module:function
    shared: Any  # the function's argument
    unit: str = "part"  # what people call a unit
    stays: bool = False  # whether units return `Staying`

    def open(self) -> Work:
        """Set up the workshop in this process."""
        module, _, function = self.workshop.partition(":")
        work: Work = getattr(importlib.import_module(module), function)(self.shared)
        return work


class Staying(NamedTuple):
    """A unit's result, and what stays where it was worked on until another unit needs it. A crew's `map` yields both:
    what stays as an object with a `get()`. A unit whose `near` is such an object is worked on close to it if
    possible."""

    result: Any
    state: Any


class GameParcel(NamedTuple):
    """A game as it is sent: its spec and, if that names a file, the file and the modules beside it."""

    spec: str
    files: dict[str, bytes]
    mark: str  # a hash of the rules, which must be the same everywhere

    def open(self) -> Game:
        """The game in this process; refused if its rules differ."""
        spec = self.spec
        if self.files and not self.is_here():
            name = parts_of(spec)[0]
            spec = str(self.unpacked() / Path(name).name) + spec[len(name) :]
        game = load(spec)
        if rules_mark(game) != self.mark:
            raise CounterplayError(
                f"{self.spec} has different rules on {platform.node()} than where the job was started: install the same "
                "release of the game on all nodes"
            )
        return game

    def is_here(self) -> bool:
        """Whether the file, with everything sent along, is where the spec says."""
        folder = Path(parts_of(self.spec)[0]).expanduser().resolve().parent
        try:
            return all((folder / name).read_bytes() == text for name, text in self.files.items())
        except OSError:
            return False

    def unpacked(self) -> Path:
        """A folder with the files, named by their content."""
        told = hashlib.sha256(repr(sorted(self.files.items())).encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"counterplay-{os.getuid() if hasattr(os, 'getuid') else 0}" / told
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in self.files.items():
            if not (folder / name).exists():
                part = folder / f"{name}.{os.getpid()}"
                part.write_bytes(text)
                part.replace(folder / name)
        return folder


def parcel(game: Game, spec: str = "") -> GameParcel:
    """A game ready to send; `spec` is how the user named it, which other processes can load."""
    spec = spec or game.spec
    files = {}
    if names_file(spec):
        path = Path(parts_of(spec)[0]).expanduser().resolve()
        wanted = [path, *(each for each in sorted(path.parent.glob("*.py")) if is_imported(each))]
        files = {each.name: each.read_bytes() for each in wanted}
        spec = str(path) + spec[len(parts_of(spec)[0]) :]
    return GameParcel(spec, files, rules_mark(game))


def is_imported(file: Path) -> bool:
    """Whether a module of this process was read from a file."""
    return any(getattr(module, "__file__", None) == str(file) for module in list(sys.modules.values()))


@functools.cache
def package_mark() -> tuple[str, str]:
    """This release of the package: its version, and a hash of its sources."""
    root, told = Path(__file__).parents[1], hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        told.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return str(sys.modules["counterplay"].__version__), told.hexdigest()[:12]


def require_same_package(there: tuple[str, str]) -> None:
    """Refuse to work for another release of the package; `there` is the release that began the job."""
    here = package_mark()
    if here != there:
        raise CounterplayError(
            f"{platform.node()} has Counterplay {here[0]} (sources {here[1]}), and the job was started with {there[0]} "
            f"(sources {there[1]}): install the same on all nodes"
        )
