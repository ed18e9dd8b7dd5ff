"""Kalah: sow seeds round the board; whoever has more in their store at the end wins.

A move takes all seeds from one of your houses and sows them one by one into the next houses, your store and the
opponent's houses, but not the opponent's store. If the last seed falls into your store, you move again. If it falls
into an empty house of yours and the house opposite is not empty, the seeds of both go to your store; with
`empty_capture` the last seed goes there even if the house opposite is empty (Irving, Donkers and Uiterwijk, Solving
Kalah, ICGA Journal 23(3), 2000). The game ends when a player has no seeds left in their houses; the remaining seeds
belong to the other player.

A side's houses and store are one 64-bit number, a byte each, the store after the houses.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, Look, ink, paper, standing
from counterplay.core.formats.svg import CELL, circle, label, rect
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

MOST_HOUSES, MOST_SEEDS = 7, 10
BYTE = 8


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64  # seeds in each house, then in the store, one byte each
    theirs: u64
    turn: int


class Kalah(Game):
    """Sow seeds round the board; whoever has more in their store at the end wins."""

    name = "kalah"
    runtime_parameters = ("seeds", "all")

    def __init__(self, houses: int = 6, seeds: int = 4, empty_capture: bool = False) -> None:
        if not 1 <= houses <= MOST_HOUSES:
            raise CounterplayError(f"kalah: a side has 1 to {MOST_HOUSES} houses, not {houses}")
        if not 1 <= seeds <= MOST_SEEDS:
            raise CounterplayError(f"kalah: a house begins with 1 to {MOST_SEEDS} seeds, not {seeds}")
        self.houses, self.seeds, self.empty_capture = houses, seeds, empty_capture
        self.all = 2 * houses * seeds

    def initial(self) -> State:
        side = u64(0)
        for house in range(self.houses):
            side = side | u64(self.seeds) << BYTE * house
        return State(side, side, 0)

    def to_move(self, s: State) -> int:
        return s.turn

    def actions(self, s: State, out: Actions) -> None:
        for house in range(self.houses):
            if self.held(s.mine, house):
                out.append(house)

    def result(self, s: State, action: int) -> State:
        mine, theirs, hand = s.mine, s.theirs, self.held(s.mine, action)
        mine = mine - (u64(hand) << BYTE * action)
        at = action
        for _ in range(hand):
            at = (at + 1) % (2 * self.houses + 1)
            if at <= self.houses:
                mine = mine + (u64(1) << BYTE * at)
            else:
                theirs = theirs + (u64(1) << BYTE * (at - self.houses - 1))
        opposite = self.houses - 1 - at
        if at < self.houses and self.held(mine, at) == 1 and (self.empty_capture or self.held(theirs, opposite)):
            taken = self.held(theirs, opposite)
            theirs = theirs - (u64(taken) << BYTE * opposite)
            mine = mine - (u64(1) << BYTE * at) + (u64(taken + 1) << BYTE * self.houses)
        if at == self.houses and self.sown(mine) and self.sown(theirs):
            return State(mine, theirs, s.turn)
        return State(theirs, mine, 1 - s.turn)

    def is_terminal(self, s: State) -> bool:
        return self.sown(s.mine) == 0 or self.sown(s.theirs) == 0

    def utility(self, s: State, player: int) -> float:
        margin = self.total(s.mine) - self.total(s.theirs)
        won = 1.0 if margin > 0 else -1.0 if margin < 0 else 0.0
        return won if player == s.turn else -won

    def held(self, side: u64, house: int) -> int:
        """The seeds in a house, or in the store, which comes after the houses."""
        return int(side >> BYTE * house & 255)

    def sown(self, side: u64) -> int:
        """The seeds in all houses of a side."""
        return self.total(side) - self.held(side, self.houses)

    def total(self, side: u64) -> int:
        """All seeds of a side, in its houses and its store."""
        found = 0
        for house in range(self.houses + 1):
            found += self.held(side, house)
        return found

    def evaluate(self, s: State, player: int) -> float:
        """The lead of the store, as a fraction of all seeds."""
        lead = (self.held(s.mine, self.houses) - self.held(s.theirs, self.houses)) / self.all
        return lead if player == s.turn else -lead

    def ordering(self, s: State, action: int) -> int:
        """A move that ends in the store first, then houses near it."""
        return action + (MOST_HOUSES if self.held(s.mine, action) == self.houses - action else 0)

    # Notation: houses a, b, ... of the first player, A, B, ... of the second; positions as the seeds of each side's houses
    # and store, and the player to move: "4-4-4-4-4-4-0 4-4-4-4-4-4-0 1".

    def action_text(self, s: State, action: int) -> str:
        return house_name(action, s.turn)

    def sides(self, s: State) -> list[list[int]]:
        """The seeds of both players, house by house, the store last."""
        both = (s.mine, s.theirs) if s.turn == 0 else (s.theirs, s.mine)
        return [[self.held(side, house) for house in range(self.houses + 1)] for side in both]

    def position_text(self, s: State) -> str:
        return " ".join(["-".join(map(str, side)) for side in self.sides(s)] + [str(s.turn + 1)])

    def parse_position(self, text: str) -> State:
        words = text.split()
        sides = [word.split("-") for word in words[:2]]
        fine = all(n.isdecimal() and n.isascii() and len(n) <= 3 for side in sides for n in side)
        if (
            len(words) != 3
            or words[2] not in ("1", "2")
            or not fine
            or {len(side) for side in sides} != {self.houses + 1}
        ):
            raise InvalidPosition(
                f"{self.spec}: {text.strip()[:80]!r} is not a position: write each side's houses and store, and the "
                f"player to move, such as '{self.position_text(self.initial())}'"
            )
        numbers = [[int(n) for n in side] for side in sides]
        if sum(map(sum, numbers)) != self.all:
            raise InvalidPosition(f"{self.spec} has {self.all} seeds, not {sum(map(sum, numbers))}")
        packed = [u64(sum(n << BYTE * house for house, n in enumerate(side))) for side in numbers]
        turn = int(words[2]) - 1
        return State(packed[turn], packed[1 - turn], turn)

    # Pictures.

    def board(self, s: State, viewer: int | None = None) -> str:
        south, north = self.sides(s)
        names = [[house_name(house, player) for house in range(self.houses)] for player in range(2)]
        line = "  ".join
        upper = line(f"{n:2}" for n in reversed(north[:-1]))
        lower = line(f"{n:2}" for n in south[:-1])
        middle = " " * len(lower)
        return "\n".join([
            f"    {line(f'{name:>2}' for name in reversed(names[1]))}",
            f"    {upper}",
            f"{north[-1]:2}  {middle}  {south[-1]:2}",
            f"    {lower}",
            f"    {line(f'{name:>2}' for name in names[0])}",
        ])  # fmt: skip

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        south, north = self.sides(s)
        wide, high = (1.5 * self.houses + 4) * CELL, 4.2 * CELL
        cells, letters, shapes = [], [], [paper(wide, high)]
        shapes.append(rect(0.3 * CELL, 0.6 * CELL, wide - 0.6 * CELL, 3 * CELL, "#b58a62", rx=36))
        for player, side in enumerate((south, north)):
            for house in range(self.houses):
                across = house if player == 0 else self.houses - 1 - house
                x, y = (2.75 + 1.5 * across) * CELL, (2.85 if player == 0 else 1.35) * CELL
                cells.append(Cell(house_name(house, player), x, y))
                letters.append(str(side[house]))
                shapes.append(circle(x, y, 0.62 * CELL, "#e6cfa6", stroke="#7d5b3a"))
                shapes.append(ink(x, 3.92 * CELL if player == 0 else 0.3 * CELL, house_name(house, player)))
            x = wide - 1.15 * CELL if player == 0 else 1.15 * CELL
            cells.append(Cell(("store", "STORE")[player], x, 2.1 * CELL))
            letters.append(str(side[-1]))
            shapes.append(rect(x - 0.6 * CELL, 0.9 * CELL, 1.2 * CELL, 2.4 * CELL, "#e6cfa6", rx=26, stroke="#7d5b3a"))
        looks = {letter: seeds(int(letter)) for letter in letters}
        pieces, drawn = standing(cells, letters, looks)
        return Diagram(wide, high, tuple(cells), pieces, drawn, "".join(shapes), self.board(s))

    def ending(self, s: State) -> str:
        mine, theirs = self.total(s.mine), self.total(s.theirs)
        return f"{max(mine, theirs)} to {min(mine, theirs)}"


def house_name(house: int, player: int) -> str:
    """The name of a house."""
    return chr(ord("aA"[player]) + house)


def seeds(number: int) -> Look:
    """Seeds around their number."""
    dots = "".join(
        circle(6.8 * sqrt(i + 4.6) * cos(2.4 * i), 6.8 * sqrt(i + 4.6) * sin(2.4 * i), 4.2, "#8a5f3c")
        for i in range(min(number, 12))
    )
    return Look(f"{number} seeds", dots + label(0, 0, str(number), 19, "#1d1206", font_weight="bold"))
