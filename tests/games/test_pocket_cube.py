"""The pocket cube: every position by its distance from the solution, and its picture."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.endgame.table import build_table
from counterplay.games.pocket_cube import TURNS, PocketCube, State

turns = st.lists(st.sampled_from(TURNS), max_size=20)
SOLVED = State((0, 1, 2, 3, 4, 5, 6), (0, 0, 0, 0, 0, 0, 0))


def turned(words):
    game, s = PocketCube(), SOLVED
    for word in words:
        s = game.result(s, TURNS.index(word))
    return s


def test_four_quarters_are_none():
    for face in "URF":
        assert turned([face] * 4) == turned([face, face + "'"]) == SOLVED
        assert turned([face] * 2) == turned([face + "'"] * 2)
    assert turned(["R", "U", "R'", "U'"] * 6) == SOLVED  # the commutator has order 6
    assert turned(["R", "U", "R'", "U'"] * 3) != SOLVED


@settings(max_examples=30)
@given(turns)
def test_every_sticker_is_there_and_positions_are_read_back(words):
    game, s = PocketCube(), turned(words)
    letters = Counter(letter for row in game.rows(s) for letter in row if letter != ".")
    assert letters == dict.fromkeys("URFDLB", 4)
    assert game.parse_position(game.position_text(s)) == s
    assert (s == SOLVED) == all(len({*face}) == 1 for face in faces(game.rows(s)))


def faces(rows):
    """The four stickers of each face of the unfolded cube."""
    for row, column in ((0, 2), (2, 0), (2, 2), (2, 4), (2, 6), (4, 2)):
        yield [rows[row + i // 2][column + i % 2] for i in range(4)]


def test_a_turn_of_the_right_face():
    """As with a real cube: what was in front is now on top, what was on top is now behind."""
    rows = ["".join(row) for row in PocketCube().rows(turned(["R"]))]
    assert rows == ["..UF....", "..UF....", "LLFDRRUB", "LLFDRRUB", "..DB....", "..DB...."]


@pytest.mark.slow
def test_every_position_of_the_pocket_cube():
    game = PocketCube()
    table = build_table(game, game.initial())
    published = (1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276)
    assert tuple(np.bincount(table.known.plies)) == published
    assert (table.known.value == 1.0).all()


@pytest.mark.parametrize(
    "position, sentence",
    [
        ("012345", "is not a position"),
        ("0123455 0000000", "each corner from 0 to 6"),
        ("0123456 0000001", "add up to a multiple of 3"),
        ("0123456 0000300", "add up to a multiple of 3"),
    ],
)
def test_wrong_positions(position, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        load("pocket-cube").start(position=position)


def test_wrong_scrambles():
    with pytest.raises(CounterplayError, match="'X' is not a quarter turn"):
        load("pocket-cube:scramble=R X")
    with pytest.raises(CounterplayError, match="leaves the cube solved"):
        load("pocket-cube:scramble=R R'")
