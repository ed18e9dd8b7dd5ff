"""Watching a search: the kernels report what they do to a tracer. The silent one compiles to nothing.

The recording one writes an event for each node entered and left and for each action that was pruned: enough to replay
the run step by step. A student steps through the real algorithm, not a copy of it.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.workspace import Array, Workspace, f64, i8, i64

ENTER, LEAVE, PRUNED = 0, 1, 2
KINDS = ("enter", "leave", "pruned")
SEARCHED, TERMINAL, HORIZON, TABLE, NULL, LATE, PROBED = range(7)
REASONS = ("searched", "terminal", "horizon", "table", "null move", "too late", "probed")


class SilentTracer(Workspace):
    """Reports nothing."""

    def enter(self, ply: int, action: int, mover: int, depth: int, alpha: float, beta: float) -> None:
        """A node is entered by `action`, with its window."""

    def leave(self, ply: int, value: float, why: int) -> None:
        """The node at `ply` is left with its value, for the reason `why`."""

    def pruned(self, ply: int, action: int) -> None:
        """An action of the node at `ply` is not looked at."""

    def cut(self, ply: int, out: ActionStack, start: int, end: int) -> None:
        """The actions out[start:end] of the node at `ply` are not looked at."""


class RecordingTracer(Workspace):
    """Records everything, up to `capacity` events."""

    capacity: i64
    used: i64
    kinds: Array[i8, "capacity"]
    whole: Array[i64, "capacity", 4]  # ply, action, mover, depth (enter); ply, why (leave)
    real: Array[f64, "capacity", 2]  # alpha, beta (enter); value (leave)

    def __init__(self, capacity: int = 100_000) -> None:
        if capacity < 1:
            raise CounterplayError(f"a trace keeps at least 1 event, not {capacity}")
        self.capacity = capacity

    def enter(self, ply: int, action: int, mover: int, depth: int, alpha: float, beta: float) -> None:
        """A node is entered by `action`, with its window."""
        at = self.used
        if at < self.capacity:
            self.kinds[at] = ENTER
            self.whole[at, 0] = ply
            self.whole[at, 1] = action
            self.whole[at, 2] = mover
            self.whole[at, 3] = depth
            self.real[at, 0] = alpha
            self.real[at, 1] = beta
        self.used = at + 1

    def leave(self, ply: int, value: float, why: int) -> None:
        """The node at `ply` is left with its value, for the reason `why`."""
        at = self.used
        if at < self.capacity:
            self.kinds[at] = LEAVE
            self.whole[at, 0] = ply
            self.whole[at, 1] = why
            self.real[at, 0] = value
        self.used = at + 1

    def pruned(self, ply: int, action: int) -> None:
        """An action of the node at `ply` is not looked at."""
        at = self.used
        if at < self.capacity:
            self.kinds[at] = PRUNED
            self.whole[at, 0] = ply
            self.whole[at, 1] = action
        self.used = at + 1

    def cut(self, ply: int, out: ActionStack, start: int, end: int) -> None:
        """The actions out[start:end] of the node at `ply` are not looked at."""
        for i in range(start, end):
            self.pruned(ply, out[i])

    @property
    def complete(self) -> bool:
        """Whether everything fit."""
        return bool(self.used <= self.capacity)

    def events(self) -> list[dict[str, Any]]:
        """What happened, in order."""
        found: list[dict[str, Any]] = []
        for at in range(min(self.used, self.capacity)):
            kind = int(self.kinds[at])
            ply, second, mover, depth = map(int, self.whole[at])
            first, last = map(float, self.real[at])
            event: dict[str, Any] = {"event": KINDS[kind], "ply": ply}
            if kind == ENTER:
                event |= {"action": second, "player": mover, "depth": depth, "alpha": first, "beta": last}
            elif kind == LEAVE:
                event |= {"value": first, "why": REASONS[second]}
            else:
                event |= {"action": second}
            found.append(event)
        return found
