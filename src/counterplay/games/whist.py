"""Whist: a small trick-taking game for two, three, or four in partnerships.

Everyone is dealt a hand; the remaining cards lie face down. The first player leads a card, and the others follow in
turn: with a card of the same suit if they have one, otherwise with any card. The highest spade wins the trick, since
spades are trumps (`trump=off`: there are none); without a spade, the highest card of the suit led. The winner of a
trick leads to the next. Two players get the difference in tricks; with three, each gets their tricks minus the average;
with four, the first and the third play together against the others, and each side gets the difference.

With `open=on` all hands are face up, as bridge players analyse them ("double dummy"): then nothing is hidden, two sides
are two players, and search solves the game. `deal` sets the hands: `deal=AsKh-QsJs`. Whist is from England, before
1700; what open hands say about hidden ones, and what not, was studied for bridge by Frank and Basin (1998) and Ginsberg
(2001).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, rectangle, standing
from counterplay.core.formats.svg import label, rect
from counterplay.core.formats.text import shorten
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt, u64
from counterplay.games.poker_table import RANKS, card_look

SUITS = "cdhs"
MOST_PLAYS, CARD = 20, 6
if TYPE_CHECKING:
    Plays = WideInt
else:
    Plays = Wide(MOST_PLAYS * CARD)


@state
class State(NamedTuple):
    """The hands and the tricks."""

    hands: tuple[u64, u64, u64, u64]  # a bit for each card
    dealt: int  # cards, those of the first seat first
    plays: Plays  # CARD bits each, the first lowest
    played: int  # the number of plays
    leader: int  # the seat that led to this trick
    won: tuple[int, int, int, int]  # tricks of each seat


@state
class Known(NamedTuple):
    """What a player knows."""

    hand: int  # their own
    dealt: int
    plays: Plays
    played: int


class Whist(Game):
    """Follow suit, or trump: a small trick-taking game."""

    name = "whist"

    def __init__(
        self,
        seats: int = 2,
        suits: int = 2,
        ranks: int = 4,
        hand: int = 3,
        trump: bool = True,
        open: bool = False,
        deal: str = "",
    ) -> None:
        if not 2 <= seats <= 4:
            raise CounterplayError(f"whist: two, three or four can play, not {seats}")
        if not (1 <= suits <= 4 and 2 <= ranks <= 13):
            raise CounterplayError(f"whist: there are 1 to 4 suits of 2 to 13 ranks, not {suits} of {ranks}")
        if not 1 <= hand <= suits * ranks // seats or seats * hand > MOST_PLAYS:
            room = min(suits * ranks, MOST_PLAYS) // seats
            raise CounterplayError(f"whist: {seats} hands of {hand}: here a hand has 1 to {room} cards")
        self.seats, self.suits, self.ranks, self.hand, self.trump, self.open = seats, suits, ranks, hand, trump, open
        self.cards = suits * ranks
        self.policy_size = self.cards
        self.players = 2 if open and seats == 4 else seats
        most = hand * (2.0 / 3.0 if seats == 3 else 1.0)
        self.utility_bounds = (-most if seats != 3 else -hand / 3.0, most)
        self._ranks, self._suits = RANKS[-ranks:], SUITS[-suits:]
        self.fixed = deal != ""
        hands = self._read_hands(deal.split("-"), True) if self.fixed else (0, 0, 0, 0)
        self.dealt_hands = np.array(hands, np.uint64)  # a table: a constant would be compiled again for each deal

    @property
    def has_chance(self) -> bool:
        """Whether cards are dealt."""
        return not self.fixed

    @property
    def has_secrets(self) -> bool:
        """Whether hands are hidden."""
        return not self.open

    def initial(self) -> State:
        dealt = self.seats * self.hand if self.fixed else 0
        first, second, third, fourth = self.dealt_hands
        return State((u64(first), u64(second), u64(third), u64(fourth)), dealt, Plays(0), 0, 0, (0, 0, 0, 0))

    def is_dealing(self, s: State) -> bool:
        """Whether cards are still to be dealt."""
        return s.dealt < self.seats * self.hand

    def seat(self, s: State) -> int:
        """The seat that plays next."""
        return (s.leader + s.played % self.seats) % self.seats

    def to_move(self, s: State) -> int:
        return CHANCE if self.is_dealing(s) else self.seat(s) % self.players

    def chance(self, s: State, out: Actions) -> None:
        for card in ones(self.stock(s)):
            out.append(card)

    def probability(self, s: State, event: int) -> float:
        return 1 / count(self.stock(s))

    def stock(self, s: State) -> u64:
        """The cards that nobody holds."""
        return (bit(self.cards - 1) * 2 - 1) & ~(s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3])

    def actions(self, s: State, out: Actions) -> None:
        hand = s.hands[self.seat(s)]
        if s.played % self.seats:
            led = self.suit_cards(self.play(s, s.played - s.played % self.seats) // self.ranks)
            if hand & led:
                hand &= led
        for card in ones(hand):
            out.append(card)

    def result(self, s: State, action: int) -> State:
        if self.is_dealing(s):
            hands = self.toggled(s.hands, s.dealt // self.hand, action)
            return State(hands, s.dealt + 1, s.plays, 0, 0, s.won)
        hands = self.toggled(s.hands, self.seat(s), action)
        plays = s.plays | Plays(action) << CARD * s.played
        after = State(hands, s.dealt, plays, s.played + 1, s.leader, s.won)
        if after.played % self.seats:
            return after
        winner = self.trick_winner(after, after.played - self.seats, s.leader)
        a, b, c, d = s.won
        won = (a + int(winner == 0), b + int(winner == 1), c + int(winner == 2), d + int(winner == 3))
        return State(hands, s.dealt, plays, s.played + 1, winner, won)

    def is_terminal(self, s: State) -> bool:
        return s.played == self.seats * self.hand

    def utility(self, s: State, player: int) -> float:
        if self.seats == 3:
            return s.won[player] - self.hand / 3.0
        mine = s.won[player % 2] + s.won[player % 2 + 2]
        return float(2 * mine - self.hand)

    # Cards and tricks.

    def toggled(self, hands: tuple[u64, u64, u64, u64], seat: int, card: int) -> tuple[u64, u64, u64, u64]:
        """The hands after a seat has received a card that it lacked, or given one that it had."""
        a, b, c, d = hands
        if seat == 0:
            return (a ^ bit(card), b, c, d)
        if seat == 1:
            return (a, b ^ bit(card), c, d)
        return (a, b, c ^ bit(card), d) if seat == 2 else (a, b, c, d ^ bit(card))

    def suit_cards(self, suit: int) -> u64:
        """All cards of a suit."""
        return (bit(self.ranks) - 1) << suit * self.ranks

    def play(self, s: State, i: int) -> int:
        """The i-th card played."""
        return int(s.plays >> CARD * i & 63)

    def trick_winner(self, s: State, start: int, leader: int) -> int:
        """The seat that wins the trick whose first card was the one at `start`, led by `leader`."""
        best, turn = self.play(s, start), 0
        for i in range(1, self.seats):
            card = self.play(s, start + i)
            trumps = self.trump and card // self.ranks == self.suits - 1 and best // self.ranks != self.suits - 1
            if trumps or (card // self.ranks == best // self.ranks and card > best):
                best, turn = card, i
        return (leader + turn) % self.seats

    # Secrets: the others' hands and the face-down cards.

    def information(self, s: State, player: int) -> Known:
        return Known(int(s.hands[player]), s.dealt, s.plays, s.played)

    def resample(self, s: State, player: int, rng: Rng) -> State:
        """The unseen cards dealt again, but nobody receives a suit that they could not follow."""
        unseen = self.stock(s)
        for p in range(self.seats):
            if p != player:
                unseen |= s.hands[p]
        for i in range(s.played):
            unseen &= ~bit(self.play(s, i))
        while True:
            left, hands, short = unseen, (u64(0), u64(0), u64(0), u64(0)), False
            for p in range(self.seats):
                for _ in range(count(s.hands[p]) if p != player else 0):
                    choice = left & ~self.lacks(s, p)
                    if choice:
                        card = nth(choice, rng.below(count(choice)))
                        left &= ~bit(card)
                        hands = self.toggled(hands, p, card)
                    else:
                        short = True
            if not short:
                break
        for card in ones(s.hands[player]):
            hands = self.toggled(hands, player, card)
        return State(hands, s.dealt, s.plays, s.played, s.leader, s.won)

    def lacks(self, s: State, seat: int) -> u64:
        """The cards of the suits that a seat could not follow."""
        found, leader = u64(0), 0
        for start in range(0, s.played, self.seats):
            turn = (seat - leader) % self.seats
            if 0 < turn < s.played - start:
                led, suit = self.play(s, start) // self.ranks, self.play(s, start + turn) // self.ranks
                if led != suit:
                    found |= self.suit_cards(led)
            if start + self.seats <= s.played:
                leader = self.trick_winner(s, start, leader)
        return found

    # Notation: cards such as As; a position is the hands as dealt, one word each (- for none), and the cards played.

    def card_text(self, card: int) -> str:
        """The name of a card."""
        return self._ranks[card % self.ranks] + self._suits[card // self.ranks]

    def action_text(self, s: State, action: int) -> str:
        return self.card_text(action)

    def hand_text(self, cards: u64) -> str:
        """Some cards, the highest first."""
        return "".join(self.card_text(card) for card in reversed(list(ones(cards))))

    def dealt_to(self, s: State) -> list[u64]:
        """The hands as dealt."""
        hands, leader = list(s.hands), 0
        for i in range(s.played):
            if i and i % self.seats == 0:
                leader = self.trick_winner(s, i - self.seats, leader)
            hands[(leader + i) % self.seats] |= bit(self.play(s, i))
        return hands[: self.seats]

    def position_text(self, s: State) -> str:
        words = [self.hand_text(hand) or "-" for hand in self.dealt_to(s)]
        return " ".join(words + [self.card_text(self.play(s, i)) for i in range(s.played)])

    def _read_hands(self, words: list[str], whole: bool) -> tuple[u64, u64, u64, u64]:
        """The hands that words describe, whole or as far as dealt."""
        names = {self.card_text(card).casefold(): card for card in range(self.cards)}
        hands, seen, full = [u64(0)] * 4, u64(0), True
        wrong = CounterplayError(
            f"whist: {shorten(' '.join(words))!r} must be {self.seats} hands of {self.hand} different cards, such as "
            f"{self.hand_text(bit(self.hand) - 1)}"
        )
        if len(words) != self.seats:
            raise wrong
        for p, word in enumerate(words):
            texts = [] if word == "-" else [word[i : i + 2].casefold() for i in range(0, len(word), 2)]
            for text in texts:
                if text not in names or seen & bit(names[text]):
                    raise wrong
                hands[p] |= bit(names[text])
                seen |= bit(names[text])
            if len(texts) > self.hand or (len(texts) < self.hand and whole) or (texts and not full):
                raise wrong
            full = full and len(texts) == self.hand
        return hands[0], hands[1], hands[2], hands[3]

    def parse_position(self, text: str) -> State:
        words = text.split()
        try:
            hands = self._read_hands(words[: self.seats], self.fixed)
        except CounterplayError as wrong:
            raise InvalidPosition(str(wrong)) from None
        s = State(hands, sum(count(hand) for hand in hands), Plays(0), 0, 0, (0, 0, 0, 0))
        for word in words[self.seats :]:
            try:
                if self.is_dealing(s) or self.is_terminal(s):
                    raise CounterplayError("the cards are not all dealt yet")
                s = self.result(s, self.parse_action(s, word))
            except CounterplayError as wrong:
                raise InvalidPosition(f"{self.spec}: {shorten(word)!r} cannot be played there: {wrong}") from None
        return s

    # Pictures: a viewer sees their own hand.

    def sees(self, s: State, seat: int, viewer: int | None) -> bool:
        """Whether a viewer sees the hand of a seat."""
        return viewer is None or self.open or viewer == seat

    def trick(self, s: State) -> list[int]:
        """The cards on the table: the current trick, or the last one."""
        whole = s.played % self.seats == 0
        start = max(s.played - (self.seats if whole else s.played % self.seats), 0)
        return [self.play(s, i) for i in range(start, s.played)]

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = []
        for p in range(self.seats):
            cards = [self.card_text(card) for card in reversed(list(ones(s.hands[p])))]
            shown = " ".join(cards if self.sees(s, p, viewer) else ["??"] * len(cards)) or "-"
            mark = " <" if not self.is_dealing(s) and not self.is_terminal(s) and self.seat(s) == p else ""
            rows.append(f"seat {p + 1}: {shown}  ({s.won[p]} won){mark}")
        table = " ".join(self.card_text(card) for card in self.trick(s)) or "-"
        return "\n".join([*rows, f"on the table: {table}"])

    def hand_shown(self, s: State, seat: int) -> list[int]:
        """The cards of a seat in the order in which they are shown."""
        return list(reversed(list(ones(s.hands[seat]))))

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        width, height = max(74 * max(self.hand, self.seats) + 130, 330), 104 * (self.seats + 1) + 16
        shapes = [rect(0, 0, width, height, "#2a6b47", rx=18)]
        turn = -1 if self.is_dealing(s) or self.is_terminal(s) else self.seat(s)
        rows = [(f"seat {p + 1}", f"{s.won[p]} won", self.hand_shown(s, p), p) for p in range(self.seats)]
        cells, letters = [], []
        for row, (name, note, cards, p) in enumerate([*rows, ("table", "", self.trick(s), -1)]):
            y = 60 + 104 * row
            weight = "bold" if p == turn and p >= 0 else "normal"
            shapes.append(label(14, y - 10, name, fill="#fff", size=16, anchor="start", font_weight=weight))
            shapes.append(label(14, y + 12, note, fill="#ffe9a8", size=13, anchor="start"))
            seen = p < 0 or self.sees(s, p, viewer)
            for i, card in enumerate(cards):
                cells.append(Cell(f"{name}, card {i + 1}", 130 + 74 * i, y, rectangle(130 + 74 * i, y, 64, 90)))
                letters.append(self.card_text(card) if seen else "?")
        looks = {letter: card_look(letter) for letter in letters}
        drawn = standing(cells, letters, looks)
        return Diagram(width, height, tuple(cells), *drawn, "".join(shapes), self.board(s, viewer), turns=False)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """The card in its hand."""
        if self.is_dealing(s):
            return ()
        return (f"seat {self.seat(s) + 1}, card {self.hand_shown(s, self.seat(s)).index(action) + 1}",)

    def value_text(self, value: float, plies: int | None = None) -> str:
        return f"{value:+.3g} tricks"

    def player_name(self, player: int) -> str:
        if self.players == 2 and self.seats == 4 and player >= 0:
            return ("seats 1 and 3", "seats 2 and 4")[player]
        return super().player_name(player)
