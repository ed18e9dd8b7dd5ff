"""A recorded search as a tree of visits: what was known of each node at each moment, and the steps that a reader
follows.

Values and windows are from the root player's point of view: alpha is what that player is sure of, beta what the others
allow. A leaf is one step, and so are all the actions that one cut prunes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.types import State
from counterplay.search.tracing.trace import Event, Trace, replay

INFINITY = float("inf")
NEVER = 1 << 62
"""The event number of what does not happen within the record."""
LEAVES = ("terminal", "horizon", "table", "too late")
"""Reasons for leaving a node without searching its actions."""


@dataclass
class Visit:
    """One visit to a node: the engine may visit the same position again."""

    parent: int | None
    action: str  # as players write it
    by: str  # how it was entered: root, action, null move, same position
    state: State
    player: int  # who moves there; at the end of the game, the root's player
    is_end: bool
    odds: float | None  # the probability of the event that leads here
    entered: int  # the event that entered it; for a pruned action, the event that pruned it
    view: int = 0  # the player from whose point of view the trace has its values
    depth: int = 0  # plies still to search
    number: int = 0  # of the event that entered it, in the whole search
    hidden: int = 0  # events below it that are not in this piece of the trace
    alpha: float = -INFINITY
    beta: float = INFINITY
    pruned: bool = False
    left: int = NEVER
    value: float = 0.0  # to the root's player
    values: list[float] | None = None  # to each player, if the search has a value for each
    bound: str = "exact"  # of the value to the root's player
    why: str = ""
    children: list[int] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        """Whether it was left without searching its actions."""
        return self.why in LEAVES and not self.children


class Step(NamedTuple):
    """What a reader sees happen at once."""

    kind: str  # enter, leaf, prune, leave, stop
    visit: int  # the node concerned; of a cut, the node whose actions are pruned
    first: int  # the events
    last: int


class History:
    """The visits of a recorded search and its steps."""

    def __init__(self, trace: Trace, game: Game) -> None:
        self.trace, self.game = trace, game
        self.root = next((event["player"] for event in trace.events), 0)
        self.has_vectors = any("values" in event for event in trace.events)
        """Whether the search has a value for each player."""
        self.visits: list[Visit] = []
        self.steps: list[Step] = []
        path: list[int] = []
        for i, step in enumerate(replay(trace)):
            event = step.event
            if event["event"] == "leave":
                self._leave(i, event, path.pop())
                continue
            parent = path[-1] if path else None
            visit = self._visit(i, event, step.state, parent)
            if event["event"] == "enter":
                path.append(visit)
                self.steps.append(Step("enter", visit, i, i))
            else:
                assert parent is not None
                last = self.steps[-1]
                if last.kind == "prune" and last.visit == parent:
                    self.steps[-1] = last._replace(last=i)
                else:
                    self.steps.append(Step("prune", parent, i, i))
        if path:  # the record ends before the search does
            self.steps.append(Step("stop", path[-1], len(trace.events) - 1, len(trace.events) - 1))

    @property
    def rival(self) -> int:
        """The root player's opponent, if there are two players."""
        return 1 - self.root if self.game.players == 2 else self.root

    def _visit(self, i: int, event: Event, s: State, parent: int | None) -> int:
        game, by = self.game, event.get("by", "action")
        odds = None
        if parent is not None and by == "action":
            above = self.visits[parent].state
            action = game.parse_action(above, event["action"])
            if game.to_move(above) == CHANCE:
                odds = float(game.probability(above, action))
            if event["event"] == "pruned":
                s = game.result(above, action)
        is_end = bool(game.is_terminal(s))
        player = self.root if is_end else int(game.to_move(s))
        visit = Visit(parent, event["action"] or "", by, s, player, is_end, odds, i)
        if event["event"] == "enter":
            visit.view, visit.depth = event["player"], event["depth"]
            visit.number, visit.hidden = event.get("at", i), event.get("hidden", 0)
            low = -INFINITY if event["alpha"] is None else event["alpha"]
            high = INFINITY if event["beta"] is None else event["beta"]
            visit.alpha, visit.beta = (low, high) if self._is_own(visit) else (0.0 - high, 0.0 - low)
        else:
            visit.pruned = True
        self.visits.append(visit)
        if parent is not None:
            self.visits[parent].children.append(len(self.visits) - 1)
        return len(self.visits) - 1

    def _is_own(self, visit: Visit) -> bool:
        """Whether the trace has a node's values from the point of view of the root's player."""
        return visit.view in (self.root, CHANCE) or self.game.players == 1

    def _leave(self, i: int, event: Event, k: int) -> None:
        visit = self.visits[k]
        own = self._is_own(visit)
        visit.left, visit.why, visit.values = i, event["why"], event.get("values")
        visit.value = event["value"] if own else 0.0 - event["value"]
        if visit.values is not None:
            visit.value, visit.bound = visit.values[self.root], event["bound"]
        elif event["bound"] != "exact" and not self._is_seen_through(visit):
            visit.bound = event["bound"] if own else {"lower": "upper", "upper": "lower"}[event["bound"]]
        last = self.steps[-1]
        if last == Step("enter", k, visit.entered, visit.entered) and visit.is_leaf:
            self.steps[-1] = Step("leaf", k, visit.entered, i)
        else:
            self.steps.append(Step("leave", k, i, i))

    def _is_seen_through(self, visit: Visit) -> bool:
        """Whether a value outside the window is exact nevertheless: every action was searched to its end."""
        below = [self.visits[k] for k in visit.children]
        cost = 0 if visit.player == CHANCE else 1
        return (
            visit.why == "searched"
            and bool(below)
            and all(
                not child.pruned
                and child.bound == "exact"
                and child.by == "action"
                and child.depth == visit.depth - cost
                for child in below
            )
        )

    def known_children(self, k: int, moment: int) -> list[Visit]:
        """The children of a node that have been left by the time of an event, including those of earlier probes."""
        return [
            self.visits[c]
            for each in (*self._probes(k), k)
            for c in self.visits[each].children
            if self.visits[c].left <= moment
        ]

    def _probes(self, k: int) -> list[int]:
        """Earlier visits of the same node that tried one action only."""
        visit = self.visits[k]
        if visit.parent is None or visit.odds is None:
            return []
        beside = (c for c in self.visits[visit.parent].children if c < k)
        return [c for c in beside if self.visits[c].action == visit.action and self.visits[c].why == "probed"]

    def pruned_children(self, k: int) -> list[Visit]:
        """The actions of a node that were never looked at."""
        return [self.visits[c] for c in self.visits[k].children if self.visits[c].pruned]

    def best(self, k: int, moment: int) -> float | None:
        """The best value for whoever moves at a node, among the actions seen by an event."""
        visit = self.visits[k]
        seen = [child.value for child in self.known_children(k, moment) if child.by == "action"]
        if not seen:
            return None
        if self.has_vectors:
            vectors = [child.values for child in self.known_children(k, moment) if child.values is not None]
            return max((vector[visit.player] for vector in vectors), default=None)
        return max(seen) if visit.player == self.root else min(seen)

    def window(self, k: int, moment: int) -> tuple[float, float]:
        """The window of a node after an event: the one that it was entered with, narrowed by what its children have
        returned."""
        visit = self.visits[k]
        low, high = visit.alpha, visit.beta
        best = self.best(k, moment) if visit.player != CHANCE else None
        if best is not None:
            low, high = (max(low, best), high) if visit.player == self.root else (low, min(high, best))
        return low, high

    def path(self, k: int) -> list[int]:
        """The nodes from the root to a node."""
        path = [k]
        while (above := self.visits[path[-1]].parent) is not None:
            path.append(above)
        return path[::-1]

    def path_text(self, k: int) -> str:
        """The same in words."""
        return " ".join(self.label(each) for each in self.path(k)[1:]) or "the root"

    def label(self, k: int) -> str:
        """The action or event that leads to a node."""
        visit = self.visits[k]
        return visit.action or {"root": "", "null move": "pass", "same position": "again"}[visit.by]
