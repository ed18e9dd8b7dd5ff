"""Work shared among threads; compiled code releases the lock that Python threads share."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from counterplay.core.errors import CounterplayError

T = TypeVar("T")


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_threads(threads: int | None) -> int:
    """A number of threads; by default, all cores."""
    if threads is None:
        return cores()
    if not 1 <= threads <= 256:
        raise CounterplayError(f"--threads {threads}: from 1 to 256")
    return threads


def share_out(work: Callable[[T], object], items: Iterable[T], threads: int) -> None:
    """Call `work` for each item, several at once. The first failure stops the rest; calls under way finish."""
    rest, lock, failures = iter(items), threading.Lock(), list[BaseException]()

    def run() -> None:
        while not failures:
            with lock:
                item = next(rest, rest)
            if item is rest:
                return
            try:
                work(item)  # type: ignore[arg-type]  # an item, since it is not the iterator itself
            except BaseException as wrong:
                failures.append(wrong)

    if threads == 1:
        run()
    else:
        started = [threading.Thread(target=run, daemon=True, name=f"tables {i}") for i in range(threads)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
    if failures:
        raise failures[0]


def ranges(size: int, parts: int) -> list[tuple[int, int]]:
    """The numbers below `size` in ranges of similar length, from the first to before the second."""
    cuts = [size * i // parts for i in range(parts + 1)]
    return [(low, high) for low, high in itertools.pairwise(cuts) if low < high]


def pieces(back: np.ndarray, n: int, room: int) -> Iterator[tuple[int, int]]:
    """Ranges of nodes with at most `room` predecessors together, provided that each node has fewer."""
    low = 0
    while low < n:
        high = int(np.searchsorted(back[1 : n + 2], back[low + 1] + room, "right")) - 1
        high = min(n, max(low + 1, high))
        yield low, high
        low = high
