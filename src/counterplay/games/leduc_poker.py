"""Leduc poker: two rounds of betting, with a public card between them.

The deck has three ranks, J Q K, in two suits. Both players put one chip into the pot and are dealt one card each. After
a round of betting a public card is dealt, and a second round follows. In turn a player folds (only where he has less in
the pot than the other), calls (which evens the pot; a check where it is even) or raises, by 2 chips in the first round
and by 4 in the second, at most twice in a round. A round ends when the second of two has called. In the end a pair with
the public card wins, else the higher rank; equal ranks share the pot.

The game was brought up by Southey and others (Bayes' Bluff: Opponent Modelling in Poker, 2005); under best play the
first player loses 0.0856 chips. Suits never matter: without them (`distinct_suits=off`) equal cards are one, chance
deals ranks by how many are left, and of 936 information sets 288 remain.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.actions import Actions
from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.game import CHANCE, Game
from counterplay.core.rng import Rng
from counterplay.core.state import state
from counterplay.games.poker_table import RANKS, Seat, poker_table

FOLD, CALL, RAISE = 0, 1, 2
WORDS = ("fold", "call", "raise")
SUITS = "shdc"
DEALING, BETTING, FOLDED, SHOWDOWN = 0, 1, 2, 3
SIZES = (2, 4)
"""What a raise costs in the first and in the second round."""


@state
class State(NamedTuple):
    """The deal, the pot and the betting."""

    cards: tuple[int, int, int]  # the first player's, the second's and the public one; 0 before it is dealt
    paid: tuple[int, int]  # chips in the pot
    player: int  # whose turn it is, or who has folded
    raises: int  # in this round
    acted: bool  # somebody has acted in this round
    history: int  # a digit of base 4 an action, after a leading 1
    stage: int  # DEALING, BETTING, FOLDED or SHOWDOWN


class LeducPoker(Game):
    """Two rounds of betting, with a public card between them."""

    name = "leduc-poker"

    def __init__(self, ranks: int = 3, suits: int = 2, raises: int = 2, distinct_suits: bool = True) -> None:
        if not (2 <= ranks <= 13 and 1 <= suits <= 4 and ranks * suits >= 3):
            raise CounterplayError(
                f"leduc-poker: {ranks} ranks in {suits} suits: there must be 2 to 13 ranks in 1 to 4 suits, "
                "3 cards at least"
            )
        if not 0 <= raises <= 8:
            raise CounterplayError(f"leduc-poker: raises={raises}: a round has from 0 to 8 raises")
        self.ranks, self.suits, self.raises, self.distinct_suits = ranks, suits, raises, distinct_suits
        self.copies = 1 if distinct_suits else suits  # of each card that players can tell apart
        self.cards = ranks * suits // self.copies
        most = 1.0 + raises * (SIZES[0] + SIZES[1])
        self.utility_bounds = (-most, most)
        self._ranks = "JQK" if ranks == 3 else RANKS[-ranks:]

    def initial(self) -> State:
        return State((0, 0, 0), (1, 1), 0, 0, False, 1, DEALING)

    def to_move(self, s: State) -> int:
        return CHANCE if s.stage == DEALING else s.player

    def chance(self, s: State, out: Actions) -> None:
        for card in range(1, self.cards + 1):
            if self.left(s, card) > 0:
                out.append(card)

    def probability(self, s: State, event: int) -> float:
        return self.left(s, event) / (self.ranks * self.suits - self.dealt(s))

    def actions(self, s: State, out: Actions) -> None:
        if s.paid[0] != s.paid[1]:
            out.append(FOLD)
        out.append(CALL)
        if s.raises < self.raises:
            out.append(RAISE)

    def result(self, s: State, action: int) -> State:
        if s.stage == DEALING:
            return self.with_card(s, action)
        history = s.history * 4 + action
        if action == FOLD:
            return State(s.cards, s.paid, s.player, s.raises, True, history, FOLDED)
        stake, raises = max(s.paid[0], s.paid[1]), s.raises
        if action == RAISE:
            stake += SIZES[0] if s.cards[2] == 0 else SIZES[1]
            raises += 1
        paid = (stake, s.paid[1]) if s.player == 0 else (s.paid[0], stake)
        stage = BETTING
        if action == CALL and s.acted:
            stage = DEALING if s.cards[2] == 0 else SHOWDOWN
        return State(s.cards, paid, 1 - s.player, raises, True, history, stage)

    def with_card(self, s: State, card: int) -> State:
        """The state after the next card is dealt."""
        first, second, _ = s.cards
        if first == 0:
            return State((card, 0, 0), s.paid, 0, 0, False, s.history, DEALING)
        cards = (first, card, 0) if second == 0 else (first, second, card)
        return State(cards, s.paid, 0, 0, False, s.history, BETTING)

    def is_terminal(self, s: State) -> bool:
        return s.stage >= FOLDED

    def utility(self, s: State, player: int) -> float:
        if s.stage == FOLDED:
            lost = s.paid[s.player]
            return float(-lost if player == s.player else lost)
        mine, theirs = self.strength(s, player), self.strength(s, 1 - player)
        if mine == theirs:
            return 0.0
        return float(s.paid[0] if mine > theirs else -s.paid[0])

    def dealt(self, s: State) -> int:
        """How many cards are dealt."""
        return int(s.cards[0] > 0) + int(s.cards[1] > 0) + int(s.cards[2] > 0)

    def left(self, s: State, card: int) -> int:
        """How many of `card` the deck still has."""
        return self.copies - int(s.cards[0] == card) - int(s.cards[1] == card) - int(s.cards[2] == card)

    def rank(self, card: int) -> int:
        """The rank of a card, 0 for the lowest."""
        return (card - 1) * self.copies // self.suits

    def strength(self, s: State, player: int) -> int:
        """What the hand of `player` is worth in a showdown: a pair beats all else."""
        mine = self.rank(s.cards[player])
        return mine + (100 if mine == self.rank(s.cards[2]) else 0)

    # Secrets: a player sees his own card, the public one and all the betting.

    def information(self, s: State, player: int) -> int:
        return ((s.history << 2 | self.dealt(s)) << 6 | s.cards[2]) << 6 | s.cards[player]

    def resample(self, s: State, player: int, rng: Rng) -> State:
        if s.cards[1 - player] == 0:
            return s
        mine, public = s.cards[player], s.cards[2]
        seen = (mine, 0, public) if player == 0 else (0, mine, public)
        open_state = State(seen, s.paid, s.player, s.raises, s.acted, s.history, s.stage)
        place = rng.below(self.ranks * self.suits - self.dealt(open_state))
        card = 1
        while place >= self.left(open_state, card):
            place -= self.left(open_state, card)
            card += 1
        cards = (mine, card, public) if player == 0 else (card, mine, public)
        return State(cards, s.paid, s.player, s.raises, s.acted, s.history, s.stage)

    # Notation: cards such as Js (J where suits do not count), "fold", "call", "raise"; a position is the hand so far,
    # such as "Js Kh call raise call Qh" ("-" before the deal).

    def card_text(self, card: int) -> str:
        """How one writes a card."""
        suit = SUITS[(card - 1) % self.suits] if self.distinct_suits else ""
        return self._ranks[self.rank(card)] + suit

    def action_text(self, s: State, action: int) -> str:
        return self.card_text(action) if s.stage == DEALING else WORDS[action]

    def parse_action(self, s: State, text: str) -> int:
        """Also reads f, c and r, and check and bet where they are what a call or a raise means."""
        aliases = {"f": "fold", "c": "call", "r": "raise"}
        if s.stage == BETTING and s.paid[0] == s.paid[1]:
            aliases |= {"check": "call", "bet": "raise"}
        return super().parse_action(s, aliases.get(text.strip().lower(), text))

    def words(self, s: State) -> list[str]:
        """The hand so far: cards and actions in their order."""
        words = [self.card_text(card) for card in s.cards[:2] if card]
        acted, public = False, s.cards[2]
        digits = s.history
        actions: list[int] = []
        while digits > 1:
            actions.append(digits & 3)
            digits >>= 2
        for action in reversed(actions):
            words.append(WORDS[action])
            ends = action == CALL and acted
            if ends and public:
                words.append(self.card_text(public))
                public = 0
            acted = not ends
        return words

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

    def note(self, s: State, player: int) -> str:
        """How `player` stands: to move, folded, wins, or nothing of it."""
        if self.is_terminal(s):
            if s.stage == FOLDED and player == s.player:
                return "folds"
            gain = self.utility(s, player)
            return "wins" if gain > 0 else "shares the pot" if gain == 0 else ""
        return "to move" if self.to_move(s) == player else ""

    def betting(self, s: State) -> str:
        """The actions of both rounds, without the private cards."""
        return " ".join(self.words(s)[2:])

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = [f"public card: {self.card_text(s.cards[2]) if s.cards[2] else '-'}"]
        for p in range(2):
            card = self.face(s, p, viewer) or "-"
            rows.append(f"{self.player_name(p)}: {card:2}  paid {s.paid[p]}  {self.note(s, p)}".rstrip())
        return "\n".join([*rows, f"actions: {self.betting(s) or '-'}"])

    def svg(self, s: State, viewer: int | None = None) -> str:
        seats = [Seat(self.player_name(p), self.face(s, p, viewer), s.paid[p], self.note(s, p)) for p in range(2)]
        public = Seat("public", self.card_text(s.cards[2]) if s.cards[2] else "", 0)
        return poker_table([seats[0], public, seats[1]], self.betting(s))
