"""Traces of simulations: the tree after each simulation, as a JSON file that can be replayed step by step.

docs/search/montecarlo.md describes the file. Nodes are numbered, with 0 for the root; each step gives a simulation's
path, the new nodes, and what it changed. Values are in the game's units and from the point of view of player 0 (if a
game has more than two players or is not zero-sum, of each player).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.montecarlo.search import TreeSearch
from counterplay.montecarlo.simulator import REASONS
from counterplay.montecarlo.tree import ROOT, SimulationTree
from counterplay.search.memory import Scale
from counterplay.search.tracing.trace import as_file, from_file

FORMAT, VERSION = "counterplay-simulations", 1
CHANGES = ("visits", "total", "lower", "upper")

Step = dict[str, Any]


class ReplayedNode(NamedTuple):
    """A node of the tree at some moment."""

    parent: int | None
    action: str | None
    player: int | None  # the player who chose the action; CHANCE for an event
    visits: int
    value: float | list[float] | None  # the average; None if it was never visited
    bounds: tuple[float, float] | None  # what is proven


class SimulationTrace(NamedTuple):
    """Recorded simulations."""

    game: str  # its spec
    start: str | None  # the position that play began from; None: the game's own start
    moves: list[str]  # from there to the root of the search
    position: str  # the root, as text
    players: list[str]  # their names
    player: str  # the spec of the player who searched
    decision: dict[str, Any]  # action, value, line, simulations, proven, asked, ended (budget or proven)
    complete: bool  # whether all simulations are here
    steps: list[Step]

    def text(self) -> str:
        """The text of the file, one step per line."""
        return as_file({"format": FORMAT, "version": VERSION, **self._asdict()}, "steps")


class SimulationRecorder:
    """Runs a search one simulation at a time, and records what each did to the tree."""

    def __init__(self, search: TreeSearch, p: Playthrough) -> None:
        self.search, self.p = search, p
        self.tree: SimulationTree = search.trees[0]
        low, high, *_ = Scale.of(p.game)
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        self.states: dict[int, Any] = {ROOT: p.state}  # of the nodes that have been on a path
        self.steps: list[Step] = []
        self.size = 0  # nodes and changes written
        self.ended = "budget"  # why the simulations ended

    def record(self, simulations: int, limit: int, report: Callable[[int], None] | None = None) -> bool:
        """Simulate, and record as much as fits; returns whether everything did."""
        complete = True
        for number in range(1, simulations + 1):
            before = self._snapshot()
            done = self.search.run(simulations=1).nodes
            if not done:
                self.ended = "proven"
                break
            if report is not None:
                report(number)
            if complete:
                step = self._step(before)
                self.size += 1 + len(step["new"]) + len(step["changes"])
                complete = self.size <= limit
                if complete:
                    self.steps.append(step)
        return complete

    def _snapshot(self) -> dict[str, np.ndarray]:
        used = int(self.tree.used[0])
        names = CHANGES if self.tree.scalar else CHANGES[:2]
        return {name: getattr(self.tree, name)[:used].copy() for name in names}

    def _choices(self, trail: list[int], before: dict[str, np.ndarray]) -> list[dict[str, Any]]:
        """How the selection rule saw each node on the path: for every child its mean on the scale from -1 to 1, to the
        player to move, and the exploration bonus."""
        tree, options, old = self.tree, self.search.options, len(before["visits"])
        if options.select != "uct" or options.rave or options.bias or options.implicit:
            return []
        return [
            {
                "node": parent,
                "player": int(tree.mover[parent]),
                "sums": [self._sum(parent, k, before) for k in children],
            }
            for parent in trail[:-1]
            if tree.mover[parent] != CHANCE and (children := [k for k in tree.children(parent) if k < old])
        ]

    def _sum(self, parent: int, k: int, before: dict[str, np.ndarray]) -> dict[str, Any]:
        """A child as the selection rule sees it: untried, useless (something as good is certain), or with its sum."""
        tree, options, mover = self.tree, self.search.options, int(self.tree.mover[parent])
        visits, told = int(before["visits"][k]), {"node": k}
        low, high = -1.0, 1.0
        if tree.scalar:
            sign = 1.0 if mover == 0 else -1.0
            low, high = sorted((sign * float(before["lower"][k]), sign * float(before["upper"][k])))
            floor = min(sign * float(before[name][parent]) for name in ("lower", "upper"))
            is_known = low == high
            if options.solver and high <= floor and (parent == ROOT or high < floor or floor <= -1.0 or not is_known):
                return told | {"state": "useless"}
        if not visits and low < high:
            return told | {"state": "untried"}
        column = 0 if tree.scalar else mover
        mean = low if low == high else float(before["total"][k, column]) / visits
        if tree.scalar and low < high:
            mean = min(max(mean if mover == 0 else -mean, low), high)
        explored = math.sqrt(math.log(max(int(before["visits"][parent]), 1)) / visits) if visits else 0.0
        state = "proven" if low == high else "open"
        return told | {"state": state, "mean": round(mean, 12) + 0.0, "bonus": round(options.c * explored, 12)}

    def _step(self, before: dict[str, np.ndarray]) -> Step:
        tree, simulator = self.tree, self.search.simulators[0]
        trail = [int(node) for node in simulator.trail[0, : simulator.reached[0] + 1]]
        old, used = len(before["visits"]), int(tree.used[0])
        changed = np.zeros(used, bool)
        changed[old:] = True
        for name, array in before.items():
            now = getattr(tree, name)[:old]
            changed[:old] |= (now != array).reshape(old, -1).any(axis=1)
        for parent, below in itertools.pairwise(trail):
            s = self.states[parent]
            if below not in self.states:
                self.states[below] = self.p.game.result(s, int(tree.action[below]))
        new = [self._introduced(parent, k) for parent in trail for k in tree.children(parent) if k >= old]
        changes = [self._told(int(k)) for k in np.flatnonzero(changed) if k < old or self._is_worth_telling(int(k))]
        leaf = [self._value(float(v)) for v in simulator.value]
        return {
            "way": trail,
            "leaf": REASONS[simulator.reason],
            "choices": self._choices(trail, before),
            "new": new,
            "changes": changes,
            "backed_up": leaf[0] if tree.scalar else leaf,
        }

    def _introduced(self, parent: int, k: int) -> dict[str, Any]:
        """A new node."""
        action = self.p.game.action_text(self.states[parent], int(self.tree.action[k]))
        return {"node": k, "parent": parent, "action": action, "player": int(self.tree.mover[parent])}

    def _is_worth_telling(self, k: int) -> bool:
        """Whether something is known about a new node."""
        return bool(self.tree.visits[k] or self.tree.is_known(k))

    def _told(self, k: int) -> dict[str, Any]:
        """What is known about a node now."""
        tree = self.tree
        visits = int(tree.visits[k])
        told: dict[str, Any] = {"node": k, "visits": visits, "value": None}
        if visits:
            means = [self._value(float(total) / visits) for total in tree.total[k]]
            told["value"] = means[0] if tree.scalar else means
        if tree.scalar and self.search.options.solver:
            told["bounds"] = [self._value(float(tree.lower[k])), self._value(float(tree.upper[k]))]
        return told

    def _value(self, value: float) -> float:
        return round(self.middle + self.half * value, 12) + 0.0


def record(
    search: TreeSearch,
    p: Playthrough,
    simulations: int,
    limit: int,
    *,
    game: str,
    player: str,
    start: str | None = None,
    report: Callable[[int], None] | None = None,
) -> SimulationTrace:
    """The trace of `simulations` from the position of `p`, with at most `limit` nodes and changes; `game`, `player` and
    `start` are the specs and the starting position as the user wrote them. `report` receives the number of simulations
    so far."""
    search.begin(p.state, p.before)
    recorder = SimulationRecorder(search, p)
    complete = recorder.record(simulations, limit, report)
    found = search.found()
    s, line = p.state, []
    for action in found.line:
        line.append(p.game.action_text(s, action))
        s = p.game.result(s, action)
    decision = {
        "action": line[0],
        "value": found.value,
        "line": line,
        "simulations": int(recorder.tree.visits[ROOT]),
        "proven": found.proven,
        "asked": simulations,
        "ended": recorder.ended,
    }
    names = [p.game.player_name(i) for i in range(p.game.players)]
    return SimulationTrace(game, start, p.moves, p.position, names, player, decision, complete, recorder.steps)


def replay(trace: SimulationTrace) -> Iterator[list[ReplayedNode]]:
    """The tree after each simulation: its nodes by number."""
    nodes = [ReplayedNode(None, None, None, 0, None, None)]
    for step in trace.steps:
        for new in step["new"]:
            if new["node"] != len(nodes):
                raise CounterplayError(f"the trace has node {new['node']} where node {len(nodes)} is expected")
            nodes.append(ReplayedNode(new["parent"], new["action"], new["player"], 0, None, None))
        for change in step["changes"]:
            bounds = change.get("bounds")
            nodes[change["node"]] = nodes[change["node"]]._replace(
                visits=change["visits"], value=change["value"], bounds=tuple(bounds) if bounds else None
            )
        yield list(nodes)


def read_simulations(path: Path | str) -> SimulationTrace:
    """The trace in a file; anything else is rejected."""
    data = from_file(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise CounterplayError(
            f'{path} is not a trace of simulations: it lacks "format": "{FORMAT}", "version": {VERSION}'
        )
    missing = [name for name in SimulationTrace._fields if name not in data]
    if missing:
        raise CounterplayError(f'{path}: "{missing[0]}" is missing')
    return SimulationTrace(**{name: data[name] for name in SimulationTrace._fields})
