"""`replaced(t, i, value)`: a tuple with one element changed, in Python and compiled."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def replaced(t: tuple[T, ...], i: int, value: T) -> tuple[T, ...]:
    """The tuple `t` with `value` at index `i`. For rows of rows, call it twice: `replaced(rows, y, replaced(rows[y], x,
    value))`."""
    if type(t) is not tuple:
        raise TypeError(f"replaced(t, i, value) changes a tuple, not a {type(t).__name__}; a state has `_replace`")
    if not -len(t) <= i < len(t):
        raise IndexError(f"replaced(t, {i}, value): t has {len(t)} elements, so i is from 0 to {len(t) - 1}")
    i %= len(t)
    return (*t[:i], value, *t[i + 1 :])
