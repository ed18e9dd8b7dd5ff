"""One class of endings solved: on all cores, within a memory limit, and so that a killed build continues.

The class is expanded part by part, each in its own thread. Then its edges are reversed, and play goes back from the
ends ply by ply (retrograde.py says how); each thread handles the positions of its own range, so none waits for another.
From time to time, everything expanded and everything that a sweep has found is saved in files; so are parts that do not
fit in memory. If the edges do not fit in memory, they are reversed piece by piece and read from a file.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import hold
from counterplay.core.formats.saving import Saving
from counterplay.core.language.kernel import kernel
from counterplay.endgame.endings import NOTHING, Numbering, SolvedEndings, summary
from counterplay.endgame.graph import ABSENT
from counterplay.endgame.kept import keep, kept
from counterplay.endgame.threads import pieces, ranges, share_out
from counterplay.endgame.unfolding import COMPLETE, FARTHEST, FULL, SINKS, Part, Unfolding, follow

PART = 1 << 17
"""Indices of a part."""
SOONEST = 20.0
"""Seconds between two saves of what was found."""
NODE = 16
"""Bytes per node: its entry, mover and counter, and where its predecessors begin."""
MEGABYTE = 1 << 20


class Ending(NamedTuple):
    """A solved class."""

    name: str
    entries: np.ndarray  # int16 [indices], as in `SolvedEndings`, or NOTHING
    summary: list[dict[str, Any]]


class Nodes(NamedTuple):
    """All nodes of a class: its indices, the sinks, the positions without a number."""

    mover: np.ndarray  # int8 [n]
    entry: np.ndarray  # int16 [n]: 0 while nothing is known
    left: np.ndarray  # int16 [n], successors not yet won by the opponent


class ClassBuild:
    """A class while it is solved, in its own folder."""

    def __init__(
        self,
        numbered: Numbering,
        k: int,
        folder: Path,
        megabytes: float,
        threads: int,
        report: Callable[[str], None] | None,
    ) -> None:
        self.numbered, self.k, self.folder, self.threads = numbered, k, folder, threads
        self.name, self.count = numbered.names[k], numbered.sizes[k]
        self.parts = -(-self.count // PART)
        self.report = report or (lambda line: None)
        self.held: dict[int, Part] = {}  # parts in memory
        self.unkept: list[int] = []  # those not yet saved in a file
        below = sum(numbered.sizes[one] for one in numbered.leads_to(k))
        self.fixed = ((self.count + SINKS) * NODE + 2 * below) / MEGABYTE
        self.room = megabytes - self.fixed
        if self.room <= 0:
            raise CounterplayError(
                f"{self.name} takes {self.fixed:,.0f} MB of memory or more, and --memory allows {megabytes:g}"
            )

    def run(self, tables: dict[int, np.ndarray]) -> Ending:
        """Solve the class; `tables` has the entries of the classes that it leads to."""
        try:
            self.folder.mkdir(exist_ok=True)
            (self.folder / "lock").touch()
        except OSError as wrong:
            raise CounterplayError(
                f"cannot write to {str(self.folder)!r}: {(wrong.strerror or str(wrong)).lower()}"
            ) from None
        held = hold(
            self.folder / "lock", f"{self.name} is being built by another process in {str(self.folder.parent)!r}"
        )
        try:
            self.follow(SolvedEndings(tables, len(self.numbered.names)))
            tables.clear()
            nodes = self.nodes()
            self.sweep(nodes, *self.turn_round(nodes))
        finally:
            if held:
                held.close()
        entries = nodes.entry[: self.count]
        if int(np.abs(entries[entries != NOTHING]).max(initial=0)) >= FARTHEST:
            raise CounterplayError(
                f"{self.name} has a distance of more than {FARTHEST - 2:,} plies, too long for a table"
            )
        return Ending(self.name, entries, summary(self.numbered, self.name, nodes.mover[: self.count], entries))

    def finish(self) -> None:
        """Remove the files that only served to continue."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # Expanding.

    def file(self, i: int) -> Path:
        """A part's file."""
        return self.folder / f"part-{i}"

    def hold(self, i: int, part: Part) -> None:
        """Keep a part in memory, or in a file once half of the memory is taken."""
        if self.size_held() + size_of(part) <= self.room * MEGABYTE / 2:
            self.held[i] = part
            self.unkept.append(i)
        else:
            keep(self.file(i), part)

    def size_held(self) -> int:
        """Bytes of the parts in memory."""
        return sum(map(size_of, self.held.values()))

    def keep_parts(self) -> None:
        """Save the parts that are only in memory."""
        while self.unkept:
            keep(self.file(self.unkept[-1]), self.held[self.unkept[-1]])
            self.unkept.pop()

    def read(self, i: int) -> Part:
        """A part from memory or its file."""
        if i in self.held:
            return self.held[i]
        found = kept(self.file(i), len(Part._fields))
        if found is None:
            raise CounterplayError(f"{str(self.file(i))!r} is damaged; run `tables build` again to repair it")
        return Part(*found)

    def follow(self, solved: SolvedEndings) -> None:
        """Expand all parts that are missing."""
        missing = [i for i in range(self.parts) if kept(self.file(i), 0) is None]
        started, done, lock = time.perf_counter(), 0, threading.Lock()
        saving = Saving(self.keep_parts, SOONEST, SOONEST)
        rooms = [self.unfolding() for _ in range(self.threads)]
        follow(self.numbered.game, self.k, self.count, solved, rooms[0], 0, 0)  # compile before the threads start

        def work(i: int) -> None:
            nonlocal done
            part, room = self.follow_part(i, solved, rooms.pop())
            rooms.append(room)
            with lock:
                self.hold(i, part)
                saving.if_due()
                done += 1
            self.tell(len(missing), done, started)

        share_out(work, missing, self.threads)

    def unfolding(self) -> Unfolding:
        """Memory to expand a part."""
        return Unfolding(self.numbered.game, PART, 8 * PART, PART // 64)

    def follow_part(self, i: int, solved: SolvedEndings, room: Unfolding) -> tuple[Part, Unfolding]:
        """A part, expanded, and the memory that was used for it."""
        start, end = i * PART, min((i + 1) * PART, self.count)
        while (why := follow(self.numbered.game, self.k, self.count, solved, room, start, end)) == FULL:
            room = Unfolding(self.numbered.game, PART, 2 * room.most_edges, 2 * room.most_extras)
        assert why == COMPLETE, f"{self.name} leads to a position without a class"
        return room.part(end - start), room

    def tell(self, missing: int, done: int, started: float) -> None:
        """Report how many of the `missing` parts have been expanded."""
        seconds = (time.perf_counter() - started) * (missing - done) / done
        self.report(
            f"{self.name}: {(self.parts - missing + done) / self.parts:.0%} of {self.count:,} indices expanded, "
            f"{seconds:.0f} s left"
        )

    def nodes(self) -> Nodes:
        """The nodes of all parts, with what is known before going back."""
        behind = [0]
        for i in range(self.parts):
            behind.append(behind[-1] + len(self.read(i).degree) - len(self.indices(i)))
        self.behind = behind  # the positions without a number before those of a part
        n = self.count + SINKS + behind[-1]
        found = Nodes(np.full(n, ABSENT, np.int8), np.zeros(n, np.int16), np.zeros(n, np.int16))
        found.entry[self.count : self.count + SINKS] = np.arange(-FARTHEST, FARTHEST + 1)
        for i in range(self.parts):
            part, here = self.read(i), len(self.indices(i))
            base = self.base(i)
            for column, given in zip(found, (part.mover, part.entry, part.degree), strict=True):
                column[i * PART : i * PART + here] = given[:here]
                column[base : base + len(given) - here] = given[here:]
        return found

    def indices(self, i: int) -> range:
        """The indices of a part."""
        return range(i * PART, min((i + 1) * PART, self.count))

    def base(self, i: int) -> int:
        """The first node of a part's positions without a number."""
        return self.count + SINKS + self.behind[i]

    # Reversing the edges.

    def turn_round(self, nodes: Nodes) -> tuple[np.ndarray, np.ndarray]:
        """Where the predecessors of each node begin, and the predecessors: in memory, or in a file if they do not fit."""
        n = len(nodes.mover)
        back = np.zeros(n + 2, np.int64)
        self.report(f"{self.name}: reversing edges")
        for i in range(self.parts):
            self.count_part(i, ranges(n, self.threads), back)
        back[self.count + FARTHEST + 2] = 0  # nothing follows from a draw
        np.cumsum(back, out=back)
        edges = int(back[-1])
        room = max(1, (int(self.room * MEGABYTE) - self.size_held()) // 4)
        if edges <= room:
            before = np.empty(edges, np.int32)
            self.fill(back, before, 0, n)
        else:
            before = self.fill_piecemeal(back, n, edges, room)
        self.held.clear()
        return back[:-1], before

    def count_part(self, i: int, shares: list[tuple[int, int]], back: np.ndarray) -> None:
        """Count the edges of a part, those that lead to node j in back[j + 2]."""
        part, base = self.read(i), self.base(i)
        share_out(lambda share: count_in(part.successors, base, *share, back), shares, self.threads)

    def fill(self, back: np.ndarray, before: np.ndarray, low: int, high: int) -> None:
        """Write the predecessors of the nodes from `low` to `high`; `before` begins with the first."""
        offset = int(back[low + 1])
        for i in range(self.parts):
            self.fill_part(i, [(low + a, low + b) for a, b in ranges(high - low, self.threads)], back, before, offset)

    def fill_part(
        self, i: int, shares: list[tuple[int, int]], back: np.ndarray, before: np.ndarray, offset: int
    ) -> None:
        """Write the predecessors that are in a part."""
        part, base, here = self.read(i), self.base(i), self.indices(i)
        draw = self.count + FARTHEST

        def work(share: tuple[int, int]) -> None:
            turn_part_round(
                part.degree, part.successors, here.start, len(here), base, draw, *share, back, before, offset
            )

        share_out(work, shares, self.threads)

    def fill_piecemeal(self, back: np.ndarray, n: int, edges: int, room: int) -> np.ndarray:
        """The same in a file, as many nodes at a time as fit in memory."""
        file = self.folder / "before"
        try:
            with file.open("wb") as opened:
                for low, high in pieces(back, n, room):
                    before = np.empty(int(back[high + 1] - back[low + 1]), np.int32)
                    self.fill(back, before, low, high)
                    opened.write(before.data)
        except OSError as wrong:
            raise CounterplayError(f"cannot write {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
        return np.asarray(np.memmap(file, np.int32, "r", shape=(edges,)))

    # Going back.

    def sweep(self, nodes: Nodes, back: np.ndarray, before: np.ndarray) -> None:
        """Go back from the ends, ply by ply."""
        ply = self.take_up(nodes)
        sinks = np.flatnonzero(np.diff(back[self.count : self.count + SINKS + 1])) - FARTHEST
        last = int(np.abs(sinks).max(initial=0)) - 1
        frontier = np.flatnonzero(np.abs(nodes.entry) == ply + 1).astype(np.int32)
        saving = Saving(lambda: self.keep_sweep(nodes, ply), SOONEST, SOONEST)
        started = time.perf_counter()
        left = undecided = int(np.count_nonzero(nodes.entry[: self.count] == 0))
        rooms = {share: np.empty(share[1] - share[0], np.int32) for share in ranges(len(nodes.mover), self.threads)}
        while len(frontier) or ply < last:
            found = self.step_back(nodes, back, before, frontier, rooms)
            ply += 1
            due = [self.count + FARTHEST + entry for entry in (-ply - 1, ply + 1) if ply < FARTHEST]
            frontier = np.concatenate([*found, np.array([i for i in due if back[i + 1] > back[i]], np.int32)])
            saving.if_due()
            left -= sum(int(np.count_nonzero(each < self.count)) for each in found)
            seconds = (time.perf_counter() - started) * left / max(1, undecided - left)
            self.report(f"{self.name}: ply {ply}, {left:,} positions left, at most {seconds:.0f} s left")

    def step_back(
        self,
        nodes: Nodes,
        back: np.ndarray,
        before: np.ndarray,
        frontier: np.ndarray,
        rooms: dict[tuple[int, int], np.ndarray],
    ) -> list[np.ndarray]:
        """The nodes that are decided one ply before those of `frontier`, each share of them in its own array."""
        found: list[np.ndarray] = []

        def work(share: tuple[int, int]) -> None:
            found.append(rooms[share][: retreat(back, before, frontier, *nodes, *share, rooms[share])])

        share_out(work, rooms, self.threads)
        return found

    def keep_sweep(self, nodes: Nodes, ply: int) -> None:
        """Save what the sweeps have found."""
        keep(self.folder / "sweep", (nodes.entry, nodes.left, np.array([ply])))

    def take_up(self, nodes: Nodes) -> int:
        """Load what was saved; returns the ply to go back from."""
        found = kept(self.folder / "sweep", 3)
        if found is None:
            return 0
        nodes.entry[:], nodes.left[:] = found[:2]
        return int(found[2][0])


def size_of(part: Part) -> int:
    """Bytes of a part."""
    return sum(each.nbytes for each in part)


@kernel
def count_in(successors: np.ndarray, base: int, low: int, high: int, back: np.ndarray) -> int:
    """Count the edges that lead to the nodes from `low` to `high`, those of node i in back[i + 2]."""
    for edge in range(len(successors)):
        target = successors[edge]
        if target < 0:
            target = base - 1 - target
        if low <= target < high:
            back[target + 2] += 1
    return 0


@kernel
def turn_part_round(
    degree: np.ndarray,
    successors: np.ndarray,
    start: int,
    indices: int,
    base: int,
    draw: int,
    low: int,
    high: int,
    back: np.ndarray,
    before: np.ndarray,
    offset: int,
) -> int:
    """Write the edges of a part that lead to the nodes from `low` to `high`, grouped by node, into `before`. back[i +
    1] is where the edges to i begin; it advances to where they end."""
    edge = 0
    for i in range(len(degree)):
        node = start + i if i < indices else base + i - indices
        for _ in range(degree[i]):
            target = successors[edge]
            edge += 1
            if target < 0:
                target = base - 1 - target
            if low <= target < high and target != draw:
                before[back[target + 1] - offset] = node
                back[target + 1] += 1
    return 0


@kernel
def retreat(
    back: np.ndarray,
    before: np.ndarray,
    frontier: np.ndarray,
    mover: np.ndarray,
    entry: np.ndarray,
    left: np.ndarray,
    low: int,
    high: int,
    found: np.ndarray,
) -> int:
    """Go one ply back from the nodes of `frontier`, all equally far from the end, to those from `low` to `high` that
    are now decided; returns how many were `found`."""
    many = 0
    for i in range(len(frontier)):
        node = frontier[i]
        there = entry[node]
        here = there + 1 if there > 0 else there - 1
        for edge in range(back[node], back[node + 1]):
            earlier = before[edge]
            if low <= earlier < high and entry[earlier] == 0:
                if (mover[earlier] == 0) != (there > 0):
                    left[earlier] -= 1
                    if left[earlier] > 0:
                        continue
                entry[earlier] = here
                found[many] = earlier
                many += 1
    return many
