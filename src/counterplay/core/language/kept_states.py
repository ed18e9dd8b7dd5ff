"""States that stay in memory between two calls of a kernel, and what is known about a position as a row of numbers.

Compiled (`native/kept_states.py`), a state is copied to words of memory as it is; plain, it is an element of a list.
"""

from __future__ import annotations

from math import prod
from typing import Any

LAYOUT = 2
"""The version of what the compiled half writes: raise it when that changes, so that no old code is loaded."""


def keep_state(room: Any, index: int, s: Any, layout: int = LAYOUT) -> None:
    """Keep `s` as number `index`."""
    room[index] = s


def kept_state(room: Any, index: int, game: Any, layout: int = LAYOUT) -> Any:
    """The state of `game` that was kept as number `index`."""
    return room[index]


def write_numbers(out: Any, start: int, value: Any, layout: int = LAYOUT) -> None:
    """Write all numbers in `value` (a number, or a tuple of such values) to `out` from `start` on, each in one word of
    64 bits or, if it is wider, in several, the lowest first."""
    for i, word in enumerate(words_of(value)):
        out[start + i] = word


def zeroed_row(memory: Any, index: int, shape: Any, layout: int = LAYOUT) -> Any:
    """Array number `index` of the arrays of this shape in `memory`, filled with zeros."""
    size = prod(shape)
    row = memory[index * size : (index + 1) * size].reshape(shape)
    row[...] = 0
    return row


def words_of(value: Any) -> list[int]:
    """The same as a list."""
    from counterplay.core.language.wide import WideInt

    if isinstance(value, tuple):
        return [word for part in value for word in words_of(part)]
    if isinstance(value, WideInt):
        return [signed(int(value) >> 64 * i) for i in range(-(-type(value).width // 64))]
    if isinstance(value, float):
        import struct

        return [int(struct.unpack("<q", struct.pack("<d", value))[0])]
    return [signed(int(value))]


def signed(word: int) -> int:
    """The lowest 64 bits of a number as a signed one."""
    return (word + (1 << 63)) % (1 << 64) - (1 << 63)
