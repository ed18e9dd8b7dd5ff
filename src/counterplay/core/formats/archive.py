"""Archives: plain arrays and a JSON header in one NumPy file, read without running anything in it."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole


def write_archive(file: Path, head: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write an archive, completely or not at all."""
    import numpy as np

    content = io.BytesIO()
    parts: dict[str, Any] = {"head": np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays}
    np.savez_compressed(content, **parts)
    write_whole(file, content.getvalue())


SMALL, RATIO = 256 << 20, 100
"""The maximum unpacked size of an archive, in bytes, or as a multiple of its own size."""


def require_size(file: Path) -> None:
    """Reject a file that unpacks to far more than its size, before anything is unpacked."""
    with zipfile.ZipFile(file) as archive:
        size = sum(max(part.file_size, _claimed(archive, part)) for part in archive.infolist())
    most = max(SMALL, RATIO * file.stat().st_size)
    if size > most:
        raise CounterplayError(
            f"{str(file)!r} is refused: its {file.stat().st_size:,} bytes would unpack to {size:,}, "
            "far more than any file that Counterplay writes"
        )


def _claimed(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> int:
    """The size in bytes that an array's header declares."""
    import math

    from numpy.lib import format

    with archive.open(part) as stream:
        version = format.read_magic(stream)
        read = format.read_array_header_1_0 if version == (1, 0) else format.read_array_header_2_0
        shape, _, dtype = read(stream)
    return math.prod(shape) * dtype.itemsize


def read_archive(file: Path, format: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The header and the arrays of an archive; None if the file is not an archive of this format."""
    import numpy as np

    try:
        require_size(file)
        with np.load(file, allow_pickle=False) as archive:  # plain arrays only: nothing in the file is run
            arrays = {name: archive[name] for name in archive.files}
        if not all(isinstance(part, np.ndarray) for part in arrays.values()):
            return None  # the file holds something else
        head = json.loads(arrays.pop("head").tobytes())
        return (head, arrays) if head["format"] == format else None
    except CounterplayError:
        raise
    except OSError as wrong:
        raise CounterplayError(f"cannot read {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        MemoryError,  # an array that claims an impossible size
    ):
        return None
