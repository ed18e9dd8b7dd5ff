"""Which stones are alive when play stops: the owner of each point at the end of many playouts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.language.actions import action_stack
from counterplay.core.language.bits import ones
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.playout import playout
from counterplay.games.go.rules import Go
from counterplay.games.go.stones import State

PLAYOUTS = 400
LIMIT = 2000
DEAD, SHARED = 0.3, 0.7
"""A stone that stays in its side's area in fewer playouts than the first is dead; one that does in fewer than the
second is not safe, which at the end of a game means that both sides live side by side (seki)."""


class StoneStatus(NamedTuple):
    """The stones of both sides by status, and the score without the dead."""

    alive: list[int]  # points
    dead: list[int]
    seki: list[int]
    margin: float  # Black's lead in points


def status(game: Go, s: State, playouts: int = PLAYOUTS, seed: int = 0) -> StoneStatus:
    """The fate of the stones on the board in random play."""
    owned = np.zeros(game.size * game.stride, np.int64)
    path = np.zeros(LIMIT + 2, np.int64)
    start = s._replace(passes=0)
    _own(game, start, playouts, Rng(seed), action_stack(game), path, owned)
    black, white = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
    share = (owned / playouts + 1) / 2  # Black's
    alive: list[int] = []
    dead: list[int] = []
    seki: list[int] = []
    for stones, own in ((black, share), (white, 1 - share)):
        for point in ones(stones):
            (dead if own[point] < DEAD else seki if own[point] < SHARED else alive).append(point)
    left = [game.Board(int(board) & ~sum(1 << point for point in dead)) for board in (black, white)]
    return StoneStatus(alive, dead, seki, game.lead(*left) - game.komi)


@kernel
def _own(game: Any, s: Any, playouts: int, rng: Any, out: Any, path: Any, owned: Any) -> int:
    """Add to `owned`, for each point, 1 for every playout that makes it Black's area, -1 for White's."""
    finished = 0
    for _ in range(playouts):
        last, plies = playout(game, s, LIMIT, rng, out, path)
        if plies < LIMIT:
            finished += 1
            empty = game.empty(last)
            mine, theirs = game.spread(last.mine, empty), game.spread(last.theirs, empty)
            sign = 1 if last.player == 0 else -1
            for point in ones(mine & ~theirs):
                owned[point] += sign
            for point in ones(theirs & ~mine):
                owned[point] -= sign
    return finished
