"""Games played by several processes at once, each a worker of its own.

A worker that dies is replaced and its game played again; if that kills the next one as well, the match stops and says so.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played
from counterplay.arena.worker import fixture_data, read_played
from counterplay.core.conversation import Data, command, line, read_line
from counterplay.core.errors import CounterplayError

Finished = Callable[[Fixture, Played], bool]
READY, GONE = "ready", "gone"


class GameWorker:
    """A process that plays."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command("counterplay.arena.worker"), stdin=pipe, stdout=pipe)

    def ask(self, question: Data) -> Data | None:
        """What the worker answers; nothing where it has died."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(line(question))
            self.process.stdin.flush()
            answer = read_line(self.process.stdout.readline())
        except (OSError, ValueError):  # ValueError: closed by another thread
            return None
        if answer is not None and "error" in answer:
            raise CounterplayError(answer["error"])
        return answer

    def end(self) -> None:
        """End it, at once; a worker ends its engines when its stdin does."""
        with contextlib.suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Pool:
    """Several workers that play the games of one plan."""

    def __init__(self, plan: Plan, workers: int) -> None:
        self.plan, self.size = plan, workers
        self.workers: list[GameWorker] = []
        self.stopped = threading.Event()
        self._guard = threading.Lock()

    def run(self, fixtures: Iterator[Fixture], finished: Finished) -> None:
        """Play the fixtures, in their order as far as several at once allow; `finished` hears of each, in this thread,
        and ends it all by returning True."""
        news: queue.Queue[Any] = queue.Queue()
        serving, waiting = 1, self.size - 1
        self._start(fixtures, news)
        try:
            while serving:
                got = news.get()
                if isinstance(got, BaseException):
                    raise got
                if got == GONE:
                    serving -= 1
                elif got == READY:  # the others start when the first is ready: what it compiled is compiled for all
                    for _ in range(waiting):
                        self._start(fixtures, news)
                    serving, waiting = serving + waiting, 0
                elif finished(*got):
                    break
        finally:
            self.stop()

    def _start(self, fixtures: Iterator[Fixture], news: queue.Queue[Any]) -> None:
        threading.Thread(target=self._serve, args=(fixtures, news), daemon=True).start()

    def _serve(self, fixtures: Iterator[Fixture], news: queue.Queue[Any]) -> None:
        """Keep one worker busy."""
        try:
            worker = self._hire()
            news.put(READY)
            while worker is not None:
                with self._guard:
                    fixture = next(fixtures, None)
                if fixture is None:
                    break
                answer = worker.ask(fixture_data(fixture))
                if answer is None:
                    worker.end()
                    worker = self._hire()
                    answer = worker.ask(fixture_data(fixture)) if worker else None
                if answer is not None:
                    news.put((fixture, read_played(answer)))
                elif worker is not None and not self.stopped.is_set():
                    names = " and ".join(self.plan.contestants[i] for i in fixture.seats)
                    raise CounterplayError(f"game {fixture.number + 1} of {names} killed its process, twice")
        except BaseException as wrong:
            news.put(wrong)
        else:
            news.put(GONE)

    def _hire(self) -> GameWorker | None:
        """A new worker, ready to play; none where the match has stopped."""
        with self._guard:
            if self.stopped.is_set():
                return None
            worker = GameWorker()
            self.workers.append(worker)
        if worker.ask(self.plan.as_data()) is None and not self.stopped.is_set():
            raise CounterplayError("a process that was to play died before it began")
        return worker

    def stop(self) -> None:
        """End all workers, at once."""
        self.stopped.set()
        with self._guard:
            workers, self.workers = self.workers, []
        for worker in workers:
            worker.end()
