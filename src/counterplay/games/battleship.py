"""Battleship on a small board: hide your ships and find your opponent's.

In turn the players place their ships in secret on their own boards, the shortest first, across or down, without
overlap. Then they take turns shooting at cells of the opponent's board, never at one twice, and learn the result:
water, a hit, or a sunk ship. The game ends when a fleet is sunk or both players have fired all their shots. Each ship
sunk is worth a point, each ship lost costs one.

The rules are those of OpenSpiel's `battleship` without repeated shots, which was made for work on correlated plans
(Farina, Ling, Fang and Sandholm, Correlation in Extensive-Form Games, 2019). The game on paper is older than the First
World War.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Cell, Diagram, Look, ink, paper, standing
from counterplay.core.formats.svg import CELL, circle, rect
from counterplay.core.formats.text import read_moves
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

MOST_CELLS, MOST_SHIPS, MOST_SHOTS = 25, 3, 10
WATER, HIT, SUNK = range(3)
MARKS = "o*#"
"""The marks of a shot that missed, that hit, and that sank a ship."""
LETTERS = "abcdefghijklmnopqrstuvwxy"
PLACE = 6
"""Bits of a placement and of a shot in a state."""


@state
class State(NamedTuple):
    """The ships and the shots, PLACE bits each, the first one lowest."""

    ships: tuple[u64, u64]  # each ship's first cell, plus the number of cells if it points down
    shots: tuple[u64, u64]
    ply: int


@state
class Known(NamedTuple):
    """What a player knows."""

    ships: int  # their own
    shots: int  # their own
    told: int  # their results, two bits each
    seen: int  # the other's shots
    ply: int


class Battleship(Game):
    """Hide your ships and find your opponent's."""

    name = "battleship"

    def __init__(self, width: int = 3, height: int = 2, ships: str = "2", shots: int = 3) -> None:
        lengths = self._read_lengths(ships)
        cells = width * height
        if not (width >= 1 and height >= 1 and cells <= MOST_CELLS):
            raise CounterplayError(
                f"battleship: a board of {width}x{height} is impossible: it has 1 to {MOST_CELLS} cells"
            )
        if not 1 <= shots <= min(MOST_SHOTS, cells):
            raise CounterplayError(
                f"battleship: from 1 to {min(MOST_SHOTS, cells)} shots can be fired here, not {shots}"
            )
        self.width, self.height, self.cells, self.shots = width, height, cells, shots
        self.lengths, self.fleet = lengths, len(lengths)
        self.utility_bounds = (-float(self.fleet), float(self.fleet))
        self.policy_size = 3 * cells
        if not self._has_room(0, u64(0)):
            raise CounterplayError(
                f"battleship: {width}x{height} is too small for ships of {ships}: each must fit, "
                "wherever the others are"
            )

    def _read_lengths(self, ships: str) -> tuple[int, ...]:
        """The lengths of the ships, the shortest first."""
        parts = str(ships).split("-")
        if not all(part.isdecimal() and 1 <= int(part) <= 5 for part in parts) or len(parts) > MOST_SHIPS:
            raise CounterplayError(
                f"battleship: ships={ships!r} must be 1 to {MOST_SHIPS} lengths from 1 to 5, such as 1-2"
            )
        return tuple(sorted(int(part) for part in parts))

    def _has_room(self, ship: int, taken: u64) -> bool:
        """Whether the ships from this one on always have room."""
        if ship == self.fleet:
            return True
        hulls = [self.hull(placement, self.lengths[ship]) for placement in range(2 * self.cells)]
        free = [hull for hull in hulls if hull and not hull & taken]
        return bool(free) and all(self._has_room(ship + 1, taken | hull) for hull in free)

    def initial(self) -> State:
        return State((u64(0), u64(0)), (u64(0), u64(0)), 0)

    def to_move(self, s: State) -> int:
        return s.ply % 2

    def actions(self, s: State, out: Actions) -> None:
        """A shot is a cell; a placement comes after all cells."""
        me, ship = s.ply % 2, s.ply // 2
        if ship < self.fleet:
            taken = self.hulls(s.ships[me], ship)
            for placement in range(2 * self.cells):
                hull = self.hull(placement, self.lengths[ship])
                if hull and not hull & taken:
                    out.append(self.cells + placement)
            return
        fired = self.fired(s, me)
        for cell in range(self.cells):
            if not fired & bit(cell):
                out.append(cell)

    def result(self, s: State, action: int) -> State:
        me, i = s.ply % 2, s.ply // 2
        ships, shots = s.ships[me], s.shots[me]
        if i < self.fleet:
            ships |= u64(action - self.cells) << PLACE * i
        else:
            shots |= u64(action) << PLACE * (i - self.fleet)
        if me == 0:
            return State((ships, s.ships[1]), (shots, s.shots[1]), s.ply + 1)
        return State((s.ships[0], ships), (s.shots[0], shots), s.ply + 1)

    def is_terminal(self, s: State) -> bool:
        if s.ply < 2 * self.fleet + 1:
            return False
        if s.ply == 2 * (self.fleet + self.shots):
            return True
        return self.sunk(s, 0) == self.fleet or self.sunk(s, 1) == self.fleet

    def utility(self, s: State, player: int) -> float:
        return float(self.sunk(s, 1 - player) - self.sunk(s, player))

    # The boards.

    def hull(self, placement: int, length: int) -> u64:
        """The cells of a ship; none if it would leave the board. A ship of one cell only lies across."""
        down, cell = placement >= self.cells, placement % self.cells
        step = self.width if down else 1
        room = self.height - cell // self.width if down else self.width - cell % self.width
        found = u64(0)
        if length <= room and not (down and length == 1):
            for i in range(length):
                found |= bit(cell + i * step)
        return found

    def unpack(self, ships: u64, i: int) -> int:
        """The placement of the i-th of some ships."""
        return int(ships >> PLACE * i & 63)

    def hulls(self, ships: u64, number: int) -> u64:
        """The cells of the first `number` ships."""
        found = u64(0)
        for i in range(number):
            found |= self.hull(self.unpack(ships, i), self.lengths[i])
        return found

    def number(self, s: State, player: int) -> int:
        """The number of shots that a player has fired."""
        return max((s.ply + 1 - player) // 2 - self.fleet, 0)

    def fired(self, s: State, player: int) -> u64:
        """The cells at which a player has fired."""
        return self.aimed(s.shots[player], self.number(s, player))

    def aimed(self, shots: u64, number: int) -> u64:
        """The cells of the first `number` shots."""
        found = u64(0)
        for i in range(number):
            found |= bit(self.unpack(shots, i))
        return found

    def sunk(self, s: State, player: int) -> int:
        """The number of a player's ships that are sunk."""
        fired, found = self.fired(s, 1 - player), 0
        for i in range(self.fleet):
            if not self.hull(self.unpack(s.ships[player], i), self.lengths[i]) & ~fired:
                found += 1
        return found

    def outcome(self, ships: u64, shots: u64, i: int) -> int:
        """The result of the i-th of some shots at some ships."""
        cell, fired = bit(self.unpack(shots, i)), self.aimed(shots, i + 1)
        for k in range(self.fleet):
            hull = self.hull(self.unpack(ships, k), self.lengths[k])
            if hull & cell:
                return HIT if hull & ~fired else SUNK
        return WATER

    def told(self, ships: u64, shots: u64, number: int) -> u64:
        """The results of all shots, two bits each."""
        found = u64(0)
        for i in range(number):
            found |= u64(self.outcome(ships, shots, i)) << 2 * i
        return found

    # Secrets: the other's ships.

    def information(self, s: State, player: int) -> Known:
        told = self.told(s.ships[1 - player], s.shots[player], self.number(s, player))
        return Known(int(s.ships[player]), int(s.shots[player]), int(told), int(s.shots[1 - player]), s.ply)

    def resample(self, s: State, player: int, rng: Rng) -> State:
        """A random placement of the other's ships that agrees with the results of the shots."""
        other, number = 1 - player, self.number(s, player)
        placed = min((s.ply + 1 - other) // 2, self.fleet)
        told = self.told(s.ships[other], s.shots[player], number)
        while True:
            ships = self.random_fleet(placed, rng)
            if self.told(ships, s.shots[player], number) == told:
                break
        return State((s.ships[0], ships) if player == 0 else (ships, s.ships[1]), s.shots, s.ply)

    def random_fleet(self, number: int, rng: Rng) -> u64:
        """The first ships of a fleet, each anywhere that is free."""
        ships, taken = u64(0), u64(0)
        for i in range(number):
            placement = rng.below(2 * self.cells)
            while not self.hull(placement, self.lengths[i]) or self.hull(placement, self.lengths[i]) & taken:
                placement = rng.below(2 * self.cells)
            taken |= self.hull(placement, self.lengths[i])
            ships |= u64(placement) << PLACE * i
        return ships

    # Notation: a shot is a cell, "b2"; a placement is its first cell and how the ship lies, "a1-" across and "a1|" down. A
    # position is all that was done, in its order, or - at the start.

    def action_text(self, s: State, action: int) -> str:
        cell = action % self.cells
        lies = "" if action < self.cells else "-" if action < 2 * self.cells else "|"
        return f"{LETTERS[cell % self.width]}{cell // self.width + 1}{lies}"

    def words(self, s: State) -> list[str]:
        """All placements and shots in order."""
        found = []
        for ply in range(s.ply):
            me, i = ply % 2, ply // 2
            late = i >= self.fleet
            action = self.unpack(s.shots[me], i - self.fleet) if late else self.cells + self.unpack(s.ships[me], i)
            found.append(self.action_text(s, action))
        return found

    def position_text(self, s: State) -> str:
        return " ".join(self.words(s)) or "-"

    def parse_position(self, text: str) -> State:
        words = [] if text.strip() == "-" else text.split()
        return read_moves(self, self.initial(), words, "done")

    # Pictures: a viewer sees their own ships, and the results of all shots.

    def shown(self, s: State, owner: int, cell: int, viewer: int | None) -> str:
        """What a viewer sees on a cell of the owner's board: a letter for a ship, a mark for a shot, . for nothing."""
        for i in range(self.number(s, 1 - owner)):
            if self.unpack(s.shots[1 - owner], i) == cell:
                return MARKS[self.outcome(s.ships[owner], s.shots[1 - owner], i)]
        if viewer in (None, owner) or self.is_terminal(s):
            for i in range(min((s.ply + 1 - owner) // 2, self.fleet)):
                if self.hull(self.unpack(s.ships[owner], i), self.lengths[i]) & bit(cell):
                    return "ABC"[i]
        return "."

    def board(self, s: State, viewer: int | None = None) -> str:
        gap = " " * 4
        names = [f"{self.player_name(p):{2 * self.width + 2}}" for p in range(2)]
        rows = [gap.join(names).rstrip(), gap.join([f"   {' '.join(LETTERS[: self.width])}"] * 2)]
        for r in range(self.height):
            cells = [
                " ".join(self.shown(s, owner, r * self.width + c, viewer) for c in range(self.width))
                for owner in range(2)
            ]
            rows.append(gap.join(f"{r + 1}  {part}" for part in cells))
        return "\n".join(rows)

    def cell_name(self, owner: int, cell: int) -> str:
        """The name of a cell of someone's board."""
        return f"{self.player_name(owner)}'s {LETTERS[cell % self.width]}{cell // self.width + 1}"

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """Both boards side by side."""
        width, height = (2 * self.width + 2) * CELL, (self.height + 2) * CELL
        cells, letters, shapes = [], [], [paper(width, height)]
        for owner in range(2):
            left = CELL / 2 + owner * (self.width + 1) * CELL
            name = f"{self.player_name(owner)}: {self.sunk(s, owner) if s.ply >= 2 * self.fleet else 0} sunk"
            shapes.append(ink(left + self.width * CELL / 2, 0.5 * CELL, name, 15))
            for cell in range(self.cells):
                x, y = left + (cell % self.width + 0.5) * CELL, (cell // self.width + 1.5) * CELL
                shapes.append(rect(x - 23, y - 23, 46, 46, "#3f7cac", rx=4))
                cells.append(Cell(self.cell_name(owner, cell), x, y))
                letters.append(self.shown(s, owner, cell, viewer))
            shapes += [ink(left - 11, (r + 1.5) * CELL, str(r + 1)) for r in range(self.height)]
            bottom = (self.height + 1.3) * CELL
            shapes += [ink(left + (c + 0.5) * CELL, bottom, LETTERS[c]) for c in range(self.width)]
        drawn = standing(cells, letters, LOOKS)
        return Diagram(width, height, tuple(cells), *drawn, "".join(shapes), self.board(s, viewer), turns=False)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """A shot is a cell of the other's board; a ship lies from its first cell to its last on one's own."""
        me, ship = s.ply % 2, s.ply // 2
        if action < self.cells:
            return (self.cell_name(1 - me, action),)
        hull = list(ones(self.hull(action - self.cells, self.lengths[ship])))
        return tuple(self.cell_name(me, cell) for cell in dict.fromkeys((hull[0], hull[-1])))


def hull_look(name: str) -> Look:
    """A part of a ship."""
    return Look(name, rect(-19, -19, 38, 38, "#9aa7b3", rx=9, stroke="#5f6c78", stroke_width=2))


LOOKS = {
    **{letter: hull_look(f"ship {letter}") for letter in "ABC"},
    "o": Look("water", circle(0, 0, 7, "#d8e8f5")),
    "*": Look("a hit", circle(0, 0, 15, "#e2662c", stroke="#7a2c0b", stroke_width=2)),
    "#": Look("a ship that is sunk", circle(0, 0, 15, "#a01c1c", stroke="#4d0a0a", stroke_width=2)),
}
