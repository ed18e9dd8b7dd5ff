"""Running a search in its own thread, so that a deadline or Ctrl-C can stop it.

Kernels release Python's lock: while they search, the main thread waits, reports and, when time is up, sets the stop
flag. Several workers can share one table.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

TICK = 0.2
"""Seconds between two reports of a running search."""
GRACE = 3.0
"""Seconds within which a search must stop when asked: it checks at every node."""
STUCK = (
    "time is up, but the game's rules have not returned for {:g} seconds; if one of them loops forever, Ctrl-C "
    "ends it\n"
)


def rehearse(context: Any, search: Callable[[], object]) -> None:
    """Compile, or load from the cache, before the clock starts: a search that is stopped at its first node."""
    context.stop()
    search()
    context.renew()


def run(
    workers: Sequence[Callable[[], None]],
    stop: Callable[[], None],
    seconds: float | None = None,
    report: Callable[[], None] | None = None,
) -> None:
    """Run the workers until the first one ends, time is up or the user interrupts; then stop them and wait for all.
    Rules that never return are reported on stderr."""
    deadline = None if seconds is None else time.perf_counter() + seconds
    failures: list[BaseException] = []
    first_done = threading.Event()

    def guarded(work: Callable[[], None], is_first: bool) -> None:
        try:
            work()
        except BaseException as wrong:
            failures.append(wrong)
            first_done.set()
        finally:
            if is_first:
                first_done.set()

    threads = [
        threading.Thread(target=guarded, args=(work, i == 0), daemon=True, name=f"search {i}")
        for i, work in enumerate(workers)
    ]
    threads = threads[: started(threads)]
    try:
        while not first_done.is_set():
            left = None if deadline is None else deadline - time.perf_counter()
            if left is not None and left <= 0:
                break
            tick = TICK if report else 60.0
            first_done.wait(tick if left is None else min(tick, left))
            if report and not first_done.is_set():
                report()
    except BaseException:  # Ctrl-C works even if the rules never return: the threads are daemons
        stop()
        await_all(threads, GRACE)
        raise
    stop()
    if not await_all(threads, GRACE):
        sys.stderr.write(STUCK.format(GRACE))
        await_all(threads, None)
    if failures:
        raise failures[0]


def beside(work: Callable[[], T], report: Callable[[], None] | None = None) -> T:
    """The result of `work`, which runs in its own thread: Ctrl-C stops waiting for it at once."""
    answer: list[T] = []
    failure: list[BaseException] = []

    def guarded() -> None:
        try:
            answer.append(work())
        except BaseException as wrong:
            failure.append(wrong)

    thread = threading.Thread(target=guarded, daemon=True, name="work")
    thread.start()
    thread.join(TICK / 2)
    while thread.is_alive():
        if report:
            report()
        thread.join(TICK)
    if failure:
        raise failure[0]
    return answer[0]


def started(threads: Sequence[threading.Thread]) -> int:
    """Start threads and return how many. The first must start; if the system cannot start the others, fewer do."""
    for i, thread in enumerate(threads):
        try:
            thread.start()
        except RuntimeError:
            if i == 0:
                raise MemoryError("the system cannot start another thread") from None
            return i
    return len(threads)


def await_all(threads: Sequence[threading.Thread], seconds: float | None) -> bool:
    """Wait until all threads have ended, or for a number of seconds. Returns whether they have."""
    deadline = None if seconds is None else time.perf_counter() + seconds
    for thread in threads:
        thread.join(None if deadline is None else max(0.0, deadline - time.perf_counter()))
    return not any(thread.is_alive() for thread in threads)
