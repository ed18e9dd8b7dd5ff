"""Chess endings of three and four pieces by number: the class of material that a position belongs to, and its index
there.

A class is named as players name it, KRK or KQKR, the first side being White; a position with the colours exchanged is
the same with the board turned. Without pawns the board has eight symmetries, and the two kings have 462 different
placements; with pawns only left and right are interchangeable, and there are 1,806. Then come the other pieces, square
by square.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from counterplay.core.language.bits import bit, count, first, ones
from counterplay.core.language.wide import u64
from counterplay.games.chess.position import NOWHERE, State

PIECES = "QRBNP"
KINDS = len(PIECES)
NONE = 2 * KINDS
"""The code of no piece; White's are 0 to 4, Black's 5 to 9."""
PAWN = KINDS - 1
MIRROR, TRANSPOSE = 1, 4
"""Symmetries: left and right exchanged; the diagonal from a1 as an axis."""
PAIRS = (462, 1806)
"""The number of placements of the kings, without pawns and with them."""
CLASS, SWAPPED = 41, 40
"""The bit at which a number's class begins, and the bit that says that the colours were exchanged."""


class ChessEndings:
    """A part for `derive`: positions by class and index. `endings_tables` has its attributes."""

    def ending_number(self: Any, s: State) -> int:
        """The class and the index of `s`, and whether its colours were exchanged; -1 if it has none."""
        if s.castling or s.en_passant != NOWHERE or count(s.own | s.opp) > 4:
            return -1
        side = s.ply % 2
        white, black = (s.own, s.opp) if side == 0 else (s.opp, s.own)
        one, two, a, b = NONE, NONE, 0, 0
        for colour in range(2):
            mine = white if colour == 0 else black
            for kind in range(KINDS):
                for square in ones(self.ending_board(s, kind) & mine):
                    if one == NONE:
                        one, a = colour * KINDS + kind, square
                    else:
                        two, b = colour * KINDS + kind, square
        known = self.ending_class[one, two]
        if known < 0:
            return -1
        k, swapped = known >> 1, known & 1
        whites, blacks = first(s.king & white), first(s.king & black)
        if swapped:
            whites, blacks, a, b, side = blacks ^ 56, whites ^ 56, a ^ 56, b ^ 56, 1 - side
            if one < KINDS <= two < NONE:
                a, b = b, a
        return k << CLASS | swapped << SWAPPED | self.ending_index(k, side, whites, blacks, a, b)

    def ending_board(self, s: State, kind: int) -> u64:
        """The pieces of a kind, by its index in PIECES."""
        if kind == 0:
            return s.queen
        if kind == 1:
            return s.rook
        if kind == 2:
            return s.bishop
        return s.knight if kind == 3 else s.pawn

    def ending_index(self: Any, k: int, side: int, white: int, black: int, a: int, b: int) -> int:
        """The index of a position of class `k` by the side to move and the squares of the kings and of the others."""
        has_pawns = self.ending_pawns[k]
        pair = self.ending_pair[has_pawns, white, black]
        form = self.ending_form[has_pawns, white, black]
        code = self.ending_code(k, self.ending_images[form, a], self.ending_images[form, b])
        if not has_pawns and self.ending_mirrored[pair]:  # both kings on the diagonal: the rest decides
            form ^= TRANSPOSE
            code = min(code, self.ending_code(k, self.ending_images[form, a], self.ending_images[form, b]))
        return (side * self.ending_pairs[has_pawns] + pair) * self.ending_size[k] + code

    def ending_code(self: Any, k: int, a: int, b: int) -> int:
        """The squares of the pieces other than kings as one number."""
        one, two = self.ending_pieces[k, 0], self.ending_pieces[k, 1]
        if one == two and a > b:
            a, b = b, a
        if one % KINDS == PAWN:
            a -= 8
        if two == NONE:
            return a
        return a * 48 + b - 8 if two % KINDS == PAWN else a * 64 + b

    def ending_state(self: Any, k: int, index: int) -> State:
        """The state of an index of a class; `is_ending` says whether there is one."""
        code, rest = index % self.ending_size[k], index // self.ending_size[k]
        has_pawns = self.ending_pawns[k]
        pair, side = rest % self.ending_pairs[has_pawns], rest // self.ending_pairs[has_pawns]
        white, black = bit(self.ending_kings[has_pawns, pair, 0]), bit(self.ending_kings[has_pawns, pair, 1])
        king, a, b = white | black, code, 0
        one, two = self.ending_pieces[k, 0], self.ending_pieces[k, 1]
        if two != NONE:
            a, b = (code // 48, code % 48 + 8) if two % KINDS == PAWN else (code // 64, code % 64)
        if one % KINDS == PAWN:
            a += 8
        if one < KINDS:
            white |= bit(a)
        else:
            black |= bit(a)
        if two < KINDS:
            white |= bit(b)
        elif two < NONE:
            black |= bit(b)
        at, also = bit(a), bit(b) if two != NONE else u64(0)
        one, two = one % KINDS, two % KINDS if two != NONE else NONE
        none = u64(0)
        queen = (at if one == 0 else none) | (also if two == 0 else none)
        rook = (at if one == 1 else none) | (also if two == 1 else none)
        bishop = (at if one == 2 else none) | (also if two == 2 else none)
        knight = (at if one == 3 else none) | (also if two == 3 else none)
        pawn = (at if one == 4 else none) | (also if two == 4 else none)
        own, opp = (white, black) if side == 0 else (black, white)
        bare = State(pawn, knight, bishop, rook, queen, king, own, opp, none, none, none, NOWHERE, 0, side)
        return self.aware(bare, NOWHERE)

    def is_ending(self: Any, k: int, index: int, s: State) -> bool:
        """Whether `s`, the state of an index, is a position, and this is its index."""
        if count(s.own | s.opp) != 2 + (self.ending_pieces[k, 0] != NONE) + (self.ending_pieces[k, 1] != NONE):
            return False
        if s.own & s.opp:
            return False
        side = s.ply % 2
        if self.attackers(s, first(s.king & s.opp), s.own | s.opp, 1 - side) & s.own:
            return False
        return self.ending_number(s) == k << CLASS | index

    def ending_clock(self: Any, s: State) -> int:
        """How many plies are left before the draw clock runs out."""
        return self.patience - s.clock


def class_name(pieces: tuple[int, int]) -> str:
    """A class as players name it."""
    sides = ["".join(PIECES[piece % KINDS] for piece in pieces if piece // KINDS == colour) for colour in range(2)]
    return f"K{sides[0]}K{sides[1]}"


CLASSES = tuple(
    [(one, NONE) for one in range(KINDS)]
    + [(one, two) for one, two in itertools.combinations_with_replacement(range(KINDS), 2)]
    + [(one, KINDS + two) for one, two in itertools.combinations_with_replacement(range(KINDS), 2)]
)
NAMES = tuple(class_name(pieces) for pieces in CLASSES)


@functools.cache
def leads_to(k: int) -> list[int]:
    """The classes that captures and promotions lead to."""
    found = set()
    pieces = [piece for piece in CLASSES[k] if piece != NONE]
    for i, piece in enumerate(pieces):
        rest = pieces[:i] + pieces[i + 1 :]
        found.add(class_of(rest))
        if piece % KINDS == PAWN:
            for kind in range(PAWN):
                promoted = piece - PAWN + kind
                found.add(class_of([*rest, promoted]))
                found.update(class_of([promoted]) for other in rest if other // KINDS != piece // KINDS)
    return sorted(found - {-1})


def class_of(pieces: list[int]) -> int:
    """The class of the pieces other than the kings; -1 if no side can win."""
    known = class_table()[tuple(sorted([*pieces, NONE, NONE])[:2])]
    return int(known) >> 1 if known >= 0 else -1


@functools.cache
def class_table() -> np.ndarray:
    """[11, 11]: the class of two pieces, White's first and the stronger first, doubled, plus 1 if the colours must be
    exchanged; -1 if there is none."""
    table = np.full((NONE + 1, NONE + 1), -1, np.int64)
    for k, (one, two) in enumerate(CLASSES):
        table[one, two] = 2 * k
        other = sorted(piece if piece == NONE else (piece + KINDS) % NONE for piece in (one, two))
        if table[other[0], other[1]] < 0:
            table[other[0], other[1]] = 2 * k + 1
    return table


@functools.cache
def endings_tables() -> dict[str, Any]:
    """The attributes of `ChessEndings`."""
    images = np.zeros((8, 64), np.int64)
    for symmetry, square in itertools.product(range(8), range(64)):
        x, y = square % 8, square // 8
        x, y = 7 - x if symmetry & 1 else x, 7 - y if symmetry & 2 else y
        images[symmetry, square] = x * 8 + y if symmetry & TRANSPOSE else y * 8 + x
    pair, form = np.full((2, 64, 64), -1, np.int64), np.zeros((2, 64, 64), np.int64)
    kings, mirrored = np.zeros((2, PAIRS[1], 2), np.int64), np.zeros(PAIRS[0], bool)
    for has_pawns in range(2):
        forms = (0, MIRROR) if has_pawns else range(8)
        numbers: dict[tuple[int, int], int] = {}
        for white, black in itertools.product(range(64), repeat=2):
            if max(abs(white % 8 - black % 8), abs(white // 8 - black // 8)) <= 1:
                continue
            least = min((int(images[f, white]), int(images[f, black]), f) for f in forms)
            k = numbers.setdefault(least[:2], len(numbers))
            pair[has_pawns, white, black], form[has_pawns, white, black] = k, least[2]
            kings[has_pawns, k] = least[:2]
            if not has_pawns:
                mirrored[k] = all(square % 9 == 0 for square in least[:2])
        assert len(numbers) == PAIRS[has_pawns]
    sizes = [
        (48 if one % KINDS == PAWN else 64) * (1 if two == NONE else 48 if two % KINDS == PAWN else 64)
        for one, two in CLASSES
    ]
    return {
        "ending_class": class_table(),
        "ending_pair": pair,
        "ending_form": form,
        "ending_kings": kings,
        "ending_images": images,
        "ending_mirrored": mirrored,
        "ending_pairs": np.array(PAIRS, np.int64),
        "ending_pieces": np.array(CLASSES, np.int64),
        "ending_pawns": np.array(["P" in name for name in NAMES], np.int64),
        "ending_size": np.array(sizes, np.int64),
    }


PART = ChessEndings
SIZES = tuple(
    2 * PAIRS["P" in name] * int(size) for name, size in zip(NAMES, endings_tables()["ending_size"], strict=True)
)
COUNTS = tuple(len(name) for name in NAMES)
EXAMPLE = "KRK"
