"""A judge ends games whose result is clear: a third player, asked after every action, what the game is worth.

Most of a long game between programs is played out after it is decided. A judge that is far stronger than both saves
this time and hardly ever errs, if it must be sure several times in a row. It needs a player whose values are
expectations, such as those of UCI engines and of Monte Carlo tree search.
"""

from __future__ import annotations

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.players.player import Forfeit, Player

SURE, SURE_PLIES = 0.81, 6
"""A game is won once its value is at least this share of a win for this many plies in a row: four pawns in chess."""
EVEN, EVEN_PLIES, EVEN_FROM = 0.05, 20, 80
"""A game is drawn once the value stays within this bound (about a sixth of a pawn) for this many plies, from this ply
on."""


class Judge:
    """Follows one game of two players with opposite interests."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.worth = 0.0  # to the first player, as a share of a win
        self.sure, self.even = 0, 0  # for how many plies in a row

    def verdict(self, p: Playthrough) -> tuple[float, ...] | None:
        """The payoffs if the result is clear; called after every action."""
        if p.is_over or p.to_move == CHANCE:
            return None
        low, high = p.game.utility_bounds
        try:
            value = self.player.choose(p).value
        except Forfeit as wrong:  # nobody's loss
            raise CounterplayError(f"the judge fails: {wrong}") from None
        if value is None:
            raise CounterplayError(f"{self.player.spec} cannot judge: it gives no values of positions")
        worth = (value if p.to_move == 0 else -value) / high
        same_side = worth * self.worth > 0
        self.sure = 0 if abs(worth) < SURE else self.sure + 1 if same_side else 1
        self.even = self.even + 1 if abs(worth) <= EVEN and len(p) >= EVEN_FROM else 0
        self.worth = worth
        if self.sure >= SURE_PLIES:
            return (high, low) if worth > 0 else (low, high)
        return (0.0, 0.0) if self.even >= EVEN_PLIES else None
