"""Time in the Go Text Protocol: main time, then periods in which a number of stones must be played."""

from __future__ import annotations

from counterplay.players.clock import Clock

CAUTION = 0.9
"""The fraction of a period that is spent: receiving and answering take time as well."""


class Timing:
    """The settings, and the time left to each side."""

    def __init__(self) -> None:
        self.main = self.period = 0.0
        self.stones = 0
        self.limited = False
        self.left = [0.0, 0.0]
        self.to_play = [0, 0]  # stones still to be played in the period; 0 in main time

    def set(self, main: float, period: float, stones: int) -> None:
        """New settings; a period without stones means no limit."""
        self.main, self.period, self.stones = main, period, stones
        self.limited = not (period > 0 and stones == 0)
        self.restart()

    def restart(self) -> None:
        """A new game: the clocks are reset."""
        starts_in_period = self.main <= 0 and self.stones > 0
        self.left = [self.period if starts_in_period else self.main] * 2
        self.to_play = [self.stones if starts_in_period else 0] * 2

    def tell(self, player: int, left: float, stones: int) -> None:
        """Set what a clock shows."""
        self.limited = True
        self.left[player], self.to_play[player] = left, stones

    def clock(self, player: int) -> Clock | None:
        """The clock that `player` moves by; None: no limit."""
        if not self.limited:
            return None
        left = max(self.left[player], 0.0)
        if self.to_play[player]:
            return Clock(move=CAUTION * left / self.to_play[player])
        if self.stones:  # a period follows: all of the main time may be spent, and the clock's share is cautious
            left += CAUTION * self.period / self.stones
        return Clock(left=(left, left))

    def spend(self, player: int, seconds: float) -> None:
        """Charge the time of an action to `player`."""
        if not self.limited:
            return
        self.left[player] -= seconds
        if self.to_play[player]:
            self.to_play[player] -= 1
            if not self.to_play[player]:
                self.left[player], self.to_play[player] = self.period, self.stones
        elif self.left[player] <= 0 and self.stones:
            self.left[player], self.to_play[player] = self.period, self.stones
