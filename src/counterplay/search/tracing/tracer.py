"""Watching a search: the kernels tell a tracer what they do. The silent one compiles to nothing.

The recording one writes an event for each node entered and left and for each action that was cut off unseen: enough to
replay the run step by step. What a student steps through is the real algorithm running, not a twin of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.language.workspace import Workspace

ENTER, LEAVE, PRUNED = 0, 1, 2
KINDS = ("enter", "leave", "pruned")
SEARCHED, TERMINAL, HORIZON, TABLE, NULL, LATE, PROBED = range(7)
REASONS = ("searched", "terminal", "horizon", "table", "null move", "too late", "probed")


class Silent(Workspace):
    """Says nothing."""

    def enter(self, ply: int, action: int, mover: int, depth: int, alpha: float, beta: float) -> None:
        """A node is entered by `action`, with its window."""

    def leave(self, ply: int, value: float, why: int) -> None:
        """The node at `ply` is left with its value, for the reason `why`."""

    def pruned(self, ply: int, action: int) -> None:
        """An action of the node at `ply` is not looked at."""

    def cut(self, ply: int, out: Any, start: int, end: int) -> None:
        """The actions out[start:end] of the node at `ply` are not looked at."""


class Recorder(Workspace):
    """Writes everything down, up to `capacity` events."""

    def __init__(self, capacity: int = 100_000) -> None:
        if capacity < 1:
            raise CounterplayError(f"a trace keeps at least 1 event, not {capacity}")
        self.used = np.zeros(1, np.int64)
        self.room = np.array([capacity], np.int64)
        self.kinds = np.zeros(capacity, np.int8)
        self.whole = np.zeros(4 * capacity, np.int64)  # ply, action, mover, depth (enter); ply, why (leave)
        self.real = np.zeros(2 * capacity)  # alpha, beta (enter); value (leave)

    def enter(self, ply: int, action: int, mover: int, depth: int, alpha: float, beta: float) -> None:
        """A node is entered by `action`, with its window."""
        at = self.used[0]
        if at < self.room[0]:
            self.kinds[at] = ENTER
            self.whole[4 * at] = ply
            self.whole[4 * at + 1] = action
            self.whole[4 * at + 2] = mover
            self.whole[4 * at + 3] = depth
            self.real[2 * at] = alpha
            self.real[2 * at + 1] = beta
        self.used[0] = at + 1

    def leave(self, ply: int, value: float, why: int) -> None:
        """The node at `ply` is left with its value, for the reason `why`."""
        at = self.used[0]
        if at < self.room[0]:
            self.kinds[at] = LEAVE
            self.whole[4 * at] = ply
            self.whole[4 * at + 1] = why
            self.real[2 * at] = value
        self.used[0] = at + 1

    def pruned(self, ply: int, action: int) -> None:
        """An action of the node at `ply` is not looked at."""
        at = self.used[0]
        if at < self.room[0]:
            self.kinds[at] = PRUNED
            self.whole[4 * at] = ply
            self.whole[4 * at + 1] = action
        self.used[0] = at + 1

    def cut(self, ply: int, out: Any, start: int, end: int) -> None:
        """The actions out[start:end] of the node at `ply` are not looked at."""
        for i in range(start, end):
            self.pruned(ply, out[i])

    @property
    def complete(self) -> bool:
        """Whether everything fitted."""
        return bool(self.used[0] <= self.room[0])

    def events(self) -> list[dict[str, Any]]:
        """What happened, in order."""
        found: list[dict[str, Any]] = []
        for at in range(min(int(self.used[0]), int(self.room[0]))):
            kind = int(self.kinds[at])
            ply, second, mover, depth = map(int, self.whole[4 * at : 4 * at + 4])
            first, last = map(float, self.real[2 * at : 2 * at + 2])
            event: dict[str, Any] = {"event": KINDS[kind], "ply": ply}
            if kind == ENTER:
                event |= {"action": second, "player": mover, "depth": depth, "alpha": first, "beta": last}
            elif kind == LEAVE:
                event |= {"value": first, "why": REASONS[second]}
            else:
                event |= {"action": second}
            found.append(event)
        return found
