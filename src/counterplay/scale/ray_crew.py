"""A crew on a Ray cluster: units are Ray tasks, so Ray decides where they run, moves what they need and runs them again.

Short units go in packs that last about half a second. If a unit's process or node dies, Ray retries the task. A unit that
takes far longer than any before it is also given to another worker, and whichever answers first counts: units are pure,
so working on one twice does no harm.
"""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from collections.abc import Generator, Iterable
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.scale.cluster import Cluster, require_ray
from counterplay.scale.crew import AHEAD, InOrder, WorkCrew, numbered
from counterplay.scale.job import Job, Staying, package_mark, require_same_package
from counterplay.scale.pipe import Refused, attempt, close, is_spent

RETRIES = 3
"""How often a unit is retried after its process or node died."""
PATIENCE, TIMES = 60.0, 10.0
"""A unit is given to another worker after this many seconds, if that is also this many times longer than any before;
the first units, which compile, get ten times as long."""
PACK_SECONDS, LARGEST_PACK = 0.5, 256
LOOK = 2.0
"""Seconds between two looks at how many cores there are."""


class PackAnswer(NamedTuple):
    """The results of a pack."""

    results: bytes  # pickled: reading them keeps nothing in the object store
    seconds: float  # of work, without setting up the workshop
    node: str


class Pace:
    """How long a unit takes, judging by the latest packs: each has half the weight of the next."""

    def __init__(self) -> None:
        self.seconds = self.units = 0.0

    def note(self, units: int, seconds: float) -> None:
        """Record that a pack is done."""
        self.seconds, self.units = self.seconds / 2 + seconds, self.units / 2 + units

    @property
    def pack(self) -> int:
        """How many units take about half a second; one until any is done."""
        return max(1, min(LARGEST_PACK, int(PACK_SECONDS * self.units / max(self.seconds, 1e-6))))


class Pack:
    """Units under way together."""

    def __init__(self, units: list[tuple[int, Any]]) -> None:
        self.units, self.since, self.copies = units, time.monotonic(), list[Any]()
        self.left: dict[Any, Any] = {}  # what its copies leave behind


class InStore:
    """A value in Ray's object store, which each node fetches once."""

    def __init__(self, ref: Any, index: int | None = None) -> None:
        self.ref: Any = ref
        self.index = index  # in a list of values

    def get(self) -> Any:
        """The value."""
        found = require_ray().get(self.ref)
        return found if self.index is None else found[self.index]

    def release(self) -> None:
        """Release it: no unit needs it any more."""
        self.ref = None


_open: dict[str, Any] = {}


def work_on(key: str, job: list[Any], mark: tuple[str, str], units: list[Any], *near: Any) -> Any:
    """Work on a pack, in whatever process Ray chooses; the workshop stays open for the next. Ray prefers the node that
    holds `near`. What units leave behind is a second value, which stays on the node."""
    import os

    ray = require_ray()
    node = ray.get_runtime_context().get_node_id()
    try:
        require_same_package(mark)
        if key not in _open:
            while _open:
                close(_open.popitem()[1])
            _open[key] = ray.get(job[0]).open()
    except CounterplayError as wrong:
        refused = PackAnswer(pickle.dumps([Refused(str(wrong))] * len(units)), 0.0, node)
        return (refused, []) if ray.get(job[0]).stays else refused
    work, started, results = _open[key], time.perf_counter(), []
    for unit in units:
        if is_spent(work):
            close(work)
            os._exit(0)  # Ray gives it to another process, which has its core to itself
        results.append(attempt(work, unit))
    left = [each.state for each in results if isinstance(each, Staying)]
    told = [each.result if isinstance(each, Staying) else each for each in results]
    answer = PackAnswer(pickle.dumps(told, pickle.HIGHEST_PROTOCOL), time.perf_counter() - started, node)
    return (answer, left) if ray.get(job[0]).stays else answer


