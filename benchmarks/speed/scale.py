"""A Ray cluster of two simulated nodes with one core each against one process on one core, in one run; then simulated work
on one to eight nodes, and how many finished games a second the process that owns the file takes.

Everything by the wall clock, since that is what a cluster is for: on a busy machine, these figures mean nothing.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Comparison, Differs, Outcome, Skipped
from counterplay import load
from counterplay.arena.event import Event
from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played
from counterplay.arena.store import Store
from counterplay.arena.worker import event_job
from counterplay.core.errors import CounterplayError
from counterplay.equilibrium.mccfr import MEGABYTES, Sampler, learned
from counterplay.equilibrium.sampling_rounds import SHARE, SamplingRounds, sampling_job
from counterplay.scale.crew import Fleet, WorkCrew
from counterplay.scale.job import Job

NAME = "scale"
ONE, IDEAL = "one process, one core", "all cores at work"
TWICE, OVERHEAD, FINISHED = 1.8, 0.97, 1000.0
"""How much faster two nodes are to be, the share of the ideal that is to be left, and games a second."""
NODES = (1, 2, 4, 8)
TWO = 2


def run(quick: bool) -> Iterator[Outcome]:
    """One cluster for all, which grows."""
    work = "two nodes of one core each"
    try:
        from counterplay.scale.cluster import Cluster, require_ray, simulated

        require_ray()
    except CounterplayError as missing:
        yield Skipped(NAME, work, ONE, str(missing))
        return
    here = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(here)  # workers find the workshops below
    nodes = simulated(1, 1)
    try:
        with contextlib.closing(Cluster(nodes.address)):
            for number in NODES[:2] if quick else NODES:
                while len(nodes.list_all_nodes()) < number:
                    nodes.add_node(num_cpus=1, object_store_memory=80 << 20)
                if number == TWO:
                    yield matches(nodes.address, 6 if quick else 60)
                    yield samples(nodes.address, 0.2 if quick else 1.0)
                    yield self_play(nodes.address, 512 if quick else 8192)
                    yield finished(nodes.address, 500 if quick else 20_000)
                for seconds in (1.0, 0.05):
                    yield sleeping(nodes.address, number, seconds, 2 if quick else 8)
    finally:
        nodes.shutdown()


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """This thread, and those that it starts, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def crew_of(job: Job, address: str) -> WorkCrew:
    """A crew on the cluster."""
    from counterplay.scale.ray_crew import RayCrew

    return RayCrew(job, address)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds on the wall clock, and what came of it."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def matches(address: str, games: int) -> Outcome:
    """Games between players that think for some hundredths of a second."""
    game, spec = load("connect-four"), "mcts:simulations=20000"
    plan = Plan("connect-four", (spec, spec), games, plies=4)
    fixtures, job = [plan.fixture(game, number) for number in range(games)], event_job(game, plan)
    work = f"{games} games of connect-four by {spec}"
    alone = WorkCrew(job)
    with one_core():
        list(alone.map(fixtures[:1]))
        alone_seconds, alone_games = timed(lambda: list(alone.map(fixtures)))
    with crew_of(job, address) as crew:
        list(crew.map(fixtures[:2]))
        seconds, found = timed(lambda: list(crew.map(fixtures)))
    if [each.moves for each in found] != [each.moves for each in alone_games]:
        return Differs(NAME, work, ONE, "the games are not the same")
    return Comparison(NAME, work, "games", games / seconds, ONE, games / alone_seconds, TWICE)


def samples(address: str, unit: float) -> Outcome:
    """Iterations of Monte Carlo CFR, in rounds as long as they are once a training has run for some minutes."""
    game = load("leduc-poker")
    sampler = Sampler(game, False, 1)
    sampler.run(1)
    with one_core():
        seconds, _ = timed(lambda: sampler.run(20_000))
        pace = 20_000 / seconds
        share = int(unit * pace)
        alone, _ = timed(lambda: sampler.run(10 * share))
    with crew_of(sampling_job(game, "leduc-poker", False, MEGABYTES), address) as crew:
        rounds = SamplingRounds(game, False, 1, MEGABYTES, crew, TWO)
        rounds.run(TWO)  # sets up the workshops
        rounds.content = learned(sampler.table)._replace(iterations=SHARE * TWO * share)
        seconds, _ = timed(lambda: rounds.run(10 * share))
    work = f"{10 * share:,} samples of leduc-poker, rounds of {TWO * share:,}"
    return Comparison(NAME, work, "samples", 10 * share / seconds, ONE, 10 * share / alone, TWICE)


