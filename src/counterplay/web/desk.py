"""Where links and requests are opened: moves are played through in threads, so that the longest playthrough keeps nobody
else waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from counterplay.web.crew import Busy

THREADS = 2
"""At once: rules in plain Python take turns anyway."""
MOST_WAITING = 200
"""So many may wait."""

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """A few threads for what takes its time, but not a worker."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(THREADS, "desk")
        self.waiting = 0

    async def run(self, work: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """What comes of a piece of work, beside everything else."""
        if self.waiting >= MOST_WAITING:
            raise Busy("too many playthroughs wait to be opened; try again in a moment")
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.threads, lambda: work(*arguments, **options))
        finally:
            self.waiting -= 1

    def close(self) -> None:
        """Open nothing more."""
        self.threads.shutdown(wait=False, cancel_futures=True)
