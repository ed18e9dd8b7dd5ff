"""Signs of life: whoever waits for a long check sees that it continues, and no step of it takes forever."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

STEP = 2.0
"""Seconds that a step may take in plain Python; what it has not tried by then it leaves out."""

_beats = 0


def beat() -> None:
    """Record that something was completed."""
    global _beats
    _beats += 1


def beats() -> int:
    """How often that was recorded."""
    return _beats


def within(items: Iterable[T], seconds: float = STEP) -> Iterator[T]:
    """The items until the time is up; each is a sign of life. The clock starts after the first, which may have to
    compile."""
    deadline = 0.0
    for item in items:
        yield item
        beat()
        deadline = deadline or time.monotonic() + seconds
        if time.monotonic() > deadline:
            return
