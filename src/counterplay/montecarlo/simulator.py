"""What one thread of a Monte Carlo search has at hand: the options, the way down the tree, the value of its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.bits import signed
from counterplay.core.language.workspace import Workspace
from counterplay.core.rules import payoff
from counterplay.montecarlo.options import RAVE, SOLVER, Options
from counterplay.montecarlo.tree import vector_width
from counterplay.search.memory import Scale

MAX_PLY = 1024
"""The deepest that a tree grows."""
STOP, BASE, PLY, DEEPEST, REASON, SIMULATION, FILLING, FREE, END = range(9)
"""Places in `limits`: the sign to stop; where in `path` the root is; the ply of the last leaf, and of the deepest; what
the last leaf was; how many simulations there were; how often `wider` was filled; the
slots that are reserved for this thread, from FREE to END."""
OPEN, ENDED, PROVEN, BUSY = range(4)
REASONS = ("open", "end", "proven", "busy")
"""What a leaf is: a position to be valued; the end of the game; a position with a proven value; one that waits for
another thread or for a policy."""
NOWHERE_YET = -1
NONE = 2.0
"""No value."""
MIDDLE, HALF = range(2)
SLOTS = 1 << 12
"""Actions of a player share so many slots."""


class Simulator(Workspace):
    """One thread's own memory. `before` are the repetition keys of the positions before the root."""

    def __init__(self, game: Game, options: Options, before: Sequence[int] = (), threaded: bool = False) -> None:
        low, high, *_ = Scale.of(game)
        width = vector_width(game)
        self.width, self.scalar = width, width == 1
        self.settings = options.numbers(threaded)
        self.scale = np.array([(low + high) / 2, (high - low) / 2])
        self.limits = np.array([0, len(before), 0, 0, 0, 0, 0, 0, 0], np.int64)
        self.trail = np.zeros(MAX_PLY + 2, np.int64)  # [plies] the nodes from the root to the leaf
        self.pledge = np.zeros(MAX_PLY + 2)  # [plies] what counts instead of the leaf's value from there up, or NONE
        self.pledged = np.zeros(MAX_PLY + 2, np.int64)  # [plies] the child whose value that is
        self.value = np.zeros(width)  # [width] of the leaf
        self.sums = np.zeros((MAX_PLY + 3) * width)  # [plies, width] of the leaves of simulations that went together
        self.path = np.zeros(len(before) + MAX_PLY + options.length + 3 if game.has_repetition else 1, np.int64)
        if game.has_repetition:
            self.path[: len(before)] = before
        amaf = options.rave > 0
        self.played = np.full(game.players * SLOTS if amaf else 1, -1, np.int64)  # [players, slots] simulation and ply
        self.wider = np.zeros(
            3 * SLOTS if amaf else 1
        )  # [slots, 3] filling, visits, average of the reference's actions
        self.reference = np.zeros(game.players, np.int64)  # [players] where GRAVE takes its averages from, NOWHERE_YET

    def stop(self) -> None:
        """Make the search end after this simulation; any thread may call this."""
        self.limits[STOP] = 1

    # What kernels call.

    def uses(self, setting: int) -> bool:
        """Whether a setting is on."""
        return self.settings[setting] != 0.0

    def solves(self) -> bool:
        """Whether proofs are backed up."""
        if self.scalar:
            return self.settings[SOLVER] != 0.0
        return False

    def at(self, ply: int) -> int:
        """Where in `path` the position at `ply` has its key."""
        return self.limits[BASE] + ply

    def clear(self, ply: int) -> None:
        """Nothing was found at `ply` yet."""
        for i in range(ply * self.width, (ply + 1) * self.width):
            self.sums[i] = 0.0

    def note(self, game: Any, s: Any, ply: int) -> None:
        """Put `s` on the path, for a rule of repetition."""
        if game.has_repetition:
            self.path[self.limits[BASE] + ply] = signed(game.repetition_key(s))

    def normal(self, value: float) -> float:
        """A value of the game on the scale from -1 to 1."""
        return min(max((value - self.scale[MIDDLE]) / self.scale[HALF], -1.0), 1.0)

    def end(self, game: Any, s: Any) -> None:
        """The value of the leaf `s`, where the game is over."""
        for player in range(self.width):
            self.value[player] = self.normal(payoff(game, s, player))

    def judged(self, game: Any, s: Any, player: int) -> float:
        """The evaluation of `s` for `player`. Between two opponents it is the mover's own that counts."""
        if self.scalar and game.players == 2:
            mover = game.to_move(s)
            if mover != player and mover != CHANCE:
                return -self.normal(game.evaluate(s, mover))
        return self.normal(game.evaluate(s, player))

    def judge(self, game: Any, s: Any, at: Any, node: int) -> None:
        """Write the evaluation of `s`, or its value where the game is over, to `at`, the estimates of a tree."""
        over = game.is_terminal(s)
        for player in range(self.width):
            value = self.normal(game.utility(s, player)) if over else self.judged(game, s, player)
            at[node * self.width + player] = value

    def slot(self, player: int, action: int) -> int:
        """Where an action of a player has its place."""
        return player * SLOTS + ((action ^ action >> 12 ^ action >> 24) & (SLOTS - 1))

    def remember(self, player: int, action: int, ply: int) -> None:
        """An action was played in this simulation, for RAVE."""
        if self.settings[RAVE] != 0.0 and player >= 0:
            self.played[self.slot(player, action)] = self.limits[SIMULATION] << 20 | ply

    def came_later(self, player: int, action: int, ply: int) -> bool:
        """Whether `player` played `action` in this simulation at `ply` or later."""
        seen = self.played[self.slot(player, action)]
        return seen >> 20 == self.limits[SIMULATION] and seen & ((1 << 20) - 1) >= ply
