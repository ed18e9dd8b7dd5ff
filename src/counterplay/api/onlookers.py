"""Listeners for functions called without `progress`: a notebook shows a match while it is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MATCHES: list[Callable[[Any], Callable[[int, int], None] | None]] = []
"""Each takes the event and returns a function that receives the number of games done and of all games; or None."""
