"""Private deals: what everyone sees, and the hand that each of two players holds.

If only a hand dealt to each player at the start is hidden, the game has a *public tree*: its nodes are what everyone
sees, and at each node every player has a range, a weight for each hand that they may hold. `equilibrium` then works on
vectors over hands, and never lists the deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterplay.core.language.wide import u64
from counterplay.core.types import State

if TYPE_CHECKING:
    import numpy as np


class Deals:
    """Private deals: what everyone sees, and the hand that each of two players holds."""

    private_hands: int = 0
    """The number of hands that a player may be dealt, numbered from 0; 0 if the game has no private deals."""

    def public(self, s: State) -> Any:
        """What everyone sees in `s`, in the form of `information`: everything except the hands."""
        return 0

    def hand_of(self, s: State, player: int) -> int:
        """The hand that `player` holds, -1 before the deal."""
        return -1

    def with_hands(self, s: State, first: int, second: int) -> State:
        """`s`, in which both players have hands, with these hands instead."""
        return s

    # Hands of cards: these make large ranges fast.

    def hand_cards(self, hand: int) -> u64:
        """The cards of a hand as a set of bits, at most two. Two hands that share a card are never dealt together; all
        others are equally likely, and so is each card that chance may turn over."""
        return u64(0)

    def public_cards(self, s: State) -> u64:
        """The cards on the table in `s`, as a set of bits."""
        return u64(0)

    def is_showdown(self, s: State) -> bool:
        """Whether the hands were compared at the end: the stronger one wins what the other loses, equal ones split."""
        return False

    def showdown_strength(self, s: State, player: int) -> int:
        """What the hand of `player` is worth in a showdown, 0 or more."""
        return 0

    def suit_symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        """Renamings (of suits, say) that leave the game unchanged: for each, the new name [n, hands] of every hand and
        [n, events] of every chance event after the deal. The first is the identity."""
        import numpy as np

        return np.arange(self.private_hands)[None, :], np.zeros((1, 0), np.int64)

    def invested(self, s: Any, player: int) -> float:
        """What `player` has put into the pot so far; 0 in games without a pot."""
        return 0.0

    def public_features(self, s: Any) -> Sequence[float]:
        """The public part of `s` for a value network, in addition to cards, payments and who acts: the same number of
        values in every state. Plain Python."""
        return ()

    # How people write hands and ranges. Plain Python, never compiled.

    def hand_name(self, hand: int) -> str:
        """How a hand is written."""
        return str(hand)

    def hands_named(self, text: str) -> list[int]:
        """The hands that a word of a range means; none if it means nothing."""
        return [hand for hand in range(self.private_hands) if self.hand_name(hand).casefold() == text.casefold()]

    def hand_cell(self, hand: int) -> tuple[int, int, str]:
        """The position of a hand in a grid of all hands: its row, its column, and the text of the cell."""
        return 0, hand, self.hand_name(hand)

    @property
    def has_private_deals(self) -> bool:
        """Whether the game has a public tree."""
        return self.private_hands > 0
