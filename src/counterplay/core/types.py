"""Types that a type checker cannot know."""

from __future__ import annotations

from typing import Any

State = Any
"""A state of some game: whatever its `initial` and `result` return, so each game has its own type."""
