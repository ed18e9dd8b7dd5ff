"""Dice and deals: if `to_move(s)` is CHANCE, an event happens instead of an action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.types import State

if TYPE_CHECKING:
    from counterplay.core.language.actions import Actions

CHANCE = -1
"""The player who rolls the dice and deals the cards."""


class Chance:
    """Dice and deals: if `to_move(s)` is CHANCE, an event happens instead of an action."""

    def chance(self, s: State, out: Actions) -> None:
        """Append every event that can happen in `s`, if `to_move(s) == CHANCE`."""

    def probability(self, s: State, event: int) -> float:
        """The probability of `event` in `s`."""
        return 0.0

    @property
    def has_chance(self) -> bool:
        """Whether dice or deals take part."""
        return type(self).chance is not Chance.chance
