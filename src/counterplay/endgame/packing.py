"""States as small numbers, exactly: each field takes just the bits that its values need, so equal numbers are equal
states. A hash may confuse two states; this cannot.

A state is a row of 64-bit words (`language.state.words`). The least and the greatest value of each word are known, and
their difference determines how many bits the field takes. Fields lie side by side in one 64-bit number, or in several.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from counterplay.core.derived import derive
from counterplay.core.game import Game
from counterplay.core.language.bits import bits_float, signed
from counterplay.core.language.rng import mix
from counterplay.core.language.state import SEED, Kind, is_state, kinds
from counterplay.core.language.wide import Wide, WideInt, u64
from counterplay.core.language.workspace import Array, Workspace, i64

WORD = 64


class Packing(Workspace):
    """How the states of a game are packed, with space for one state packed and unpacked."""

    width: i64  # numbers in a packed state
    fields: i64  # words of a state
    low: Array[i64, "each"]  # the least value of each field
    high: Array[i64, "each"]  # the greatest
    place: Array[i64, "each"]  # the number that the field lies in
    shift: Array[i64, "each"]  # the field's lowest bit in it
    mask: Array[i64, "each"]  # a one for each of its bits
    code: Array[i64, "numbers"]  # a packed state
    unpacked: Array[i64, "each"]  # the same state as words

    def __init__(self, low: Sequence[int], high: Sequence[int]) -> None:
        self.low, self.high = np.array(low, np.int64), np.array(high, np.int64)
        bits = [(int(most) - int(least)).bit_length() for least, most in zip(low, high, strict=True)]
        self.width, self.fields = 1, len(bits)
        place, shift, used = [], [], 0
        for size in bits:
            if used + size > WORD:
                self.width, used = self.width + 1, 0
            place.append(self.width - 1)
            shift.append(used)
            used += size
        self.place, self.shift = np.array(place, np.int64), np.array(shift, np.int64)
        self.mask = np.array([signed((1 << size) - 1) for size in bits], np.int64)
        self.code, self.unpacked = np.zeros(self.width, np.int64), np.zeros(len(bits), np.int64)

    # What kernels call.

    def pack(self, given: Sequence[int]) -> bool:
        """Pack the words of a state into `code`; False if a field has a value that its bits cannot hold."""
        for k in range(self.width):
            self.code[k] = 0
        for k in range(self.fields):
            word = given[k]
            if word < self.low[k] or word > self.high[k]:
                return False
            field = (u64(word) - u64(self.low[k])) << self.shift[k]
            self.code[self.place[k]] = signed(u64(self.code[self.place[k]]) | field)
        return True

    def unpack(self, codes: np.ndarray, at: int) -> None:
        """Write the words of the state packed in `codes` from `at` on into `unpacked`."""
        for k in range(self.fields):
            field = u64(codes[at + self.place[k]]) >> self.shift[k] & u64(self.mask[k])
            self.unpacked[k] = signed(field + u64(self.low[k]))

    def hash(self) -> u64:
        """A hash of `code`."""
        h = SEED
        for k in range(self.width):
            h = mix(h ^ u64(self.code[k]))
        return h


def packable(game: Game) -> Any:
    """The game with `state_of(words)`, the state that a row of words represents; its states are `@state` values."""
    return derive(game, unpacking(game.frozen.state_class))


@functools.cache
def unpacking(cls: type) -> type:
    """A class with the method `state_of` for states of the class `cls`: the inverse of `words`, written out field by
    field, since fields differ in type."""
    scope: dict[str, Any] = {"__name__": __name__, "u64": u64, "bits_float": bits_float}
    source = f"def state_of(self, words):\n    return {_expression(cls, iter(range(1 << 30)), scope)}\n"
    exec(source, scope)
    return type("Unpacking", (), {"state_of": scope["state_of"]})


def _expression(kind: Kind, count: Iterator[int], scope: dict[str, Any]) -> str:
    """Python for a value of this kind, made from the next words."""
    if isinstance(kind, tuple):
        return f"({', '.join(_expression(part, count, scope) for part in kind)},)"
    if kind is int:
        return f"words[{next(count)}]"
    if kind is bool:
        return f"words[{next(count)}] != 0"
    if kind is float:
        return f"bits_float(words[{next(count)}])"
    if issubclass(kind, WideInt):
        name = f"wide{kind.width}"
        scope[name] = Wide(kind.width)
        parts = [
            f"{name}(u64(words[{next(count)}])){f' << {shift}' if shift else ''}"
            for shift in range(0, kind.width, WORD)
        ]
        return " | ".join(parts) if len(parts) == 1 else f"({' | '.join(parts)})"
    assert is_state(kind)
    scope[f"state{len(scope)}"] = kind
    name = f"state{len(scope) - 1}"
    return f"{name}({', '.join(_expression(part, count, scope) for part in kinds(kind))})"
