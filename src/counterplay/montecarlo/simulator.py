"""What one thread of a Monte Carlo search uses: the options, the path down the tree, the value at its end."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import fields
from math import log, sqrt

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.bits import signed
from counterplay.core.language.workspace import Array, Flag, Workspace, f64, i64
from counterplay.core.rules import payoff
from counterplay.core.types import State
from counterplay.montecarlo.gumbel import Halving
from counterplay.montecarlo.options import DECISIVES, ROLLOUTS, SELECTIONS, SimulationOptions
from counterplay.montecarlo.tree import ROOT, SimulationTree, vector_width
from counterplay.search.memory import Scale

MAX_PLY = 1024
"""The maximum depth of a tree."""
OPEN, ENDED, PROVEN, BUSY = range(4)
REASONS = ("open", "end", "proven", "busy")
"""Kinds of leaves: a position to evaluate; the end of the game; a position with a proven value; one that waits for
another thread or for a policy."""
NOWHERE_YET = -1
NONE = 2.0
"""No value."""
ACTIONS = 1 << 12
"""Actions of a player share this many indices in the RAVE tables."""
TABLED = 1 << 12
"""Visits up to which UCT looks up sqrt(ln n) in a table."""


class Simulator(Workspace):
    """One thread's own memory. `before` are the repetition keys of the positions before the root; `lanes` is how many
    leaves can wait for an answer at once."""

    c: f64
    fpu: f64
    solver: bool
    decisive: i64
    rollout: i64
    epsilon: f64
    mix: f64
    length: i64
    expand: i64
    rave: f64
    grave: i64
    bias: f64
    implicit: f64
    widen: i64
    threaded: bool  # other threads change the tree as well
    borrows: bool  # leaves that wait for an answer count as visited meanwhile
    middle: f64
    half: f64

    stopped: Flag  # set to stop the search
    root: i64 = ROOT
    base: i64  # the index of the root in `path`
    lane: i64  # the row below that is in use
    reason: i64  # the kind of the last leaf
    deepest: i64  # the ply of the deepest leaf
    simulation: i64  # simulations so far
    filling: i64  # how often `wider` was filled
    free: i64  # the slots of the tree that are reserved for this thread,
    end: i64  # from `free` to `end`

    trail: Array[i64, "lanes", "plies"]  # the nodes from the root to the leaf
    pledge: Array[f64, "lanes", "plies"]  # what replaces the leaf's value from there up, or NONE
    pledged: Array[i64, "lanes", "plies"]  # the child whose value that is
    loan: Array[f64, "lanes", "plies"]  # what was added to the total of the node until the answer comes
    reached: Array[i64, "lanes"]  # the ply of the last leaf
    block: Array[i64, "lanes"]  # the first child of a leaf that waits; -1 if there was no room
    number: Array[i64, "lanes"]  # how many children it has
    rolled: Array[f64, "lanes", "width"]  # the result of a playout from there

    value: Array[f64, "width"]  # of the last leaf
    sums: Array[f64, "sum_plies", "width"]  # of the leaves of simulations that went together
    path: Array[i64, "keys"]  # the repetition keys of all positions up to the leaf
    played: Array[i64, "players", "actions"]  # simulation and ply in which a player last took an action
    wider: Array[f64, "actions", 3]  # filling, visits, average of the reference's actions
    reference: Array[i64, "players"]  # the node from which GRAVE takes its averages, or NOWHERE_YET
    root_log: Array[f64, TABLED]  # sqrt(ln n)
    halving: Halving

    def __init__(
        self,
        game: Game,
        options: SimulationOptions,
        before: Sequence[int] = (),
        *,
        threaded: bool = False,
        lanes: int = 1,
        borrows: bool = False,
        halving: Halving | None = None,
    ) -> None:
        self.select, self.asks = SELECTIONS.index(options.select), options.asks
        for field in fields(options):
            if field.name not in ("select", "decisive", "rollout"):
                setattr(self, field.name, getattr(options, field.name))
        self.decisive, self.rollout = DECISIVES.index(options.decisive), ROLLOUTS.index(options.rollout)
        self.threaded, self.borrows = threaded, borrows
        low, high, *_ = Scale.of(game)
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        self.width, self.players = vector_width(game), game.players
        self.scalar = self.width == 1
        self.base = len(before)
        for name in ("trail", "pledged"):
            setattr(self, name, np.zeros((lanes, MAX_PLY + 2), np.int64))
        self.pledge, self.loan = np.zeros((lanes, MAX_PLY + 2)), np.zeros((lanes if borrows else 1, MAX_PLY + 2))
        self.reached, self.block, self.number = (np.zeros(lanes, np.int64) for _ in range(3))
        self.rolled = np.zeros((lanes, self.width))
        self.sums = np.zeros((MAX_PLY + 3, self.width))
        self.path = np.zeros(len(before) + MAX_PLY + options.length + 3 if game.has_repetition else 1, np.int64)
        if game.has_repetition:
            self.path[: len(before)] = before
        size = ACTIONS if options.rave > 0 else 1
        self.played, self.wider = np.full((game.players, size), -1, np.int64), np.zeros((size, 3))
        self.root_log = roots_of_logarithms()
        self.halving = halving or Halving()

    def begin_again(self, before: Sequence[int]) -> bool:
        """Reset for another search in the same game; returns False if `before` does not fit."""
        keeps_path = len(self.path) > 1
        if keeps_path and len(self.path) < len(before) + MAX_PLY + self.length + 3:
            return False
        self.root, self.base, self.lane = ROOT, len(before), 0
        self.reason = self.deepest = self.simulation = self.filling = self.free = self.end = 0
        if keeps_path:
            self.path[: len(before)] = before
        self.played.fill(-1)
        self.wider.fill(0.0)
        self.reference.fill(0)
        return True

    # What kernels call.

    def solves(self) -> bool:
        """Whether proofs are backed up."""
        if self.scalar:
            return self.solver
        return False

    def at(self, ply: int) -> int:
        """The index in `path` of the key of the position at `ply`."""
        return self.base + ply

    def clear(self, ply: int) -> None:
        """Forget what was found at `ply`."""
        for i in range(self.width):
            self.sums[ply, i] = 0.0

    def note(self, game: Game, s: State, ply: int) -> None:
        """Put `s` on the path, for a repetition rule."""
        if game.has_repetition:
            self.path[self.base + ply] = signed(game.repetition_key(s))

    def normal(self, value: float) -> float:
        """A value of the game on the scale from -1 to 1."""
        return min(max((value - self.middle) / self.half, -1.0), 1.0)

    def conclude(self, game: Game, s: State) -> None:
        """Set the value of the leaf `s`, a terminal state."""
        for player in range(self.width):
            self.value[player] = self.normal(payoff(game, s, player))

    def judged(self, game: Game, s: State, player: int) -> float:
        """The evaluation of `s` for `player`. Between two opponents the mover's own counts."""
        if self.scalar and game.players == 2:
            mover = game.to_move(s)
            if mover != player and mover != CHANCE:
                return -self.normal(game.evaluate(s, mover))
        return self.normal(game.evaluate(s, player))

    def judge(self, game: Game, s: State, tree: SimulationTree, node: int) -> None:
        """Estimate a node by the evaluation of its state `s`, or by its value if the game is over."""
        over = game.is_terminal(s)
        for player in range(self.width):
            tree.estimate[node, player] = self.normal(game.utility(s, player)) if over else self.judged(game, s, player)

    def rave_index(self, action: int) -> int:
        """The index of an action in the RAVE tables."""
        return (action ^ action >> 12 ^ action >> 24) & (ACTIONS - 1)

    def remember(self, player: int, action: int, ply: int) -> None:
        """Record for RAVE that an action was played in this simulation."""
        if self.rave != 0.0 and player >= 0:
            self.played[player, self.rave_index(action)] = self.simulation << 20 | ply

    def came_later(self, player: int, action: int, ply: int) -> bool:
        """Whether `player` played `action` in this simulation at `ply` or later."""
        seen = self.played[player, self.rave_index(action)]
        return seen >> 20 == self.simulation and seen & ((1 << 20) - 1) >= ply


@functools.cache
def roots_of_logarithms() -> np.ndarray:
    """The factor of UCT's constant: sqrt(ln n), for n up to TABLED."""
    return np.array([0.0] + [sqrt(log(n)) for n in range(1, TABLED)])
