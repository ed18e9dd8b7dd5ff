"""What one search thread learns as it goes: which actions refuted others, and how accurate estimates were."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.actions import CAPACITY
from counterplay.core.language.bits import signed
from counterplay.core.language.marks import inlined
from counterplay.core.language.workspace import Array, f64, i32, i64
from counterplay.core.types import State
from counterplay.search.engine.accumulators import NoAccumulators, accumulators_for
from counterplay.search.engine.probcut import CHECKS, Cuts
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import NO_ACTION, TranspositionTable
from counterplay.search.memory import MAX_PLY, LineContext
from counterplay.search.suitability import has_key
from counterplay.search.tracing.tracer import RecordingTracer, SilentTracer

SLOTS = 1 << 12
"""Actions share this many slots of history."""
MOST_BARRED = 4096
"""The maximum number of root actions that can be left out."""
TRUST = 1 << 14
"""The largest history score, for or against an action: the nearer to it, the less a further success adds, so old
successes fade."""
STRUCTURES = 1 << 12
"""The number of structures that are kept."""
DEEP, MANY = 64, 64
"""The depths and the actions that the table of reductions covers."""
EVERYTHING = 1 << 30
"""The width of a beam that leaves nothing out."""


class EngineContext(LineContext):
    """What one search thread of the engine uses: the table, which others may share, and what it has learned itself."""

    table: TranspositionTable
    accumulators: NoAccumulators
    techniques: i64  # the techniques now on
    software: i64  # those on above the chip
    chip: i64  # the number of last plies that the chip searches
    beam: i64  # the maximum number of actions tried at a node
    futility: f64  # the most that one ply usually changes
    first: i64 = NO_ACTION  # the root action to try first
    barred: i64  # the number of root actions left out
    barred_actions: Array[i64, MOST_BARRED]
    scores: Array[i64, CAPACITY]  # parallel to the action stack; memory is touched only as far as it is used
    keys: Array[i64, MAX_PLY + 2]  # [plies] of the positions on the path; 0 if the table is not probed
    estimates: Array[f64, MAX_PLY + 2]  # [plies] of those positions
    excluded: Array[i64, MAX_PLY + 2]  # [plies] the action left out at a ply, to see what it is worth
    killers: Array[i64, MAX_PLY + 2, 2]  # [plies, 2]
    history: Array[i32, "players", SLOTS]  # [players, slots] half the room: it is read for every action
    answers: Array[i64, "players", SLOTS]  # [players, slots] what refuted an action
    reductions: Array[i64, DEEP, MANY]  # [depths, actions tried]
    structures: Array[i64, "kept", 3]  # [structures, key and two words]
    predictions: Array[f64, DEEP, 4 * CHECKS]  # [depths, by check: its depth, slope, offset, margin]

    def __init__(
        self,
        game: Game,
        techniques: Technique,
        table: TranspositionTable,
        *,
        tracer: SilentTracer | RecordingTracer | None = None,
        nodes: int | None = None,
        beam: int = 0,
        chip: int = 0,
        cuts: Cuts | None = None,
        before: Sequence[int] = (),
    ) -> None:
        super().__init__(game, nodes, before, tracer)
        self.accumulators = accumulators_for(game)
        self.table, self.beam, self.chip = table, beam or EVERYTHING, chip
        self.techniques = self.software = int(techniques if has_key(game) else techniques & ~Technique.TABLE)
        low, high = game.evaluation_bounds
        self.futility = game.swing or 0.1 * (high - low)
        self.players = game.players
        self.killers[:] = self.excluded[:] = self.answers[:] = NO_ACTION
        self.reductions = reductions()
        if cuts is not None:
            self.predictions[:] = cuts.by_depth(DEEP).reshape(DEEP, 4 * CHECKS)
        else:
            self.techniques &= ~int(Technique.PROBCUT)
            self.software = self.techniques
        self.structures = np.zeros((STRUCTURES if game.has_structure else 1, 3), np.int64)

    def bar(self, actions: Sequence[int]) -> None:
        """Leave these actions of the root out of the search."""
        self.barred = len(actions)
        self.barred_actions[: len(actions)] = actions

    # What kernels call.

    def uses(self, technique: int) -> bool:
        """Whether a technique, or one of several, is switched on."""
        return self.techniques & int(technique) != 0

    def slot(self, action: int) -> int:
        """The history slot of an action."""
        return (action ^ action >> 12 ^ action >> 24) & (SLOTS - 1)

    def credit(self, player: int, action: int, amount: int) -> None:
        """Credit or debit an action in the history."""
        slot = self.slot(action)
        self.history[player, slot] += amount - self.history[player, slot] * abs(amount) // TRUST

    def refuted(self, mover: int, action: int, depth: int, ply: int, last: int, noisy: bool) -> None:
        """Remember the action that refuted the opponent's `last` one."""
        if not noisy:
            if self.killers[ply, 0] != action:
                self.killers[ply, 1] = self.killers[ply, 0]
                self.killers[ply, 0] = action
            self.credit(mover, action, min(16 * depth * depth, TRUST // 8))
        if last >= 0:
            self.answers[mover, self.slot(last)] = action

    def circles(self, game: Game, s: State, ply: int) -> bool:
        """Whether `s`, which `repeated` has recorded on the path, already occurred since the root."""
        root = self.past
        for earlier in range(max(root + 1, root + ply - game.lookback(s)), root + ply):
            if self.path[earlier] == self.path[root + ply]:
                return True
        return False

    def reduction(self, depth: int, tried: int) -> int:
        """The plies by which the search of the `tried`-th quiet action is first reduced."""
        return self.reductions[min(depth, DEEP - 1), min(tried, MANY - 1)]

    def evaluated(self, game: Game, s: State, player: int, ply: int) -> float:
        """An estimate of `s`, at `ply`, for `player`, kept apart from proven results."""
        return self.corrected(game, s, player, ply, self.unaided(game, s, player))

    @inlined
    def corrected(self, game: Game, s: State, player: int, ply: int, unaided: float) -> float:
        """The same from an evaluation that may lack the accumulators' part."""
        value = self.accumulators.estimate(game, s, player, unaided, ply, self.out)
        return min(max(value, self.low + self.margin), self.high - self.margin)

    @inlined
    def unaided(self, game: Game, s: State, player: int) -> float:
        """The evaluation without the accumulators' part, from its cached structure."""
        if not game.has_structure:
            return self.accumulators.unaided(game, s, player)
        key = signed(game.structure_key(s))
        slot = key & (STRUCTURES - 1)
        if self.structures[slot, 0] != key:
            found = game.structure(s)
            self.structures[slot, 0] = key
            self.structures[slot, 1] = found[0]
            self.structures[slot, 2] = found[1]
        return game.evaluate_with(s, player, (self.structures[slot, 1], self.structures[slot, 2]))

    @inlined
    def evaluated_within(self, game: Game, s: State, player: int, ply: int, alpha: float, beta: float) -> float:
        """The same, or a bound if the game's sketch or the evaluation without the accumulators' part already shows
        that it is outside the window."""
        if game.has_sketch:
            rough = game.sketch(s, player)
            if rough - game.sketch_error >= beta:
                return rough - game.sketch_error
            if rough + game.sketch_error <= alpha:
                return rough + game.sketch_error
        unaided = self.unaided(game, s, player)
        most = self.accumulators.most
        if most > 0.0:
            if unaided - most >= beta:
                return unaided - most
            if unaided + most <= alpha:
                return unaided + most
        return self.corrected(game, s, player, ply, unaided)


@functools.cache
def reductions() -> np.ndarray:
    """The reductions of late actions: about the product of the logarithms of depth and index [DEEP, MANY]."""
    depth, tried = np.meshgrid(np.arange(DEEP), np.arange(MANY), indexing="ij")
    found = 0.6 + np.log(np.maximum(depth, 1)) * np.log(np.maximum(tried, 1)) / 2.2
    return found.astype(np.int64)
