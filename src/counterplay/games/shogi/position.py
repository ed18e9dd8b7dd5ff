"""A shogi position and a move as values.

A board is four bit planes of piece codes and one set of squares for each side. Squares are numbered file by file
from the right, each from its top: 1a, 1b, ... A move is one int: the square it leaves, the square it enters, the piece, and
whether it promotes or comes from the hand.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, cast, get_type_hints

from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt

BLACK, WHITE = 0, 1
KING, PAWN, LANCE, KNIGHT, SILVER, BISHOP, ROOK, GOLD = range(8)
"""Piece codes; PROMOTED is added to some of them."""
PROMOTED = 8
SET = {PAWN: 18, LANCE: 4, KNIGHT: 4, SILVER: 4, BISHOP: 2, ROOK: 2, GOLD: 4}
"""The number of pieces of each kind in shogi, of both sides together."""
MINISET = {PAWN: 2, SILVER: 2, BISHOP: 2, ROOK: 2, GOLD: 2}
"""The same in minishogi."""


class State(NamedTuple):
    """A position, seen by the side to move; `state_class` makes the class for each board width."""

    one: WideInt  # the squares whose piece has bit 1 in its code
    two: WideInt  # bit 2
    four: WideInt  # bit 4
    promoted: WideInt  # bit 8
    own: WideInt  # the pieces of the side to move
    opp: WideInt  # those of the other side
    checkers: WideInt  # the pieces that give check to the side to move
    pinned: WideInt  # the pieces of the side to move that alone block an attack on their king
    own_hand: int  # the hand of the side to move: eight bits for each kind, from pawns on
    opp_hand: int
    own_checks: int  # how many consecutive moves of the side to move gave check, up to its last
    opp_checks: int
    ply: int  # moves since the start; even: Black moves


@cache
def state_class(width: int) -> type[State]:
    """The class of states whose boards have `width` bits."""
    fields = [(name, Wide(width) if kind is WideInt else kind) for name, kind in get_type_hints(State).items()]
    made: Any = NamedTuple(f"State{width}", fields)  # type: ignore[misc]
    return cast(type[State], state(made))


State64, State128 = state_class(64), state_class(128)


def move(origin: int, target: int, piece: int, promotes: int) -> int:
    """A move on the board as an action."""
    return target | origin << 7 | piece << 14 | promotes << 18


def drop(kind: int, target: int) -> int:
    """A piece from the hand as an action."""
    return target | kind << 14 | 1 << 19


def target_of(action: int) -> int:
    """The square that a move enters."""
    return action & 127


def origin_of(action: int) -> int:
    """The square that a move leaves; 0 for a drop."""
    return action >> 7 & 127


def piece_of(action: int) -> int:
    """The code of the piece that moves, before it promotes."""
    return action >> 14 & 15


def promotes(action: int) -> int:
    """1 if the piece promotes, else 0."""
    return action >> 18 & 1


def is_drop(action: int) -> bool:
    """Whether the piece comes from the hand."""
    return action >> 19 != 0


def held(hand: int, kind: int) -> int:
    """The number of pieces of a kind in a hand."""
    return hand >> 8 * (kind - 1) & 255
