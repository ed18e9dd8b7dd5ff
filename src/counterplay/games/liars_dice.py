"""Liar's dice: bid on all dice while seeing only your own.

Both players roll their dice in secret. In turn they bid a quantity and a face, such as two fives, each bid higher than
the last: a greater quantity of any face, or the same quantity of a higher face (`rule=reset-face`); or the other way
round, a higher face in any quantity, or the same face in a greater quantity (`rule=reset-quantity`). Instead of
bidding, a player may call the other a liar. Then all dice are shown. The highest face is wild and counts as every face
(`wild=lowest`: the lowest; `wild=none`: no face). If there are at least as many dice of the face as were bid, the
bidder wins, otherwise the caller.

The rules are those of OpenSpiel's `liars_dice`, which has become a benchmark for regret minimization (Lisý, Lanctot and
Bowling, Online Monte Carlo Counterfactual Regret Minimization, 2015). With one die of six faces each there are 24,576
information sets, and the first player loses 1/36 under best play.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Literal, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, Look, rectangle, standing
from counterplay.core.formats.svg import circle, label, rect
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, last
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

MOST_BIDS = 62
Rule = Literal["reset-face", "reset-quantity"]
Wild = Literal["highest", "lowest", "none"]
PIPS = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi"}
"""The positions of a die's pips, a to i in a square."""


@state
class State(NamedTuple):
    """The dice and the bids."""

    dice: tuple[u64, u64]  # four bits per face: how many each player has
    rolled: int  # dice of both so far, the first player's first
    bids: u64  # a bit for each bid that was made; they only ever rise
    called: bool  # someone has called the last bidder a liar


@state
class Known(NamedTuple):
    """What a player knows."""

    dice: int  # the player's own
    bids: int
    stage: int  # the number of dice rolled, plus one after the call


