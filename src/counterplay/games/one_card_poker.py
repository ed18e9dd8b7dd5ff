"""Poker for two with one card each and one public card per round: the basis of Leduc poker and Rhode Island hold'em.

Both players put one chip into the pot and are dealt one card each. A round of betting follows, and another after each
public card. A round ends with a call after the other player has acted. At the end the stronger hand wins the pot; equal
hands split it.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.game import CHANCE
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64
from counterplay.games.betting import BETTING, CALL, DEALING, FOLD, FOLDED, SHOWDOWN, Betting
from counterplay.games.poker_hands import SUITS
from counterplay.games.poker_table import RANKS, SeatPicture, poker_table

CARD = 6
"""Bits of a card in a player's knowledge."""
MOST_DIGITS = 13
"""The number of 3-bit actions that fit into a word together with three cards."""


@state
class State(NamedTuple):
    """The deal, the pot and the betting."""

    cards: tuple[int, int, int, int]  # the first player's, the second's and two public ones; 0 before it is dealt
    paid: tuple[int, int]  # chips in the pot
    player: int  # whose turn it is, or who has folded
    raises: int  # in this round
    acted: bool  # someone has acted in this round
    history: int  # 2 bits per action (3 without a limit), after a leading 1
    stage: int  # DEALING, BETTING, FOLDED or SHOWDOWN


