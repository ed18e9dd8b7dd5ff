"""The player that follows a network's policy without any search."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.adviser import Adviser
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report


class Network(Player):
    """The action that a network with a policy likes best; `model` is a file, a run or a name."""

    def __init__(self, model: str) -> None:
        self.adviser = Adviser(model)
        self.spec = f"net:{model}"

    def require(self, game: Game) -> None:
        self.adviser.of(game)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        return self.adviser.opinion(p)
