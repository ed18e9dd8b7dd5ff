"""Arrays saved during a long build, so that it continues from them if it is killed."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import numpy as np

from counterplay.core.errors import CounterplayError


def keep(file: Path, arrays: tuple[np.ndarray, ...]) -> None:
    """Write arrays atomically."""
    content = io.BytesIO()
    for array in arrays:
        np.save(content, array)
    draft = file.with_suffix(".draft")
    try:
        with draft.open("wb") as opened:
            opened.write(zlib.crc32(content.getbuffer()).to_bytes(4, "big"))
            opened.write(content.getbuffer())
        draft.replace(file)
    except OSError as wrong:
        draft.unlink(missing_ok=True)
        raise CounterplayError(f"cannot write {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}") from None


def kept(file: Path, many: int) -> list[np.ndarray] | None:
    """The arrays in a file; None if it does not exist or is incomplete."""
    try:
        content = memoryview(file.read_bytes())
    except OSError:
        return None
    if int.from_bytes(content[:4], "big") != zlib.crc32(content[4:]):
        return None
    opened = io.BytesIO(content[4:])
    return [np.load(opened, allow_pickle=False) for _ in range(many)]
