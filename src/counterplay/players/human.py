"""Represents a person among the players: whatever shows the board asks them."""

from __future__ import annotations

from counterplay.core.errors import CounterplayError
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report


class Human(Player):
    """A person."""

    def __init__(self) -> None:
        self.spec = "human"

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        raise CounterplayError("a person chooses where the board is shown: `counterplay play GAME`")
