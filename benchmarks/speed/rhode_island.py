"""Rhode Island hold'em with 52 cards and three raises, 3.1 billion histories, over its public tree: an iteration on all
cores beside one on a single core, and the whole game solved."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator

from benchmarks.measure import Comparison, Duration, Outcome, Skipped
from counterplay.core.registry import load
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.public_tree import public_tree
from counterplay.equilibrium.training import PolicyTraining

NAME = "rhode-island"
SPEC, SMALL = "rhode-island:ranks=13,suits=4,raises=3", "rhode-island:ranks=4,suits=4,raises=3"
METHOD = "dcfr"
CLOSE, SECONDS = 0.0003, 900.0
"""Exploitability in chips, an ante being one, and the time limit."""
FASTER = 1.7
"""The required speedup of two cores over one."""
ITERATIONS = 8


def run(quick: bool) -> Iterator[Outcome]:
    """An iteration, then the game."""
    game = load(SMALL if quick else SPEC)
    tree = public_tree(game)
    work, threads = "rhode-island, 52 cards, an iteration", len(os.sched_getaffinity(0))
    if threads > 1:
        walkers = [PublicLearner(game, tree, METHOD, each) for each in (1, threads)]
        spent = [min(seconds(learner) for _ in range(1 if quick else 3)) for learner in walkers]
        one, all_cores = (ITERATIONS / each for each in spent)
        yield Comparison(NAME, work, "iterations/s", all_cores, "the same on one core", one, FASTER)
    else:
        yield Skipped(NAME, work, "the same on one core", "there is one core")
    learner = PublicLearner(game, tree, METHOD)
    started, cpu = time.perf_counter(), time.process_time()
    PolicyTraining(learner, None).run(exploitability=0.1 if quick else CLOSE)
    passed, used = time.perf_counter() - started, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    work = f"rhode-island, 52 cards, solved to {CLOSE}: {learner.count:,} iterations, {memory:.2f} GB"
    yield Duration(NAME, work, passed, used, SECONDS)


def seconds(learner: PublicLearner) -> float:
    """The wall-clock seconds of some iterations."""
    learner.run(1)
    started = time.perf_counter()
    learner.run(ITERATIONS)
    return time.perf_counter() - started
