"""Files read whole, and written whole: at once or not at all, so that whoever reads one, or pulls the plug, never meets a
part."""

from __future__ import annotations

import os
from pathlib import Path

from counterplay.core.errors import CounterplayError


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file at once or not at all; what is no plain file, such as a pipe, is written to as it is."""
    if not path.name:
        raise CounterplayError(f"cannot write {str(path)!r}: it is no name of a file")
    content = data.encode() if isinstance(data, str) else data
    target = path.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        try:
            part.write_bytes(content)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as wrong:
        raise CounterplayError(f"cannot write {str(path)!r}: {(wrong.strerror or str(wrong)).lower()}") from None


def read_whole(path: Path) -> bytes:
    """What is in a file."""
    try:
        return path.read_bytes()
    except OSError as wrong:
        raise CounterplayError(f"cannot read {str(path)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