def self_play(address: str, positions: int) -> Outcome:
    """Two generations of AlphaZero, play and learning, after one that is not counted."""
    import numpy as np

    from counterplay.learning.alphazero import AlphaZero, Settings

    game, settings = load("connect-four"), Settings(positions=positions, lanes=TWO, epochs=2.0, gate=0)
    work = f"{2 * positions:,} positions of connect-four by AlphaZero"
    found = []
    for is_cluster in (False, True):
        training = AlphaZero(game, settings, games=10**9)
        with contextlib.nullcontext() if is_cluster else one_core(), contextlib.closing(training):
            if is_cluster:
                training.employ(Fleet(cluster=address, spec="connect-four"))
            training.prepare()
            training.advance()
            before = training.positions
            seconds, _ = timed(lambda training=training: (training.advance(), training.advance()))
            found.append(((training.positions - before) / seconds, training.plays.arrays))
    (theirs, one), (ours, two) = found
    if any(not np.array_equal(part, two[name]) for name, part in one.items()):
        return Differs(NAME, work, ONE, "the networks are not the same")
    return Comparison(NAME, work, "positions", ours, ONE, theirs, TWICE)


class Instant:
    """A worker that has every game ready: thirty moves with what was thought of them."""

    def __init__(self, shared: Played) -> None:
        self.played = shared

    def __call__(self, fixture: Fixture) -> Played:
        """A finished game."""
        return self.played


class SimulatedEvent(Event):
    """A match whose games are there at once."""

    def __init__(self, *given: Any, played: Played) -> None:
        super().__init__(*given)
        self.ready = played

    def hire(self, workers: int, cluster: str) -> WorkCrew:
        """Simulated workers."""
        return crew_of(Job("the match", "benchmarks.speed.scale:Instant", self.ready, "game"), cluster)


def finished(address: str, games: int) -> Outcome:
    """Games a second that the process which owns the file writes down."""
    from counterplay.arena.worker import play_fixture

    game, spec = load("connect-four"), "mcts:simulations=100"
    plan = Plan("connect-four", (spec, spec), games, plies=4)
    played = play_fixture(game, plan, plan.fixture(game, 0))
    with tempfile.TemporaryDirectory() as folder:
        event = SimulatedEvent(game, plan, Store(Path(folder) / "match.db"), played=played)
        with contextlib.closing(event.store):
            seconds, _ = timed(lambda: event.run(cluster=address))
            if len(event.store.done()) != games:
                return Differs(NAME, "finished games", "the goal", "games are missing")
    return Comparison(
        NAME, f"{games:,} finished games written down", "games", games / seconds, "the goal", FINISHED, 1.0
    )


def doze(seconds: float) -> Callable[[int], int]:
    """Work that takes no core."""

    def work(unit: int) -> int:
        time.sleep(seconds)
        return unit

    return work


def sleeping(address: str, nodes: int, seconds: float, each: int) -> Outcome:
    """Simulated work: what is left of the ideal, on this many nodes."""
    number = int(nodes * each / seconds)
    with crew_of(Job("sleep", "benchmarks.speed.scale:doze", seconds), address) as crew:
        list(crew.map(range(int(2 * nodes / seconds))))  # workers start, and packs find their size
        taken, _ = timed(lambda: list(crew.map(range(number))))
    work = f"{nodes} node{'s' if nodes > 1 else ''}, {number} units of {seconds:g} s"
    target = OVERHEAD if seconds >= 1 and nodes <= TWO else None
    return Comparison(NAME, work, "units", number / taken, IDEAL, nodes / seconds, target)
