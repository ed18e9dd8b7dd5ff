"""The notation and pictures of hold'em.

A position is the hand so far: the cards of both players, their actions and the public cards, such as `As Ks Qd Qh call
check 7h 8s 2c check bet0.5`. Cards may be written together (`AsKs`); `??` deals any two cards that are named nowhere.
`pot:60` instead of all betting so far puts 30 chips of each player into the pot.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.game import CHANCE, Game
from counterplay.games.betting import BETTING, CALL, DEALING, FOLD, SHOWDOWN
from counterplay.games.holdem_ranges import class_of, hand_words, hands_meant
from counterplay.games.poker_hands import card_of, card_text, kind_text
from counterplay.games.poker_table import SeatPicture, poker_table

if TYPE_CHECKING:
    from counterplay.games.betting import Betting

    Rules = Betting
else:
    Rules = Game

ROUNDS = ("before the flop", "flop", "turn", "river")


class HoldemNotation(Rules):
    """Texts and pictures of a hand of hold'em."""

    rounds: int
    most_board: int

    def action_text(self, s: Any, action: int) -> str:
        if s.stage == DEALING:
            return card_text(action)
        return self.action_word(action, s.paid[0] == s.paid[1])

    def action_word(self, action: int, even: bool) -> str:
        """The name of an action; `even` if both have paid the same."""
        if action <= CALL:
            return "fold" if action == FOLD else "check" if even else "call"
        return "all-in" if self.is_all_in_action(action) else ("bet" if even else "raise") + self.raise_text(action)

    def parse_action(self, s: Any, text: str) -> int:
        """Also reads f, c and r, and accepts call for check and bet for raise, and vice versa."""
        aliases = {"f": "fold", "c": "call", "r": "raise", "allin": "all-in"}
        word = aliases.get(text.strip().lower(), text.strip())
        if s.stage == BETTING:
            even = s.paid[0] == s.paid[1]
            for one, other in (("call", "check"), ("raise", "bet")):
                meant, written = (other, one) if even else (one, other)
                if word.lower().startswith(written):
                    word = meant + word[len(written) :]
        return super().parse_action(s, word)

    def split_moves(self, text: str) -> list[str]:
        """Split into words; cards written together are separated."""
        words: list[str] = []
        for word in text.split():
            cards = [word[i : i + 2] for i in range(0, len(word), 2)]
            words += cards if all(card_of(card) is not None for card in cards) else [word]
        return words

    def cards_on(self, board: int) -> list[int]:
        """The cards of a board, in order."""
        cards = []
        while board:
            cards.append((board & 63) - 1)
            board >>= 6
        return cards

    def private_cards(self, s: Any, player: int) -> list[int]:
        """The cards of a player, the higher rank first."""
        held = int(self.held(s.hands[player]))  # type: ignore[attr-defined]
        return sorted((card for card in range(52) if held >> card & 1), key=lambda card: (-(card % 13), card))

    def streets(self, s: Any) -> list[list[str]]:
        """The words of each round's actions."""
        found: list[list[str]] = []
        for r in range(self.rounds):
            street = s.history[r >> 1] >> 30 * (r & 1) & ((1 << 30) - 1)
            digits: list[int] = []
            while street:
                digits.insert(0, (street & ((1 << self.digit + 1) - 1)) - 1)
                street >>= self.digit + 1
            even, words = r > 0, []
            for action in digits:
                words.append(self.action_word(action, even))
                even = action == CALL
            found.append(words)
        return found

    def words(self, s: Any) -> list[str]:
        """The hand so far: cards and actions in order."""
        words = [card_text(card) for player in range(2) for card in self.private_cards(s, player)]
        board, streets = self.cards_on(s.board), self.streets(s)
        if board and not streets[0]:
            words.append(f"pot:{self.pot_before(s)}")
        words += streets[0]
        for r in range(1, self.rounds):
            words += [card_text(card) for card in board[0 if r == 1 else r + 1 : r + 2]]
            words += streets[r]
        return words

    def pot_before(self, s: Any) -> int:
        """The pot of a hand that did not start from its deal."""
        board, streets = self.cards_on(s.board), self.streets(s)
        began = next((r for r in range(1, self.rounds) if streets[r]), len(board) - 2)
        later = [card_text(card) for card in board[began + 2 :]]
        for chips in range(1, min(s.paid) + 1):
            t = self.begun(s, board[: began + 2], chips)
            cards = list(later)
            try:
                for r in range(began, self.rounds):
                    for word in streets[r]:
                        t = self.result(t, self.parse_action(t, word))
                    if cards and t.stage == DEALING:
                        t = self.result(t, self.parse_action(t, cards.pop(0)))
                while cards:
                    t = self.result(t, self.parse_action(t, cards.pop(0)))
            except CounterplayError:
                continue
            if t == s:
                return 2 * chips
        raise CounterplayError(f"{self.spec}: no pot leads to such a hand")

    def begun(self, s: Any, board: list[int], chips: int) -> Any:
        """The hand with these public cards and `chips` of each player in the pot, before anyone acts."""
        packed = 0
        for card in board:
            packed = self.board_with(packed, card)  # type: ignore[attr-defined]
        return s._replace(
            board=packed, paid=(chips, chips), player=1, raises=0, acted=False, history=(0, 0), stage=BETTING
        )

    def position_text(self, s: Any) -> str:
        return " ".join(self.words(s)) or "-"

    def parse_position(self, text: str) -> Any:
        words = self.split_moves(text)
        if not words:
            raise InvalidPosition(
                f"{self.spec}: write a position as the cards and actions so far, such as "
                '"As Ks Qd Qh call check 7h 8s 2c", or - for the start'
            )
        named = [card for word in words if (card := card_of(word)) is not None]
        for card in named:
            if named.count(card) > 1:
                raise InvalidPosition(f"{self.spec}: {card_text(card)} is dealt twice")
        free = [card_text(card) for card in range(52) if card not in named]
        s, at = self.initial(), 0
        dealt = [] if words == ["-"] else words
        while at < len(dealt):
            word = dealt[at]
            at += 1
            if self.is_terminal(s):
                raise InvalidPosition(f"{self.spec}: {word!r} follows after the end of the hand")
            try:
                if word.startswith("pot:"):
                    s, cards = self.with_pot(s, word, dealt[at:])
                    at += cards
                    continue
                for each in [free.pop(0), free.pop(0)] if word == "??" else [word]:
                    s = self.result(s, self.parse_action(s, each))
            except CounterplayError as wrong:
                raise InvalidPosition(f"{self.spec}: {str(wrong).removeprefix(f'{self.spec}: ')}") from None
        return s

    def with_pot(self, s: Any, word: str, rest: list[str]) -> tuple[Any, int]:
        """A hand that begins with a pot and the public cards that follow, and the number of these."""
        chips, most = word.removeprefix("pot:"), 2 * (self.stack - 1) if self.stack else 10_000
        if not chips.isdecimal() or int(chips) % 2 or not 2 <= int(chips) <= most:
            raise InvalidPosition(
                f"{word!r} is not a pot: write an even number of chips from 2 to {most}, such as pot:60"
            )
        if s.stage != BETTING or s.history != (0, 0) or s.board:
            raise InvalidPosition(f"{word!r} must follow the players' four cards, in place of all betting so far")
        board = [card for card in takewhile(lambda card: card is not None, map(card_of, rest)) if card is not None]
        if not 3 <= len(board) <= self.most_board:
            raise InvalidPosition(f"{word!r} is followed by 3 to {self.most_board} public cards, not {len(board)}")
        return self.begun(s, board, int(chips) // 2), len(board)

    # Ranges.

    def hand_name(self, hand: int) -> str:
        return hand_words(int(self.low[hand]), int(self.high[hand]))  # type: ignore[attr-defined]

    def hands_named(self, text: str) -> list[int]:
        return hands_meant(text)

    def hand_cell(self, hand: int) -> tuple[int, int, str]:
        return class_of(int(self.low[hand]), int(self.high[hand]))  # type: ignore[attr-defined]

    # Pictures: a viewer sees the other's cards only in a showdown.

    def face(self, s: Any, player: int, viewer: int | None) -> list[str]:
        """The cards of `player` as `viewer` sees them: their texts, or ? each."""
        cards = self.private_cards(s, player)
        seen = viewer is None or viewer == player or s.stage == SHOWDOWN
        return [card_text(card) if seen else "?" for card in cards]

    def seat_note(self, s: Any, player: int) -> str:
        """A player's status, in a showdown with the value of their hand."""
        said = self.note(s, player)
        if s.stage != SHOWDOWN:
            return said
        kind = kind_text(self.showdown_strength(s, player))
        return f"{said} with a {kind}" if said else f"has a {kind}"

    def said(self, s: Any) -> str:
        """The actions of all rounds."""
        return " / ".join(" ".join(words) for words in self.streets(s) if words)

    def board(self, s: Any, viewer: int | None = None) -> str:
        public = [card_text(card) for card in self.cards_on(s.board)]
        public += ["-"] * (self.most_board - len(public))
        rows = [f"public cards: {' '.join(public)}  pot {sum(s.paid)}"]
        for p in range(2):
            cards = " ".join(self.face(s, p, viewer)) or "-"
            rows.append(f"{self.player_name(p):11}: {cards:5}  paid {s.paid[p]}  {self.seat_note(s, p)}".rstrip())
        return "\n".join([*rows, f"actions: {self.said(s) or '-'}"])

    def player_name(self, player: int) -> str:
        return "chance" if player == CHANCE else ("button", "big blind")[player]

    def svg(self, s: Any, viewer: int | None = None) -> str:
        seats = [
            SeatPicture(
                self.player_name(p), " ".join(self.face(s, p, viewer) or ["", ""]), s.paid[p], self.seat_note(s, p)
            )
            for p in range(2)
        ]
        board = [card_text(card) for card in self.cards_on(s.board)]
        return poker_table(seats, self.said(s), board + [""] * (self.most_board - len(board)), viewer)
