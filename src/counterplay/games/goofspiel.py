"""Goofspiel: bid your cards for the prizes, both players at once.

Each player holds the cards 1 to `cards`; a third set lies between them as prizes. In each round the next prize is
turned up, in an order drawn by chance, ascending or descending (`order`), and both players bid one of their cards
simultaneously. The higher card wins the prize's points, equal cards discard it, and both bids are gone. The last
cards are played automatically. The player with more points wins; with `score=difference` the result is half the
difference in points instead.

With `hidden=on` players learn only who won each prize, not the bids. The rules are those of OpenSpiel's `goofspiel`,
made turn-based: the players bid one after another, and the second does not see the first bid, which is equivalent to
bidding simultaneously. The game was invented by Merrill Flood in the 1930s; with prizes in a random order it was
solved by Rhoads and Bartholdi (Computer Solution to the Game of Pure Strategy, 2012).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, Look, rectangle, standing
from counterplay.core.formats.svg import label, rect
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

MOST_CARDS = 13
Order = Literal["random", "descending", "ascending"]
Score = Literal["win", "difference"]


@state
class State(NamedTuple):
    """The prizes turned up and the bids, four bits per card, the first lowest."""

    prizes: u64
    turned: int  # the number of prizes
    bids: tuple[u64, u64]
    made: tuple[int, int]  # the number of bids


@state
class Known(NamedTuple):
    """What a player knows."""

    prizes: int
    mine: int  # their bids
    theirs: int  # the other's bids of completed rounds; if they are hidden, the winners: two bits per round
    turn: int  # the number of prizes and bids so far


class Goofspiel(Game):
    """Bid your cards for the prizes, both players simultaneously."""

    name = "goofspiel"

    def __init__(self, cards: int = 4, order: Order = "random", hidden: bool = False, score: Score = "win") -> None:
        if not 2 <= cards <= MOST_CARDS:
            raise CounterplayError(f"goofspiel: there are from 2 to {MOST_CARDS} cards, not {cards}")
        if order not in ("random", "descending", "ascending"):
            raise CounterplayError(f"goofspiel: order={order!r} must be random, descending or ascending")
        if score not in ("win", "difference"):
            raise CounterplayError(f"goofspiel: score={score!r} must be win or difference")
        self.cards, self.hidden = cards, hidden
        self.policy_size = cards + 1
        self.is_random, self.falls, self.counts = order == "random", order == "descending", score == "difference"
        most = cards * (cards + 1) / 4 if self.counts else 1.0
        self.utility_bounds = (-most, most)

    @property
    def has_chance(self) -> bool:
        """Whether prizes come in an order drawn by chance."""
        return bool(self.is_random)

    def initial(self) -> State:
        return self.turn_up(State(u64(0), 0, (u64(0), u64(0)), (0, 0)))

    def turn_up(self, s: State) -> State:
        """The state with the next prize turned up, if the order is fixed and one is due."""
        if self.is_random or s.turned > s.made[1] or s.turned == self.cards - 1:
            return s
        prize = self.cards - s.turned if self.falls else s.turned + 1
        return State(s.prizes | u64(prize) << 4 * s.turned, s.turned + 1, s.bids, s.made)

    def to_move(self, s: State) -> int:
        if self.is_random and s.turned == s.made[1]:
            return CHANCE
        return 0 if s.made[0] == s.made[1] else 1

    def chance(self, s: State, out: Actions) -> None:
        self.list_cards(s.prizes, s.turned, out)

    def probability(self, s: State, event: int) -> float:
        return 1 / (self.cards - s.turned)

    def actions(self, s: State, out: Actions) -> None:
        player = 0 if s.made[0] == s.made[1] else 1
        self.list_cards(s.bids[player], s.made[player], out)

    def list_cards(self, used: u64, length: int, out: Actions) -> None:
        """Append the cards that are not among the first `length` of `used`."""
        left = self.left(used, length)
        for card in range(1, self.cards + 1):
            if left & bit(card):
                out.append(card)

    def left(self, used: u64, length: int) -> u64:
        """The cards that are not among the first `length` of `used`, as a set of bits."""
        cards = bit(self.cards + 1) - 2
        for i in range(length):
            cards &= ~bit(self.card(used, i))
        return cards

    def card(self, cards: u64, i: int) -> int:
        """The i-th of some cards."""
        return int(cards >> 4 * i & 15)

    def result(self, s: State, action: int) -> State:
        if self.is_random and s.turned == s.made[1]:
            return State(s.prizes | u64(action) << 4 * s.turned, s.turned + 1, s.bids, s.made)
        if s.made[0] == s.made[1]:
            first = s.bids[0] | u64(action) << 4 * s.made[0]
            return State(s.prizes, s.turned, (first, s.bids[1]), (s.made[0] + 1, s.made[1]))
        second = s.bids[1] | u64(action) << 4 * s.made[1]
        return self.turn_up(State(s.prizes, s.turned, (s.bids[0], second), (s.made[0], s.made[1] + 1)))

    def is_terminal(self, s: State) -> bool:
        return s.made[1] == self.cards - 1

    def winner(self, s: State, i: int) -> int:
        """Who won the i-th prize: 0, 1, or 2 for nobody."""
        first, second = self.card(s.bids[0], i), self.card(s.bids[1], i)
        return 0 if first > second else 1 if second > first else 2

    def lead(self, s: State) -> int:
        """The first player's points less the second's, of completed rounds; at the end, also of the last cards."""
        total = 0
        for i in range(s.made[1]):
            won = self.winner(s, i)
            total += self.card(s.prizes, i) if won == 0 else -self.card(s.prizes, i) if won == 1 else 0
        if self.is_terminal(s):
            prize = nth(self.left(s.prizes, s.turned), 0)
            first, second = nth(self.left(s.bids[0], s.made[0]), 0), nth(self.left(s.bids[1], s.made[1]), 0)
            total += prize if first > second else -prize if second > first else 0
        return total

    def utility(self, s: State, player: int) -> float:
        lead = self.lead(s) if player == 0 else -self.lead(s)
        if self.counts:
            return lead / 2
        return 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0

    # Secrets: the other's bid of this round; if bids are hidden, all of their bids.

    def information(self, s: State, player: int) -> Known:
        theirs = u64(0)
        for i in range(s.made[1]):
            seen = self.winner(s, i) if self.hidden else self.card(s.bids[1 - player], i)
            theirs |= u64(seen + 1 if self.hidden else seen) << 4 * i
        return Known(int(s.prizes), int(s.bids[player]), int(theirs), s.turned + s.made[0] + s.made[1])

    def resample(self, s: State, player: int, rng: Rng) -> State:
        other = 1 - player
        while True:  # until the hidden bids give the same winners
            bids, cards = u64(0), self.left(u64(0), 0)
            if not self.hidden:
                for i in range(s.made[1]):
                    bids |= u64(self.card(s.bids[other], i)) << 4 * i
                cards = self.left(bids, s.made[1])
            for i in range(0 if self.hidden else s.made[1], s.made[other]):
                chosen = nth(cards, rng.below(self.cards - i))
                cards &= ~bit(chosen)
                bids |= u64(chosen) << 4 * i
            both = (s.bids[0], bids) if player == 0 else (bids, s.bids[1])
            found = State(s.prizes, s.turned, both, s.made)
            same = True
            for i in range(s.made[1]):
                same = same and self.winner(found, i) == self.winner(s, i)
            if same:
                return found

    # Notation: cards are numbers; a position is the prizes, then both players' bids, such as "3,1 2 4" ("- - -").

    def position_text(self, s: State) -> str:
        parts = ((s.prizes, s.turned), (s.bids[0], s.made[0]), (s.bids[1], s.made[1]))
        return " ".join(self.cards_text(cards, length) for cards, length in parts)

    def cards_text(self, cards: u64, length: int) -> str:
        """Some cards in order, - if there are none."""
        return ",".join(str(self.card(cards, i)) for i in range(length)) or "-"

    def parse_position(self, text: str) -> State:
        words = text.split()
        if len(words) != 3:
            raise InvalidPosition(
                f'{self.spec}: write a position as the prizes and both players\' bids, such as "3,1 2 4", - for none'
            )
        parts = [self._read_cards(word) for word in words]
        prizes, bids = parts[0], parts[1:]
        s = self.initial()
        for i in range(self.cards - 1):
            if self.is_random and len(prizes) > i:
                s = self.result(s, prizes[i])
            for player in range(2):
                if len(bids[player]) > i:
                    if s.turned <= i or s.made[0] < i + player:
                        raise InvalidPosition(f"{self.spec}: {text.strip()!r} has a bid before its turn")
                    s = self.result(s, bids[player][i])
        if self.position_text(s) != " ".join(",".join(map(str, part)) or "-" for part in parts):
            raise InvalidPosition(f"{self.spec}: {text.strip()!r} is impossible: a prize or bid is out of turn")
        return s

    def _read_cards(self, word: str) -> list[int]:
        cards = [] if word == "-" else word.split(",")
        if not all(card.isdecimal() and 1 <= int(card) <= self.cards for card in cards) or len(set(cards)) < len(cards):
            raise InvalidPosition(f"{self.spec}: {word!r} must be different cards from 1 to {self.cards}, or -")
        if len(cards) >= self.cards:
            raise InvalidPosition(f"{self.spec}: {word!r}: the last card is played automatically")
        return [int(card) for card in cards]

    # Pictures: a viewer sees the other's bids as far as they are known.

    def shown(self, s: State, player: int, viewer: int | None) -> list[str]:
        """The bids of `player` as `viewer` sees them."""
        bids = [str(self.card(s.bids[player], i)) for i in range(s.made[player])]
        if viewer in (None, player) or self.is_terminal(s):
            return bids
        known = 0 if self.hidden else s.made[1]
        return [bid if i < known else "?" for i, bid in enumerate(bids)]

    def points(self, s: State) -> list[int]:
        """The points of both in completed rounds; at the end, also for the last card."""
        won = [0, 0, 0]
        for i in range(s.made[1]):
            won[self.winner(s, i)] += self.card(s.prizes, i)
        rest = self.lead(s) - (won[0] - won[1])
        return [won[0] + max(rest, 0), won[1] + max(-rest, 0)]

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = [f"prizes: {self.cards_text(s.prizes, s.turned).replace(',', ' ')}"]
        for p in range(2):
            bids = " ".join(self.shown(s, p, viewer)) or "-"
            rows.append(f"{self.player_name(p)}: {bids}  ({self.points(s)[p]} points)")
        return "\n".join(rows)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """Bids and prizes, round by round; below, the hand of the viewer, or of the player to bid."""
        width, height = 42 * self.cards + 190, 310
        shapes = [rect(0, 0, width, height, "#2b4a6b", rx=18)]
        first, second = ((self.player_name(p), self.shown(s, p, viewer), p) for p in range(2))
        prizes = [str(self.card(s.prizes, i)) for i in range(s.turned)]
        rows = [first, ("prizes", prizes, 2), second]
        cells, letters, looks = [], [], {}
        for row, (name, cards, owner) in enumerate(rows):
            y = 48 + 70 * row
            note = f"{name}: {self.points(s)[owner]}" if owner < 2 else name
            shapes.append(label(16, y, note, fill="#fff", size=16, anchor="start"))
            for i, card in enumerate(cards):
                won = i < s.made[1] and self.winner(s, i) == owner
                cells.append(Cell(f"{name}, round {i + 1}", 150 + 42 * i, y, rectangle(150 + 42 * i, y, 34, 50)))
                colour = "#9db4cc" if card == "?" else "#ffe48a" if owner == 2 else "#c8f0c0" if won else "#fff"
                letters.append(f"{card} {colour}")
                looks[letters[-1]] = number_card(card, colour)
        player = viewer if viewer is not None else self.to_move(s)
        if player != CHANCE and not self.is_terminal(s):
            shapes.append(label(16, 268, f"hand of {self.player_name(player)}", fill="#fff", size=14, anchor="start"))
            for i, number in enumerate(ones(self.left(s.bids[player], s.made[player]))):
                cells.append(Cell(f"card {number}", 150 + 42 * i, 268, rectangle(150 + 42 * i, 268, 34, 50)))
                letters.append(str(number))
                looks[letters[-1]] = number_card(str(number), "#fff")
        drawn = standing(cells, letters, looks)
        return Diagram(width, height, tuple(cells), *drawn, "".join(shapes), self.board(s, viewer), turns=False)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """The card in the hand."""
        return () if self.to_move(s) == CHANCE else (f"card {action}",)


def number_card(number: str, colour: str) -> Look:
    """A card with a number, or its back."""
    name = "card, face down" if number == "?" else number
    return Look(name, rect(-17, -25, 34, 50, colour, rx=5, stroke="#16283b") + label(0, 0, number, size=19))
