"""Tables: endings of chess and checkers built and proven, a whole game enumerated, positions looked up.

All on one thread and in CPU time, with the numbers of positions beside the published ones.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks.measure import Comparison, Differs, Outcome
from counterplay import load
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.endgame.ending_tables import EndingTables
from counterplay.endgame.enumeration import Enumeration
from counterplay.endgame.estimate import least_positions
from counterplay.endgame.tabled import tabled
from counterplay.endgame.verify import prove

NAME = "tables"
GOAL = "the goal"
CHESS = (
    ("KBNK", 15.0, [(1_352_913, 6_665, 0, 65), (0, 309_147, 1_398_741, 66)]),
    ("KQKR", 60.0, [(1_108_111, 8_963, 2_142, 69), (386_313, 78_518, 883_075, 70)]),
)
"""Classes, the required seconds, and the published figures: won, drawn, lost and the longest win for each side."""
CHECKERS, PROVEN = 120.0, 2e6
"""The seconds for all endings of up to four pieces, and the positions per second built and proven."""
FIVE_BY_FOUR, STATES = 3_945_711, 1e6
"""The positions of Connect Four 5x4, and the required number per second."""
PROBES = 5e6

T = TypeVar("T")


def run(quick: bool) -> Iterator[Outcome]:
    """Built, proven, looked up."""
    with tempfile.TemporaryDirectory() as folder:
        for name, limit, published in CHESS[: 0 if quick else 2]:
            yield chess(Path(folder), name, limit, published)
        yield from checkers(Path(folder), "3" if quick else "4")
    yield enumeration("connect-four:4,4" if quick else "connect-four:5,4", 0 if quick else FIVE_BY_FOUR)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of a piece of work, and its result."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def chess(folder: Path, name: str, limit: float, published: list[tuple[int, ...]]) -> Outcome:
    """One class, once the classes that it leads to are built."""
    tables = EndingTables(folder, load("chess"))
    k = tables.numbering.names.index(name)
    for below in tables.numbering.order([k])[:-1]:
        if below not in tables.files:
            tables.build(tables.numbering.names[below], threads=1)
    seconds, rows = timed(lambda: tables.build(name, threads=1))
    rows = [row for row in rows if row["class"] == name]
    found = [tuple(row[column] for column in ("won", "drawn", "lost", "longest")) for row in rows]
    positions = sum(row["positions"] for row in rows)
    if found != published:
        return Differs(NAME, f"chess {name}", "published", f"we find {found}")
    work = f"chess {name}, {positions:,} positions, {seconds:.1f} s"
    return Comparison(NAME, work, "positions/s", positions / seconds, f"{GOAL}, {limit:g} s", positions / limit, 1.0)


def checkers(folder: Path, pieces: str) -> Iterator[Outcome]:
    """All classes of up to a number of pieces: built, proven, looked up by random play."""
    game = load("checkers")
    tables = EndingTables(folder, game)
    tables.build("2", threads=1)  # compiles
    prove(tables.files[0], game, threads=1)
    for file in folder.glob("checkers-*"):
        file.unlink()
    tables = EndingTables(folder, game)
    built, _ = timed(lambda: tables.build(pieces, threads=1))
    proof, proven = timed(lambda: sum(prove(file, game, threads=1) for file in tables.files.values()))
    work = f"checkers to {pieces} pieces, {proven:,} positions, {built:.1f} s"
    yield Comparison(NAME, work, "positions/s", proven / built, f"{GOAL}, {CHECKERS:g} s", proven / CHECKERS, 1.0)
    work = f"the same built and proven, {built + proof:.1f} s"
    yield Comparison(NAME, work, "positions/s", proven / (built + proof), GOAL, PROVEN, 1.0)
    yield probes(tables)


def probes(tables: EndingTables) -> Outcome:
    """Positions looked up inside a kernel: each time, the successors of one position by the rules."""
    knows: Any = tabled(tables.game, tables)
    k = max(tables.files, key=lambda each: tables.numbering.sizes[each])
    rng = np.random.default_rng(1)
    found = [tables.numbering.game.ending_state(k, int(i)) for i in rng.integers(0, tables.numbering.sizes[k], 4000)]
    legal = [s for s in found if s.mine & s.theirs == 0][:2000]
    out, turns = action_stack(knows), 20
    for s in legal[:1]:
        look_up(knows, s, 1, True, out)
    with_probes, many = timed(lambda: sum(look_up(knows, s, turns * 50, True, out) for s in legal))
    without, _ = timed(lambda: sum(look_up(knows, s, turns * 50, False, out) for s in legal))
    seconds = max(with_probes - without, 1e-9)
    work = f"{many:,} probes inside a kernel, {seconds / many * 1e9:.0f} ns each"
    return Comparison(NAME, work, "probes/s", many / seconds, GOAL, PROBES, 1.0)


@kernel
def look_up(game: Any, s: Any, turns: int, probing: bool, out: ActionStack) -> int:
    """Make every move of a position `turns` times, and look up each result if `probing`; returns the number of moves."""
    many = known = 0
    for _ in range(turns):
        start = len(out)
        game.actions(s, out.fresh())
        for j in range(start, len(out)):
            after = game.result(s, out[j])
            many += 1
            if probing:
                known += 1 if game.table_knows(after) else 0
            else:
                known += after.player
        out.truncate(start)
    return many + (known < 0)


def enumeration(spec: str, published: int) -> Outcome:
    """All positions of a game from the start, each once, with their successors."""
    game = load(spec)
    Enumeration(game, game.initial()).prepare()  # compiles
    least_positions(game, game.initial())
    work = Enumeration(game, game.initial())
    seconds, _ = timed(work.run)
    count = work.space.count
    if published and count != published:
        return Differs(NAME, f"{spec} enumerated", "published", f"we find {count:,} positions, not {published:,}")
    return Comparison(NAME, f"{spec}, {count:,} positions met", "positions/s", count / seconds, GOAL, STATES, 1.0)
