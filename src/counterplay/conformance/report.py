"""What was found out about a game."""

from __future__ import annotations

from typing import NamedTuple


class Caution(str):
    """What a step found where nothing is wrong for sure, but a person should look."""

    __slots__ = ()


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str
    warning: bool = False  # nothing is wrong for sure, but a person should look


class Report(NamedTuple):
    """What `check` found."""

    game: str
    findings: tuple[Finding, ...]
    playouts_per_second: float  # compiled where the game compiles; 0 where it was not measured

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return all(finding.ok for finding in self.findings)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What a person should look at."""
        return tuple(finding for finding in self.findings if finding.warning)
