"""A Ray cluster of two simulated nodes with one core each against one process on one core, in one run, beside two
separate processes, which is all that the machine can give; then the finished games per second that the process that
owns the file can store, and simulated work on one to eight nodes.

Everything is measured by the wall clock, which is what a cluster is for: on a busy machine, these figures mean nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Comparison, Differs, Outcome, Skipped
from counterplay import load
from counterplay.arena.event import Event
from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played
from counterplay.arena.store import Store
from counterplay.arena.worker import event_job, play_fixture
from counterplay.core.errors import CounterplayError
from counterplay.equilibrium.mccfr import MEGABYTES, Sampler, learned
from counterplay.equilibrium.sampling_rounds import SHARE, SamplingRounds, sampling_job
from counterplay.scale.crew import Fleet, WorkCrew
from counterplay.scale.job import Job

NAME = "scale"
ONE, IDEAL = "one process, one core", "all cores at work"
TWICE, OVERHEAD, FINISHED = 1.8, 0.97, 1000.0
"""The required speedup of two nodes, the required share of the ideal, and games per second."""
NODES, LENGTHS = (1, 2, 4, 8), (1.0, 0.05, 0.002)
"""The numbers of simulated nodes, and the seconds of a unit there."""
TWO, TURNS = 2, 3
ROUNDS = 4
PARTS = ("matches", "samples", "alphazero", "finished", "nodes")
"""The parts that can be measured separately."""


def run(quick: bool, parts: Sequence[str] = ()) -> Iterator[Outcome]:
    """One cluster for all, which grows."""
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise CounterplayError(f"{NAME} has no part {unknown[0]!r}; it has {', '.join(PARTS)}")
    try:
        from counterplay.scale.cluster import Cluster, require_ray, simulated

        require_ray()
    except CounterplayError as missing:
        yield Skipped(NAME, "two nodes of one core each", ONE, str(missing))
        return
    here = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(here)  # so that workers find the workshops below
    os.environ.setdefault("RAY_worker_niceness", "0")  # like the processes that they are compared with
    nodes = simulated(1, 1)
    try:
        with contextlib.closing(Cluster(nodes.address)):
            for number in NODES[:2] if quick else NODES:
                while len(nodes.list_all_nodes()) < number:
                    nodes.add_node(num_cpus=1, object_store_memory=80 << 20)
                if number == TWO:
                    yield from with_two(nodes.address, quick, parts or PARTS)
                if not parts or "nodes" in parts:
                    for seconds in LENGTHS:
                        yield sleeping(nodes.address, number, seconds, 2 if quick else 6)
                elif number == TWO:
                    return
    finally:
        nodes.shutdown()


def with_two(address: str, quick: bool, parts: Sequence[str]) -> Iterator[Outcome]:
    """The measurements on two nodes."""
    turns = 1 if quick else TURNS
    if "matches" in parts:
        yield from compared("matches", 6 if quick else 160, address, "games", "games of connect-four", turns)
    if "samples" in parts:
        amount = 200 if quick else 2 * a_second_of_samples()
        yield from compared("samples", amount, address, "samples", "samples of leduc-poker", turns)
    if "alphazero" in parts:
        yield from compared("alphazero", 512 if quick else 6144, address, "positions", "positions by AlphaZero", turns)
    if "finished" in parts:
        yield finished(address, 500 if quick else 20_000)


def compared(part: str, amount: int, address: str, unit: str, label: str, turns: int) -> Iterator[Outcome]:
    """The same work by one process, by the cluster, and by two separate processes, in turns; the best of each counts."""
    best: dict[str, float] = {}
    with contextlib.ExitStack() as stack:
        one, *two = (stack.enter_context(Alone(part, amount, core)) for core in (0, 0, 1))
        steps = stack.enter_context(contextlib.closing(WORK[part](amount, address)))
        next(steps)  # the setup is done
        for _ in range(turns):
            (alone,) = together(one)
            seconds, (done, found) = timed(lambda: next(steps))
            both = together(*two)
            if marked(found) != alone["mark"] or done != alone["done"]:
                yield Differs(NAME, f"{done:,} {label}", ONE, "what came of it is not the same")
                return
            ceiling = sum(each["done"] for each in both) / max(each["seconds"] for each in both)
            paces = {"one": done / alone["seconds"], "cluster": done / seconds, "two": ceiling}
            best = {name: max(pace, best.get(name, 0.0)) for name, pace in paces.items()}
    yield Comparison(NAME, f"{done:,} {label}", unit, best["cluster"], ONE, best["one"], TWICE)
    yield Comparison(NAME, "  the same by two separate processes", unit, best["two"], ONE, best["one"], None)


class Alone:
    """A process with a core of its own that does the work whenever it is asked to."""

    def __init__(self, part: str, amount: int, core: int) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, part, str(amount), str(cores[core % len(cores)])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.hear()  # it is ready

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def begin(self) -> None:
        """Ask it for another turn."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        """Its next report."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


def together(*processes: Alone) -> list[dict[str, Any]]:
    """The reports of processes that work side by side."""
    for process in processes:
        process.begin()
    return [process.hear() for process in processes]


def work_alone(part: str, amount: int, core: int) -> None:
    """What such a process does."""
    os.sched_setaffinity(0, {core})
    with contextlib.closing(WORK[part](amount, "")) as steps:
        next(steps)
        print(json.dumps("ready"), flush=True)
        for _ in sys.stdin:
            seconds, (done, found) = timed(lambda: next(steps))
            print(json.dumps({"seconds": seconds, "done": done, "mark": marked(found)}), flush=True)


