"""What every search uses: the scale of values, its counts, and the stop flag.

Values are in the game's own units. The best possible result (the upper bound of utility) counts a little more the
sooner it comes, and the worst possible a little more the later, by one `unit` per ply; estimates stay a `margin` away
from both, so that a proven win is above every estimate. `Scale` undoes this for display.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from counterplay.core.game import INFINITY as INFINITY
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.workspace import Array, Flag, Workspace, f64, i64
from counterplay.core.repetition import repeats
from counterplay.core.rules import list_options
from counterplay.core.types import State
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.tracing.tracer import RecordingTracer, SilentTracer

MAX_PLY = 1024
"""The deepest path that a search follows."""
LINE = 64
"""The longest line that is kept."""

COUNTS = (
    *("nodes", "leaves", "cuts", "first_cuts", "table_hits", "table_cuts", "quiescence", "left", "all", "deepest"),
    "actions",
)
"""The fields that hold a search's counts."""
UNLIMITED = 2**62


class Scale(NamedTuple):
    """The bounds of utility and the steps within them."""

    low: float
    high: float
    unit: float  # the value of one ply sooner
    margin: float  # how far estimates stay away from the bounds

    @classmethod
    def of(cls, game: Game) -> Scale:
        """The scale of a game: steps are powers of two, so that adding them is exact."""
        low, high = game.utility_bounds
        if game.zero_sum and game.players == 2:
            high = max(abs(low), abs(high))
            low = -high
        if low == high:  # nothing can be won: no result counts as the best
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
        """How many plies away the end is, if the value encodes it."""
        if value > self.high - self.margin:
            return round((self.high - value) / self.unit)
        if value < self.low + self.margin:
            return round((value - self.low) / self.unit)
        return None


class Context(Workspace):
    """The private memory of one search thread; subclasses add what their search needs. `before` are the repetition
    keys of the positions before the root, as `Playthrough.before` has them."""

    out: ActionStack
    tracer: SilentTracer | RecordingTracer
    low: f64  # the scale of values
    high: f64
    unit: f64
    margin: f64
    nodes: i64
    leaves: i64
    cuts: i64
    first_cuts: i64  # those by the first action
    table_hits: i64
    table_cuts: i64
    quiescence: i64  # nodes beyond the horizon
    left: i64  # nodes with a value inside the window
    all: i64  # nodes where every action had to be tried
    deepest: i64
    actions: i64  # of all nodes whose actions were listed
    doubts: i64  # what was not searched to the end: horizons, gambles, samples
    interrupted: Flag
    node_limit: i64
    root_depth: i64
    past: i64  # the number of positions before the root
    path: Array[i64, "plies"]  # the repetition keys of those and of the positions on the path

    def __init__(
        self,
        game: Game,
        nodes: int | None = None,
        before: Sequence[int] = (),
        tracer: SilentTracer | RecordingTracer | None = None,
    ) -> None:
        self.out = cast(ActionStack, action_stack(game))  # (a kernel knows which of the two it is)
        self.tracer = tracer or SilentTracer()
        self.low, self.high, self.unit, self.margin = Scale.of(game)
        self.node_limit = UNLIMITED if nodes is None else nodes
        self.past = len(before)
        self.path = np.zeros(len(before) + MAX_PLY + 2 if game.has_repetition else 1, np.int64)
        self.path[: len(before)] = before

    @property
    def before(self) -> list[int]:
        """The repetition keys of the positions before the root."""
        before: list[int] = self.path[: self.past].tolist()
        return before

    @property
    def counts(self) -> dict[str, int]:
        """The counts, by name."""
        return {name: getattr(self, name) for name in COUNTS}

    def stop(self) -> None:
        """Make the search end at its next node; any thread can call this."""
        self.interrupted = True

    def renew(self) -> None:
        """Let a search that was stopped begin again, and count from 0."""
        self.interrupted = False
        for name in COUNTS:
            setattr(self, name, 0)

    # What kernels call.

    def stopped(self) -> bool:
        """Whether the search was stopped or is out of nodes."""
        return self.interrupted or self.nodes >= self.node_limit

    def terminal(self, game: Game, s: State, player: int, ply: int) -> float:
        """The value to `player` of the end of the game in `s`, at `ply`."""
        return self.dated(game.utility(s, player), ply)

    def dated(self, value: float, ply: int) -> float:
        """A final result at `ply`: the best counts more the sooner it comes, the worst the later."""
        if value >= self.high:
            return self.high - self.unit * ply
        if value <= self.low:
            return self.low + self.unit * ply
        return value

    def horizon(self, game: Game, s: State, player: int) -> float:
        """An estimate of `s` for `player`, kept apart from proven results."""
        value = game.evaluate(s, player)
        return min(max(value, self.low + self.margin), self.high - self.margin)

    def to_node(self, value: float, ply: int) -> float:
        """A value as a table keeps it: plies to the end counted from the position itself, not from the root."""
        if value > self.high - self.margin:
            return value + self.unit * ply
        if value < self.low + self.margin:
            return value - self.unit * ply
        return value

    def to_path(self, value: float, ply: int) -> float:
        """A value from a table, with plies counted from the root again."""
        if value > self.high - self.margin:
            return value - self.unit * ply
        if value < self.low + self.margin:
            return value + self.unit * ply
        return value

    def repeated(self, game: Game, s: State, ply: int) -> bool:
        """Record `s` on the path; returns whether it ends the game there by repetition."""
        if game.has_repetition:
            self.path[self.past + ply] = signed(game.repetition_key(s))
            if not game.forbids_repetition:
                return repeats(game, s, self.path, self.past + ply)
        return False

    def repeated_beyond(self, game: Game, s: State, ply: int) -> bool:
        """The same beyond the horizon, where a position that repeats none is not recorded either: few lines there
        return to it, and none ends because of it."""
        if game.has_repetition and not game.forbids_repetition and game.lookback(s) == 0:
            self.path[self.past + ply] = 0
            return False
        return self.repeated(game, s, ply)

    def list_options(self, game: Game, s: State, ply: int) -> None:
        """Put the options in `s`, which `repeated` has recorded on the path, on the stack."""
        list_options(game, s, self.path, self.past + ply, self.out)

    def list_noisy(self, game: Game, s: State, ply: int) -> None:
        """The same for noisy actions, possibly with others among them."""
        if game.forbids_repetition:
            list_options(game, s, self.path, self.past + ply, self.out)
        else:
            game.noisy_actions(s, self.out.fresh())


class LineContext(Context):
    """The same for a search that also returns the line of play it expects."""

    line: Array[i64, MAX_PLY + 2, LINE]  # [plies, LINE] the actions expected from a ply on

    def expected(self, ply: int) -> tuple[int, ...]:
        """The actions that the search expects from `ply` on."""
        line = self.line[ply].tolist()
        return tuple(line[: line.index(NO_ACTION)] if NO_ACTION in line else line)

    # What kernels call.

    def expect_nothing(self, ply: int) -> None:
        """No line is known from `ply` on."""
        self.line[ply, 0] = NO_ACTION

    def follow(self, ply: int, action: int) -> None:
        """The best line from `ply` is `action` and then the best line from the next ply."""
        self.line[ply, 0] = action
        for i in range(LINE - 1):
            after = self.line[ply + 1, i]
            self.line[ply, i + 1] = after
            if after == NO_ACTION:
                break
