"""Hold'em for two: two private cards each, shared public cards, and a round of betting before each deal of public
cards.

The first player is on the button and pays the small blind, 1 chip; the second pays the big blind, 2 chips. Both are
dealt two cards. Before the flop the button acts first, in all later rounds the big blind does. Three public cards are
dealt at once (the flop), then, in Texas hold'em, a fourth (the turn) and a fifth (the river), each after a round of
betting. In a showdown the best five of a player's two cards and the public ones count. `betting` describes how players
bet.

- Texas hold'em has four rounds. Without a limit it is the game that people play; `counterplay equilibrium --position
  ... --ranges ...` solves a river or a turn exactly from given ranges.
- Flop hold'em ends with the betting after the flop (Brown and others, Deep Counterfactual Regret Minimization, 2019).
"""

from __future__ import annotations

from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, nth
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64
from counterplay.games.betting import BETTING, CALL, DEALING, FOLD, FOLDED, SHOWDOWN, Betting
from counterplay.games.holdem_notation import HoldemNotation
from counterplay.games.poker_hands import ROW, hand_strength

DECK = 52
HANDS = DECK * (DECK - 1) // 2
CARD = 6
"""Bits of a card on the board."""
FLOP = 3
STREET = 30
"""Bits of a round's actions: two rounds share a number."""
MOST_RAISES = 5
ALL_CARDS = (1 << DECK) - 1


@state
class State(NamedTuple):
    """The deal, the pot and the betting."""

    hands: tuple[int, int]  # plus one; 0 before a card is dealt, minus the card (plus one) if only one is
    board: int  # six bits per card (plus one), the first lowest; the flop sorted
    paid: tuple[int, int]  # chips in the pot
    player: int  # whose turn it is, or who has folded
    raises: int  # in this round
    acted: bool  # someone has acted in this round
    history: tuple[int, int]  # two rounds each: a digit per action (plus one), the last lowest
    stage: int  # DEALING, BETTING, FOLDED or SHOWDOWN


@state
class Seen(NamedTuple):
    """What a player knows: their hand, and everything public."""

    hand: int
    dealt: int
    board: int
    early: int
    late: int


