"""The player that looks ahead by alpha-beta, to a depth or for a time."""

from __future__ import annotations

import math

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.player import Player, Thought
from counterplay.search.alpha_beta import MAX_DEPTH, deepen, require_open, search


class AlphaBeta(Player):
    """The best action `depth` plies ahead, or as far ahead as `time` seconds allow (1, unless told otherwise)."""

    def __init__(self, depth: int | None = None, time: float | None = None) -> None:
        if depth is not None and time is not None:
            raise CounterplayError("alphabeta takes a depth or a time, not both")
        if depth is not None and not 1 <= depth <= MAX_DEPTH:
            raise CounterplayError(f"alphabeta: depth={depth} must be from 1 to {MAX_DEPTH}")
        if time is not None and not (0 < time < math.inf):
            raise CounterplayError(f"alphabeta: time={time:g} must be a number of seconds above 0")
        self.depth, self.time = depth, 1.0 if time is None else time
        self.spec = f"alphabeta:time={self.time:g}" if depth is None else f"alphabeta:depth={depth}"

    def require(self, game: Game) -> None:
        require_open(game, game.initial())

    def prepare(self, p: Playthrough) -> None:
        self.require(p.game)
        if not p.is_over:
            search(p.game, p.state, 1)

    def think(self, p: Playthrough) -> Thought:
        if self.depth is None:
            found = deepen(p.game, p.state, self.time)
        else:
            found = search(p.game, p.state, self.depth)
        return Thought(found.action, found.value + 0.0, found.depth, found.nodes)  # + 0.0 turns -0.0 into 0.0
