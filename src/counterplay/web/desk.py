"""Threads that open links and requests: moves are replayed there, so even the longest playthrough blocks nobody
else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from counterplay.web.turns import Turns

THREADS = 2
"""The number of threads: rules in plain Python take turns anyway."""

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """A few threads for work that takes time but needs no worker."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(THREADS, "desk")
        self.turns = Turns(range(THREADS), "too many playthroughs are waiting to be opened; try again in a moment")

    async def run(self, work: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """The result of a piece of work, done in a thread."""
        thread = await self.turns.take()
        running = asyncio.get_running_loop().run_in_executor(self.threads, lambda: work(*arguments, **options))

        def done(finished: asyncio.Future[T]) -> None:  # a thread continues even if its visitor has left
            if not finished.cancelled():
                finished.exception()  # the page may be closed
            self.turns.give_back(thread)

        running.add_done_callback(done)
        return await asyncio.shield(running)

    def close(self) -> None:
        """Accept no more work."""
        self.threads.shutdown(wait=False, cancel_futures=True)
