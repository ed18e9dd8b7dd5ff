"""What every search keeps at hand: the scale of values, its counts, and the sign to stop.

Values are in the game's own units. A result that cannot be better (the upper bound of utility) counts a little more the
sooner it comes, and one that cannot be worse a little more the later, by one `unit` a ply; estimates stay a `margin`
away from both, so that a proven win is above every estimate. `Scale` undoes this for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import INFINITY as INFINITY
from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.language.workspace import Workspace
from counterplay.core.repetition import repeats
from counterplay.core.rules import list_options
from counterplay.search.engine.transposition_table import NO_ACTION

MAX_PLY = 1024
"""The deepest path that a search follows."""
LINE = 64
"""The longest line that is kept."""

LOW, HIGH, UNIT, MARGIN = range(4)
NODES, LEAVES, CUTS, FIRST_CUTS, HITS, TABLE_CUTS, QUIET, LEFT, ALL, DEEPEST, ACTIONS = range(11)
COUNTS = (
    *("nodes", "leaves", "cuts", "first_cuts", "table_hits", "table_cuts", "quiescence", "left", "all", "deepest"),
    "actions",  # of all nodes whose actions were listed
)
STOP, NODE_LIMIT, ROOT_DEPTH = range(3)
UNLIMITED = 2**62


class Scale(NamedTuple):
    """The bounds of utility and the steps within them."""

    low: float
    high: float
    unit: float  # what one ply sooner is worth
    margin: float  # how far estimates stay away from the bounds

    @classmethod
    def of(cls, game: Game) -> Scale:
        """The scale of a game: steps are powers of two, so that adding them is exact."""
        low, high = game.utility_bounds
        if game.zero_sum and game.players == 2:
            high = max(abs(low), abs(high))
            low = -high
        if low == high:  # nothing can be won: leave room for no result to be the best
            low, high = low - 1, high + 1
        unit = 2.0 ** np.floor(np.log2(high - low)) / 2**24
        return cls(float(low), float(high), float(unit), float(unit * 2 * MAX_PLY))

    def plain(self, value: float) -> float:
        """The value as the game's rules give it, without the preference for sooner or later."""
        if value > self.high - self.margin:
            return self.high
        if value < self.low + self.margin:
            return self.low
        return value + 0.0  # -0.0 is 0.0

    def plies(self, value: float) -> int | None:
        """How many plies away the end is, where a value tells."""
        if value > self.high - self.margin:
            return round((self.high - value) / self.unit)
        if value < self.low + self.margin:
            return round((value - self.low) / self.unit)
        return None


class Memory(Workspace):
    """One searcher's own memory; subclasses add what their search needs. `before` are the repetition keys of the
    positions before the root, as `Playthrough.before` has them."""

    def __init__(self, game: Game, nodes: int | None = None, before: Sequence[int] = ()) -> None:
        self.scale = np.array(Scale.of(game))
        self.counts = np.zeros(len(COUNTS), np.int64)
        self.limits = np.array([0, UNLIMITED if nodes is None else nodes, 0], np.int64)
        self.doubts = np.zeros(1, np.int64)  # what was not seen to the end: horizons, gambles, samples
        self.past = np.array([len(before)], np.int64)
        self.path = np.zeros(len(before) + MAX_PLY + 2 if game.has_repetition else 1, np.int64)  # repetition keys
        self.path[: len(before)] = before

    @property
    def before(self) -> list[int]:
        """The repetition keys of the positions before the root."""
        before: list[int] = self.path[: int(self.past[0])].tolist()
        return before

    def stop(self) -> None:
        """Make the search end at its next node; any thread may call this."""
        self.limits[STOP] = 1

    # What kernels call.

    def stopped(self) -> bool:
        """Whether to give up: told so, or out of nodes."""
        return self.limits[STOP] != 0 or self.counts[NODES] >= self.limits[NODE_LIMIT]

    def terminal(self, game: Any, s: Any, player: int, ply: int) -> float:
        """What the end of the game in `s`, at `ply`, is worth to `player`."""
        return self.dated(game.utility(s, player), ply)

    def dated(self, value: float, ply: int) -> float:
        """A final result at `ply`: the best sooner, the worst later."""
        if value >= self.scale[HIGH]:
            return self.scale[HIGH] - self.scale[UNIT] * ply
        if value <= self.scale[LOW]:
            return self.scale[LOW] + self.scale[UNIT] * ply
        return value

    def horizon(self, game: Any, s: Any, player: int) -> float:
        """An estimate of `s` for `player`, kept apart from proven results."""
        value = game.evaluate(s, player)
        return min(max(value, self.scale[LOW] + self.scale[MARGIN]), self.scale[HIGH] - self.scale[MARGIN])

    def repeated(self, game: Any, s: Any, ply: int) -> bool:
        """Note `s` on the path and tell whether it ends the game there by repetition."""
        if game.has_repetition:
            self.path[self.past[0] + ply] = signed(game.repetition_key(s))
            if not game.forbids_repetition:
                return repeats(game, s, self.path, self.past[0] + ply)
        return False

    def repeated_beyond(self, game: Any, s: Any, ply: int) -> bool:
        """The same beyond the horizon, where a position that equals none before is not noted, either: few lines there
        come back to it, and none ends for that."""
        if game.has_repetition and not game.forbids_repetition and game.lookback(s) == 0:
            self.path[self.past[0] + ply] = 0
            return False
        return self.repeated(game, s, ply)

    def list_options(self, game: Any, s: Any, ply: int, out: Any) -> None:
        """Append what may be done in `s`, which `repeated` has noted on the path."""
        list_options(game, s, self.path, self.past[0] + ply, out)

    def list_noisy(self, game: Any, s: Any, ply: int, out: Any) -> None:
        """The same of noisy actions, perhaps with others among them."""
        if game.forbids_repetition:
            list_options(game, s, self.path, self.past[0] + ply, out)
        else:
            game.noisy_actions(s, out.fresh())


class LineMemory(Memory):
    """The same for a search that also tells which line of play it expects."""

    def __init__(self, game: Game, nodes: int | None = None, before: Sequence[int] = ()) -> None:
        super().__init__(game, nodes, before)
        self.line = np.empty((MAX_PLY + 2) * LINE, np.int64)  # [ply, LINE] the actions expected from there on

    def expected(self, ply: int) -> tuple[int, ...]:
        """The actions that the search expects from `ply` on."""
        line = self.line[ply * LINE : (ply + 1) * LINE].tolist()
        return tuple(line[: line.index(NO_ACTION)] if NO_ACTION in line else line)

    # What kernels call.

    def expect_nothing(self, ply: int) -> None:
        """No line is known from `ply` on."""
        self.line[ply * LINE] = NO_ACTION

    def follow(self, ply: int, action: int) -> None:
        """The best line from `ply` is `action` and then the best line from the next ply."""
        at = ply * LINE
        self.line[at] = action
        for i in range(LINE - 1):
            after = self.line[at + LINE + i]
            self.line[at + 1 + i] = after
            if after == NO_ACTION:
                break
