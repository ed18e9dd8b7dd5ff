"""Ever larger trees of games with secrets: are time and memory linear in the number of histories?

Leduc poker with 6, 24 and 52 cards has 9 thousand, 1 million and 10 million histories. Each line compares a larger tree
with the smallest: the histories per second that are unrolled, and traversed by an iteration of CFR+, and the histories
that fit into a megabyte. It takes gigabytes, so it runs only if named.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.measure import Comparison, Outcome
from counterplay import load
from counterplay.core.language.workspace import Workspace
from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
from counterplay.equilibrium.information_tree import TooLarge, information_tree

NAME = "histories"
SPECS = ("leduc-poker", "leduc-poker:6,4", "leduc-poker:13,4")
ITERATIONS = 5
LINEAR = 0.2
"""The required ratio: a large tree does not fit into the processor's caches."""


class Size(NamedTuple):
    """The costs of a tree."""

    histories: int
    unrolling: float  # seconds
    iteration: float  # seconds
    megabytes: float


def run(quick: bool) -> Iterator[Outcome]:
    """Each tree against the smallest."""
    small = measure(SPECS[0])
    for spec in SPECS[1:2] if quick else SPECS[1:]:
        large = measure(spec)
        for what, ours, theirs, unit in (
            ("unrolled", large.histories / large.unrolling, small.histories / small.unrolling, "1/s"),
            ("CFR+", large.histories / large.iteration, small.histories / small.iteration, "1/s"),
            ("held", large.histories / large.megabytes, small.histories / small.megabytes, "1/MB"),
        ):
            work = f"{large.histories:,} histories, {what}"
            yield Comparison(NAME, work, unit, ours, f"{small.histories:,} histories", theirs, LINEAR)


def measure(spec: str) -> Size:
    """Unroll a tree, and traverse it."""
    game = load(spec)
    try:
        information_tree(game, 10)  # compiles
    except TooLarge:
        pass
    started = time.process_time()
    tree = information_tree(game)
    unrolling = time.process_time() - started
    memory = Regrets(tree, VARIANTS["cfr+"])
    iterate(tree, memory, 1)
    started = time.process_time()
    iterate(tree, memory, ITERATIONS)
    spent = (time.process_time() - started) / ITERATIONS
    return Size(tree.histories, unrolling, spent, (size(tree) + size(memory)) / 1e6)


def size(held: Workspace) -> int:
    """The bytes of its arrays."""
    return sum(part.nbytes for part in vars(held).values() if isinstance(part, np.ndarray))
