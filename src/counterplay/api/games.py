"""`games`: every game with a short description."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from counterplay.api.result import Result
from counterplay.core.registry import catalogue
from counterplay.players.wording import description, kind


@dataclass(frozen=True, repr=False)
class GameEntry(Result):
    """A registered game."""

    name: str
    description: str
    data: dict[str, Any] = field(compare=False)  # parameters with their defaults, and traits

    def to_json(self) -> dict[str, Any]:
        """The entry as plain data."""
        return self.data

    def __str__(self) -> str:
        traits = f" ({kind(self.data)})" if "players" in self.data else ""
        return f"{self.name}: {self.description}{traits}"


def games() -> tuple[GameEntry, ...]:
    """Every registered game."""
    found = (description(name) for name in sorted(catalogue()))
    return tuple(GameEntry(about["name"], about["description"], about) for about in found)