def marked(found: Any) -> str:
    """A short text that distinguishes results."""
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def crew_of(job: Job, address: str) -> WorkCrew:
    """A crew on the cluster; without an address, this process."""
    if not address:
        return WorkCrew(job)
    from counterplay.scale.ray_crew import RayCrew

    return RayCrew(job, address)


def begin(crew: WorkCrew, work: Callable[[], Any], nodes: int = TWO) -> None:
    """Do some work, repeatedly until all nodes have a worker that is set up: one may start late."""
    work()
    while crew.figures().get("nodes", nodes) < nodes:
        work()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds on the wall clock, and the result."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


# The work: each part sets itself up, yields None, and then does it again and again: the amount, and the result.

Steps = Iterator[Any]


def matches(games: int, address: str) -> Steps:
    """Games between players that think for a few hundredths of a second."""
    game, spec = load("connect-four"), "mcts:simulations=20000"
    plan = Plan("connect-four", (spec, spec), games, plies=4)
    fixtures = [plan.fixture(game, number) for number in range(games)]
    with crew_of(event_job(game, plan), address) as crew:
        begin(crew, lambda: list(crew.map(fixtures[:2])))
        yield None
        while True:
            yield games, [[str(move) for move in each.moves] for each in crew.map(fixtures)]


def a_second_of_samples() -> int:
    """The number of iterations that a sampler runs in about a second."""
    sampler = Sampler(load("leduc-poker"), False, 1)
    sampler.run(1)
    seconds, _ = timed(lambda: sampler.run(20_000))
    return int(20_000 / seconds) // 1000 * 1000


def samples(share: int, address: str) -> Steps:
    """Iterations of Monte Carlo CFR, in rounds as long as after some minutes of training: two seconds for each of
    two samplers."""
    game, number = load("leduc-poker"), ROUNDS * TWO * share
    sampler = Sampler(game, False, 1)
    sampler.run(20_000)
    if not address:
        yield None
        while True:
            sampler.run(number)
            yield number, None
    with crew_of(sampling_job(game, "leduc-poker", False, MEGABYTES), address) as crew:
        rounds = SamplingRounds(game, False, 1, MEGABYTES, crew, TWO)
        begin(crew, lambda: rounds.run(TWO))
        table = learned(sampler.table)._replace(iterations=SHARE * TWO * share)
        yield None
        while True:
            rounds.content = table
            rounds.run(number)
            yield number, None


def alphazero(positions: int, address: str) -> Steps:
    """A generation of AlphaZero, play and learning, after one that is not counted."""
    from counterplay.learning.alphazero import AlphaZero, Settings

    settings = Settings(positions=positions, lanes=TWO, epochs=2.0, gate=0)
    training = AlphaZero(load("connect-four"), settings, games=10**9)
    with contextlib.closing(training):
        if address:
            training.employ(Fleet(cluster=address, spec="connect-four"))
        begin(training.crew, training.prepare)
        training.advance()
        yield None
        while True:
            before = training.positions
            training.advance()
            found = {name: part.tolist() for name, part in training.plays.arrays.items()}
            yield training.positions - before, found


WORK: dict[str, Callable[[int, str], Steps]] = {"matches": matches, "samples": samples, "alphazero": alphazero}


class Instant:
    """A worker that has every game ready: thirty moves with their thoughts."""

    def __init__(self, shared: Played) -> None:
        self.played = shared

    def __call__(self, fixture: Fixture) -> Played:
        """A finished game."""
        return self.played


class SimulatedEvent(Event):
    """A match whose games are finished at once."""

    def __init__(self, *given: Any, played: Played) -> None:
        super().__init__(*given)
        self.ready = played

    def hire(self, workers: int, cluster: str) -> WorkCrew:
        """Simulated workers."""
        return crew_of(Job("the match", f"{__name__}:Instant", self.ready, "game"), cluster)


def finished(address: str, games: int) -> Outcome:
    """Games per second that the process that owns the file stores, from the first one on."""
    game, spec = load("connect-four"), "mcts:simulations=100"
    plan = Plan("connect-four", (spec, spec), games, plies=4)
    played = play_fixture(game, plan, plan.fixture(game, 0))
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        event = SimulatedEvent(game, plan, Store(Path(folder) / "match.db"), played=played)
        with contextlib.closing(event.store):
            event.run(finished=lambda *_: times.append(time.perf_counter()), cluster=address)
            if len(event.store.done()) != games:
                return Differs(NAME, "finished games", "the goal", "games are missing")
    pace = (games - 1) / (times[-1] - times[0])
    return Comparison(NAME, f"{games:,} finished games written down", "games", pace, "the goal", FINISHED, 1.0)


def doze(seconds: float) -> Callable[[int], int]:
    """Work that uses no core."""

    def work(unit: int) -> int:
        time.sleep(seconds)
        return unit

    return work


def sleeping(address: str, nodes: int, seconds: float, each: int) -> Outcome:
    """Simulated work: the share of the ideal on a number of nodes."""
    number = int(nodes * each / seconds)
    with crew_of(Job("sleep", f"{__name__}:doze", seconds), address) as crew:
        begin(crew, lambda: list(crew.map(range(int(2 * nodes / seconds)))), nodes)
        taken, _ = timed(lambda: list(crew.map(range(number))))
    work = f"{nodes} node{'s' if nodes > 1 else ''}, {number:,} units of {seconds:g} s"
    target = OVERHEAD if seconds >= 1 and nodes <= TWO else None
    return Comparison(NAME, work, "units", number / taken, IDEAL, nodes / seconds, target)


if __name__ == "__main__":
    work_alone(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
