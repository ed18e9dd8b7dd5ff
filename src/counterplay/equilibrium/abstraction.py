"""Abstractions: smaller games in which players distinguish less (Shi & Littman 2001; Gilpin & Sandholm
2007).

A game that writes `bucket` has one: the same rules, in which a player knows only their bucket. It is solved like any
game with secrets, held or sampled, and its policy is played in the true game by what each information set falls into.
What it is worth there, the exploitability of the true game tells, as far as its tree can be held. Where no bucket
holds anything that matters, such as the suits of Leduc poker, nothing is lost.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.derived import derive
from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game


class Abstraction(Game):
    """A game in which players know only their buckets."""

    @property
    def has_buckets(self) -> bool:
        """There is nothing more to forget."""
        return False

    def information(self, s: Any, player: int) -> Any:
        return self.bucket(s, player)


def abstraction(game: Game) -> Game:
    """The abstraction of a game."""
    if not game.has_buckets:
        raise Unsuitable(f"{game.spec} has no abstraction: it has no `bucket`, so every information set is its own")
    made: Game = derive(game, Abstraction)
    return made
