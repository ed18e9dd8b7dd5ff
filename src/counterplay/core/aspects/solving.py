"""What helps to solve a game exactly: candidates, bounds, independent parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.core.language.wide import u64
from counterplay.core.types import State

if TYPE_CHECKING:
    from counterplay.core.language.actions import Actions

INFINITY = float("inf")


class Solving:
    """What helps to solve a game exactly: candidates, bounds, independent parts."""

    impartial: bool = False
    """Both players have the same actions and who cannot move loses: Sprague-Grundy theory applies."""
    foresight: int = 0
    """Where so many plies remain or more, a solver orders actions by a short look ahead with `evaluate`; 0: nowhere."""

    def candidates(self: Any, s: State, out: Actions) -> tuple[float, int, float, int]:
        """Append the actions worth solving in `s`, where the game is not over: at least one that is best. Returns
        (worst, soon, best, late): the side to move gets no less than `worst` after `soon` plies and no more than `best`
        after `late` plies. (Where those are the same, no action need be appended.)"""
        self.actions(s, out)
        return -INFINITY, 1, INFINITY, 1

    def solving_order(self: Any, s: State, action: int) -> int:
        """As `ordering`, for a solver, whose search is so long that a costly hint pays."""
        return self.ordering(s, action)

    def remaining(self, s: State) -> int:
        """About how many plies may still follow `s`: a solver spends its effort by it."""
        return 1 << 30

    def assured(self, s: State, player: int) -> float:
        """What `player` is sure to get from `s` on, whoever is to move, whatever came before and whatever the other side
        does, unless he himself took an action that `squanders` it; of two players."""
        return -INFINITY

    def squanders(self, s: State, action: int) -> bool:
        """Whether `action` may give up what the side to move is `assured` of."""
        return False

    def mark(self: Any, s: State) -> u64:
        """64 bits of which some are set, the same ones in positions that repeat one another: the stones of a small board,
        for example. A solver asks by them which positions a line of play may come through."""
        return u64(1) << int(self.repetition_key(s) & 63)

    def parts(self, s: State) -> int:
        """Into how many independent games an impartial game falls in `s`, in each of which one may move instead."""
        return 1

    def part(self, s: State, k: int) -> Any:
        """The k-th of these games alone: a state with one part."""
        return s
