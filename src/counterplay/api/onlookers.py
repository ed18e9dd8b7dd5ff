"""Who looks on where a function is given no `progress`: a notebook shows a match while it is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MATCHES: list[Callable[[Any], Callable[[int, int], None] | None]] = []
"""Each is given the event, and returns what hears how many games are done, and of how many; None where nobody looks."""
