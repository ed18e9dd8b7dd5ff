"""Operations on bitboards, in plain Python; native/bits.py compiles each to its machine instruction."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from counterplay.core.language.wide import u64


def bit(index: int) -> u64:
    """The bitboard with only `index` set (0..63)."""
    if not 0 <= index < 64:
        raise ValueError(f"bit({index}): a bitboard has the bits 0 to 63")
    return u64(1 << index)


def count(x: int) -> int:
    """How many bits are set."""
    return int(x).bit_count()


def first(x: int) -> int:
    """The index of the lowest bit set; x must not be 0."""
    return (int(x) & -int(x)).bit_length() - 1


def last(x: int) -> int:
    """The index of the highest bit set; x must not be 0."""
    return int(x).bit_length() - 1


def ones(x: int) -> Iterator[int]:
    """The indices of the bits set, lowest first: `for square in ones(board)`."""
    rest = int(x)
    while rest:
        yield first(rest)
        rest &= rest - 1


def nth(x: int, k: int) -> int:
    """The index of the k-th bit set, counted from 0; x must have more than k."""
    rest = int(x)
    for _ in range(k):
        rest &= rest - 1
    return first(rest)


def signed(x: int) -> int:
    """The 64 bits of `x` read as a signed integer, as an int64 array holds them."""
    return (int(x) + (1 << 63)) % (1 << 64) - (1 << 63)


def float_bits(x: float) -> int:
    """The 64 bits of a float, as a signed integer."""
    found: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return found


def bits_float(x: int) -> float:
    """The float that 64 bits stand for."""
    found: float = struct.unpack("<d", struct.pack("<q", x))[0]
    return found
