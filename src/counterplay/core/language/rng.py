"""Random numbers: the same stream from the same seed, in Python and compiled.

SplitMix64 (Steele, Lea & Flood 2014): one addition and a mixing of bits per draw. Its state is one word of memory, so
compiled code advances the same generator that Python holds.
"""

from __future__ import annotations

import ctypes

from counterplay.core.language.wide import u64

STEP = u64(0x9E3779B97F4A7C15)


def mix(x: u64) -> u64:
    """A bijection of 64-bit words that looks random (also the hash behind default state keys)."""
    x = (x ^ (x >> 30)) * u64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> 27)) * u64(0x94D049BB133111EB)
    return x ^ (x >> 31)


class Rng:
    """A stream of random numbers. `Rng(7)` is always the same stream."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.word = ctypes.c_uint64(seed)

    def __repr__(self) -> str:
        return f"Rng({self.seed})"

    @property
    def address(self) -> int:
        """The address of the state: how compiled code reaches it."""
        return ctypes.addressof(self.word)

    def advance(self) -> u64:
        """Step the state and return it: the one method that compiled code replaces (native/rng.py)."""
        state = u64(self.word.value) + STEP
        self.word.value = int(state)
        return state

    def bits(self) -> u64:
        """64 random bits."""
        return mix(self.advance())

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1; n is at most 2**32."""
        return int(((self.bits() >> 32) * n) >> 32)

    def uniform(self) -> float:
        """A number in [0, 1)."""
        return int(self.bits() >> 11) * 2.0**-53
