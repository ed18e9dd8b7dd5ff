"""Abstractions: smaller games in which players distinguish less (Shi & Littman 2001; Gilpin & Sandholm
2007).

A game that defines `bucket` has one: the same rules, but a player knows only their bucket. It is solved like any game
with secrets, held or sampled. In the true game, each information set plays the policy of the bucket that it falls into.
The exploitability in the true game says what the policy is worth there, if that tree can be held. If the buckets drop
nothing that matters, such as the suits of Leduc poker, nothing is lost.
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
