"""Kayles: knock down one pin, or two side by side; whoever fells the last pin wins.

Pins stand in a row, or in several rows. Two players take turns knocking down one standing pin, or two adjacent ones;
gaps stay open. Whoever cannot move loses. Dudeney ("The Canterbury Puzzles", 1908) starts with 13 pins of which the
second is already down.

A row of n pins is worth the Nim heap of its Grundy value (Guy and Smith, "The G-values of various games", 1956): 0, 1,
2, 3, 1, 4, 3, 2, 1, 4, 2, 6, ..., with period 12 from n = 71 on. The side to move wins exactly if the exclusive or of
the Grundy values of all runs of pins is not 0. `evaluate` returns just that, so a search that looks one action ahead
plays perfectly.

The pins are one bitboard, the first pin lowest, with an empty bit between rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, Look, ink, paper, rectangle, ruled, standing
from counterplay.core.formats.svg import CELL, circle, polygon, rect
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

SLOTS = 60
PIN = 0.75 * CELL
"""The distance between pins in the picture."""


@state
class State(NamedTuple):
    """Pins, and whose turn it is."""

    pins: u64  # the standing pins
    turn: int  # the player to move


class Kayles(Game):
    """Knock down one pin, or two side by side; whoever fells the last pin wins."""

    name = "kayles"
    impartial = True
    """Both players have the same actions and the last to move wins: Sprague-Grundy theory applies."""
    symmetries = 2

    def __init__(self, pins: str = "13") -> None:
        lengths = read_lengths(pins)
        if not lengths or min(lengths) < 1 or sum(lengths) + len(lengths) - 1 > SLOTS:
            raise CounterplayError(
                f"kayles: pins={pins!r} must be the length of a row, such as '13', or of several with - between them, "
                f"such as '5-3', in at most {SLOTS} slots (the gaps between rows take one each)"
            )
        self.lengths = tuple(lengths)
        self.slots = sum(lengths) + len(lengths) - 1
        self.full = u64(sum(1 << slot for row in rows(lengths) for slot in row))
        self.mirrored = np.array(mirrored(lengths), np.int64)
        self.grundy = np.array(grundy_values(max(lengths)), np.int64)
        self.plane_shape, self.policy_size = (1, 1, self.slots), 2 * self.slots

    def initial(self) -> State:
        return State(self.full, 0)

    def to_move(self, s: State) -> int:
        return s.turn

    def actions(self, s: State, out: Actions) -> None:
        for slot in ones(s.pins):
            out.append(slot)
        for slot in ones(self.pairs(s)):
            out.append(self.slots + slot)

    def result(self, s: State, action: int) -> State:
        felled = u64(1) << action if action < self.slots else u64(3) << action - self.slots
        return State(s.pins ^ felled, 1 - s.turn)

    def is_terminal(self, s: State) -> bool:
        return s.pins == 0

    def utility(self, s: State, player: int) -> float:
        return -1.0 if player == s.turn else 1.0

    def pairs(self, s: State) -> u64:
        """The pins whose right neighbour stands as well."""
        return s.pins & (s.pins >> 1)

    def sample(self, s: State, rng: Rng) -> int:
        single = count(s.pins)
        pairs = self.pairs(s)
        chosen = rng.below(single + count(pairs))
        return nth(s.pins, chosen) if chosen < single else self.slots + nth(pairs, chosen - single)

    # Evaluation: Sprague-Grundy theory.

    def grundy_value(self, s: State) -> int:
        """The size of the Nim heap that is equivalent to the pins."""
        pins, total = s.pins, 0
        while pins:
            pins = pins >> first(pins)
            length = first(~pins)
            total ^= int(self.grundy[length])
            pins = pins >> length
        return total

    def parts(self, s: State) -> int:
        return count(self.starts(s))

    def part(self, s: State, k: int) -> State:
        """The k-th run of pins, moved to the first slot."""
        run = s.pins >> nth(self.starts(s), k)
        return State(run & bit(first(~run)) - 1, 0)

    def starts(self, s: State) -> u64:
        """The pins whose left neighbour is down."""
        return s.pins & ~(s.pins << 1)

    def evaluate(self, s: State, player: int) -> float:
        return 1.0 if (self.grundy_value(s) != 0) == (player == s.turn) else -1.0

    # Symmetry (each row seen from behind) and planes.

    def symmetric(self, s: State, k: int) -> State:
        if k == 0:
            return s
        pins = u64(0)
        for slot in ones(s.pins):
            pins = pins | bit(int(self.mirrored[slot]))
        return State(pins, s.turn)

    def symmetric_action(self, action: int, k: int) -> int:
        if k == 0:
            return action
        if action < self.slots:
            return int(self.mirrored[action])
        return self.slots + int(self.mirrored[action - self.slots + 1])

    def planes(self, s: State, out: Any) -> None:
        for slot in ones(s.pins):
            out[0, 0, slot] = 1

    # Notation: 3 fells the third pin, 3-4 fells two; positions as pins and the player to move, such as "ii.ii/iii 1".

    def number(self, slot: int) -> int:
        """The pins are numbered from 1, row after row."""
        return count(self.full & (bit(slot) - 1)) + 1

    def action_text(self, s: State, action: int) -> str:
        if action < self.slots:
            return str(self.number(action))
        number = self.number(action - self.slots)
        return f"{number}-{number + 1}"

    def row_texts(self, s: State) -> list[str]:
        """Each row with a character per pin: i if it stands, . if it is down."""
        return ["".join("i" if s.pins & bit(slot) else "." for slot in row) for row in rows(self.lengths)]

    def position_text(self, s: State) -> str:
        return f"{'/'.join(self.row_texts(s))} {s.turn + 1}"

    def parse_position(self, text: str) -> State:
        written = re.fullmatch(r"\s*([i./]{1,100})\s+([12])\s*", text)
        if not written:
            raise InvalidPosition(
                f"{self.spec}: {text.strip()[:80]!r} is not a position: write i for each standing pin, . for each that is "
                f"down, then the player to move, such as '{self.position_text(self.initial())}'"
            )
        texts = written[1].split("/")
        if [len(row) for row in texts] != list(self.lengths):
            wanted, found = "/".join(map(str, self.lengths)), "/".join(str(len(row)) for row in texts)
            raise InvalidPosition(f"{self.spec}: a position has rows of {wanted} pins (standing or down), not {found}")
        standing = ".".join(texts)
        return State(u64(sum(1 << slot for slot, pin in enumerate(standing) if pin == "i")), int(written[2]) - 1)

    def board(self, s: State, viewer: int | None = None) -> str:
        size = len(str(sum(self.lengths)))
        shown = []
        for row, pins in zip(rows(self.lengths), self.row_texts(s), strict=True):
            shown.append(" ".join(pin.rjust(size) for pin in pins))
            shown.append(" ".join(str(self.number(slot)).rjust(size) for slot in row))
        return "\n".join(shown)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """The rows below each other: a cell for each pin, and one for the gap between two, which fells both."""
        width, height = (max(self.lengths) + 1) * PIN, 1.9 * CELL
        cells, letters, shapes = [], [], [paper(width, height * len(self.lengths))]
        for r, (row, pins) in enumerate(zip(rows(self.lengths), self.row_texts(s), strict=True)):
            floor = r * height + 1.4 * CELL
            shapes.append(ruled(CELL / 4, floor, width - CELL / 4, floor))
            for i, slot in enumerate(row):
                x, y, number = (i + 1) * PIN, floor - 0.55 * CELL, self.number(slot)
                cells.append(Cell(str(number), x, y, rectangle(x, y, 20, 1.2 * CELL)))
                letters.append(pins[i])
                if i + 1 < len(row):
                    gap = x + PIN / 2
                    cells.append(Cell(f"{number}-{number + 1}", gap, y, rectangle(gap, y, 16, 1.2 * CELL)))
                    letters.append(".")
                shapes.append(ink(x, floor + 0.25 * CELL, str(number)))
        drawn = standing(cells, letters, {"i": pin()})
        return Diagram(
            width, height * len(self.lengths), tuple(cells), *drawn, "".join(shapes), self.board(s), turns=False
        )


def read_lengths(text: object) -> list[int]:
    """The lengths of the rows in a text such as "5-3"; none if it is something else."""
    if not (isinstance(text, str) and re.fullmatch(r"[0-9]{1,2}(-[0-9]{1,2}){0,63}", text)):
        return []
    return [int(length) for length in text.split("-")]


def rows(lengths: Iterable[int]) -> Iterator[range]:
    """The slots of each row."""
    start = 0
    for length in lengths:
        yield range(start, start + length)
        start += length + 1


def mirrored(lengths: list[int]) -> list[int]:
    """For each slot, the slot of its pin when every row is seen from behind (a gap stays)."""
    seen: list[int] = []
    for row in rows(lengths):
        seen += [*reversed(row), row.stop]
    return seen[:-1]


def grundy_values(most: int) -> list[int]:
    """The Grundy values of rows of 0 to `most` pins: the least value that no action leads to."""
    values = [0]
    for n in range(1, most + 1):
        reached = {values[left] ^ values[n - felled - left] for felled in (1, 2) for left in range(n - felled + 1)}
        values.append(next(value for value in range(n + 1) if value not in reached))
    return values


def pin() -> Look:
    """A pin whose foot is on the floor of its cell."""
    floor = 0.55 * CELL
    body = [(-5, 0), (-9, -14), (-8, -24), (-3, -36), (3, -36), (8, -24), (9, -14), (5, 0)]
    outline = {"stroke": "#7a6a55", "stroke_width": 1.5, "stroke_linejoin": "round"}
    shapes = [
        polygon([(dx, floor + dy) for dx, dy in body], "#fdf6e6", **outline),
        circle(0, floor - 43, 8, "#fdf6e6", stroke="#7a6a55", stroke_width=1.5),
        rect(-4.5, floor - 37, 9, 4, "#c8402f"),
    ]
    return Look("pin", "".join(shapes))
