"""`check`: is a game correct?"""

from __future__ import annotations

from collections.abc import Callable

from counterplay.api.position import AnyGame, game_of
from counterplay.conformance.check import check as examine
from counterplay.conformance.report import Finding, Report
from counterplay.core.errors import CounterplayError


def check(game: AnyGame, *, playthroughs: int = 2000, progress: Callable[[Finding], None] | None = None) -> Report:
    """Check a game: every rule is called on random positions, compiled and plain play must agree, and small searches must
    find what minimax finds. Rules that crash or never return are findings like any other. `progress` receives each finding.
    """
    if playthroughs < 1:
        raise CounterplayError(f"--playthroughs must be 1 or more, not {playthroughs}")
    return examine(game_of(game), playthroughs=playthroughs, report=progress)
