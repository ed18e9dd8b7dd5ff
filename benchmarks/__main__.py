"""The command: run benchmarks and print their results as they arrive."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks import report
from benchmarks.measure import Differs, Outcome
from benchmarks.speed import (
    adapters,
    alpha_beta,
    backgammon,
    engine,
    equilibrium,
    first_reply,
    go,
    histories,
    learning,
    montecarlo,
    perft,
    playouts,
    poker,
    rhode_island,
    scale,
    solve,
    startup,
    tables,
    web,
    whole,
)
from benchmarks.strength import backgammon as backgammon_strength
from benchmarks.strength import chess as chess_strength
from benchmarks.strength import chinook, othello_book, pubeval, resolving, syzygy, tesauro
from benchmarks.strength import go as go_strength
from benchmarks.strength import mcts as mcts_strength
from benchmarks.strength import othello as othello_strength
from counterplay.core.errors import CounterplayError

SPEED = (
    *(alpha_beta, engine, equilibrium, playouts, montecarlo, solve, learning, startup, perft, backgammon, go, web),
    *(tables, poker, whole, histories, adapters, first_reply, scale, rhode_island),
)
STRENGTH = (
    *(mcts_strength, go_strength, backgammon_strength, chess_strength, othello_strength, pubeval),
    *(chinook, othello_book, resolving, syzygy, tesauro),
)
BENCHMARKS = {module.NAME: module for module in (*SPEED, *STRENGTH)}
LONG = (
    *(whole.NAME, histories.NAME, adapters.NAME, first_reply.NAME, scale.NAME, rhode_island.NAME),
    *(module.NAME for module in STRENGTH),
)
"""These run only if named."""

ALTERED = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "NUMBA_OPT")
"""Settings that make compiled code differ from what users run."""


def main() -> int:
    """Exit code 0; 1 if two sides did not do the same work; 2 for wrong usage. A missed target is not an error."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Speed and strength, side by side with other programs."
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which: {', '.join(BENCHMARKS)} (default: all but {', '.join(LONG)})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--quick", action="store_true", help="less work and fewer turns: a smoke test, not a figure")
    parser.add_argument(
        "--only",
        metavar="NAME,NAME",
        default="",
        help=f"only these games of {first_reply.NAME}, or these parts of {scale.NAME}: {', '.join(scale.PARTS)}",
    )
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name]
    if only and chosen.names not in ([first_reply.NAME], [scale.NAME]):
        parser.error(f"--only is for {first_reply.NAME} or {scale.NAME} alone")
    unknown = [name for name in chosen.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    altered = [name for name in ALTERED if os.environ.get(name, "0") not in ("", "0")]
    if altered:
        parser.error(f"with {altered[0]} set, the code is not what users run; unset it")
    facts, outcomes = report.machine(), []
    if not chosen.json:
        print(report.head(facts, chosen.quick), flush=True)
    try:
        for outcome in run(chosen.names or [name for name in BENCHMARKS if name not in LONG], chosen.quick, only):
            outcomes.append(outcome)
            if not chosen.json:
                print(report.line(outcome), flush=True)
    except CounterplayError as wrong:
        parser.error(str(wrong))
    if chosen.json:
        print(json.dumps({"machine": facts, "results": [report.record(outcome) for outcome in outcomes]}, indent=2))
    return int(any(isinstance(outcome, Differs) for outcome in outcomes))


def run(names: list[str], quick: bool, only: list[str]) -> Iterator[Outcome]:
    """The outcomes of the benchmarks, each as soon as it is known; of the parts in `only`, if any are named."""
    for name in names:
        measure: Any = BENCHMARKS[name].run
        yield from measure(quick, only) if only else measure(quick)


if __name__ == "__main__":
    sys.exit(main())
