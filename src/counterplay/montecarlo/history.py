"""Recorded simulations as steps, each in one sentence with its numbers: select at every node on the path, expand,
simulate, back up. A mean is from the point of view of the player who chooses the move that leads there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.registry import load
from counterplay.core.types import State
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.search.memory import Scale
from counterplay.search.tracing.pseudocode import Pseudocode
from counterplay.search.tracing.sentences import counted, listed, number

MOST_SUMS = 5
"""The maximum number of sums listed in a sentence."""

UCT = Pseudocode(
    "Monte Carlo tree search",
    (
        ("repeat until the budget is spent:", "end"),
        ("  node = root", ""),
        ("  while node has children: # select", ""),
        ("    node = child with the highest", "select"),
        ("      mean + c · sqrt(ln N / n)", "select"),
        ("    at chance nodes: an event is drawn", "chance"),
        ("  node gets children, take one # expand", "expand"),
        ("  v = result of a playout # simulate", "simulate"),
        ("  for each node on the way: # back up", "backup"),
        ("    n = n + 1; mean moves towards v", "backup"),
        ("choose the child visited most", "choice"),
    ),
)
FLAT = Pseudocode(
    "flat Monte Carlo",
    (
        ("repeat until the budget is spent:", "end"),
        ("  node = the move tried least often", "select expand"),
        ("  v = result of a random playout", "simulate"),
        ("  n = n + 1; mean moves towards v", "backup"),
        ("choose the move with the best mean", "choice"),
    ),
)


@dataclass
class HistoryNode:
    """A node of the tree, as it is at the end."""

    parent: int | None
    action: str
    chooser: int  # the player who chooses the move that leads here; at the root, the player to move
    state: State
    player: int  # the player to move here
    is_end: bool
    odds: float | None
    simulation: int  # the one in which it was made
    children: list[int] = field(default_factory=list)


class SimulationStep(NamedTuple):
    """What a reader sees happen at once."""

    kind: str  # select, expand, simulate, backup, end
    simulation: int
    node: int  # the node that the simulation has reached
    words: str


class NodeStatistics(NamedTuple):
    """What is known about a node at some moment."""

    visits: int
    mean: float  # to its chooser
    proven: bool


class SimulationHistory:
    """The nodes of recorded simulations and their steps."""

    pseudocode = UCT

    def __init__(self, trace: SimulationTrace, game: Game | None = None) -> None:
        self.trace = trace
        self.game = game or load(trace.game)
        p = self.game.start(" ".join(trace.moves), position=trace.start)
        self.root = int(p.to_move)
        low, high, *_ = Scale.of(self.game)
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        self.nodes = [HistoryNode(None, "", self.root, p.state, self.root, False, None, 0)]
        self.known: dict[int, NodeStatistics] = {}
        self.changes: list[dict[int, NodeStatistics]] = []  # [simulations] what each changed
        self.steps: list[SimulationStep] = []
        self.is_flat = trace.player.partition(":")[0] == "flat"
        if self.is_flat:
            self.pseudocode = FLAT
        for k, step in enumerate(trace.steps):
            self._grow(k, step)
            self._tell(k, step)
            changed = {each["node"]: self._known(each) for each in step["changes"]}
            self.known |= changed
            self.changes.append(changed)
            last = self.steps[-1]
            self.steps[-1] = last._replace(words=self._backed_up(step))
        self.steps.append(SimulationStep("end", len(trace.steps) - 1, 0, self._end()))

    def _grow(self, k: int, step: dict[str, Any]) -> None:
        for new in step["new"]:
            above = self.nodes[new["parent"]]
            action = self.game.parse_action(above.state, new["action"])
            s = self.game.result(above.state, action)
            is_end = bool(self.game.is_terminal(s))
            player = above.player if is_end else int(self.game.to_move(s))
            odds = float(self.game.probability(above.state, action)) if new["player"] == CHANCE else None
            above.children.append(len(self.nodes))
            self.nodes.append(HistoryNode(new["parent"], new["action"], new["player"], s, player, is_end, odds, k))

    def viewer(self, node: int) -> int:
        """The point of view of a node's mean."""
        chooser = self.nodes[node].chooser
        return self.root if chooser == CHANCE else chooser

    def seen_by(self, value: float | list[float], player: int) -> float:
        """A value of the trace to a player, in the game's units."""
        if isinstance(value, list):
            return value[player]
        return value if player == 0 else 2 * self.middle - value

    def _known(self, change: dict[str, Any]) -> NodeStatistics:
        low, high = change.get("bounds") or (0.0, 1.0)
        proven, value = low == high, change["value"]
        if value is None:
            value = low
        return NodeStatistics(change["visits"], self.seen_by(value, self.viewer(change["node"])), proven)

    def name(self, player: int) -> str:
        """A player's name."""
        return "chance" if player == CHANCE else self.trace.players[player]

    def path_text(self, k: int) -> str:
        """The moves from the root to a node."""
        names: list[str] = []
        node = self.nodes[k]
        while node.parent is not None:
            names.append(node.action)
            node = self.nodes[node.parent]
        return " ".join(reversed(names))

    def _where(self, k: int) -> str:
        return f"after {self.path_text(k)}" if k else "at the root"

    # The sentences.

    def _tell(self, k: int, step: dict[str, Any]) -> None:
        choices = {each["node"]: each for each in step.get("choices", ())}
        fresh = {new["node"] for new in step["new"]}
        way = step["way"]
        for above, below in pairwise(way):
            if below not in fresh or self.nodes[above].player == CHANCE:
                words = self._selected(above, below, choices.get(above))
                self.steps.append(SimulationStep("select", k, below, words))
        if fresh:
            self.steps.append(SimulationStep("expand", k, way[-1], self._expanded(step)))
        self.steps.append(SimulationStep("simulate", k, way[-1], self._simulated(step)))
        self.steps.append(SimulationStep("backup", k, way[-1], ""))

    def _selected(self, above: int, below: int, choice: dict[str, Any] | None) -> str:
        node, chosen = self.nodes[above], self.nodes[below].action
        where = self._where(above)
        if node.player == CHANCE:
            return f"Select: {where}, chance draws {chosen} (probability {number(self.nodes[below].odds)})."
        who = self.name(node.player)
        if choice is None:
            rule = "is tried least often" if self.is_flat else "is the most urgent"
            return f"Select: {where}, {chosen} {rule}."
        sums = {each["node"]: each for each in choice["sums"]}
        useless = [self.nodes[i].action for i, each in sums.items() if each["state"] == "useless"]
        out = f"; {listed(useless[:MOST_SUMS])} cannot be better: left out" if useless else ""
        mine = sums[below]
        if mine["state"] == "untried":
            return f"Select: {where}, {who} has not tried {chosen} yet, and every move is tried once first{out}."
        others = sorted((each for i, each in sums.items() if i != below and "mean" in each), key=lambda e: -total(e))
        told = [f"{self.nodes[each['node']].action} {two(total(each))}" for each in others[:MOST_SUMS]]
        more = f" and {len(others) - MOST_SUMS} more" if len(others) > MOST_SUMS else ""
        rest = f" (then {', '.join(told)}{more})" if told else ""
        better = next((each for each in others if each["state"] == "proven" and total(each) > total(mine)), None)
        if better is not None:
            known = f"{self.nodes[better['node']].action} has {two(total(better))}, but is proven already"
            return f"Select: {where}, {known}, so {who} goes on with {chosen}: {sum_text(mine)}{out}."
        highest = "highest" if not others or total(mine) > total(others[0]) else "the first of the highest"
        highest = highest if told else "the only one left"
        return f"Select: {where}, {who} takes {chosen}: {sum_text(mine)}, {highest}{rest}{out}."

    def _expanded(self, step: dict[str, Any]) -> str:
        parent, count = step["new"][0]["parent"], len(step["new"])
        kind = "event" if self.nodes[parent].player == CHANCE else "move"
        way = step["way"]
        first = f"; {self.nodes[way[-1]].action} is tried first" if way[-1] != parent and count > 1 else ""
        root = "the root" if parent == 0 else self.path_text(parent)
        children = f"one {kind} as its only child" if count == 1 else f"{counted(count)} {kind}s as children"
        return f"Expand: {root} gets {children}{first}."

    def _simulated(self, step: dict[str, Any]) -> str:
        leaf, value = step["way"][-1], step["backed_up"]
        who = self.viewer(leaf)
        gain = f"{number(self.seen_by(value, who))} for {self.name(who)}"
        how = {
            "end": f"{self._where(leaf)} the game is over: {gain}",
            "proven": f"{self._where(leaf)} the value is proven: {gain}",
        }.get(step["leaf"], f"a playout from {self._where(leaf).removeprefix('after ')} gives {gain}")
        return f"Simulate: {how.replace('from at the root', 'from the root')}."

    def _backed_up(self, step: dict[str, Any]) -> str:
        parts = []
        for k in step["way"][::-1]:
            known = self.known.get(k)
            if known is not None and known.visits:
                proven = ", proven" if known.proven else ""
                name = self.nodes[k].action if k else "the root"
                view = self.name(self.viewer(k))
                often = "once" if known.visits == 1 else "twice" if known.visits == 2 else f"{known.visits:,} times"
                parts.append(f"{name} {often}, {number(known.mean)} for {view}{proven}")
        return f"Back up: visits and means are now: {'; '.join(parts)}."

    def _end(self) -> str:
        told = self.trace.decision
        done, asked = told["simulations"], told.get("asked")
        if not self.trace.complete:
            return f"The record ends here: the first {len(self.trace.steps):,} of {done:,} simulations are kept."
        why = ""
        if told.get("ended") == "proven" and asked and done < asked:
            why = f" before the {asked:,} of the budget, since the result is proven"
        who = self.name(self.root)
        choice = "it has the best mean" if self.is_flat else "it has the most visits"
        choice = "nothing else can be better" if told["proven"] else choice
        value = number(told["value"])
        end = f"The search ends after {done:,} simulations{why}"
        return f"{end}: {who} chooses {told['action']}, worth {value} to {who}, as {choice}."


def total(each: dict[str, Any]) -> float:
    """A child's sum."""
    return float(each["mean"] + each["bonus"])


def sum_text(each: dict[str, Any]) -> str:
    """`0.67 + 0.41 = 1.08`."""
    return f"{two(each['mean'])} + {two(each['bonus'])} = {two(total(each))}"


def two(value: float) -> str:
    """A number with two digits; -0.00 is 0.00."""
    return f"{round(value, 2) + 0.0:.2f}"
