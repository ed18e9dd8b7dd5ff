"""Signs of life: whoever waits for an examination sees that it continues, and no step of it takes forever."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

STEP = 2.0
"""Seconds that a step may take in plain Python; what it has not tried by then it leaves out."""

_beats = 0


def beat() -> None:
    """Say that something was completed."""
    global _beats
    _beats += 1


def beats() -> int:
    """How often that was said."""
    return _beats


def within(items: Iterable[T], seconds: float = STEP) -> Iterator[T]:
    """The items until the time is up, which begins after the first, for which something may be compiled; each is a sign
    of life."""
    deadline = 0.0
    for item in items:
        yield item
        beat()
        deadline = deadline or time.monotonic() + seconds
        if time.monotonic() > deadline:
            return
