"""Private deals: what everybody sees, and the hand that each of two players holds.

Where all that is hidden is a hand dealt to each player at the start, the game has a *public tree*: its nodes are what
everybody sees, and at each node every player has a range, a weight for each hand that they may hold. `equilibrium` then
works on vectors over hands, and never lists the deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterplay.core.language.wide import u64
from counterplay.core.types import State

if TYPE_CHECKING:
    import numpy as np


class Deals:
    """Private deals: what everybody sees, and the hand that each of two players holds."""

    private_hands: int = 0
    """How many hands a player may be dealt, numbered from 0; 0 where the game has no private deals."""

    def public(self, s: State) -> Any:
        """What everybody sees in `s`, as `information`: all of it but the hands."""
        return 0

    def hand_of(self, s: State, player: int) -> int:
        """The hand that `player` holds, -1 before the deal."""
        return -1

    def with_hands(self, s: State, first: int, second: int) -> State:
        """`s`, in which both have their hands, with these hands in their place."""
        return s

    # Hands of cards: these make large ranges fast.

    def hand_cards(self, hand: int) -> u64:
        """The cards of a hand as a set of bits, two at most. Two hands that share a card are never dealt together; all
        others are equally likely, and so is each card that chance may turn over."""
        return u64(0)

    def public_cards(self, s: State) -> u64:
        """The cards on the table in `s`, as a set of bits."""
        return u64(0)

    def is_showdown(self, s: State) -> bool:
        """Whether the hands were compared at the end: the stronger one wins what the other loses, equal ones share."""
        return False

    def showdown_strength(self, s: State, player: int) -> int:
        """What the hand of `player` is worth in a showdown, 0 or more."""
        return 0

    def suit_symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        """Changes of names that change nothing, such as of suits: for each the new name [n, hands] of every hand and
        [n, events] of every event of chance after the deal. The first changes nothing."""
        import numpy as np

        return np.arange(self.private_hands)[None, :], np.zeros((1, 0), np.int64)

    def invested(self, s: Any, player: int) -> float:
        """What `player` has put into the pot so far; 0 in games without a pot."""
        return 0.0

    def public_features(self, s: Any) -> Sequence[float]:
        """What a value network sees of what is public in `s` beside cards, what was paid and who acts: some numbers, as
        many in every state. Plain Python."""
        return ()

    # How people write hands and ranges. Plain Python, never compiled.

    def hand_name(self, hand: int) -> str:
        """How one writes a hand."""
        return str(hand)

    def hands_named(self, text: str) -> list[int]:
        """The hands that a word of a range means, none where it means nothing."""
        return [hand for hand in range(self.private_hands) if self.hand_name(hand).casefold() == text.casefold()]

    def hand_cell(self, hand: int) -> tuple[int, int, str]:
        """Where a hand stands in a table of all hands: its row, its column, and what stands in the cell."""
        return 0, hand, self.hand_name(hand)

    @property
    def has_private_deals(self) -> bool:
        """Whether the game has a public tree."""
        return self.private_hands > 0
