"""A player's time: for one action, or on clocks that run until the end of the game."""

from __future__ import annotations

from typing import NamedTuple

MOVES_TO_GO = 25
"""A player spends about one part in this many of the time left on their clock on an action ..."""
MOST = 0.4
"""... and never more than this fraction of it."""
BONUS = 0.75
"""The fraction of the time that an action earns to spend on it."""
SPREE = 3.0
"""A search in the middle of something may take this many times the time that is wise to spend."""
SECONDS = 1.0
"""The default thinking time."""


class Clock(NamedTuple):
    """The time for an action: its limit and, if clocks run, the time left on them."""

    move: float | None = None  # seconds for this action; None: as many as the clock has
    left: tuple[float, ...] = ()  # [players] seconds until the flag falls; empty: no clocks run
    increment: float = 0.0  # seconds that each action adds to its player's clock
    margin: float = 0.0  # seconds of overstepping that are forgiven

    def limit(self, player: int) -> float:
        """How many seconds the action may take before `player` has lost on time."""
        move = float("inf") if self.move is None else self.move
        return min(move, self.left[player]) if self.left else move

    def share(self, player: int) -> float:
        """A sensible number of seconds to spend."""
        if not self.left:
            return self.limit(player)
        left = self.left[player]
        return min(self.limit(player), left / MOVES_TO_GO + BONUS * self.increment, MOST * left)


class Allowance(NamedTuple):
    """How long to think: at most `hard` seconds and, on a clock, about `soft` seconds; None: no limit."""

    hard: float | None
    soft: float | None = None


def allowance(player: int, clock: Clock | None, own: float | None, otherwise: float | None) -> Allowance:
    """How long `player` thinks, if its search can judge whether continuing is worthwhile."""
    soft = thinking_time(player, clock, own, otherwise)
    if soft is None or clock is None or not clock.left or own is not None:
        return Allowance(soft)
    return Allowance(max(soft, min(SPREE * soft, MOST * clock.left[player], clock.limit(player))), soft)


def thinking_time(player: int, clock: Clock | None, own: float | None, otherwise: float | None) -> float | None:
    """How many seconds `player` thinks: what its `own` options and the clock allow, `otherwise` if neither says."""
    if clock is None:
        return otherwise if own is None else own
    share = max(clock.share(player), 1e-3)
    return share if own is None else min(own, share)
