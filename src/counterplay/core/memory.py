"""Arrays inside a recursion: `pointer(array)` is the array in Python and a bare pointer compiled; `prefetch` asks for
memory ahead of its use.

An array passed down a recursion is counted at every call, about 15% of a fast search. A kernel that is entered from
Python takes arrays, and hands `pointer(array)` to the recursion below it. With NUMBA_BOUNDSCHECK=1 it stays an
array, so that every access is checked.
"""

from __future__ import annotations

from typing import Any


def pointer(array: Any) -> Any:
    """The memory of `array`, to be indexed like the array itself (one dimension)."""
    return array


def prefetch(array: Any, index: int) -> None:
    """Ask the processor to bring `array[index]` near; it will be needed soon. In Python this is nothing."""
