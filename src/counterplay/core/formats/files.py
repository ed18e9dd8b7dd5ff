"""Files read whole, and written completely or not at all: no reader, and no power failure, ever sees a part."""

from __future__ import annotations

import contextlib
import os
import time
from glob import escape
from pathlib import Path
from typing import IO

from counterplay.core.errors import CounterplayError

STALE = 600.0
"""Seconds without change after which a partial file counts as left behind by a killed writer."""


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file completely or not at all; anything that is not a regular file, such as a pipe, is written to
    directly."""
    _require_name(path)
    content = data.encode() if isinstance(data, str) else data
    target = path.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        remove_stale(target)
        try:
            with open(part, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # else the new name might survive a power cut without the content
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as wrong:
        raise CounterplayError(f"cannot write {str(path)!r}: {(wrong.strerror or str(wrong)).lower()}") from None


def _require_name(path: Path) -> None:
    if not path.name:
        raise CounterplayError(f"cannot write {str(path)!r}: it is not a file name")


def remove_stale(target: Path) -> None:
    """Remove the files that killed writers of `target` left behind."""
    for part in target.parent.glob(f".{escape(target.name)}.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > STALE:
                part.unlink()


def read_whole(path: Path) -> bytes:
    """The content of a file."""
    try:
        return path.read_bytes()
    except OSError as wrong:
        raise CounterplayError(f"cannot read {str(path)!r}: {(wrong.strerror or str(wrong)).lower()}") from None


def require_writable(path: Path) -> None:
    """Reject a file that cannot be written, before hours of work; an existing file stays unchanged."""
    _require_name(path)
    is_new = not path.exists()
    if not is_new and not path.is_file() and not path.is_dir():
        return  # a pipe or a device: whoever reads it must not see it opened and closed
    try:
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as wrong:
        raise CounterplayError(f"cannot write {str(path)!r}: {(wrong.strerror or str(wrong)).lower()}") from None


def hold(path: Path, refusal: str) -> IO[bytes] | None:
    """Lock a file for this process until the returned file is closed; if another process holds it, raise `refusal`."""
    try:
        import fcntl
    except ImportError:  # not on every system
        return None
    file = open(path, "rb")  # noqa: SIM115 (open as long as it is held)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise CounterplayError(refusal) from None
    return file


def is_held(path: Path) -> bool:
    """Whether a process has locked a file by `hold`."""
    try:
        import fcntl
    except ImportError:  # not on every system
        return False
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
