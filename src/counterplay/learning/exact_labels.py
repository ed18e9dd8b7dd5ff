"""The true results of played positions: an exact search settles them, from the end of a game backwards.

Late positions take few nodes, and what is proven of them helps to settle earlier ones. The search stops at the first
position that takes too many; the true value of the position after it then counts as the game's result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.search.solving.kernel import prove
from counterplay.search.solving.memory import SolveContext, WideContext
from counterplay.search.suitability import has_key, require_suitable

if TYPE_CHECKING:
    from counterplay.learning.self_play import SelfPlay

MEGABYTES = 16.0


class ExactSearch(WideContext):
    """What the exact search uses. `nodes` is the limit for a position."""

    def __init__(self, game: Game, nodes: int) -> None:
        require_suitable(game, None, "an exact search")
        if game.has_repetition or not has_key(game):
            raise Unsuitable(
                f"exact={nodes}: {game.spec} ends in ways that depend on more than the position: leave exact at 0"
            )
        super().__init__(game, game.initial(), MEGABYTES)
        self.folds = 0  # positions from play are hardly ever symmetric
        self.budget = nodes


def settle(game: Game, play: SelfPlay, slot: int, truth: ExactSearch) -> int:
    """Write to `own_worth` the true values of the last positions of a slot's game for their movers, from -1 to 1;
    returns the index of the first of them."""
    number = play.own_count[slot]
    begun = play.length[slot] - number
    for n in range(number - 1, -1, -1):
        s = game.initial()
        for k in range(begun + n):
            s = game.result(s, int(play.history[slot, k]))
        truth.node_limit = truth.nodes + truth.budget
        value = true_worth(game, s, truth)
        if truth.stopped():
            truth.interrupted = False
            return n + 1
        play.own_worth[slot * play.longest + n] = play.simulator.normal(value)
    return 0


def true_worth(game: Game, s: State, context: SolveContext) -> float:
    """The exact value of `s` to the side to move, without the distance to a win or loss."""
    greatest = context.greatest
    return min(max(prove(game, s, 0, -greatest, greatest, context), -greatest), greatest)
