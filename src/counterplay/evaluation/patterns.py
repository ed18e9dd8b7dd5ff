"""Pattern tables: groups of cells, each with an entry for every way in which they can be empty, mine or theirs.

A group of n cells (an n-tuple: Bledsoe & Browning 1959; in Othello Buro 1997: edges, corners, diagonals) has 3^n entries.
All its images under the game's symmetries share them, and so do the entries of a group that is an image of itself. If a
state's stones are two bitboards, the number of an entry is a sum over the bytes of the boards, each looked up in a
table that holds what the byte adds for all images side by side: this numbers several images at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game

MOST_CELLS = 14
BYTES, ROW = 8, 256
"""The bytes of a board, and the values of each."""


class Patterns(NamedTuple):
    """All images of a game's groups, as the tables that find their entries."""

    entries: int  # of all groups together
    offset: np.ndarray  # int32 [images] where the entries of its group begin
    digits: np.ndarray  # int32 [bytes, 256, images] what a byte adds to the number of the entry, by its value
    canon: np.ndarray  # int32 [entries] the entry that represents this one and its images


def tabulate(game: Game) -> Patterns:
    """The tables for the patterns of a game."""
    offset: list[int] = []
    digits: list[np.ndarray] = []
    canon: list[np.ndarray] = []
    entries = 0
    for group in game.patterns:
        require_cells(game, group)
        forms = [tuple(game.symmetric_cell(cell, k) for cell in group) for k in range(game.symmetries)]
        images: dict[frozenset[int], tuple[int, ...]] = {}
        for form in forms:
            images.setdefault(frozenset(form), form)
        own = np.arange(3 ** len(group))
        for form in forms:
            if frozenset(form) == frozenset(group):
                own = np.minimum(own, renumbered(group, form))
        for _ in range(3):  # an entry may be an image of an image
            own = own[own]
        digits += [np.stack([byte_table(image, byte) for byte in range(BYTES)]) for image in images.values()]
        offset += [entries] * len(images)
        canon.append(own + entries)
        entries += 3 ** len(group)
    return Patterns(
        entries,
        np.array(offset, np.int32),
        np.stack(digits, 2).astype(np.int32),
        np.concatenate(canon).astype(np.int32),
    )


def require_cells(game: Game, group: tuple[int, ...]) -> None:
    """Refuse a group that has no table."""
    if not 1 <= len(group) <= MOST_CELLS or len(set(group)) < len(group) or not all(0 <= cell < 64 for cell in group):
        raise CounterplayError(f"{game.spec}: a pattern is 1 to {MOST_CELLS} different cells from 0 to 63, not {group}")


def renumbered(group: tuple[int, ...], form: tuple[int, ...]) -> np.ndarray:
    """For each entry of `group`, the entry that its cells have when read in the order of `form`."""
    number = np.arange(3 ** len(group))
    digit = {cell: number // 3**i % 3 for i, cell in enumerate(group)}
    found = np.zeros_like(number)
    for i, cell in enumerate(form):
        found += digit[cell] * 3**i
    return found


def byte_table(image: tuple[int, ...], byte: int) -> np.ndarray:
    """What a byte of the board adds to the number of an entry, by its value."""
    value = np.arange(ROW)
    return sum(
        ((value >> cell % 8 & 1) * 3**i for i, cell in enumerate(image) if cell // 8 == byte),
        start=np.zeros_like(value),
    )