class LiarsDice(Game):
    """Bid on all dice while seeing only your own; a liar who is called loses."""

    name = "liars-dice"
    title = "Liar's dice"

    def __init__(self, dice: int = 1, sides: int = 6, rule: Rule = "reset-face", wild: Wild = "highest") -> None:
        if rule not in ("reset-face", "reset-quantity"):
            raise CounterplayError(f"liars-dice: rule={rule!r} must be reset-face or reset-quantity")
        if wild not in ("highest", "lowest", "none"):
            raise CounterplayError(f"liars-dice: wild={wild!r} must be highest, lowest or none")
        if not (dice >= 1 and 2 <= sides <= 9 and 2 * dice * sides <= MOST_BIDS):
            raise CounterplayError(
                f"liars-dice: {dice} dice of {sides} sides each: there must be at least 1 die, of 2 to 9 sides, and no "
                f"more than {MOST_BIDS} bids (dice of both times sides)"
            )
        self.dice, self.sides = dice, sides
        self.wild = {"highest": sides, "lowest": 1, "none": 0}[wild]  # the face
        self.by_face = rule == "reset-quantity"
        self.bids = 2 * dice * sides
        self.policy_size = self.bids + 1
        rolls = combinations_with_replacement(range(sides), dice)
        self.hands = np.array([sum(1 << 4 * face for face in roll) for roll in rolls], np.int64)
        self.private_hands = len(self.hands)

    def initial(self) -> State:
        return State((u64(0), u64(0)), 0, u64(0), False)

    def to_move(self, s: State) -> int:
        return CHANCE if s.rolled < 2 * self.dice else count(s.bids) % 2

    def chance(self, s: State, out: Actions) -> None:
        for face in range(1, self.sides + 1):
            out.append(face)

    def probability(self, s: State, event: int) -> float:
        return 1 / self.sides

    def actions(self, s: State, out: Actions) -> None:
        for bid in range(self.last_bid(s) + 1, self.bids):
            out.append(bid)
        if s.bids:
            out.append(self.bids)  # liar

    def result(self, s: State, action: int) -> State:
        if s.rolled < 2 * self.dice:
            more = bit(4 * (action - 1))
            dice = (s.dice[0] + more, s.dice[1]) if s.rolled < self.dice else (s.dice[0], s.dice[1] + more)
            return State(dice, s.rolled + 1, s.bids, s.called)
        if action == self.bids:
            return State(s.dice, s.rolled, s.bids, True)
        return State(s.dice, s.rolled, s.bids | bit(action), s.called)

    def is_terminal(self, s: State) -> bool:
        return s.called

    def utility(self, s: State, player: int) -> float:
        bid = self.last_bid(s)
        face = self.face(bid)
        found = self.number_of(s, face)
        if self.wild and face != self.wild:
            found += self.number_of(s, self.wild)
        bidder = (count(s.bids) - 1) % 2
        winner = bidder if found >= self.quantity(bid) else 1 - bidder
        return 1.0 if player == winner else -1.0

    def last_bid(self, s: State) -> int:
        """The highest bid so far, -1 if there is none."""
        return last(s.bids) if s.bids else -1

    def face(self, bid: int) -> int:
        """The face of a bid, from 1."""
        return bid // (2 * self.dice) + 1 if self.by_face else bid % self.sides + 1

    def quantity(self, bid: int) -> int:
        """How many dice a bid claims."""
        return bid % (2 * self.dice) + 1 if self.by_face else bid // self.sides + 1

    def number_of(self, s: State, face: int) -> int:
        """The number of both players' dice that show this face."""
        place = 4 * (face - 1)
        return int(s.dice[0] >> place & 15) + int(s.dice[1] >> place & 15)

    # Secrets: a player sees their own dice and all bids.

    def information(self, s: State, player: int) -> Known:
        return Known(int(s.dice[player]), int(s.bids), s.rolled + int(s.called))

    def resample(self, s: State, player: int, rng: Rng) -> State:
        other = u64(0)
        for _ in range(min(max(s.rolled - self.dice * (1 - player), 0), self.dice)):
            other += bit(4 * rng.below(self.sides))
        dice = (s.dice[0], other) if player == 0 else (other, s.dice[1])
        return State(dice, s.rolled, s.bids, s.called)

    # Private deals: a hand is a player's roll, and everything else is public.

    def public(self, s: State) -> Known:
        return Known(0, int(s.bids), s.rolled + int(s.called))

    def hand_of(self, s: State, player: int) -> int:
        if s.rolled >= self.dice * (1 + player):
            for hand in range(self.private_hands):
                if self.hands[hand] == int(s.dice[player]):
                    return hand
        return -1

    def with_hands(self, s: State, first: int, second: int) -> State:
        return State((u64(self.hands[first]), u64(self.hands[second])), s.rolled, s.bids, s.called)

    def public_features(self, s: State) -> list[float]:
        last_bid = self.last_bid(s)
        return [float(bid == last_bid) for bid in range(self.bids)]

    # Notation: faces 1 to 9; bids "2-5" (two fives) and "liar"; positions such as "25 13 1-4 2-4" ("- -" at the start).

    def bid_text(self, bid: int) -> str:
        """The notation of a bid."""
        return f"{self.quantity(bid)}-{self.face(bid)}"

    def action_text(self, s: State, action: int) -> str:
        if s.rolled < 2 * self.dice:
            return str(action)
        return "liar" if action == self.bids else self.bid_text(action)

    def dice_text(self, dice: u64) -> str:
        """A player's dice, lowest first; - if they have none yet."""
        faces = (str(face) * int(dice >> 4 * (face - 1) & 15) for face in range(1, self.sides + 1))
        return "".join(faces) or "-"

    def words(self, s: State) -> list[str]:
        """The bids, and the call."""
        made = [self.bid_text(bid) for bid in range(self.bids) if s.bids & bit(bid)]
        return [*made, *["liar"] * s.called]

    def position_text(self, s: State) -> str:
        return " ".join([self.dice_text(s.dice[0]), self.dice_text(s.dice[1]), *self.words(s)])

    def parse_position(self, text: str) -> State:
        first, second, *words = [*text.split(), "", ""][: max(2, len(text.split()))]
        if not first or not second:
            raise InvalidPosition(
                f'{self.spec}: write a position as both players\' dice and the bids, such as "2 5 1-2"'
            )
        s = self.initial()
        for place, faces in enumerate((first, second)):
            known = "" if faces == "-" else faces
            if len(known) > self.dice or any(face not in "123456789"[: self.sides] for face in known):
                raise InvalidPosition(
                    f"{self.spec}: {faces!r} must be at most {self.dice} dice with faces from 1 to {self.sides}, or -"
                )
            if known and s.rolled != self.dice * place:
                raise InvalidPosition(f"{self.spec}: the second player rolls when the first has all their dice")
            for face in known:
                s = self.result(s, int(face))
        for word in words:
            if s.rolled < 2 * self.dice or s.called:
                when = "after the call" if s.called else "before all dice are rolled"
                raise InvalidPosition(f"{self.spec}: {word!r} comes {when}")
            try:
                s = self.result(s, self.parse_action(s, word))
            except CounterplayError as wrong:
                raise InvalidPosition(f"{self.spec}: {wrong}") from None
        return s

    # Pictures: a viewer sees the other's dice after the call.

    def shown(self, s: State, player: int, viewer: int | None) -> str:
        """The dice of `player` as `viewer` sees them."""
        faces = self.dice_text(s.dice[player])
        hidden = viewer not in (None, player) and not s.called
        return "?" * len(faces) if hidden and faces != "-" else faces

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = [f"{self.player_name(p)}: {' '.join(self.shown(s, p, viewer))}" for p in range(2)]
        return "\n".join([*rows, f"bids: {' '.join(self.words(s)) or '-'}"])

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """The dice of both, and below them every bid, past ones in another colour."""
        width, height = max(60 * self.dice + 170, 46 * self.sides + 40, 260), 226 + 36 * 2 * self.dice
        frame = rect(5, 5, width - 10, height - 10, "none", rx=14, stroke="#4d2b1d")
        shapes = [rect(0, 0, width, height, "#6b3d2a", rx=18), frame]
        cells, letters = [], []
        for p in range(2):
            y = 50 + 66 * p
            bold = "bold" if not self.is_terminal(s) and self.to_move(s) == p else "normal"
            shapes.append(label(70, y, self.player_name(p), fill="#fff", size=16, font_weight=bold))
            faces = self.shown(s, p, viewer)
            for i, face in enumerate("" if faces == "-" else faces):
                cells.append(Cell(f"{self.player_name(p)}, die {i + 1}", 165 + 60 * i, y))
                letters.append(face)
        looks: dict[str, str | Look] = {face: die(face, face == str(self.wild)) for face in letters}
        left = (width - 46 * self.sides) / 2
        for bid in range(self.bids):
            x, y = left + 46 * (self.face(bid) - 0.5), 168 + 36 * self.quantity(bid)
            made = bool(s.bids & bit(bid))
            shapes.append(rect(x - 20, y - 14, 40, 28, "#ffe9a8" if made else "#8a5a44", rx=5))
            shapes.append(label(x, y, self.bid_text(bid), fill="#3a241a" if made else "#fff", size=14))
            cells.append(Cell(self.bid_text(bid), x, y, rectangle(x, y, 44, 32), is_word=True))
        x, y = width / 2, 168
        shapes.append(rect(x - 36, y - 14, 72, 28, "#ffe9a8" if s.called else "#a32d20", rx=5))
        shapes.append(label(x, y, "liar", fill="#3a241a" if s.called else "#fff", size=15, font_weight="bold"))
        cells.append(Cell("liar", x, y, rectangle(x, y, 76, 32), is_word=True))
        drawn = standing(cells, [*letters, *"." * (len(cells) - len(letters))], looks)
        return Diagram(width, height, tuple(cells), *drawn, "".join(shapes), self.board(s, viewer), turns=False)


def die(face: str, wild: bool) -> Look:
    """A die: pips, a digit if there are too many, an empty back for "?"."""
    colour = "#b8a" if face == "?" else "#ffe48a" if wild else "#fff"
    drawn = rect(-24, -24, 48, 48, colour, rx=9, stroke="#3a241a")
    if face == "?":
        return Look("hidden die", drawn + label(0, 0, "?", size=26, fill="#fff"))
    places = PIPS.get(int(face))
    if places is None:
        return Look(f"die {face}", drawn + label(0, 0, face, size=26))
    spots = [divmod("abcdefghi".index(place), 3) for place in places]
    return Look(f"die {face}", drawn + "".join(circle(-13 + 13 * c, -13 + 13 * r, 4.5, "#222") for r, c in spots))