class RayCrew(WorkCrew):
    """All cores of a cluster."""

    def __init__(self, job: Job, address: str, least: int = 0, patience: float = PATIENCE) -> None:
        super().__init__(job)
        self.job: Job = job
        self.ray, self.cluster, self.patience = require_ray(), Cluster(address), patience
        self.stopped, self.pending = threading.Event(), dict[Any, Pack]()
        self.nodes_used, self.done, self.work_seconds, self.pace = set[str](), 0, 0.0, Pace()
        self.began = time.monotonic()
        self._cores, self._looked = self.cluster.cores, self.began
        try:
            if not self._cores:
                raise CounterplayError("the cluster has no cores for tasks: add a node with at least one")
            if self._cores < least:
                raise CounterplayError(
                    f"the cluster has {self._cores} {'core' if self._cores == 1 else 'cores'}, and --workers asks for "
                    f"{least}: add nodes, or ask for fewer"
                )
            self._key, self._job = uuid.uuid4().hex, self.ray.put(job)
            self._task = self.ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(work_on)
            if job.stays:  # without retries, Ray keeps nothing of earlier tasks
                self._task = self._task.options(num_returns=2, max_retries=0)
        except BaseException:
            self.cluster.close()
            raise

    @property
    def size(self) -> int:  # type: ignore[override]
        """All cores, including those of nodes that joined late."""
        if time.monotonic() - self._looked > LOOK:
            self._cores, self._looked = max(1, self.cluster.cores), time.monotonic()
        return self._cores

    def map(self, units: Iterable[Any], stop: threading.Event | None = None) -> Generator[Any, None, None]:
        order, longest = InOrder(units), 0.0
        try:
            while not (self.stopped.is_set() or (stop is not None and stop.is_set())):
                wanted = 1 if self.job.stays else self.pace.pack
                free, tasks = 2 * self.size - len(self.pending), list[tuple[int, Any]]()
                while len(tasks) < wanted * free and (task := order.take(AHEAD * self.size * wanted)) is not None:
                    tasks.append(task)
                for k in range(min(free, len(tasks))):  # if few are left, all cores get a share
                    self._submit(Pack(tasks[k::free]))
                if order.is_over:
                    return
                ready, _ = self.ray.wait(list(self.pending), timeout=0.5, fetch_local=True)
                for ref in ready:
                    pack_done = self.pending.get(ref)
                    answer = None if pack_done is None else self._answer(ref, pack_done)
                    if pack_done is None or answer is None:
                        continue
                    longest = max(longest, time.monotonic() - pack_done.since)
                    self.pace.note(len(pack_done.units), answer.seconds)
                    results = pickle.loads(answer.results)
                    for i, ((number, _unit), result) in enumerate(zip(pack_done.units, results, strict=True)):
                        if isinstance(result, Refused):
                            raise CounterplayError(result.sentence)
                        left = pack_done.left.get(ref)
                        yield from order.put(number, result if left is None else (result, InStore(left, i)))
                self._hurry(longest)
        finally:
            if not order.is_over:
                self._cancel()

    def _submit(self, pack: Pack, spread: bool = False) -> None:
        """Hand a pack to Ray."""
        task = self._task.options(scheduling_strategy="SPREAD") if spread else self._task
        units = [unit for _, unit in pack.units]
        near = [unit.near.ref for unit in units if getattr(unit, "near", None) is not None]
        ref = task.remote(self._key, [self._job], package_mark(), units, *near)
        if self.job.stays:
            ref, left = ref
            pack.left[ref] = left
        pack.copies.append(ref)
        self.pending[ref] = pack

    def _answer(self, ref: Any, pack: Pack) -> PackAnswer | None:
        """The answer of a pack, whose other copies are cancelled; None if only this copy failed."""
        errors = self.ray.exceptions
        try:
            answer: PackAnswer = self.ray.get(ref)
        except errors.TaskCancelledError:
            self.pending.pop(ref, None)
            return None
        except errors.RayTaskError as wrong:
            raise CounterplayError(f"{self.job.name} failed on a node: {cause(wrong)}") from None
        except errors.RayError as wrong:
            self.pending.pop(ref, None)
            if any(other in self.pending for other in pack.copies):
                return None
            if self.job.stays:
                raise CounterplayError(
                    f"a process or node died, and with it what {self.job.name} kept there ({type(wrong).__name__}): the "
                    "same command continues from what was saved"
                ) from None
            first = numbered(pack.units[0][1], pack.units[0][0])
            raise CounterplayError(
                f"{self.job.unit} {first} of {self.job.name} killed its process {RETRIES + 1} times "
                f"({type(wrong).__name__}); Ray's log is in {self.cluster.logs}"
            ) from None
        for other in pack.copies:
            if self.pending.pop(other, None) is not None and other is not ref:
                self.ray.cancel(other, force=True)
        self.nodes_used.add(answer.node)
        self.done += len(pack.units)
        self.work_seconds += answer.seconds
        return answer

    def _hurry(self, longest: float) -> None:
        """Give packs that take too long to another worker as well."""
        limit = max(self.patience, TIMES * longest) if longest else 10 * self.patience
        for pack in {id(pack): pack for pack in self.pending.values()}.values():
            if time.monotonic() - pack.since > limit * len(pack.copies) and len(pack.copies) <= RETRIES:
                self._submit(pack, spread=True)

    def _cancel(self) -> None:
        """Cancel everything under way."""
        pending, self.pending = list(self.pending), {}
        for ref in pending:
            self.ray.cancel(ref, force=True)

    def share(self, value: Any) -> Any:
        return InStore(self.ray.put(value))

    def stop(self) -> None:
        if not self.stopped.is_set():
            self.stopped.set()
            if self.ray.is_initialized():
                self._cancel()
            self.cluster.close()

    def describe(self) -> str:
        nodes = self.cluster.nodes
        return f"{self.size} cores of {nodes} {'node' if nodes == 1 else 'nodes'}"

    def figures(self) -> dict[str, float]:
        passed = (time.monotonic() - self.began) * self.size
        told = {"nodes": len(self.nodes_used), "cores": self.size, "busy": round(self.work_seconds / passed, 3)}
        store = self.cluster.store()
        return told if store is None else told | {"spilled": store[1]}


def cause(wrong: Any) -> str:
    """Why a task failed, in one line."""
    text = str(getattr(wrong, "cause", wrong) or wrong).strip().splitlines()[-1]
    if "No module named 'counterplay" in str(wrong):
        return "Counterplay is not installed there; install the same release on all nodes"
    return text[:300]
