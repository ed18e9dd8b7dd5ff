"""What an examination found."""

from __future__ import annotations

from typing import Any, NamedTuple


class Caution(str):
    """A finding that may be intended, but that its author should look at."""

    __slots__ = ()


class Finding(NamedTuple):
    """One check and its outcome."""

    what: str
    ok: bool
    detail: str
    warning: bool = False  # not certainly wrong, but its author should look


class Report(NamedTuple):
    """What `check` found."""

    game: str
    findings: tuple[Finding, ...]
    playouts_per_second: float  # compiled if the game compiles; 0 if not measured

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(finding.ok for finding in self.findings)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that the author should look at."""
        return tuple(finding for finding in self.findings if finding.warning)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {"game": self.game, "ok": self.ok, "findings": [finding._asdict() for finding in self.findings]}

    def __str__(self) -> str:
        wrong = [finding.what for finding in self.findings if not finding.ok]
        look = [finding.what for finding in self.warnings]
        verdict = f"wrong: {', '.join(wrong)}" if wrong else "correct as far as random play can tell"
        return f"{self.game}: {verdict}" + (f"; look at {', '.join(look)}" if look else "")

    def __repr__(self) -> str:
        return f"<Report: {self}>"
