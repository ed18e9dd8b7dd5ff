"""The transposition table: what is known about positions seen before (Greenblatt 1967; lockless after Hyatt & Mann 2002).

A bucket has two entries: the first keeps what was searched deepest in this search, the second the latest. An entry is
three words: the key mixed with the other two, the value, and depth, age, kind of bound and best action. Threads write
without locks: an entry half written by one and half by another does not match its key and is not found.
"""

from __future__ import annotations

from counterplay.core.errors import CounterplayError
from counterplay.core.language.bits import bits_float, float_bits
from counterplay.core.language.pointer import cache_lines, prefetch
from counterplay.core.language.workspace import Array, Workspace, i64

NONE, LOWER, UPPER, EXACT = 0, 1, 2, 3
"""Kinds of bounds: a lower bound means that the value is at least that (the search failed high)."""

COMPLETE = 1023
"""The depth of an entry whose whole subtree was searched to the end: it is valid at any depth."""
TOLD = COMPLETE - 1
"""The depth of an entry that comes from elsewhere, such as endgame tables: it is valid at any depth."""

WORDS = 3
BUCKET = 8
"""Words in a bucket: two entries and padding to one line of the processor's cache."""
PAGE = 512
"""Words in a page of memory, or in a part of one."""
NO_ACTION = -1


class TranspositionTable(Workspace):
    """A fixed amount of memory for positions."""

    words: Array[i64, "length"]
    mask: i64  # of a bucket's number
    age: i64  # of this search

    def __init__(self, megabytes: float = 64) -> None:
        if megabytes <= 0:
            raise CounterplayError(f"a table needs more than {megabytes:g} MB; `table=0` searches without one")
        buckets = 1 << max(0, int(megabytes * 2**20 / (8 * BUCKET)).bit_length() - 1)
        try:
            self.words = cache_lines(buckets)  # a bucket is one line
        except MemoryError:
            raise CounterplayError(f"there is no memory for a table of {megabytes:g} MB") from None
        self.mask = buckets - 1

    def occupy(self) -> None:
        """Write to every page of the memory once, before a clock starts: the system allocates it only then, which takes
        longer than a short search."""
        self.words[::PAGE] |= 0

    def grow_old(self) -> None:
        """Start a new search: entries of earlier ones are replaced first."""
        self.age = (self.age + 1) & 255

    def clear(self) -> None:
        """Forget everything."""
        self.words[:] = 0

    # What kernels call.

    def expect(self, key: int) -> None:
        """Prefetch the entry of `key`."""
        prefetch(self.words, (key & self.mask) * BUCKET)

    def probe(self, key: int) -> tuple[int, float]:
        """What is stored under `key`: the packed data (0 if there is none) and the value."""
        at = (key & self.mask) * BUCKET
        for entry in (at, at + WORDS):
            value, data = self.words[entry + 1], self.words[entry + 2]
            if data != 0 and self.words[entry] ^ value ^ data == key:
                return data, bits_float(value)
        return 0, 0.0

    def store(self, key: int, value: float, depth: int, bound: int, action: int) -> None:
        """Store a result. It replaces the same position, else an older or shallower entry, else the last one."""
        at = (key & self.mask) * BUCKET
        age = self.age
        slot = at + WORDS
        for entry in (at, at + WORDS):
            old = self.words[entry + 2]
            if old != 0 and self.words[entry] ^ self.words[entry + 1] ^ old == key:
                if action == NO_ACTION:
                    action = action_of(old)  # an old best action is better than none
                slot = entry
                break
            if entry == at and (old == 0 or age_of(old) != age or depth_of(old) <= depth):
                slot = entry
                break
        bits = float_bits(value)
        data = (kept(action) + 1 if action != NO_ACTION else 0) << 20 | age << 12 | depth << 2 | bound
        self.words[slot] = key ^ bits ^ data
        self.words[slot + 1] = bits
        self.words[slot + 2] = data


def kept(action: int) -> int:
    """The part of an action that the table keeps: 42 bits. Few games have longer actions, and there the part only
    guides move ordering."""
    return action & ((1 << 42) - 1)


def bound_of(data: int) -> int:
    """The kind of bound in packed data; NONE if nothing was found."""
    return data & 3


def depth_of(data: int) -> int:
    """The depth in packed data."""
    return data >> 2 & 1023


def age_of(data: int) -> int:
    """The age in packed data."""
    return data >> 12 & 255


def action_of(data: int) -> int:
    """What was `kept` of the best action in packed data, or NO_ACTION."""
    return (data >> 20) - 1
