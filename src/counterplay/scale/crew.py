"""Who works on the units of a job: this process, several processes, or a cluster. Callers need not know which.

`crew_for` hires a crew. Its `map` yields the results of units in order, works on a bounded number of units ahead, and
stops all work if it is left early. `share` sends something large, once to each machine, to all units that name it.
"""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.scale.job import Job, Staying, Work
from counterplay.scale.pipe import Kept, Refused, read_frame, write_frame

AHEAD = 8
"""Units per worker that can be finished or under way before the oldest is."""
MOST_WORKERS = 1024
GLANCE = 0.2
"""Seconds between two looks at whether to stop."""
READY, STOPPED = "ready", "stopped"


class Fleet(NamedTuple):
    """Where a job runs, as the user asks for it."""

    workers: int = 0
    cluster: str = ""
    lanes: int = 0  # the number of streams of units in training; 0: one for each core
    spec: str = ""  # the game, as the user named it

    @property
    def is_asked_for(self) -> bool:
        """Whether it is more than this process alone with one stream."""
        return bool(self.workers or self.cluster or self.lanes)


class WorkCrew:
    """This process alone; crews with more workers inherit from it."""

    size = 1
    """The number of units worked on at the same time."""

    def __init__(self, job: Job | None = None, work: Work | None = None) -> None:
        """A crew for a job, or for `work` that is already set up here."""
        self.job, self._work = job, work

    def __enter__(self) -> WorkCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def map(self, units: Iterable[Any], stop: threading.Event | None = None) -> Generator[Any, None, None]:
        """The results of units, in order. Leaving early stops the work, and so does setting `stop`: results are then
        missing."""
        if self._work is None:
            assert self.job is not None
            self._work = self.job.open()
        if stop is not None and hasattr(self._work, "stop"):
            self._work.stop = stop
        for unit in units:
            if stop is not None and stop.is_set():
                return
            found = self._work(unit)
            yield (found.result, Held(found.state)) if isinstance(found, Staying) else found

    def share(self, value: Any) -> Any:
        """An object whose `get()` returns `value` wherever a unit is worked on."""
        return Held(value)

    def stop(self) -> None:
        """End all work at once; can be called from another thread."""

    def describe(self) -> str:
        """Where units are worked on, in a few words; empty: here."""
        return ""

    def figures(self) -> dict[str, float]:
        """The crew's part of a line of metrics."""
        return {}


class Held:
    """A value in this process."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        """The value."""
        return self._value

    def release(self) -> None:
        """Release it: no unit needs it any more."""


class InOrder:
    """Results put back into the order of their units."""

    def __init__(self, units: Iterable[Any]) -> None:
        self.units = enumerate(units)
        self.sent = self.given = 0
        self.exhausted = False
        self.waiting: dict[int, Any] = {}

    def take(self, ahead: int) -> tuple[int, Any] | None:
        """The next unit with its number; None if there is none, or enough are under way."""
        if self.exhausted or self.sent - self.given >= ahead:
            return None
        found = next(self.units, None)
        if found is None:
            self.exhausted = True
            return None
        self.sent += 1
        return found

    @property
    def is_over(self) -> bool:
        """Whether every unit's result was returned."""
        return self.exhausted and self.given == self.sent

    def put(self, number: int, result: Any) -> Iterator[Any]:
        """Take a result, and yield those whose turn it is. A repeated result is dropped."""
        if number >= self.given:
            self.waiting[number] = result
        while self.given in self.waiting:
            self.given += 1
            yield self.waiting.pop(self.given - 1)


