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
    """Both players have the same actions and whoever cannot move loses: Sprague-Grundy theory applies."""
    foresight: int = 0
    """With at least this many plies left, a solver orders actions by a short look-ahead with `evaluate`; 0: never."""

    def candidates(self: Any, s: State, out: Actions) -> tuple[float, int, float, int]:
        """Append the actions worth solving in `s`, a state that is not terminal: at least one that is best. Returns
        (worst, soon, best, late): the side to move gets no less than `worst` after `soon` plies and no more than `best`
        after `late` plies. (If `worst` equals `best`, no action need be appended.)"""
        self.actions(s, out)
        return -INFINITY, 1, INFINITY, 1

    def solving_order(self: Any, s: State, action: int) -> int:
        """Like `ordering`, for a solver: its search is long enough for a costly hint to pay off."""
        return self.ordering(s, action)

    def remaining(self, s: State) -> int:
        """Roughly how many plies can still follow `s`: a solver plans its effort accordingly."""
        return 1 << 30

    def assured(self, s: State, player: int) -> float:
        """What `player` is certain to get from `s` on, whoever is to move, whatever came before and whatever the
        opponent does, unless the player takes an action that `squanders` it; for two players."""
        return -INFINITY

    def squanders(self, s: State, action: int) -> bool:
        """Whether `action` could give up what the side to move is `assured` of."""
        return False

    def mark(self: Any, s: State) -> u64:
        """64 bits, at least one of them set, the same in positions that repeat one another: the stones of a small
        board, for example. A solver uses them to find which positions a line of play can pass through."""
        return u64(1) << int(self.repetition_key(s) & 63)

    def parts(self, s: State) -> int:
        """The number of independent games into which an impartial game splits in `s`; a move is made in one of them."""
        return 1

    def part(self, s: State, k: int) -> Any:
        """The k-th of these games alone: a state with one part."""
        return s
