"""The true results of positions that were played: an exact search settles them, from the end of a game backwards.

Late positions take few nodes, and what is proven of them helps to settle those before. The first that takes too many ends
it; the truth of the one after it is then what the game came to.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.learning.choosing import LONGEST
from counterplay.search.memory import NODE_LIMIT, NODES, STOP
from counterplay.search.solve_kernel import prove
from counterplay.search.solve_memory import GREATEST, WideMemory
from counterplay.search.suitable import has_key, require_suitable

MEGABYTES = 16.0


class Truth(WideMemory):
    """What the exact search keeps at hand. `nodes`: how many it may take for a position."""

    def __init__(self, game: Game, nodes: int) -> None:
        require_suitable(game, None, "an exact search")
        if game.has_repetition or not has_key(game):
            raise Unsuitable(f"exact={nodes}: {game.spec} ends as more than its position says; exact=0 does without")
        super().__init__(game, game.initial(), MEGABYTES)
        self.budget = nodes


def settle(game: Any, forest: Any, slot: int, truth: Any, out: Any) -> int:
    """Write to `own_worth` what the last positions of a slot's game are truly worth, in view of their movers, from -1 to 1:
    the number of the first of them."""
    number = forest.own_count[slot]
    begun = forest.length[slot] - number
    greatest = truth.dates[GREATEST]
    for n in range(number - 1, -1, -1):
        s = game.initial()
        for k in range(begun + n):
            s = game.result(s, forest.history[slot * forest.settings[LONGEST] + k])
        truth.limits[NODE_LIMIT] = truth.counts[NODES] + truth.budget
        value = prove(game, s, 0, -greatest, greatest, truth, out)
        if truth.stopped():
            truth.limits[STOP] = 0
            return n + 1
        worth = forest.normal(min(max(value, -greatest), greatest))
        forest.own_worth[slot * forest.settings[LONGEST] + n] = worth
    return 0