class WorkerProcess:
    """A process that works on units."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "counterplay.scale.worker"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, question: Any) -> Any:
        """Its answer; None if it has died."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            write_frame(self.process.stdin, question)
            answer = read_frame(self.process.stdout)
        except (OSError, ValueError):  # ValueError: closed by another thread
            return None
        if answer is not None and isinstance(answer[0], Refused):
            raise CounterplayError(answer[0].sentence)
        return answer

    def end(self) -> None:
        """End it at once; it ends what it started when its stdin closes."""
        try:
            assert self.process.stdin is not None
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class LocalCrew(WorkCrew):
    """Several processes on this machine. One that dies is replaced, and its unit is worked on again; if that kills the
    next one as well, the job ends with an error."""

    def __init__(self, job: Job, workers: int) -> None:
        super().__init__(job)
        self.job: Job = job
        self.size = workers
        self.workers: list[WorkerProcess] = []
        self.tasks: queue.Queue[tuple[int, Any]] = queue.Queue()
        self.news: queue.Queue[Any] = queue.Queue()
        self.stopped = threading.Event()
        self._started = 0
        self._guard = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def map(self, units: Iterable[Any], stop: threading.Event | None = None) -> Generator[Any, None, None]:
        order = InOrder(units)
        try:
            while not (self.stopped.is_set() or (stop is not None and stop.is_set())):
                while (task := order.take(AHEAD * self.size)) is not None:
                    self.tasks.put(task)
                if order.is_over:
                    return
                if not self._started:
                    self._start()
                try:
                    got = self.news.get(timeout=None if stop is None else GLANCE)
                except queue.Empty:
                    continue
                if isinstance(got, BaseException):
                    raise got
                if got == READY:  # the others start when the first is ready: what it compiled serves all
                    while self._started < min(self.size, order.sent):
                        self._start()
                elif got != STOPPED:
                    yield from order.put(*got)
        finally:
            if not order.is_over:
                self.stop()

    def _start(self) -> None:
        self._started += 1
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        """Keep one worker busy."""
        try:
            worker = self._hire()
            self.news.put(READY)
            while worker is not None:
                number, unit = self.tasks.get()
                answer = None if self.stopped.is_set() else worker.ask(unit)
                if answer is None:
                    worker.end()
                    worker = self._hire()
                    answer = worker.ask(unit) if worker else None
                if answer is not None:
                    self.news.put((number, answer[0]))
                elif worker is not None and not self.stopped.is_set():
                    raise CounterplayError(
                        f"{self.job.unit} {numbered(unit, number)} of {self.job.name} killed its process, twice"
                    )
        except BaseException as wrong:
            self.news.put(wrong)

    def _hire(self) -> WorkerProcess | None:
        """A new worker, ready to work; None if the work has stopped."""
        with self._guard:
            if self.stopped.is_set():
                return None
            worker = WorkerProcess()
            self.workers.append(worker)
        if worker.ask(self.job) is None and not self.stopped.is_set():
            raise CounterplayError(f"a process that was to work on {self.job.name} died before it began")
        return worker

    def share(self, value: Any) -> Any:
        with self._guard:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="counterplay-")
        return Kept.write(Path(self._folder.name), value)

    def stop(self) -> None:
        self.stopped.set()
        self.news.put(STOPPED)
        with self._guard:
            workers, self.workers = self.workers, []
            folder, self._folder = self._folder, None
        for _ in range(self._started):
            self.tasks.put((0, None))
        for worker in workers:
            worker.end()
        if folder is not None:
            folder.cleanup()

    def describe(self) -> str:
        return f"{self.size} processes"

    def figures(self) -> dict[str, float]:
        return {"cores": self.size}


def numbered(unit: Any, number: int) -> int:
    """The number of a unit, counted from 1; its own if it has one."""
    return int(getattr(unit, "number", number)) + 1


def crew_for(job: Job, workers: int = 0, cluster: str = "") -> WorkCrew:
    """The crew for a job: with 0 workers this process, otherwise that many processes; with a `cluster` (auto, an
    address, or local:2x1 for 2 simulated nodes with a core each) all its cores, at least `workers`."""
    if not 0 <= workers <= MOST_WORKERS:
        raise CounterplayError(f"--workers {workers}: from 0 (in this process) to {MOST_WORKERS}")
    require_cluster(cluster)
    if cluster:
        from counterplay.scale.ray_crew import RayCrew

        return RayCrew(job, cluster, workers)
    return LocalCrew(job, workers) if workers else WorkCrew(job)


def require_cluster(text: str) -> None:
    """Refuse a text that does not name a cluster."""
    pattern = r"auto|local:[1-9]\d{0,2}x[1-9]\d{0,2}|(?!local:)[\w.\-\[\]:]+:\d{1,5}"
    if text and not re.fullmatch(pattern, text):
        raise CounterplayError(
            f"--cluster {text!r}: write auto, the address of a Ray cluster such as 192.0.2.7:6379, or local:2x1"
        )
