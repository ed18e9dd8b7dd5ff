"""Arrays inside a recursion: `pointer(array)` is the array in Python and a bare pointer compiled; `prefetch` asks for
memory before it is used; `fetch_add` and `compare_swap` change what several threads share; `cache_lines` allocates a
table.

An array passed down a recursion is reference-counted at every call, about 15% of a fast search. A kernel that is
entered from Python takes arrays, and hands `pointer(array)` to the recursion below it. With NUMBA_BOUNDSCHECK=1 it
stays an array, so that every access is checked.
"""

from __future__ import annotations

import contextlib
from typing import Any


def pointer(array: Any) -> Any:
    """The memory of `array`, to be indexed like the array itself (one dimension)."""
    return array


def prefetch(array: Any, index: int) -> None:
    """Ask the processor to load `array[index]` into its cache; it will be needed soon. In Python this does nothing."""


def fetch_add(array: Any, index: int, amount: Any) -> Any:
    """Add to `array[index]` in one atomic step; returns what it was before."""
    before = array[index]
    array[index] += amount
    return before


def compare_swap(array: Any, index: int, old: int, new: int) -> bool:
    """Set `array[index]`, an integer, to `new` if it is `old`, in one atomic step; returns whether it was. A thread
    that sees `new` there sees everything that was written before it."""
    if array[index] != old:
        return False
    array[index] = new
    return True


def cache_lines(count: int) -> Any:
    """Zeros in `count` lines of the processor's cache, 8 words of 64 bits each: room for a table.

    It is allocated in large pages if the system has them: with small ones, the first write to hundreds of megabytes
    takes seconds, and every access takes longer.
    """
    import mmap

    import numpy as np

    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
    try:
        room = mmap.mmap(-1, 64 * count, **private)  # (shared memory rarely gets large pages)
    except (OSError, OverflowError, ValueError):
        raise MemoryError(f"there is no room for {64 * count:,} bytes") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # some systems have none
            room.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(room, np.int64)
