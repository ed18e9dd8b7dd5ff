"""`@state`: a NamedTuple whose fields have the types that its annotations say, in Python and compiled.

    @state
    class State(NamedTuple):
        mine: u64
        scores: tuple[int, int]
        ply: int

A field is an int (64 bits, signed), a bool, a float, a `u64` or another `Wide`, a tuple of a fixed length of
these, or another `@state` class. Such a state is passed in registers, needs no undo, and is its own key.
"""

from __future__ import annotations

import itertools
import struct
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from counterplay.core.language.bits import float_bits, signed
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import WideInt, u64

C = TypeVar("C", bound=type)

Kind = Any
"""The type of a field: int, bool, float, a WideInt class, a tuple of kinds, or a @state class."""

SEED = u64(0x243F6A8885A308D3)

STATES: dict[str, type] = {}
"""Every `@state` class, by name and fields: how compiled code finds the class of a state that it returns."""

KINDS = "int, bool, float, u64, Wide(n), tuple[...] of a fixed length, or another @state class"


def state(cls: C) -> C:
    """Declare a NamedTuple class as a state of a game: its field types are checked and kept here."""
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(
            f"@state goes on a NamedTuple class: write `class {getattr(cls, '__name__', 'State')}(NamedTuple)`"
        )
    hints = get_type_hints(cls)
    cls._kinds = tuple(_kind(cls, field, hints[field]) for field in cls._fields)  # type: ignore[attr-defined]
    STATES[identity(cls)] = cls
    return cls


def identity(cls: type) -> str:
    """A `@state` class by name and fields, the same in every process: a class defined again is a different one only if
    its fields differ."""
    return f"{cls.__module__}.{cls.__qualname__}{kinds(cls)}"


def is_state(cls: type) -> bool:
    """Whether `cls` was declared by `@state`."""
    return "_kinds" in vars(cls)


def kinds(cls: type) -> tuple[Kind, ...]:
    """The field types of a `@state` class, in order."""
    found: tuple[Kind, ...] = vars(cls)["_kinds"]
    return found


def _kind(cls: type, field: str, hint: Any) -> Kind:
    if hint in (int, bool, float) or (isinstance(hint, type) and issubclass(hint, WideInt) and hint.width):
        return hint
    if isinstance(hint, type) and issubclass(hint, tuple) and is_state(hint):
        return hint
    if get_origin(hint) is tuple and get_args(hint) and Ellipsis not in get_args(hint):
        return tuple(_kind(cls, field, part) for part in get_args(hint))
    shown = str(hint) if get_args(hint) else getattr(hint, "__name__", None) or str(hint)
    raise TypeError(
        f"{cls.__name__}.{field}: a state's field cannot be {shown}; it is one of {KINDS}. Without `@state` the class may "
        "hold anything, and the game runs as plain Python"
    )


def conforms(value: Any, kind: Kind) -> bool:
    """Whether `value` can be a field declared as `kind` (an int can be a u64 or a float)."""
    if isinstance(kind, tuple):
        return isinstance(value, tuple) and len(value) == len(kind) and all(map(conforms, value, kind))
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")  # NumPy's as well
    if kind is float:
        return isinstance(value, (int, float)) or hasattr(value, "__float__")
    if kind is int:
        return hasattr(value, "__index__") and -(2**63) <= int(value) < 2**63
    if issubclass(kind, WideInt):
        return hasattr(value, "__index__") and 0 <= int(value) < 1 << kind.width
    return type(value) is kind and all(map(conforms, value, kinds(kind)))


def state_key(s: Any) -> u64:
    """A 64-bit hash of a state: equal states have equal keys, different ones almost surely different keys."""
    return _fold(SEED, s, kinds(type(s)))


class Numbers:
    """States of plain Python, numbered in the order met: equal states have the same number, different ones never do.

    At most about twice `room` states are kept. One that has not been met for long is forgotten, and numbered again when
    it recurs.
    """

    def __init__(self, room: float) -> None:
        self.room = room
        self.recent: dict[Any, int] = {}
        self.earlier: dict[Any, int] = {}
        self.count = itertools.count(1)

    def key(self, s: Any) -> u64:
        """64 bits that stand for the number of `s`."""
        number = self.recent.get(s)
        if number is None:
            number = self.recent.setdefault(s, self.earlier.get(s) or next(self.count))
            if len(self.recent) >= self.room:
                self.earlier, self.recent = self.recent, {}
        return mix(u64(number))


def words(value: Any) -> tuple[int, ...]:
    """A value as 64-bit words, signed: an int is one, a `Wide` number as many as it fills, a tuple those of its parts.
    Unlike a key, this is not a hash: different values of one type have different words."""
    if isinstance(value, tuple):
        return tuple(word for part in value for word in words(part))
    if isinstance(value, WideInt):
        return tuple(signed(int(value) >> shift) for shift in range(0, value.width, 64))
    if isinstance(value, float):
        return (float_bits(value + 0.0),)  # -0.0 is 0.0
    return (int(value),)


def _fold(h: u64, value: Any, kind: Kind) -> u64:
    if isinstance(kind, tuple):
        for part, its_kind in zip(value, kind, strict=True):
            h = _fold(h, part, its_kind)
        return h
    if kind is float:
        return mix(h ^ struct.unpack("<Q", struct.pack("<d", value + 0.0))[0])  # -0.0 is 0.0
    if kind is int or kind is bool:
        return mix(h ^ int(value))
    if issubclass(kind, WideInt):
        for shift in range(0, kind.width, 64):
            h = mix(h ^ int(value) >> shift)
        return h
    return _fold(h, value, kinds(kind))
