"""Compiled kernels on disk: one file for each kernel and game, named by the hash of all that went into it.

An old file is never used once a rule, a helper, a table's layout, this package's compiler or the machine has changed,
because the name changes with them. A truncated file fails its checksum and is written again. If the folder cannot be
written, everything still works, compiled again in each process, and one line says so. The same holds if the folder is
another user's or others can write to it: what is loaded is run, so it must be our own.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import platform
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
from numba.core import compiler, serialize

from counterplay.core.fingerprint import Fingerprint
from counterplay.core.formats.text import shorten
from counterplay.core.native import interrupts
from counterplay.core.native.game import GameType

PATIENCE = 1.0
"""A message is shown after this many seconds of compiling."""


class _Compiling(threading.local):
    """The kernels that this thread is compiling, outermost first. Only that one is kept, with everything that it calls
    inside it."""

    def __init__(self) -> None:
        self.kernels: list[KernelCache] = []


_compiling = _Compiling()

_outermost: set[KernelCache] = set()
"""The kernels that any thread is compiling."""


def is_compiling() -> bool:
    """Whether any thread is compiling a kernel."""
    return bool(_outermost)


_told: set[str] = set()


def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    chosen = os.environ.get("COUNTERPLAY_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "counterplay"


@functools.cache
def toolchain() -> str:
    """A hash of what compiles: our compiler and its language, Numba, LLVM, Python, and the options that change code.

    Each kernel's own fingerprint covers what is compiled, including this package's kernels and rules."""
    core = Path(__file__).parent.parent
    mark = Fingerprint().of(numba.__version__, llvmlite.__version__, sys.version, platform.machine())
    mark.of(sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_")))
    sources = {core / "fingerprint.py", *core.glob("native/*.py"), *core.glob("language/*.py")}
    for source in sorted(sources - {core / "native" / "explain.py"}):  # it only words errors
        mark.of(str(source.relative_to(core)), source.read_bytes())
    return mark.hexdigest()


class KernelCache:
    """The cache that Numba's dispatcher asks before it compiles and updates afterwards; one for each kernel."""

    cache_path = None

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self._note: Note | None = None

    @functools.cached_property
    def _mark(self) -> str:
        return Fingerprint().of(self.function).hexdigest()

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    def file(self, sig: Any, codegen: Any) -> Path:
        """The file of one specialisation."""
        args = sig if isinstance(sig, tuple) else sig.args
        told = "\n".join([toolchain(), self._mark, *map(str, args), str(codegen.magic_tuple())])
        digest = hashlib.sha256(told.encode()).hexdigest()[:32]
        return cache_folder() / f"{self.function.__name__.strip('_')}-{digest}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel from disk, or None, and then Numba compiles it."""
        target_context.refresh()
        if not _compiling.kernels:
            payload = read(self.file(sig, target_context.codegen()))
            if payload is not None:
                return compiler.CompileResult._rebuild(target_context, *payload)
            self._note = Note(self.function.__name__.strip("_"), sig)
            _outermost.add(self)
            interrupts.defer()
        _compiling.kernels.append(self)
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Save a freshly compiled kernel if it is the outermost."""
        _compiling.kernels.pop()
        if _compiling.kernels:
            return
        self.end_note(done=True)
        if can_be_kept(result):
            write(self.file(sig, result.codegen), result._reduce())
        interrupts.resume()

    def end_note(self, done: bool) -> None:
        """Finish the note: compiling is over."""
        if self._note is not None:
            self._note.end(done)
            self._note = None
            _outermost.discard(self)


class Note:
    """A line for the person who waits: what is being compiled and, at the end, how long it took."""

    def __init__(self, kernel: str, sig: Any) -> None:
        args = sig if isinstance(sig, tuple) else sig.args
        game = next((ty.game.spec for ty in args if isinstance(ty, GameType)), "")
        self.what = f"{kernel} for {shorten(game)}" if game else kernel
        self.began = time.perf_counter()
        self._lock, self._begun, self._ended = threading.Lock(), False, False
        self._timer = threading.Timer(PATIENCE, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def _begin(self) -> None:
        with self._lock:
            if not self._ended:
                self._begun = True
                print(f"compiling {self.what}, once ...", end="", file=sys.stderr, flush=True)

    def end(self, done: bool) -> None:
        """Say how long it took, if anything was said."""
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._begun:
                told = f"{time.perf_counter() - self.began:.1f} s" if done else "not finished"
                print(f" {told}", file=sys.stderr, flush=True)


def can_be_kept(result: Any) -> bool:
    """Whether another process can load a compiled kernel."""
    return not result.library.has_dynamic_globals and all(part.can_cache for part in result.lifted)


def abandon() -> bool:
    """Forget what this thread was compiling, after an error; returns whether it was compiling."""
    compiling = bool(_compiling.kernels)
    while _compiling.kernels:
        _compiling.kernels.pop().end_note(done=False)
    interrupts.resume()
    return compiling


def is_ours(folder: Path) -> bool:
    """Whether only this user can write to the folder, which is created if it is missing; if others can, one sentence
    says so."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not hasattr(os, "geteuid"):  # not on every system
        return True
    about = folder.stat()
    if about.st_uid == os.geteuid() and not about.st_mode & 0o022:
        return True
    if "trust" not in _told:
        _told.add("trust")
        why = "others may write there" if about.st_uid == os.geteuid() else "it belongs to another user"
        print(
            f"the cache of compiled code in {folder} is refused ({why}): every start recompiles; "
            "set COUNTERPLAY_CACHE to a folder of your own with mode 700",
            file=sys.stderr,
        )
    return False


def read(path: Path) -> Any:
    """The payload of a cache file; None if it is missing, damaged or not to be trusted."""
    try:
        if not is_ours(path.parent):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        return None
    try:
        return pickle.loads(data[32:])
    except Exception:  # whatever a foreign pickle raises: the kernel is compiled again
        return None


def write(path: Path, payload: Any) -> None:
    """Write a cache file completely or not at all."""
    data = serialize.dumps(payload)
    try:
        if not is_ours(path.parent):
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(hashlib.sha256(data).digest() + data)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as wrong:
        if "cache" not in _told:
            _told.add("cache")
            reason = wrong.strerror or wrong
            print(f"cannot keep compiled code in {path.parent} ({reason}): every start recompiles", file=sys.stderr)
