"""The pocket cube, 2x2x2: a puzzle for one. Turn three faces by quarters until every face has one colour.

One of the eight corners never moves, so rotating the whole cube is not a move. Each of the other seven has a place and
a twist, numbered as by Kociemba. There are 3,674,160 positions; the farthest are 14 quarter turns from the solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, paper, standing
from counterplay.core.formats.svg import CELL
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.state import state

PLACES = 7
"""Corners that move."""
TURNS = ("U", "R", "F", "U'", "R'", "F'")
"""A quarter turn of each face clockwise, then counterclockwise."""
FROM = ((3, 0, 1, 2, 4, 5, 6), (4, 1, 2, 0, 6, 5, 3), (1, 5, 2, 3, 0, 4, 6))
"""[face][place]: the place that a corner comes from in a quarter turn of a face."""
TWIST = ((0, 0, 0, 0, 0, 0, 0), (2, 0, 0, 1, 1, 0, 2), (1, 2, 0, 0, 2, 1, 0))
"""[face][place]: its twist on the way, in thirds."""
HOME = (0, 1, 2, 3, 4, 5, 6)
UNTWISTED = (0, 0, 0, 0, 0, 0, 0)
CORNERS = ("U3 R0 F1", "U2 F0 L1", "U0 L0 B1", "U1 B0 R1", "D1 F3 R2", "D0 L3 F2", "D3 R3 B2", "D2 B3 L2")
"""The stickers of each place clockwise, each a face and a quarter of it; the last place never changes."""
NET = {"U": (0, 2), "L": (2, 0), "F": (2, 2), "R": (2, 4), "B": (2, 6), "D": (4, 2)}
"""The position of a face in the unfolded cube, row and column."""
FACES = {"U": "up", "L": "left", "F": "front", "R": "right", "B": "back", "D": "down"}
LOOKS = {
    "U": "white block", "R": "red block", "F": "green block", "D": "yellow block", "L": "orange block", "B": "blue block"
}  # fmt: skip

Seven = tuple[int, int, int, int, int, int, int]


@state
class State(NamedTuple):
    """Which corner is at each place, and its twist in thirds."""

    corner: Seven
    twist: Seven


class PocketCube(Game):
    """Turn the faces of a 2x2x2 cube until each has one colour."""

    name = "pocket-cube"
    players, zero_sum, utility_bounds = 1, False, (0.0, 1.0)
    evaluation_bounds = (0.0, 1.0)

    def __init__(self, scramble: str = "R U F' R U' F R' U") -> None:
        self.source, self.turning = np.array(FROM), np.array(TWIST)
        self.first_corner, self.first_twist = HOME, UNTWISTED
        for word in scramble.split():
            if word not in TURNS:
                raise CounterplayError(f"pocket-cube: {word!r} is not a quarter turn; write {' '.join(TURNS)}")
            self.first_corner, self.first_twist = self.result(self.initial(), TURNS.index(word))
        if self.is_terminal(self.initial()):
            raise CounterplayError(
                f"pocket-cube: scramble={scramble!r} leaves the cube solved; write turns such as R U"
            )

    def initial(self) -> State:
        return State(self.first_corner, self.first_twist)

    def to_move(self, s: State) -> int:
        return 0

    def actions(self, s: State, out: Actions) -> None:
        for turn in range(6):
            out.append(turn)

    def result(self, s: State, action: int) -> State:
        face = action % 3
        after = self.quarter(s, face)
        if action >= 3:  # counterclockwise: three quarter turns
            after = self.quarter(self.quarter(after, face), face)
        return after

    def quarter(self, s: State, face: int) -> State:
        """A face turned clockwise by a quarter."""
        return State(
            tuple(s.corner[self.source[face, i]] for i in range(PLACES)),  # type: ignore[arg-type]
            tuple((s.twist[self.source[face, i]] + int(self.turning[face, i])) % 3 for i in range(PLACES)),  # type: ignore[arg-type]
        )

    def is_terminal(self, s: State) -> bool:
        return s.corner == HOME and s.twist == UNTWISTED

    def utility(self, s: State, player: int) -> float:
        return 1.0

    def evaluate(self, s: State, player: int) -> float:
        """The fraction of corners that are in place."""
        right = 0
        for i in range(PLACES):
            right += s.corner[i] == i and s.twist[i] == 0
        return right / (PLACES + 1)

    # Notation: turns U, R, F and U', R', F'; positions as the corner at each place and its twist: "3012456 0000000".

    def action_text(self, s: State, action: int) -> str:
        return TURNS[action]

    def position_text(self, s: State) -> str:
        return f"{''.join(map(str, s.corner))} {''.join(map(str, s.twist))}"

    def parse_position(self, text: str) -> State:
        words = text.split()
        if len(words) != 2 or any(len(word) != PLACES or not set(word) <= set("0123456") for word in words):
            raise InvalidPosition(
                f"{self.spec}: {text.strip()[:80]!r} is not a position: write the corner at each of 7 places, then the "
                f"twists, such as '{self.position_text(self.initial())}'"
            )
        corner, twist = ([int(digit) for digit in word] for word in words)
        if sorted(corner) != list(HOME):
            raise InvalidPosition(f"{self.spec}: each corner from 0 to 6 must appear once, unlike in {words[0]!r}")
        if max(twist) > 2 or sum(twist) % 3:
            raise InvalidPosition(
                f"{self.spec}: twists are 0, 1 or 2 and add up to a multiple of 3, whatever the turns, not {words[1]!r}"
            )
        return State(tuple(corner), tuple(twist))  # type: ignore[arg-type]

    # Pictures.

    def rows(self, s: State) -> list[list[str]]:
        """The unfolded cube, a letter per sticker: the face that it belongs to."""
        shown = [["."] * 8 for _ in range(6)]
        for place, words in enumerate(CORNERS):
            corner, twist = (s.corner[place], s.twist[place]) if place < PLACES else (PLACES, 0)
            stickers = words.split()
            for n, sticker in enumerate(CORNERS[corner].split()):
                face, quarter = stickers[(n + twist) % 3][0], int(stickers[(n + twist) % 3][1])
                row, column = NET[face]
                shown[row + quarter // 2][column + quarter % 2] = sticker[0]
        return shown

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """The unfolded cube; each face that turns is a zone."""
        shown = self.rows(s)
        cells, letters = [], []
        for face, (row, column) in NET.items():
            for quarter in range(4):
                r, c = row + quarter // 2, column + quarter % 2
                zone = face if face in TURNS else ""
                cells.append(Cell(f"{FACES[face]} {quarter + 1}", (c + 1) * CELL, (r + 1) * CELL, (), zone))
                letters.append(shown[r][c])
        text = "\n".join(" ".join(row).replace(".", " ").rstrip() for row in shown)
        drawn = standing(cells, letters, LOOKS)
        return Diagram(9 * CELL, 7 * CELL, tuple(cells), *drawn, paper(9 * CELL, 7 * CELL), text, turns=False)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """A sticker of the face; then the direction is asked for."""
        return (f"{FACES[TURNS[action][0]]} 1",)

    def ending(self, s: State) -> str:
        return "with the cube solved"
