"""The memory of exact solving: values that encode when the end comes, and a table of proven bounds.

A result between the bounds of utility is its own value. The best result counts more the sooner it comes and the worst
more the later, above and below all others: at `ply` the best is `top - ply`. So every comparison is exact: first the
result, then its date.

The table holds, for each position, the highest proven lower bound and the lowest proven upper bound, as seen from the
position itself, the best action, and the effort, which decides whether an entry is kept. A bucket is one line of the
processor's cache. Results that are whole numbers, as in most games, take 16 bits each.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.bits import bits_float, float_bits
from counterplay.core.language.kernel import kernel
from counterplay.core.language.pointer import cache_lines
from counterplay.core.language.workspace import Array, f64, i64
from counterplay.core.types import State
from counterplay.search.memory import MAX_PLY, Context, Scale
from counterplay.search.suitability import has_key

TOO_DEEP, FRACTION, FULL = 2, 3, 4
"""Why a search stopped itself: a path without end, a result that the table cannot hold, no room."""

NOTHING = -1
NO_ACTION = -1
LINE = 8
"""The number of 8-byte words in a bucket."""
FOLDED = 12
"""Symmetric positions share an entry this near to a root that is symmetric itself: elsewhere they hardly ever meet."""
WHOLE = (1 << 15) - 1
"""The greatest value that 16 bits can hold."""


class SolveContext(Context):
    """What one solver uses, with a table of at most `megabytes`; the counts and results of `earlier` are taken over."""

    words_each = 2
    why: i64  # why it stopped itself, or 0
    greatest: f64  # the best result as the game gives it
    top: f64  # its value at ply 0 of a search
    words: Array[i64, "length"]
    mask: i64  # of a bucket's number
    folds: i64  # the number of plies within which symmetric positions share an entry

    def __init__(
        self, game: Game, root: State, megabytes: float, before: Sequence[int] = (), earlier: SolveContext | None = None
    ) -> None:
        super().__init__(game, before=before)
        if earlier is not None:
            self.nodes, self.cuts, self.first_cuts = earlier.nodes, earlier.cuts, earlier.first_cuts
            self.table_hits, self.table_cuts = earlier.table_hits, earlier.table_cuts
            self.path, self.node_limit = earlier.path, earlier.node_limit
        self.greatest = greatest_result(game)
        self.top = first_date(self.greatest)
        self.keyed = has_key(game)
        buckets = 1 << max(0, int(megabytes * 2**20 / (8 * LINE)).bit_length() - 1) if self.keyed else 1
        self.words = cache_lines(buckets)
        folds = self.keyed and not game.has_repetition and is_symmetric(game, root)
        self.mask, self.folds = buckets - 1, FOLDED if folds else 0
        if type(earlier) is type(self):
            copy_entries(earlier, self)

    @property
    def entries(self) -> int:
        """How many positions the table has room for."""
        return self.words.size // self.words_each

    def give_up(self, why: int) -> None:
        """Stop the search for its own reason."""
        self.why = why
        self.interrupted = True

    # Values.

    def dated(self, value: float, ply: int) -> float:
        """A result at `ply`: the best is worth more the sooner it comes, the worst the later."""
        if value >= self.greatest:
            return self.top - ply
        if value <= -self.greatest:
            return ply - self.top
        return value

    def postponed(self, value: float, plies: int) -> float:
        """The same value if the end came a number of plies later."""
        if value >= self.greatest:
            return value - plies
        if value <= -self.greatest:
            return value + plies
        return value

    # The table.

    def find(self, key: int) -> int:
        """Where the entry of `key` is, or NOTHING."""
        at = (key & self.mask) * LINE
        for entry in range(at, at + LINE, self.words_each):
            if self.words[entry] == key and self.words[entry + 1] != 0:
                return entry
        return NOTHING

    def slot(self, key: int) -> int:
        """Where to write the entry of `key`: over its old one, else over the one with the least effort."""
        at = (key & self.mask) * LINE
        chosen, least = at, 256
        for entry in range(at, at + LINE, self.words_each):
            if self.words[entry] == key:
                return entry
            effort = self.words[entry + 1] & 255
            if effort < least:
                chosen, least = entry, effort
        return chosen

    def hint(self, entry: int) -> int:
        """The best action's last 16 bits."""
        return self.words[entry + 1] >> 8 & 0xFFFF

    def lower(self, entry: int) -> float:
        """What the position is worth at least, at ply 0."""
        return float(self.words[entry + 1] >> 48)

    def upper(self, entry: int) -> float:
        """What the position is worth at most, at ply 0."""
        return float(self.words[entry + 1] << 16 >> 48)

    def keep(self, key: int, low: float, high: float, action: int, effort: int) -> None:
        """Store what was proven. A fraction does not fit here and stops the search."""
        lower, upper = int(low), int(high)
        if lower != low or upper != high:
            self.give_up(FRACTION)
            return
        entry = self.slot(key)
        self.words[entry] = key
        self.words[entry + 1] = lower << 48 | (upper & 0xFFFF) << 32 | (action & 0xFFFF) << 8 | effort


class WideContext(SolveContext):
    """The same with room for any result: an entry is twice as large."""

    words_each = 4

    def lower(self, entry: int) -> float:
        """What the position is worth at least, at ply 0."""
        return bits_float(self.words[entry + 2])

    def upper(self, entry: int) -> float:
        """What the position is worth at most, at ply 0."""
        return bits_float(self.words[entry + 3])

    def keep(self, key: int, low: float, high: float, action: int, effort: int) -> None:
        """Remember what was proven."""
        entry = self.slot(key)
        self.words[entry] = key
        self.words[entry + 1] = (action & 0xFFFF) << 8 | effort
        self.words[entry + 2] = float_bits(low)
        self.words[entry + 3] = float_bits(high)


def greatest_result(game: Game) -> float:
    """The most that can be won or lost."""
    scale = Scale.of(game)
    return max(abs(scale.low), abs(scale.high))


def first_date(greatest: float) -> float:
    """The value of the best result at ply 0: a whole number so large that no date makes it as small as another
    result."""
    return float(2 ** max(0, int(np.ceil(np.log2(max(greatest, 1))))) + MAX_PLY + 2)


@kernel
def is_symmetric(game: Game, s: State) -> bool:
    """Whether `s` is one of its own symmetric forms."""
    same = 0
    for k in range(1, game.symmetries):
        same += game.key(game.symmetric(s, k)) == game.key(s)
    return same > 0


def context_for(game: Game, root: State, megabytes: float, before: Sequence[int]) -> SolveContext:
    """The smallest context that may suffice for `game`."""
    kind = SolveContext if first_date(greatest_result(game)) <= WHOLE else WideContext
    return kind(game, root, megabytes, before)


@kernel
def copy_entries(old: SolveContext, new: SolveContext) -> int:
    """Copy the entries of a smaller table; returns how many there are."""
    copied = 0
    for entry in range(0, (old.mask + 1) * LINE, old.words_each):
        if old.words[entry + 1] != 0:
            slot = new.slot(old.words[entry])
            for i in range(old.words_each):
                new.words[slot + i] = old.words[entry + i]
            copied += 1
    return copied
