"""Shapes of 3x3 points around an empty one that are worth an answer: hane, cuts, moves along the edge.

The shapes are those of Gelly, Wang, Munos & Teytaud ("Modification of UCT with Patterns in Monte-Carlo Go", 2006), in
all symmetric forms and with either colour. X and O are the two colours, x and o anything but them, ? anything, a space
is beyond the edge.
"""

from __future__ import annotations

from functools import cache

import numpy as np

SHAPES = (
    ("XOX", "...", "???"),  # hane that encloses
    ("XO.", "...", "?.?"),  # hane that does not cut
    ("XO?", "X..", "x.?"),  # turning around a stone
    (".O.", "X..", "..."),  # diagonal attachment
    ("XO?", "O.o", "?o?"),  # an unprotected cut
    ("XO?", "O.X", "???"),  # a cut that was peeped at
    ("?X?", "O.O", "ooo"),  # pushing through
    ("OX?", "o.O", "???"),  # cutting a knight's move
    ("X.?", "O.?", "   "),  # chasing along the edge
    ("OX?", "X.O", "   "),  # blocking a cut at the edge
    ("?X?", "x.O", "   "),  # blocking a connection at the edge
    ("?XO", "x.x", "   "),  # coming down to the edge
    ("?OX", "X.O", "   "),  # cutting at the edge
)
EMPTY, MINE, THEIRS, WALL = 0, 1, 2, 3
MEANING = {
    ".": (EMPTY,),
    "X": (MINE,),
    "O": (THEIRS,),
    "x": (EMPTY, THEIRS, WALL),
    "o": (EMPTY, MINE, WALL),
    "?": (EMPTY, MINE, THEIRS, WALL),
    " ": (WALL,),
}
AROUND = (0, 1, 2, 3, 5, 6, 7, 8)
"""The neighbours of a shape's centre, each a bit for each colour in a code."""


@cache
def worth_answering() -> np.ndarray:
    """For each code of the neighbours of a point, mine in the low 8 bits and theirs in the next (a wall in both),
    whether it is one of the shapes."""
    table = np.zeros(1 << 16, np.uint8)
    for shape in SHAPES:
        for form in forms("".join(shape)):
            codes = np.zeros(1, np.int64)
            for neighbour, at in enumerate(AROUND):
                choices = [(what & 1) << neighbour | (what >> 1) << (neighbour + 8) for what in MEANING[form[at]]]
                codes = (codes[:, None] + np.array(choices)).ravel()
            table[codes] = 1
    return table


def forms(shape: str) -> set[str]:
    """The symmetric forms of a shape of nine characters, in both colours."""
    found = set()
    swapped = shape.translate(str.maketrans("XOxo", "OXox"))
    for each in (shape, swapped):
        for _ in range(4):
            each = "".join(each[3 * (2 - i % 3) + i // 3] for i in range(9))  # a quarter turn
            found |= {each, each[2::-1] + each[5:2:-1] + each[8:5:-1]}
    return found
