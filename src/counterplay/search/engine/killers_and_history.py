"""What one searcher of the engine learns on its way: which actions refuted others, and how estimates went."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.actions import CAPACITY
from counterplay.core.language.bits import signed
from counterplay.core.language.marks import inlined
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import HIGH, LOW, MARGIN, MAX_PLY, LineMemory
from counterplay.search.suitability import has_key

SLOTS = 1 << 12
"""Actions share so many slots of history."""
MOST_BARRED = 4096
"""So many actions of the root can be left out."""
TRUST = 1 << 14
"""The most that history says for or against an action: the nearer it is, the less a further success adds, so that old
merits fade."""
STRUCTURES = 1 << 12
"""So many structures are kept."""
DEEP, MANY = 64, 64
"""The table of reductions goes to such a depth, and to so many actions."""


class EngineMemory(LineMemory):
    """What one searcher of the engine remembers besides the table."""

    def __init__(
        self,
        game: Game,
        techniques: Technique,
        nodes: int | None = None,
        beam: int = 0,
        before: Sequence[int] = (),
    ) -> None:
        super().__init__(game, nodes, before)
        if not has_key(game):
            techniques &= ~Technique.TABLE
        self.techniques = np.array([int(techniques), beam or 1 << 30], np.int64)
        self.first = np.array([NO_ACTION], np.int64)  # the root's action to begin with
        self.barred = np.zeros(1 + MOST_BARRED, np.int64)  # how many actions of the root are left out, and which
        self.scores = np.empty(CAPACITY, np.int64)  # beside the action stack; memory is touched only where it is used
        self.killers = np.full(2 * (MAX_PLY + 2), NO_ACTION, np.int64)
        self.history = np.zeros(game.players * SLOTS, np.int32)  # half the room: it is read for every action
        self.answers = np.full(game.players * SLOTS, NO_ACTION, np.int64)
        self.estimates = np.zeros(MAX_PLY + 2)  # of the positions on the path
        self.excluded = np.full(MAX_PLY + 2, NO_ACTION, np.int64)  # what is left out at a ply, to see what it is worth
        self.reductions = reductions()
        self.structures = np.zeros(3 * STRUCTURES if game.has_structure else 3, np.int64)  # key and two words
        low, high = game.evaluation_bounds
        self.futility = np.array([game.swing or 0.1 * (high - low)])  # what one ply may change, at most, as a rule

    def bar(self, actions: Sequence[int]) -> None:
        """Leave these actions of the root out of the search."""
        self.barred[0] = len(actions)
        self.barred[1 : 1 + len(actions)] = actions

    # What kernels call.

    def uses(self, technique: int) -> bool:
        """Whether a technique is switched on."""
        return self.techniques[0] & technique != 0

    def slot(self, player: int, action: int) -> int:
        """Where an action of a player has its history."""
        return player * SLOTS + ((action ^ action >> 12 ^ action >> 24) & (SLOTS - 1))

    def credit(self, player: int, action: int, amount: int) -> None:
        """Count an action as so good, or so bad."""
        at = self.slot(player, action)
        self.history[at] += amount - self.history[at] * abs(amount) // TRUST

    def refuted(self, mover: int, action: int, depth: int, ply: int, last: int, noisy: bool) -> None:
        """Remember the action that refuted the opponent's `last` one."""
        if not noisy:
            if self.killers[2 * ply] != action:
                self.killers[2 * ply + 1] = self.killers[2 * ply]
                self.killers[2 * ply] = action
            self.credit(mover, action, min(16 * depth * depth, TRUST // 8))
        if last >= 0:
            self.answers[self.slot(mover, last)] = action

    def circles(self, game: Any, s: Any, ply: int) -> bool:
        """Whether `s`, which `repeated` has noted on the path, occurred since the root already."""
        root = self.past[0]
        for earlier in range(max(root + 1, root + ply - game.lookback(s)), root + ply):
            if self.path[earlier] == self.path[root + ply]:
                return True
        return False

    def reduction(self, depth: int, tried: int) -> int:
        """By how many plies the `tried`-th quiet action is searched less deep at first."""
        return self.reductions[min(depth, DEEP - 1) * MANY + min(tried, MANY - 1)]

    def evaluated(self, game: Any, s: Any, player: int) -> float:
        """An estimate of `s` for `player`, kept apart from proven results, with what is known of its structure."""
        if not game.has_structure:
            return self.horizon(game, s, player)
        key = signed(game.structure_key(s))
        at = 3 * (key & (STRUCTURES - 1))
        if self.structures[at] != key:
            found = game.structure(s)
            self.structures[at] = key
            self.structures[at + 1] = found[0]
            self.structures[at + 2] = found[1]
        value = game.evaluate_with(s, player, (self.structures[at + 1], self.structures[at + 2]))
        return min(max(value, self.scale[LOW] + self.scale[MARGIN]), self.scale[HIGH] - self.scale[MARGIN])

    @inlined
    def evaluated_within(self, game: Any, s: Any, player: int, alpha: float, beta: float) -> float:
        """The same, or a bound where the game's sketch already tells that it is outside the window."""
        if game.has_sketch:
            rough = game.sketch(s, player)
            if rough - game.sketch_error >= beta:
                return rough - game.sketch_error
            if rough + game.sketch_error <= alpha:
                return rough + game.sketch_error
        return self.evaluated(game, s, player)


@functools.cache
def reductions() -> np.ndarray:
    """By how much late actions are reduced: about the product of the logarithms of depth and place [DEEP * MANY]."""
    depth, tried = np.meshgrid(np.arange(DEEP), np.arange(MANY), indexing="ij")
    found = 0.6 + np.log(np.maximum(depth, 1)) * np.log(np.maximum(tried, 1)) / 2.2
    return found.astype(np.int64).ravel()
