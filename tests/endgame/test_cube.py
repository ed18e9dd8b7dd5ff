"""The pocket cube, a puzzle for one: every position, by its distance from the solution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from counterplay import Game, state
from counterplay.core.derived import derive
from counterplay.endgame.table import build_table

PLACES = 7
"""Corners that move; the eighth stays where it is, so that turning the whole cube is no turn."""
FROM = np.array([[3, 0, 1, 2, 4, 5, 6], [4, 1, 2, 0, 6, 5, 3], [1, 5, 2, 3, 0, 4, 6]])
"""[face, place]: where a corner comes from in a quarter turn of the upper, the right and the front face."""
TWIST = np.array([[0] * 7, [2, 0, 0, 1, 1, 0, 2], [1, 2, 0, 0, 2, 1, 0]])
"""[face, place]: by how much it is twisted on the way, in thirds."""

Seven = tuple[int, int, int, int, int, int, int]


@state
class Cube(NamedTuple):
    corner: Seven
    twist: Seven


class PocketCube(Game):
    """Turn three faces by quarters, either way, until every corner is at home."""

    players, utility_bounds = 1, (0.0, 1.0)

    def __init__(self) -> None:
        self.source, self.turn = FROM, TWIST

    def initial(self):
        return self.quarter(Cube((0, 1, 2, 3, 4, 5, 6), (0, 0, 0, 0, 0, 0, 0)), 0)

    def quarter(self, s, face):
        return Cube(
            tuple(s.corner[self.source[face, i]] for i in range(PLACES)),
            tuple((s.twist[self.source[face, i]] + self.turn[face, i]) % 3 for i in range(PLACES)),
        )

    def to_move(self, s):
        return 0

    def actions(self, s, out):
        for action in range(6):
            out.append(action)

    def result(self, s, action):
        after = self.quarter(s, action % 3)
        if action >= 3:  # the other way: three quarters
            after = self.quarter(self.quarter(after, action % 3), action % 3)
        return after

    def is_terminal(self, s):
        return s.corner == (0, 1, 2, 3, 4, 5, 6) and s.twist == (0, 0, 0, 0, 0, 0, 0)

    def utility(self, s, player):
        return 1.0


def test_four_quarters_are_none():
    game = derive(PocketCube(), compiled=False)
    s = game.initial()
    for face in range(3):
        assert game.result(game.result(s, face), face + 3) == s
        assert game.result(game.result(s, face), face) == game.result(game.result(s, face + 3), face + 3)


@pytest.mark.slow
def test_every_position_of_the_pocket_cube():
    game = PocketCube()
    table = build_table(game, game.initial())
    published = (1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276)
    assert tuple(np.bincount(table.known.plies)) == published
    assert (table.known.value == 1.0).all()
