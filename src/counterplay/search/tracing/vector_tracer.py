"""Watching a search with a value for each player: the tracer receives the whole vector before a node is left."""

from __future__ import annotations

from typing import Any

from counterplay.core.language.workspace import Array, f64
from counterplay.search.tracing.tracer import LEAVE, RecordingTracer, SilentTracer


class SilentVectors(SilentTracer):
    """Reports nothing."""

    def worth(self, player: int, value: float) -> None:
        """What the node that is left next is worth to a player."""


class VectorRecorder(RecordingTracer):
    """Records everything, with a value for each player."""

    vectors: Array[f64, "capacity", "players"]

    def __init__(self, capacity: int = 100_000, players: int = 2) -> None:
        super().__init__(capacity)
        self.players = players

    def worth(self, player: int, value: float) -> None:
        """What the node that is left next is worth to a player."""
        if self.used < self.capacity:
            self.vectors[self.used, player] = value

    def events(self) -> list[dict[str, Any]]:
        """What happened, in order."""
        found = super().events()
        for i, event in enumerate(found):
            if self.kinds[i] == LEAVE:
                event["values"] = [float(value) for value in self.vectors[i]]
        return found
