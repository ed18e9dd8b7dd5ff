"""`cache`: the compiled code on disk, shown or cleared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.result import Result


@dataclass(frozen=True, repr=False)
class Cache(Result):
    """The folder of compiled code and what it holds."""

    folder: Path
    files: int
    bytes: int
    cleared: bool = False  # these files were just removed

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"folder": str(self.folder), "files": self.files, "bytes": self.bytes, "cleared": self.cleared}

    def __str__(self) -> str:
        noun = "kernel" if self.files == 1 else "kernels"
        held = f"{self.files:,} compiled {noun}, {self.bytes / 1e6:,.1f} MB"
        return f"removed {held} from {self.folder}" if self.cleared else f"{held} in {self.folder}"


def cache(*, clear: bool = False) -> Cache:
    """The compiled code on disk; `clear` removes it. Kernels then compile again when they are next used."""
    from counterplay.core.native.cache import cache_folder

    folder = cache_folder()
    files = size = 0
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not is_kernel(file):
            continue
        try:
            bytes_of_it = file.stat().st_size
            if clear:
                file.unlink()
        except FileNotFoundError:  # another process was faster
            continue
        files, size = files + 1, size + bytes_of_it
    return Cache(folder, files, size, clear)


def is_kernel(file: Path) -> bool:
    """Whether a file is ours: NAME-HASH as `core/native/cache.py` writes it, or an unfinished one."""
    _, _, digest = file.name.rpartition("-")
    whole = len(digest) == 32 and not set(digest) - set("0123456789abcdef")
    return file.is_file() and not file.is_symlink() and (whole or file.name.startswith(".part-"))
