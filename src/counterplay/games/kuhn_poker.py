"""Kuhn poker: one card each, one bet.

Each player puts one chip into the pot and is dealt one card from a deck with one card more than there are players: J Q
K for two, J Q K A for three. In turn they pass or bet one chip. Once someone has bet, each of the others has one more
turn, to bet a chip as well (to call) or to pass (to fold). The highest card among those who have bet, or among all if
nobody has, wins the pot.

With two players the first loses 1/18 of a chip on average under best play (Kuhn, A Simplified Two-Person Poker, 1950);
with three there are whole families of equilibria (Szafron, Gibson and Sturtevant, A Parameterized Family of Equilibrium
Profiles for Three-Player Kuhn Poker, 2013).
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, last, nth
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64
from counterplay.games.poker_table import RANKS, SeatPicture, poker_table

PASS, BET = 0, 1
WORDS = ("pass", "bet")


@state
class State(NamedTuple):
    """The deal and the betting."""

    cards: u64  # four bits per player: 0 before they have a card, then 1 for the lowest and so on
    dealt: int  # the number of players with a card
    history: int  # a binary digit per action, PASS or BET, after a leading 1


class KuhnPoker(Game):
    """One card each, one bet: the smallest poker worth bluffing in."""

    name = "kuhn-poker"

    def __init__(self, players: int = 2) -> None:
        if not 2 <= players <= 10:
            raise CounterplayError(f"kuhn-poker: 2 to 10 can play, not {players}")
        self.players = players
        self.policy_size = 2
        self.utility_bounds = (-2.0, 2.0 * (players - 1))
        self._ranks = "JQK" if players == 2 else RANKS[-players - 1 :]
        self.private_hands = 3 if players == 2 else 0

    def initial(self) -> State:
        return State(u64(0), 0, 1)

    def to_move(self, s: State) -> int:
        return CHANCE if s.dealt < self.players else self.plies(s) % self.players

    def chance(self, s: State, out: Actions) -> None:
        taken = self.seen(s, 0, s.dealt)
        for card in range(1, self.players + 2):
            if not taken & bit(card):
                out.append(card)

    def probability(self, s: State, event: int) -> float:
        return 1 / (self.players + 1 - s.dealt)

    def actions(self, s: State, out: Actions) -> None:
        out.append(PASS)
        out.append(BET)

    def result(self, s: State, action: int) -> State:
        if s.dealt < self.players:
            return State(s.cards | u64(action) << 4 * s.dealt, s.dealt + 1, s.history)
        return State(s.cards, s.dealt, s.history * 2 + action)

    def is_terminal(self, s: State) -> bool:
        return self.plies(s) == self.players + max(self.opener(s), 0)

    def utility(self, s: State, player: int) -> float:
        pot, winner = 0, -1
        for p in range(self.players):
            pot += self.paid(s, p)
            if self.is_in(s, p) and (winner < 0 or self.card(s, p) > self.card(s, winner)):
                winner = p
        return float((pot if player == winner else 0) - self.paid(s, player))

    def card(self, s: State, player: int) -> int:
        """The card of `player`, 0 if they have none yet."""
        return int(s.cards >> 4 * player & 15)

    def seen(self, s: State, start: int, stop: int) -> u64:
        """The cards of the players `start` to `stop` - 1, as a set of bits."""
        cards = u64(0)
        for p in range(start, stop):
            cards |= bit(self.card(s, p))
        return cards

    def plies(self, s: State) -> int:
        """The number of actions so far."""
        return last(u64(s.history))

    def opener(self, s: State) -> int:
        """The player who bet first, -1 if nobody has."""
        plies = self.plies(s)
        later = u64(s.history) ^ bit(plies)
        return plies - 1 - last(later) if later else -1

    def has_bet(self, s: State, player: int) -> bool:
        """Whether `player` has bet, in their first or second turn."""
        plies, bets = self.plies(s), 0
        for ply in range(player, plies, self.players):
            bets += s.history >> (plies - 1 - ply) & 1
        return bets > 0

    def paid(self, s: State, player: int) -> int:
        """The chips of `player` in the pot."""
        return 2 if self.has_bet(s, player) else 1

    def is_in(self, s: State, player: int) -> bool:
        """Whether `player` is still in for the showdown."""
        return self.opener(s) < 0 or self.has_bet(s, player)

    # Secrets: a player sees their own card and everyone's actions.

    def information(self, s: State, player: int) -> int:
        return s.history << 8 | s.dealt << 4 | self.card(s, player)

    def resample(self, s: State, player: int, rng: Rng) -> State:
        deck = bit(self.players + 2) - 2
        taken = self.seen(s, player, player + 1)
        cards = u64(0)
        for p in range(s.dealt):
            card = self.card(s, player)
            if p != player:
                rest = deck & ~taken
                card = nth(rest, rng.below(count(rest)))
                taken |= bit(card)
            cards |= u64(card) << 4 * p
        return State(cards, s.dealt, s.history)

    # Private deals: a hand is a card, and everything else is public.

    def public(self, s: State) -> int:
        return s.history << 4 | s.dealt

    def hand_of(self, s: State, player: int) -> int:
        return self.card(s, player) - 1

    def hand_name(self, hand: int) -> str:
        return str(self._ranks[hand])

    def with_hands(self, s: State, first: int, second: int) -> State:
        return State(u64(first + 1) | u64(second + 1) << 4, s.dealt, s.history)

    def hand_cards(self, hand: int) -> u64:
        return bit(hand)

    def is_showdown(self, s: State) -> bool:
        return self.is_in(s, 0) and self.is_in(s, 1)

    def showdown_strength(self, s: State, player: int) -> int:
        return self.card(s, player)

    # Notation: cards J Q K, "pass" and "bet"; positions such as "JK pass bet" ("-" before the deal).

    def action_text(self, s: State, action: int) -> str:
        return self._ranks[action - 1] if s.dealt < self.players else WORDS[action]

    def parse_action(self, s: State, text: str) -> int:
        """Also reads p and b; and check, fold and call where a pass or a bet means that."""
        aliases = {"p": "pass", "b": "bet"}
        aliases |= {"check": "pass"} if self.opener(s) < 0 else {"fold": "pass", "call": "bet"}
        return super().parse_action(s, aliases.get(text.strip().lower(), text))

    def position_text(self, s: State) -> str:
        cards = "".join(self._ranks[self.card(s, p) - 1] for p in range(s.dealt))
        return " ".join([cards or "-", *self.words(s)])

    def words(self, s: State) -> list[str]:
        """The actions so far."""
        return [WORDS[int(digit)] for digit in f"{s.history:b}"[1:]]

    def parse_position(self, text: str) -> State:
        cards, *words = text.split() or [""]
        s = self.initial()
        for card in cards.upper() if cards != "-" else "":
            if s.dealt == self.players or card not in self._ranks:
                options = " ".join(self._ranks)
                raise InvalidPosition(
                    f"{self.spec}: {cards!r} must be at most {self.players} different cards of {options}, or -"
                )
            s = self._step(s, card)
        for word in words:
            s = self._step(s, word)
        if not cards:
            raise InvalidPosition(
                f'{self.spec}: write a position as "{self._ranks[: self.players]} pass bet", or - for the start'
            )
        return s

    def _step(self, s: State, word: str) -> State:
        """The state after a card or an action of a position text."""
        if self.is_terminal(s):
            raise InvalidPosition(f"{self.spec}: {word!r} follows after the end of the hand")
        if s.dealt < self.players and len(word) > 1:
            raise InvalidPosition(f"{self.spec}: {word!r} comes before all {self.players} players have a card")
        try:
            return self.result(s, self.parse_action(s, word))
        except CounterplayError as wrong:
            raise InvalidPosition(f"{self.spec}: {wrong}") from None

    # Pictures: a viewer sees the others' cards only in a showdown.

    def face(self, s: State, player: int, viewer: int | None) -> str:
        """The card of `player` as `viewer` sees it: its rank, ? or nothing."""
        if player >= s.dealt:
            return ""
        showdown = self.is_terminal(s) and sum(self.is_in(s, p) for p in range(self.players)) > 1
        seen = viewer is None or viewer == player or (showdown and self.is_in(s, player))
        return self._ranks[self.card(s, player) - 1] if seen else "?"

    def note(self, s: State, player: int) -> str:
        """The status of `player`: to move, folded, won, or none of these."""
        if self.is_terminal(s):
            return "wins" if self.utility(s, player) > 0 else ""
        return "to move" if self.to_move(s) == player else ""

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = []
        for p in range(self.players):
            card, note = self.face(s, p, viewer) or "-", self.note(s, p)
            rows.append(f"{self.player_name(p)}: {card}  paid {self.paid(s, p)}  {note}".rstrip())
        return "\n".join([*rows, f"actions: {' '.join(self.words(s)) or '-'}"])

    def value_text(self, value: float, plies: int | None = None) -> str:
        return f"{value:+.3g} chips"

    def svg(self, s: State, viewer: int | None = None) -> str:
        seats = [
            SeatPicture(self.player_name(p), self.face(s, p, viewer), self.paid(s, p), self.note(s, p))
            for p in range(self.players)
        ]
        return poker_table(seats, " ".join(self.words(s)), below=viewer)
