"""`machines`: the famous programs that are rebuilt here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from counterplay.api.result import Result
from counterplay.players.machines.hall import MACHINES


@dataclass(frozen=True, repr=False)
class MachineEntry(Result):
    """A famous program, rebuilt: its name is a player's name."""

    name: str
    title: str
    year: int
    game: str
    spec: str
    idea: str
    page: str
    training: str
    position: str
    model: str
    takes: str

    def to_json(self) -> dict[str, Any]:
        """The entry as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.year}  {self.title} ({self.game}): {self.idea}"


def machines() -> tuple[MachineEntry, ...]:
    """Every machine, oldest first."""
    return tuple(MachineEntry(**machine._asdict(), page=machine.page) for machine in MACHINES.values())
