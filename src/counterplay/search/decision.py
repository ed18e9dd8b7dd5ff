"""What a search found, said the same way by every search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Option(NamedTuple):
    """What a search thinks of one action of the root."""

    action: int
    value: float  # to the player to move
    visits: int = 0  # nodes or simulations spent on it


class Decision(NamedTuple):
    """The action that a search chose, and why."""

    action: int
    value: float  # to the player to move, in the game's units
    line: tuple[int, ...] = ()  # the actions that it expects, this one first
    depth: int = 0  # the last completed depth, or the longest line
    nodes: int = 0
    seconds: float = 0.0
    proven: bool = False  # the value is exact, not an estimate
    plies: int | None = None  # how far away a proven end is
    counts: Mapping[str, float] = {}
    options: tuple[Option, ...] = ()  # the actions of the root, where the search judges each
