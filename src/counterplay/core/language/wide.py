"""Unsigned integers of a fixed width that wrap around, the same in Python and compiled.

`u64` is the one that most boards need; `Wide(n)` makes one of any other width. In plain Python such a number is an
`int` that never leaves its range; compiled, it is one LLVM integer (see native/wide.py). An operation with an ordinary
int first brings the int into range, so `~x & 7`, `-x` and `x << 3` mean the same in both and never become signed. There
are no operations with a float: write int(x) or float(x).
"""

from __future__ import annotations

from functools import cache
from operator import index
from typing import Any, ClassVar, Self, SupportsInt


class WideInt(int):
    """An unsigned integer of `width` bits; the base of `u64` and of every class that `Wide` makes."""

    width: ClassVar[int] = 0

    def __new__(cls, value: SupportsInt = 0) -> Self:
        return super().__new__(cls, int(value) & ((1 << cls.width) - 1))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self):#x})"

    def __str__(self) -> str:
        return int.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.width, int(self))

    def __and__(self, other: int) -> Self:
        return type(self)(int(self) & index(other))

    def __or__(self, other: int) -> Self:
        return type(self)(int(self) | index(other))

    def __xor__(self, other: int) -> Self:
        return type(self)(int(self) ^ index(other))

    def __add__(self, other: int) -> Self:
        return type(self)(int(self) + index(other))

    def __sub__(self, other: int) -> Self:
        return type(self)(int(self) - index(other))

    def __mul__(self, other: int) -> Self:
        return type(self)(int(self) * index(other))

    def __floordiv__(self, other: int) -> Self:
        return type(self)(int(self) // int(type(self)(index(other))))

    def __mod__(self, other: int) -> Self:
        return type(self)(int(self) % int(type(self)(index(other))))

    def __lshift__(self, places: int) -> Self:
        return type(self)(int(self) << int(places) if places < self.width else 0)

    def __rshift__(self, places: int) -> Self:
        return type(self)(int(self) >> int(places))

    def __rsub__(self, other: int) -> Self:
        return type(self)(index(other) - int(self))

    def __rfloordiv__(self, other: int) -> Self:
        return type(self)(index(other)) // self

    def __rmod__(self, other: int) -> Self:
        return type(self)(index(other)) % self

    __rand__, __ror__, __rxor__, __radd__, __rmul__ = __and__, __or__, __xor__, __add__, __mul__

    def __rlshift__(self, other: int) -> int:  # an ordinary int shifted stays an ordinary int
        return int(other) << int(self)

    def __rrshift__(self, other: int) -> int:
        return int(other) >> int(self)

    def __invert__(self) -> Self:
        return type(self)(~int(self))

    def __neg__(self) -> Self:
        return type(self)(-int(self))


class u64(WideInt):  # noqa: N801 (named as the number types are)
    """An unsigned integer of 64 bits that wraps around."""

    width = 64


@cache
def Wide(width: int) -> type[WideInt]:  # noqa: N802 (it makes a class)
    """The class of unsigned integers of `width` bits, for boards of more than 64 points."""
    if width < 1:
        raise ValueError(f"Wide({width}): a width is 1 bit or more")
    if width == 64:
        return u64
    return type(f"Wide({width})", (WideInt,), {"width": width, "__module__": __name__})


def _restore(width: int, value: int) -> WideInt:
    return Wide(width)(value)