class OneCardPoker(Betting):
    """A round of betting for the private card and one for each public card; a subclass says which hand is stronger."""

    def __init__(
        self, ranks: int, suits: int, raises: int, distinct_suits: bool, betting: str, stack: int, bets: str
    ) -> None:
        self.ranks, self.suits, self.distinct_suits = ranks, suits, distinct_suits
        self.set_betting(betting, raises, stack, bets)
        self.copies = 1 if distinct_suits else suits  # of each card that players can tell apart
        self.cards = ranks * suits // self.copies
        self.rounds = len(self.sizes)
        if betting != "limit" and (raises + 2) * self.rounds > MOST_DIGITS:
            most = MOST_DIGITS // self.rounds - 2
            raise CounterplayError(f"{self.name}: raises={raises}: without a limit a round has at most {most} raises")
        highest = float(self.stack or 1 + raises * sum(self.sizes))
        self.utility_bounds = (-highest, highest)
        self._ranks = "JQK" if ranks == 3 else RANKS[-ranks:]
        self.private_hands = self.cards

    def strength(self, s: State, player: int) -> int:
        """The strength of `player`'s hand in a showdown."""
        raise NotImplementedError

    def initial(self) -> State:
        return State((0, 0, 0, 0), (1, 1), 0, 0, False, 1, DEALING)

    def to_move(self, s: State) -> int:
        return CHANCE if s.stage == DEALING else s.player

    def chance(self, s: State, out: Actions) -> None:
        for card in range(1, self.cards + 1):
            if self.left(s, card) > 0:
                out.append(card)

    def probability(self, s: State, event: int) -> float:
        return self.left(s, event) / (self.ranks * self.suits - self.dealt(s))

    def result(self, s: State, action: int) -> State:
        if s.stage == DEALING:
            return self.with_card(s, action)
        history = s.history << self.digit | action
        if action == FOLD:
            return State(s.cards, s.paid, s.player, s.raises, True, history, FOLDED)
        paid, raises, stage = self.paid_after(s, action), s.raises + int(action != CALL), BETTING
        if action == CALL and s.acted:
            stage = DEALING if self.dealt(s) <= self.rounds else SHOWDOWN
        return State(s.cards, paid, 1 - s.player, raises, True, history, stage)

    def round_of(self, s: State) -> int:
        return self.dealt(s) - 2

    def with_card(self, s: State, card: int) -> State:
        """The state after the next card is dealt: a private one each, then the public ones."""
        cards, dealt = s.cards, self.dealt(s)
        if dealt == 0:
            return State((card, 0, 0, 0), s.paid, 0, 0, False, s.history, DEALING)
        if dealt == 1:
            cards = (cards[0], card, 0, 0)
        else:
            cards = (cards[0], cards[1], card, 0) if dealt == 2 else (cards[0], cards[1], cards[2], card)
        stage = BETTING
        if self.is_all_in(s.paid):
            stage = DEALING if dealt <= self.rounds - 1 else SHOWDOWN
        return State(cards, s.paid, 0, 0, False, s.history, stage)

    def dealt(self, s: State) -> int:
        """The number of cards dealt."""
        return int(s.cards[0] > 0) + int(s.cards[1] > 0) + int(s.cards[2] > 0) + int(s.cards[3] > 0)

    def left(self, s: State, card: int) -> int:
        """How many of `card` are left in the deck."""
        left = self.copies
        for i in range(4):
            left -= int(s.cards[i] == card)
        return left

    def rank(self, card: int) -> int:
        """The rank of a card, 0 for the lowest."""
        return (card - 1) * self.copies // self.suits

    # Secrets: a player sees their own card, the public ones and all the betting.

    def information(self, s: State, player: int) -> int:
        return self.packed(s, s.cards[player], s.cards[2], s.cards[3])

    def packed(self, s: State, own: int, first: int, second: int) -> int:
        """The betting, the number of cards dealt, and what is known of three of them, as one number."""
        return (((s.history << 3 | self.dealt(s)) << CARD | second) << CARD | first) << CARD | own

    def resample(self, s: State, player: int, rng: Rng) -> State:
        if s.cards[1 - player] == 0:
            return s
        mine, first, second = s.cards[player], s.cards[2], s.cards[3]
        seen = (mine, 0, first, second) if player == 0 else (0, mine, first, second)
        open_state = State(seen, s.paid, s.player, s.raises, s.acted, s.history, s.stage)
        skipped = rng.below(self.ranks * self.suits - self.dealt(open_state))
        card = 1
        while skipped >= self.left(open_state, card):
            skipped -= self.left(open_state, card)
            card += 1
        cards = (mine, card, first, second) if player == 0 else (card, mine, first, second)
        return State(cards, s.paid, s.player, s.raises, s.acted, s.history, s.stage)

    # Private deals: a hand is a card, and everything else is public.

    def public(self, s: State) -> int:
        return self.packed(s, 0, s.cards[2], s.cards[3])

    def hand_of(self, s: State, player: int) -> int:
        return s.cards[player] - 1

    def with_hands(self, s: State, first: int, second: int) -> State:
        cards = (first + 1, second + 1, s.cards[2], s.cards[3])
        return State(cards, s.paid, s.player, s.raises, s.acted, s.history, s.stage)

    def hand_cards(self, hand: int) -> u64:
        return bit(hand) if self.copies == 1 else u64(0)

    def public_cards(self, s: State) -> u64:
        return (bit(s.cards[2]) | bit(s.cards[3])) >> 1 if self.copies == 1 else u64(0)

    def showdown_strength(self, s: State, player: int) -> int:
        return self.strength(s, player)

    def suit_symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        if self.copies > 1:
            return super().suit_symmetries()
        suits = np.array(list(permutations(range(self.suits))))
        ranks = np.arange(self.ranks) * self.suits
        hands = (ranks[None, :, None] + suits[:, None, :]).reshape(len(suits), -1)
        return hands, np.column_stack([np.zeros(len(suits), np.int64), hands + 1])

    def hand_name(self, hand: int) -> str:
        return self.card_text(hand + 1)

    def hands_named(self, text: str) -> list[int]:
        """Also reads a rank, which means all its cards."""
        word = text.strip().casefold()
        texts = [self.hand_name(hand).casefold() for hand in range(self.private_hands)]
        return [hand for hand, written in enumerate(texts) if word in (written, written[:1], "any", "*")]

    def hand_cell(self, hand: int) -> tuple[int, int, str]:
        suits = self.suits if self.distinct_suits else 1
        return hand % suits, hand // suits, self.hand_name(hand)

    # Notation: cards such as Js (J if suits do not count), "fold", "call", "raise", or without a limit "raise0.5" and
    # "all-in"; a position is the hand so far, such as "Js Kh call raise call Qh" ("-" before the deal).

    def card_text(self, card: int) -> str:
        """The name of a card."""
        suit = SUITS[(card - 1) % self.suits] if self.distinct_suits else ""
        return self._ranks[self.rank(card)] + suit

    def action_text(self, s: State, action: int) -> str:
        return self.card_text(action) if s.stage == DEALING else self.action_word(action)

    def action_word(self, action: int) -> str:
        """The name of an action."""
        if action <= CALL:
            return "fold" if action == FOLD else "call"
        return "all-in" if self.is_all_in_action(action) else "raise" + self.raise_text(action)

    def parse_action(self, s: State, text: str) -> int:
        """Also reads f, c and r; and check and bet where a call or a raise means that."""
        aliases, word = {"f": "fold", "c": "call", "r": "raise"}, text.strip().lower()
        if s.stage == BETTING and s.paid[0] == s.paid[1]:
            aliases |= {"check": "call"}
            if word.startswith("bet"):
                aliases[word] = "raise" + word.removeprefix("bet")
        return super().parse_action(s, aliases.get(word, text))

    def words(self, s: State) -> list[str]:
        """The hand so far: cards and actions in order."""
        words = [self.card_text(card) for card in s.cards[:2] if card]
        acted, public = False, [card for card in s.cards[2:] if card]
        digits = s.history
        actions: list[int] = []
        while digits > 1:
            actions.append(digits & ((1 << self.digit) - 1))
            digits >>= self.digit
        for action in reversed(actions):
            words.append(self.action_word(action))
            ends = action == CALL and acted
            if ends and public:
                words.append(self.card_text(public.pop(0)))
            acted = not ends
        return words + [self.card_text(card) for card in public]  # nobody acts between them if both are all-in

    def position_text(self, s: State) -> str:
        return " ".join(self.words(s)) or "-"

    def parse_position(self, text: str) -> State:
        words = text.split()
        if not words:
            raise InvalidPosition(
                f"{self.spec}: write a position as the cards and actions so far, such as "
                f'"{self.card_text(1)} {self.card_text(self.cards)} call raise", or - for the start'
            )
        s = self.initial()
        for word in [] if words == ["-"] else words:
            if self.is_terminal(s):
                raise InvalidPosition(f"{self.spec}: {word!r} follows after the end of the hand")
            try:
                s = self.result(s, self.parse_action(s, word))
            except CounterplayError as wrong:
                raise InvalidPosition(f"{self.spec}: {wrong}") from None
        return s

    # Pictures: a viewer sees the other's card only in a showdown.

    def face(self, s: State, player: int, viewer: int | None) -> str:
        """The card of `player` as `viewer` sees it: its text, ? or nothing."""
        if s.cards[player] == 0:
            return ""
        seen = viewer is None or viewer == player or s.stage == SHOWDOWN
        return self.card_text(s.cards[player]) if seen else "?"

    def said(self, s: State) -> str:
        """The actions of all rounds, without the private cards."""
        return " ".join(self.words(s)[2:])

    def public_texts(self, s: State) -> list[str]:
        """The public cards, - for those not dealt yet."""
        return [self.card_text(card) if card else "-" for card in s.cards[2 : 1 + self.rounds]]

    def board(self, s: State, viewer: int | None = None) -> str:
        public = self.public_texts(s)
        rows = [f"public {'card' if len(public) == 1 else 'cards'}: {' '.join(public)}"]
        for p in range(2):
            card = self.face(s, p, viewer) or "-"
            rows.append(f"{self.player_name(p)}: {card:2}  paid {s.paid[p]}  {self.note(s, p)}".rstrip())
        return "\n".join([*rows, f"actions: {self.said(s) or '-'}"])

    def svg(self, s: State, viewer: int | None = None) -> str:
        seats = [
            SeatPicture(self.player_name(p), self.face(s, p, viewer), s.paid[p], self.note(s, p)) for p in range(2)
        ]
        return poker_table(seats, self.said(s), [card.strip("-") for card in self.public_texts(s)], viewer)
