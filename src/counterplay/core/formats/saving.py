"""How often a long run is saved: not too often, and for no more than a small share of the time."""

from __future__ import annotations

import time
from collections.abc import Callable

SHARE = 0.05
"""The share of the time that saving may take."""


class Saving:
    """Saves now and then: no sooner than `soonest` seconds after the last time."""

    def __init__(self, save: Callable[[], None], soonest: float, first: float) -> None:
        self.save, self.soonest = save, soonest
        self.due = time.perf_counter() + first

    def if_due(self) -> bool:
        """Save if it is due; returns whether it was."""
        started = time.perf_counter()
        if started < self.due:
            return False
        self.save()
        now = time.perf_counter()
        self.due = now + max(self.soonest, (now - started) / SHARE)
        return True
