"""The draughts board as bits: 32 dark squares in 35 bits, so that every step is the same shift everywhere.

Squares are numbered 1 to 32 as players do, row by row from Black's side. After every second row one bit stays empty:
then a step down the board is a shift by 4 (to the left) or 5 (to the right), a step up is the opposite shift, and what
leaves the board at a side lands on an empty bit (after Samuel, "Some Studies in Machine Learning Using the Game of
Checkers", 1959).
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.language.bits import bit
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

SQUARES = 32
BLACK, WHITE = 0, 1


def index(square: int) -> int:
    """The bit of a square, 1 to 32."""
    return square - 1 + (square - 1) // 8


def square_of(cell: int) -> int:
    """The number, 1 to 32, of the square at a bit."""
    return cell + 1 - cell // 9


def row_of(cell: int) -> int:
    """The row, 0 to 7 from Black's side, of the square at a bit."""
    return cell // 9 * 2 + (cell % 9 >= 4)


def column_of(cell: int) -> int:
    """The column, 0 to 7 from the left with Black on top, of the square at a bit."""
    inner = cell % 9
    return 2 * inner + 1 if inner < 4 else 2 * (inner - 4)


def squares(*numbers: int) -> u64:
    """The bitboard of some squares."""
    board = u64(0)
    for number in numbers:
        board |= bit(index(number))
    return board


BOARD = squares(*range(1, SQUARES + 1))
ROWS = tuple(squares(*range(4 * row + 1, 4 * row + 5)) for row in range(8))


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64  # pieces of the side to move
    theirs: u64  # pieces of the other side
    kings: u64  # which of all these are kings
    player: int  # the side to move: 0 is Black, who begins and moves down the board, 1 White
    quiet: int  # plies since the last progress


# Directions 0 and 1 lead down the board (to the left, to the right), 2 and 3 up (to the right, to the left).


def shift_of(direction: int) -> int:
    """The change of the bit by a step in a direction."""
    length = 4 + (direction & 1)
    return length if direction < 2 else -length


def ahead(cell: int, direction: int, steps: int) -> u64:
    """The bitboard of the cell this many steps ahead; nothing, or an empty bit, if that is off the board."""
    there = cell + steps * shift_of(direction)
    return bit(there) if there >= 0 else u64(0)


def downward(pieces: u64, kings: u64, player: int) -> u64:
    """The pieces of a side that may move down the board."""
    return pieces if player == BLACK else pieces & kings


def upward(pieces: u64, kings: u64, player: int) -> u64:
    """The pieces of a side that may move up the board."""
    return pieces if player == WHITE else pieces & kings


def jumpers(down: u64, up: u64, theirs: u64, free: u64) -> u64:
    """The pieces of `down` and `up` that can jump over one of `theirs` to a free square."""
    falling = down & (theirs >> 4 & free >> 8 | theirs >> 5 & free >> 10)
    return falling | up & (theirs << 4 & free << 8 | theirs << 5 & free << 10)


def movers(down: u64, up: u64, free: u64) -> u64:
    """The pieces of `down` and `up` that can step to a free square."""
    return down & (free >> 4 | free >> 5) | up & (free << 4 | free << 5)
