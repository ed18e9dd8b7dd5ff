"""Rhode Island hold'em: three rounds of betting, with a public card after each of the first two.

Both players put one chip into the pot and are dealt one card each. After a round of betting a public card is dealt (the
flop), after the second another (the turn), and a third round follows. A raise costs 2 chips in the first round and 4
later; `raises` is the maximum in a round. A hand is a player's card with the two public ones: straight flush, three of
a kind, straight, flush, pair, high card, in this order; between equal hands the higher cards decide.

The game was introduced by Shi and Littman (Abstraction Methods for Game Theoretic Poker, 2001) as the smallest with all
the features of hold'em, with 52 cards and three raises, and solved by Gilpin and Sandholm (Lossless Abstraction of
Imperfect Information Games, 2007). Here the deck is small by default, so the tree fits into memory;
`ranks=13,suits=4,raises=3` is theirs. For larger decks there is an abstraction: hands fall into `buckets` by their
chance of winning against any other card.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.games.one_card_poker import OneCardPoker, State

HIGH, PAIR, FLUSH, STRAIGHT, TRIPLE, STRAIGHT_FLUSH = range(6)
MOST_BUCKETS = 60


class RhodeIsland(OneCardPoker):
    """Hold'em with one card each and one public card per round."""

    name = "rhode-island"
    title = "Rhode Island hold'em"
    sizes = (2, 4, 4)

    def __init__(
        self,
        ranks: int = 4,
        suits: int = 2,
        raises: int = 1,
        buckets: int = 10,
        betting: Literal["limit", "pot-limit", "no-limit"] = "limit",
        stack: int = 12,
        bets: str = "1",
    ) -> None:
        if not (2 <= ranks <= 13 and 1 <= suits <= 4 and ranks * suits >= 4):
            raise CounterplayError(
                f"rhode-island: {ranks} ranks in {suits} suits: there must be 2 to 13 ranks in 1 to 4 suits, "
                "4 cards at least"
            )
        if not 0 <= raises <= 3:
            raise CounterplayError(f"rhode-island: raises={raises}: a round has from 0 to 3 raises")
        if not 1 <= buckets <= MOST_BUCKETS:
            raise CounterplayError(f"rhode-island: hands fall into 1 to {MOST_BUCKETS} buckets, not {buckets}")
        super().__init__(ranks, suits, raises, True, betting, stack, bets)
        self._buckets = buckets  # not part of the rules: only tables depend on it
        self.before, self.flop, self.turn = self._sorted_hands()

    def strength(self, s: State, player: int) -> int:
        """Its kind, then its ranks from the highest on; in a pair, the pair comes first."""
        return self.worth(s.cards[player] - 1, s.cards[2] - 1, s.cards[3] - 1)

    def worth(self, a: int, b: int, c: int) -> int:
        """The strength of three cards, counted from 0."""
        x, y, z = a // self.suits, b // self.suits, c // self.suits
        high, low = max(x, y, z), min(x, y, z)
        middle = x + y + z - high - low
        suited = a % self.suits == b % self.suits == c % self.suits and self.suits > 1
        wheel = self.ranks == 13 and high == 12 and middle == 1 and low == 0  # the ace below two and three
        kind = HIGH
        if high == low:
            kind = TRIPLE
        elif high == middle or middle == low:
            kind = PAIR
            high, middle, low = middle, middle, high + low - middle
        elif (high == middle + 1 and middle == low + 1) or wheel:
            kind = STRAIGHT_FLUSH if suited else STRAIGHT
            high = 1 if wheel else high
        elif suited:
            kind = FLUSH
        return ((kind * 16 + high) * 16 + middle) * 16 + low

    # Abstraction: hands of similar strength are merged.

    def bucket(self, s: State, player: int) -> int:
        """The buckets of the hand in each round, and the betting."""
        n, own, first, second = self.cards, s.cards[player] - 1, s.cards[2] - 1, s.cards[3] - 1
        before = self.before[own] + 1 if own >= 0 else 0
        flop = self.flop[own * n + first] + 1 if own >= 0 and first >= 0 else 0
        turn = self.turn[(own * n + first) * n + second] + 1 if own >= 0 and second >= 0 else 0
        return self.packed(s, before, flop, turn)

    def _sorted_hands(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bucket of each hand before the flop, on the flop and on the turn, by its chance of winning a showdown."""
        n = self.cards
        cards = np.arange(n)
        worth = self._worths()
        chances = np.zeros((n, n, n))  # of the own card with the two public ones
        for own in range(n):
            other = (cards != own)[:, None, None] & self._apart(n)[:, :, :]
            better = (worth[own] > worth) + 0.5 * (worth[own] == worth)
            chances[own] = (better * other).sum(axis=0) / max(n - 3, 1)
        possible = self._apart(n)  # [own, first, second] all different
        flop = (chances * possible).sum(axis=2) / max(n - 2, 1)
        before = (flop * (1 - np.eye(n))).sum(axis=1) / (n - 1)

        def sort(chance: np.ndarray) -> np.ndarray:
            return np.minimum((chance * self._buckets).astype(np.int64), self._buckets - 1).ravel()

        return sort(before), sort(flop), sort(chances)

    def _apart(self, n: int) -> np.ndarray:
        """[n, n, n]: whether three cards are different."""
        a, b, c = np.ogrid[:n, :n, :n]
        return (a != b) & (b != c) & (a != c)

    def _worths(self) -> Any:
        """[n, n, n]: the strength of three cards."""
        n = self.cards
        return np.array([[[self.worth(a, b, c) for c in range(n)] for b in range(n)] for a in range(n)])