class Holdem(HoldemNotation, Betting):
    """Two private cards each, and up to five public ones."""

    least = 2
    rounds: int = 4
    private_hands = HANDS

    def __init__(self, betting: str, stack: int, bets: str, raises: int) -> None:
        if not 0 <= raises <= MOST_RAISES:
            raise CounterplayError(f"{self.name}: raises={raises}: a round has from 0 to {MOST_RAISES} raises")
        self.set_betting(betting, raises, stack, bets)
        most = float(self.stack or 2 + raises * sum(self.sizes[: self.rounds]))
        self.utility_bounds = (-most, most)
        pairs = [(low, high) for high in range(DECK) for low in range(high)]
        self.low, self.high = np.array(pairs).T.copy()  # the two cards of each hand
        self.most_board = self.rounds + 1

    def initial(self) -> State:
        return State((0, 0), 0, (1, 2), 0, 0, False, (0, 0), DEALING)

    def to_move(self, s: State) -> int:
        return CHANCE if s.stage == DEALING else s.player

    def chance(self, s: State, out: Actions) -> None:
        free = ~self.taken(s) & ALL_CARDS
        for card in range(DECK):
            if free & bit(card):
                out.append(card)

    def probability(self, s: State, event: int) -> float:
        return 1.0 / (DECK - count(self.taken(s)))

    def result(self, s: State, action: int) -> State:
        if s.stage == DEALING:
            return self.with_card(s, action)
        history = self.noted(s, action)
        if action == FOLD:
            return State(s.hands, s.board, s.paid, s.player, s.raises, True, history, FOLDED)
        paid, raises, stage = self.paid_after(s, action), s.raises + int(action != CALL), BETTING
        if action == CALL and s.acted:
            stage = SHOWDOWN if self.round_of(s) == self.rounds - 1 else DEALING
        return State(s.hands, s.board, paid, 1 - s.player, raises, True, history, stage)

    def noted(self, s: State, action: int) -> tuple[int, int]:
        """The history with one more action."""
        r = self.round_of(s)
        shift = STREET * (r & 1)
        word = s.history[r >> 1]
        street = word >> shift & ((1 << STREET) - 1)
        word += ((street << self.digit + 1 | action + 1) - street) << shift
        return (word, s.history[1]) if r < 2 else (s.history[0], word)

    def with_card(self, s: State, card: int) -> State:
        """The state after the next card is dealt: two to each player, then the public ones."""
        first, second = s.hands
        if first <= 0:
            first = -card - 1 if first == 0 else self.hand_with(-first - 1, card) + 1
            return State((first, second), 0, s.paid, 0, 0, False, s.history, DEALING)
        if second <= 0:
            stage = DEALING if second == 0 else BETTING
            second = -card - 1 if second == 0 else self.hand_with(-second - 1, card) + 1
            return State((first, second), 0, s.paid, 0, int(self.stack == 0), False, s.history, stage)
        board = self.board_with(s.board, card)
        cards, stage = self.on_board(board), BETTING
        if cards < FLOP:
            stage = DEALING
        elif self.is_all_in(s.paid):
            stage = DEALING if cards < self.most_board else SHOWDOWN
        return State(s.hands, board, s.paid, 1, 0, False, s.history, stage)

    def hand_with(self, a: int, b: int) -> int:
        """The hand of two cards."""
        high = max(a, b)
        return high * (high - 1) // 2 + min(a, b)

    def board_with(self, board: int, card: int) -> int:
        """The board with one more card; the flop is kept sorted."""
        at = self.on_board(board)
        if at < FLOP:
            while at > 0 and (board >> CARD * (at - 1) & 63) > card + 1:
                at -= 1
        below = board & ((1 << CARD * at) - 1)
        return below | card + 1 << CARD * at | (board ^ below) << CARD

    def on_board(self, board: int) -> int:
        """The number of cards on a board."""
        cards = 0
        while board >> CARD * cards:
            cards += 1
        return cards

    def round_of(self, s: State) -> int:
        return max(0, self.on_board(s.board) - FLOP + 1)

    def taken(self, s: State) -> u64:
        """All cards dealt."""
        return self.held(s.hands[0]) | self.held(s.hands[1]) | self.public_cards(s)

    def held(self, hand: int) -> u64:
        """The cards of a hand in a state."""
        if hand == 0:
            return u64(0)
        return self.hand_cards(hand - 1) if hand > 0 else bit(-hand - 1)

    # Secrets: a player sees their own cards, the public ones and all the betting.

    def information(self, s: State, player: int) -> Seen:
        return self.seen(s, s.hands[player])

    def seen(self, s: State, hand: int) -> Seen:
        """What a player with this hand knows."""
        return Seen(hand, self.dealt(s), s.board, s.history[0], s.history[1])

    def dealt(self, s: State) -> int:
        """The number of private cards dealt."""
        return count(self.held(s.hands[0])) + count(self.held(s.hands[1]))

    def resample(self, s: State, player: int, rng: Rng) -> State:
        other = s.hands[1 - player]
        if other == 0:
            return s
        free = ~(self.held(s.hands[player]) | self.public_cards(s)) & ALL_CARDS
        a = nth(free, rng.below(count(free)))
        hand = -a - 1
        if other > 0:
            free ^= bit(a)
            hand = self.hand_with(a, nth(free, rng.below(count(free)))) + 1
        hands = (s.hands[0], hand) if player == 0 else (hand, s.hands[1])
        return State(hands, s.board, s.paid, s.player, s.raises, s.acted, s.history, s.stage)

    # Private deals.

    def public(self, s: State) -> Seen:
        return self.seen(s, 0)

    def hand_of(self, s: State, player: int) -> int:
        return max(s.hands[player], 0) - 1

    def with_hands(self, s: State, first: int, second: int) -> State:
        return State((first + 1, second + 1), s.board, s.paid, s.player, s.raises, s.acted, s.history, s.stage)

    def hand_cards(self, hand: int) -> u64:
        return bit(self.low[hand]) | bit(self.high[hand])

    def public_cards(self, s: State) -> u64:
        cards = u64(0)
        board = s.board
        while board:
            cards |= bit((board & 63) - 1)
            board >>= CARD
        return cards

    def showdown_strength(self, s: State, player: int) -> int:
        return hand_strength(self.hand_cards(s.hands[player] - 1) | self.public_cards(s))

    def suit_symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        suits = np.array(list(permutations(range(4))))
        cards = (suits[:, :, None] * ROW + np.arange(ROW)).reshape(len(suits), DECK)
        a, b = cards[:, self.low], cards[:, self.high]
        high, low = np.maximum(a, b), np.minimum(a, b)
        return high * (high - 1) // 2 + low, cards


class TexasHoldem(Holdem):
    """Two cards each, five public ones, four rounds of betting: the poker that people play."""

    name = "texas-holdem"
    title = "Texas hold'em"
    sizes = (2, 2, 4, 4)

    def __init__(
        self,
        betting: Literal["limit", "pot-limit", "no-limit"] = "no-limit",
        stack: int = 200,
        bets: str = "0.5/1/2",
        raises: int = 3,
    ) -> None:
        super().__init__(betting, stack, bets, raises)


class FlopHoldem(Holdem):
    """Hold'em that ends with the betting after the flop."""

    name = "flop-holdem"
    title = "Flop hold'em"
    sizes = (2, 2)
    rounds = 2

    def __init__(
        self,
        betting: Literal["limit", "pot-limit", "no-limit"] = "limit",
        stack: int = 200,
        bets: str = "0.5/1/2",
        raises: int = 4,
    ) -> None:
        super().__init__(betting, stack, bets, raises)
