"""What a search found, in the same form for every search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple


class Option(NamedTuple):
    """A search's verdict on one action of the root."""

    action: int
    value: float  # to the player to move
    visits: int = 0  # nodes or simulations spent on it
    plies: int | None = None  # how far away a proven end is
    prior: float | None = None  # its prior probability, if a policy was used
    line: tuple[int, ...] = ()  # the expected line, this action first; empty: not known


class Decision(NamedTuple):
    """The action that a search, or any player, chose, and why."""

    action: int
    value: float | None = None  # to the player to move, in the game's units; None: no opinion
    line: tuple[int, ...] = ()  # the expected actions, this one first
    depth: int = 0  # the last completed depth, or the longest line
    nodes: int = 0
    seconds: float = 0.0
    proven: bool = False  # the value is exact, not an estimate
    plies: int | None = None  # how far away a proven end is
    counts: Mapping[str, float] = {}
    options: tuple[Option, ...] = ()  # the actions of the root, if the search values each


Report = Callable[[Decision], None]
"""Receives the best decision so far as a search goes deeper."""


def ranked(options: Iterable[Option]) -> tuple[Option, ...]:
    """Best first: among equal values the sooner win or the later loss, then the order of the game."""

    def worth(option: Option) -> tuple[float, float]:
        soon = 0 if option.plies is None else option.plies
        return -option.value, soon if option.value > 0 else -soon

    return tuple(sorted(options, key=worth))
