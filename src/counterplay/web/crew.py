"""The crew: worker processes for searches, so that no search ever blocks a page.

There is one per core. A search that finds all of them busy waits its turn; one whose page was closed, or that is no
longer needed, is stopped, and a worker that does not stop is replaced. A search that exceeds its time is ended the same
way, and so is a worker that has grown too large. The players of a table stay with a worker, which is asked again if it
is free.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Callable
from typing import Any

from counterplay.core.conversation import Data, command, line, read_line
from counterplay.core.errors import CounterplayError
from counterplay.web.admission import SECONDS
from counterplay.web.turns import Turns

GRACE = 1.0
"""Seconds that a search has to end after it is asked to stop."""
READY, SPARE = 240.0, 3.0
"""Seconds to compile; and how far a search may exceed its time before it is ended."""
LINE = 1 << 27
"""The maximum number of bytes of an answer."""


class CrewWorker:
    """One process, started when it is first needed."""

    def __init__(self, compiles: bool = True) -> None:
        self.process: Process | None = None
        self.environment = None if compiles else {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        self.ended: list[Process] = []
        self.tables: set[str] = set()
        """The tables whose players it keeps."""

    async def answer(self, question: Data, news: Callable[[Data], None] | None, seconds: float) -> Data | None:
        """The process's answer; if this is cancelled, the process is stopped, and is idle a moment later at the latest."""
        process = await self.running()
        assert process.stdout is not None
        self.write(question)
        deadline = time.monotonic() + READY
        try:
            while True:
                left = deadline - time.monotonic()
                heard = read_line(await asyncio.wait_for(process.stdout.readline(), max(left, 0.01)))
                if heard is None:
                    self.kill()
                    raise CounterplayError("the search ended early: it exceeded the server's limits")
                if "full" in heard:
                    self.kill()
                if "ready" in heard:
                    deadline = time.monotonic() + seconds + SPARE
                elif "news" in heard:
                    if news:
                        news(heard["news"])
                elif "error" in heard:
                    raise CounterplayError(heard["error"])
                else:
                    return heard["answer"]
        except TimeoutError:
            self.kill()
            raise CounterplayError(f"the search took longer than {seconds:g} seconds and was stopped") from None
        except CounterplayError:
            raise
        except BaseException:  # cancelled, or the listener failed: the search continues without it
            await asyncio.shield(self._quiet(process))
            raise

    def write(self, question: Data) -> None:
        """Send a line, if the process is there to read it."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.write(line(question))

    def stop(self) -> None:
        """Let the running search end with the best so far."""
        self.write({"stop": True})

    async def _quiet(self, process: Process) -> None:
        """Stop the current work, and read the rest of its output."""
        assert process.stdout is not None
        self.stop()
        with contextlib.suppress(asyncio.TimeoutError):
            async with asyncio.timeout(GRACE):
                while heard := read_line(await process.stdout.readline()):
                    if "full" in heard:
                        break
                    if "answer" in heard or "error" in heard:
                        return
        self.kill()

    async def running(self) -> Process:
        """The process, alive."""
        await self.bury()
        if self.process is None or self.process.returncode is not None:
            self.tables.clear()
            self.process = await asyncio.create_subprocess_exec(
                *command("counterplay.web.worker"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                limit=LINE,
                env=self.environment,
            )
        return self.process

    def kill(self) -> None:
        """End the process."""
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            self.ended.append(self.process)
        self.process = None

    async def bury(self) -> None:
        """Wait until all ended processes are gone."""
        while self.ended:
            await self.ended.pop().wait()
            await asyncio.sleep(0)  # its pipes close


class Search:
    """A requested search: it reports news on the way and can be stopped."""

    def __init__(self) -> None:
        self.worker: CrewWorker | None = None
        self.stopped = False

    def stop(self) -> None:
        """Ask for the best so far. A search that does not react is ended."""
        self.stopped = True
        if self.worker is not None:
            self.worker.stop()
            process = self.worker.process
            asyncio.get_running_loop().call_later(GRACE, self._insist, self.worker, process)

    def _insist(self, worker: CrewWorker, process: Process | None) -> None:
        if self.worker is worker and worker.process is process:
            worker.kill()


class Crew:
    """All workers."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size or os.cpu_count() or 1
        self.workers = [CrewWorker() for _ in range(self.size)]
        # The worker used last is the warmest.
        self.turns = Turns(self.workers[::-1], "too many searches are already waiting; try again in a moment")
        self._renewals: set[asyncio.Task[None]] = set()

    async def ask(
        self,
        task: str,
        *,
        news: Callable[[Data], None] | None = None,
        search: Search | None = None,
        seconds: float = SECONDS,
        **question: Any,
    ) -> Data | None:
        """The answer of the next free worker; None if it was stopped before anything was found."""
        table: str | None = question.get("table")
        worker = await self._take(table)
        latest: deque[Data] = deque(maxlen=1)
        try:
            if search is not None:
                if search.stopped:
                    return None
                search.worker = worker

            def listen(heard: Data) -> None:
                latest.append(heard)
                if news:
                    news(heard)

            await worker.running()
            if table is not None:
                worker.tables.add(table)
            return await worker.answer({"task": task, **question}, listen, seconds)
        except CounterplayError:
            if search is not None and search.stopped:
                return latest[-1] if latest else None
            raise
        finally:
            if search is not None:
                search.worker = None
            if worker.process is None:
                renewal = asyncio.create_task(self._renew(worker))
                self._renewals.add(renewal)
                renewal.add_done_callback(self._renewals.discard)
            else:
                self.turns.give_back(worker)

    async def _take(self, table: str | None) -> CrewWorker:
        """A free worker, preferably one that has the table's players; as soon as there is one."""
        return await self.turns.take(
            lambda free: next((i for i, worker in enumerate(free) if table in worker.tables), -1)
        )

    async def _renew(self, worker: CrewWorker) -> None:
        """A new process, started before anyone waits for it."""
        try:
            await worker.running()
        finally:
            self.turns.give_back(worker)

    def leave(self, table: str) -> None:
        """A table is closed: drop its players."""
        for worker in self.workers:
            if table in worker.tables:
                worker.tables.discard(table)
                worker.write({"left": table})

    def forget(self, game: str) -> None:
        """The file of a game was saved: workers reload it before they next use it."""
        for worker in self.workers:
            worker.write({"forget": game})

    async def warm(self) -> None:
        """Start all processes, before anyone waits for them."""
        for worker in self.workers:
            await worker.running()

    async def close(self) -> None:
        """End all processes."""
        for renewal in self._renewals:
            renewal.cancel()
        for worker in self.workers:
            worker.kill()
        for worker in self.workers:
            await worker.bury()
