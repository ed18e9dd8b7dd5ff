"""Tables of endings: positions numbered by the game itself, class by class.

A game that numbers its endings has a part (for chess `games/chess/endings.py`) with three methods that compile,
`ending_number(s)`, `ending_state(k, index)` and `is_ending(k, index, s)`, and beside it the names of the classes, how many
indices each has and which classes each leads to. Classes are solved in the order of dependence. A class becomes a graph
as any other: its indices are the nodes; what leads to another class is an end whose value and distance that class's table
has; and a position that has no number of its own (a pawn may be taken en passant) is a node behind all others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.derived import derive
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Array, Workspace, f64, i8, i16, i32, i64
from counterplay.endgame.graph import ABSENT, OPEN, Graph
from counterplay.endgame.retrograde import NO_PLIES, solve_graph

NUMBERED = {"chess": "counterplay.games.chess.endings", "checkers": "counterplay.games.checkers.endings"}
"""The built-in games that number their endings, and where."""
CLASS, SWAPPED = 41, 40
"""Where in a number its class begins, and the bit that says that the sides were exchanged."""
FARTHEST = 1 << 12
"""Distances in plies that a class may lead to in another one."""
SINKS = 2 * FARTHEST + 1
"""Ends that stand for other classes: a draw, and a win of either side at each distance."""
COMPLETE, GOES_ON, FULL, UNNUMBERED = range(4)
"""Why `follow` came back: all is followed; a batch is; there is no room; a position belongs to no class, though the game
goes on there."""
BATCH = 1 << 17
NOTHING = -32768
"""The entry of an index that is no position."""


class Numbering(NamedTuple):
    """How a game numbers its endings."""

    game: Any  # with the part that numbers them
    names: tuple[str, ...]
    sizes: tuple[int, ...]  # indices of each class
    counts: tuple[int, ...]  # pieces of each class
    leads_to: Callable[[int], list[int]]
    example: str  # the name of a class

    def wanted(self, text: str) -> list[int]:
        """The class of a name, or all classes of so many pieces."""
        if text in self.names:
            return [self.names.index(text)]
        found = [k for k, count in enumerate(self.counts) if text == str(count)]
        if not found:
            raise CounterplayError(
                f"{self.game.spec} has no class {text!r} of endings: it has {len(self.names)} such as {self.example}, or "
                f"all of {min(self.counts)} to {max(self.counts)} pieces by their number"
            )
        return found

    def order(self, wanted: list[int]) -> list[int]:
        """Classes and all that they lead to, each after those that it leads to itself."""
        found: list[int] = []

        def visit(one: int) -> None:
            for below in self.leads_to(one):
                if below not in found:
                    visit(below)
            if one not in found:
                found.append(one)

        for k in wanted:
            visit(k)
        return found


def numbering(game: Game) -> Numbering | None:
    """How a game numbers its endings; None where it does not."""
    module = NUMBERED.get(type(game)._spec_name())
    if module is None:
        return None
    found = importlib.import_module(module)
    numbered = derive(game, found.PART, **found.endings_tables())
    return Numbering(numbered, found.NAMES, found.SIZES, found.COUNTS, found.leads_to, found.EXAMPLE)


class SolvedEndings(Workspace):
    """The entries of the classes that are solved: 0 for a draw, n + 1 where the first side wins in n plies, -n - 1 where
    the second does."""

    entries: Array[i16, "room"]
    offset: Array[i64, "classes"]  # where the entries of a class begin, or -1

    def __init__(self, tables: dict[int, np.ndarray], classes: int) -> None:
        self.offset = np.full(classes, -1, np.int64)
        at = 0
        for k, entries in tables.items():
            self.offset[k] = at
            at += len(entries)
        self.entries = np.concatenate([*tables.values(), np.zeros(1, np.int16)])

    # What kernels call.

    def entry(self, number: int) -> int:
        """What is known of a numbered position whose class is solved."""
        found = self.entries[self.offset[number >> CLASS] + (number & ((1 << SWAPPED) - 1))]
        return -found if number >> SWAPPED & 1 else found


class Unfolding(Workspace):
    """A class while it becomes a graph."""

    out: ActionStack
    count: i64  # indices of the class
    followed: i64  # nodes whose successors are known
    edges: i64
    extras: i64  # positions without a number
    most_nodes: i64
    most_edges: i64
    first: Array[i64, "nodes"]
    successors: Array[i32, "many"]
    mover: Array[i8, "nodes"]
    payoff: Array[f64, "nodes"]
    parent: Array[i64, "rest"]  # of a position without a number: the node before it, and the action
    action: Array[i64, "rest"]

    def __init__(self, game: Game, count: int, edges: int, extras: int, old: Unfolding | None = None) -> None:
        self.out = cast(ActionStack, action_stack(game)) if old is None else old.out
        self.count, self.most_nodes, self.most_edges = count, count + SINKS + extras, edges
        self.first, self.successors = np.zeros(self.most_nodes + 1, np.int64), np.empty(edges, np.int32)
        self.mover, self.payoff = np.full(self.most_nodes, ABSENT, np.int8), np.full(self.most_nodes, OPEN)
        self.parent, self.action = np.zeros(extras, np.int64), np.zeros(extras, np.int64)
        if old is not None:
            self.followed, self.edges, self.extras = old.followed, old.edges, old.extras
            for name in ("first", "successors", "mover", "payoff", "parent", "action"):
                earlier = getattr(old, name)
                getattr(self, name)[: len(earlier)] = earlier


@kernel
def follow(game: Any, k: int, solved: SolvedEndings, work: Unfolding, batch: int) -> int:
    """Follow the next nodes of class `k`, so many at most; why it came back."""
    out = work.out
    for _ in range(batch):
        i = work.followed
        if i == work.count:
            for sink in range(SINKS):
                work.first[i + sink + 1] = work.edges
            i += SINKS
            work.followed = i
        if i >= work.count + SINKS + work.extras:
            return COMPLETE
        if i < work.count:
            s = game.ending_state(k, i)
            if not game.is_ending(k, i, s):
                work.followed = i + 1
                work.first[i + 1] = work.edges
                continue
        else:
            extra = i - work.count - SINKS
            s = game.result(game.ending_state(k, work.parent[extra]), work.action[extra])
        end, extras = work.edges, work.extras
        if game.is_terminal(s):
            work.payoff[i] = game.utility(s, 0)
        else:
            start = len(out)
            game.actions(s, out.fresh())
            options = len(out) - start
            if end + options > work.most_edges or work.count + SINKS + extras + options > work.most_nodes:
                out.truncate(start)
                return FULL
            for j in range(start, len(out)):
                after = game.result(s, out[j])
                number = game.ending_number(after)
                if number >= 0 and number >> SWAPPED == k << 1:
                    work.successors[end] = number & ((1 << SWAPPED) - 1)
                elif number >= 0:
                    if solved.offset[number >> CLASS] < 0:
                        return UNNUMBERED
                    work.successors[end] = work.count + FARTHEST + solved.entry(number)
                elif game.is_terminal(after):
                    won = game.utility(after, 0)
                    work.successors[end] = work.count + FARTHEST + (1 if won > 0 else -1 if won < 0 else 0)
                elif i < work.count:
                    work.parent[extras] = i
                    work.action[extras] = out[j]
                    work.successors[end] = work.count + SINKS + extras
                    extras += 1
                else:
                    return UNNUMBERED
                end += 1
            out.truncate(start)
        work.mover[i] = game.to_move(s)
        work.edges, work.extras = end, extras
        work.followed = i + 1
        work.first[i + 1] = end
    return GOES_ON


class Ending(NamedTuple):
    """A class that is solved."""

    name: str
    entries: np.ndarray  # int16 [indices], as in `SolvedEndings`, or NOTHING
    summary: list[dict[str, Any]]


def solve_class(
    numbered: Numbering,
    k: int,
    tables: dict[int, np.ndarray],
    megabytes: float,
    report: Callable[[str], None] | None = None,
) -> Ending:
    """Solve one class; `tables` has the entries of those that it leads to."""
    count, name = numbered.sizes[k], numbered.names[k]
    below = {one: tables[one] for one in numbered.leads_to(k)}
    solved = SolvedEndings(below, len(numbered.names))
    work = Unfolding(numbered.game, count, 8 * count + 1024, count // 64 + 1024)
    while True:
        why = follow(numbered.game, k, solved, work, BATCH)
        if why == COMPLETE:
            break
        if why == UNNUMBERED:
            raise AssertionError(f"{name} leads to a position without a class")
        if why == FULL:
            needed = 2 * work.successors.nbytes * 3 / 2**20
            if needed > megabytes:
                raise CounterplayError(
                    f"{name} takes more than {needed:,.0f} MB of memory, and --memory allows {megabytes:g}"
                )
            work = Unfolding(numbered.game, count, 2 * work.most_edges, 2 * len(work.parent), work)
        if report:
            report(f"{name}: {min(work.followed, count) / count:.0%} of {count:,} indices followed")
    if report:
        report(f"{name}: going back from the ends")
    graph = graph_of(work)
    found = solve_graph(graph, 0.0)
    value = np.array(found.values)[found.outcome[:count]]
    plies = found.plies[:count].astype(np.int64)
    if plies[plies != NO_PLIES].max(initial=0) >= FARTHEST - 1:
        raise CounterplayError(f"{name} has a distance of more than {FARTHEST - 2:,} plies, which no table holds")
    here = graph.mover[:count] != ABSENT
    entries = np.where(value == 0, 0, np.sign(value) * (plies + 1)).astype(np.int16)
    entries[~here] = NOTHING
    return Ending(name, entries, summary(numbered, name, graph.mover[:count], entries))


def graph_of(work: Unfolding) -> Graph:
    """The graph of a class whose nodes are all followed."""
    n = work.count + SINKS + work.extras
    distance = np.arange(-FARTHEST, FARTHEST + 1)
    payoff, plies = work.payoff[:n].copy(), np.zeros(n, np.int32)
    payoff[work.count : work.count + SINKS] = np.sign(distance)
    plies[work.count : work.count + SINKS] = np.maximum(np.abs(distance) - 1, 0)
    return Graph(work.first[: n + 1], work.successors[: work.edges], work.mover[:n], payoff, plies)


def summary(numbered: Numbering, name: str, mover: np.ndarray, entries: np.ndarray) -> list[dict[str, Any]]:
    """How many positions are won, drawn and lost for each side to move, and the longest way to an end."""
    told = []
    for player in range(2):
        seen = entries[mover == player] * (1 if player == 0 else -1)
        if len(seen):
            told.append(
                {
                    "class": name,
                    "to_move": numbered.game.player_name(player),
                    "positions": len(seen),
                    "won": int((seen > 0).sum()),
                    "drawn": int((seen == 0).sum()),
                    "lost": int((seen < 0).sum()),
                    "longest": int(max(0, np.abs(seen).max() - 1)),
                }
            )
    return told
