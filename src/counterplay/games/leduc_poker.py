"""Leduc poker: two rounds of betting, with a public card between them.

The deck has three ranks, J Q K, in two suits. Both players put one chip into the pot and are dealt one card each. After
a round of betting a public card is dealt, and a second round follows. In turn a player folds (only if they have less in
the pot than the opponent), calls (evens the pot; a check if it is even) or raises, by 2 chips in the first round and by
4 in the second, at most twice in a round. A round ends with a call after the other player has acted. At the end a pair
with the public card wins, otherwise the higher rank; equal ranks split the pot.

The game comes from Southey and others (Bayes' Bluff: Opponent Modelling in Poker, 2005); under best play the first
player loses 0.0856 chips. Suits never matter: without them (`distinct_suits=off`) equal cards are the same, chance
deals ranks by how many are left, and of 936 information sets 288 remain.
"""

from __future__ import annotations

from typing import Literal

from counterplay.core.errors import CounterplayError
from counterplay.games.one_card_poker import OneCardPoker, State

PAIR = 100
"""The value of a pair, above any single card."""


class LeducPoker(OneCardPoker):
    """Two rounds of betting, with a public card between them."""

    name = "leduc-poker"
    sizes = (2, 4)

    def __init__(
        self,
        ranks: int = 3,
        suits: int = 2,
        raises: int = 2,
        distinct_suits: bool = True,
        betting: Literal["limit", "pot-limit", "no-limit"] = "limit",
        stack: int = 12,
        bets: str = "1",
    ) -> None:
        if not (2 <= ranks <= 13 and 1 <= suits <= 4 and ranks * suits >= 3):
            raise CounterplayError(
                f"leduc-poker: {ranks} ranks in {suits} suits: there must be 2 to 13 ranks in 1 to 4 suits, "
                "3 cards at least"
            )
        if not 0 <= raises <= 8:
            raise CounterplayError(f"leduc-poker: raises={raises}: a round has from 0 to 8 raises")
        super().__init__(ranks, suits, raises, distinct_suits, betting, stack, bets)

    def strength(self, s: State, player: int) -> int:
        """A pair with the public card beats everything else."""
        mine = self.rank(s.cards[player])
        return mine + (PAIR if mine == self.rank(s.cards[2]) else 0)

    # Abstraction: suits never matter, so nothing is lost without them.

    @property
    def has_buckets(self) -> bool:
        """Whether there are suits to forget."""
        return self.copies < self.suits

    def bucket(self, s: State, player: int) -> int:
        own, public = s.cards[player], s.cards[2]
        return self.packed(s, self.rank(own) + 1 if own else 0, self.rank(public) + 1 if public else 0, 0)
