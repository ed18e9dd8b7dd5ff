"""The player that draws uniformly among the legal actions: it suits every game, and everyone should beat it."""

from __future__ import annotations

from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report


class Uniform(Player):
    """Any legal action with equal probability; the same seed makes the same choices."""

    def __init__(self, seed: int = 0) -> None:
        self.spec = f"random:seed={seed}" if seed else "random"
        self.rng = Rng(seed)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        options = p.options()
        return Decision(options[self.rng.below(len(options))])
