"""The accumulators of a search: for each ply and player the sum of a network's first layer (evaluation/accumulator.py).

Each action is noted with the state before it. Only when an estimate is needed, the features that it turns on and off are
listed, and the sums are updated from the nearest earlier ply that has them, or recomputed if the game says so. A search
without such a network has `NoAccumulators`, which compile to nothing.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.kept_states import keep_state, kept_state
from counterplay.core.language.workspace import Array, Workspace, i16, i32, i64
from counterplay.core.types import State
from counterplay.search.memory import MAX_PLY

MOST = 32
"""If an action turns on or off more features than this, the sums are recomputed."""
ANEW, UNLISTED = -1, -2
PLIES = MAX_PLY + 2
ROWS = 2 * PLIES


class NoAccumulators(Workspace):
    """Nothing to keep."""

    most = 0.0
    """How far a correction of the evaluation usually goes at most; 0 if nobody knows."""

    def begin(self) -> None:
        """The root has changed."""

    def follow(self, game: Game, s: State, action: int, ply: int, out: ActionStack) -> None:
        """An action in `s`, at `ply`, leads to the next ply."""

    def follow_null(self, ply: int) -> None:
        """The player to move at `ply` passes."""

    def unaided(self, game: Game, s: State, player: int) -> float:
        """The value of `s` to `player` without the network."""
        return game.evaluate(s, player)

    def estimate(self, game: Game, s: State, player: int, unaided: float, ply: int, out: ActionStack) -> float:
        """The estimated value of `s`, at `ply`, to `player`; without the network it is `unaided`."""
        return unaided


class Accumulators(NoAccumulators):
    """A row for each ply and player: 2 * ply + player."""

    sums: Array[i16, ROWS, "width"]
    known: Array[i64, ROWS]  # whether the sum is known
    on: Array[i64, ROWS]  # how many features were turned on since the ply before, or ANEW, or UNLISTED
    off: Array[i64, ROWS]
    turned_on: Array[i32, ROWS, MOST]
    turned_off: Array[i32, ROWS, MOST]
    states: Array[i64, "room"]  # at each ply, the state before,
    action: Array[i64, PLIES]  # and the action that led here

    def __init__(self, game: Any) -> None:
        self.width: int = game.learned_width
        self.most: float = game.learned_most
        if game.compiles:
            from counterplay.core.native.kept_states import state_words

            self.room = PLIES * state_words(game.frozen.state_class)
        else:
            self.__dict__["states"] = [None] * PLIES

    # What kernels call.

    def begin(self) -> None:
        for row in range(2):
            self.known[row], self.on[row] = 0, ANEW

    def follow(self, game: Any, s: State, action: int, ply: int, out: ActionStack) -> None:
        keep_state(self.states, ply + 1, s)
        self.action[ply + 1] = action
        for row in range(2 * ply + 2, 2 * ply + 4):
            self.known[row], self.on[row] = 0, UNLISTED

    def follow_null(self, ply: int) -> None:
        for row in range(2 * ply + 2, 2 * ply + 4):
            self.known[row] = self.on[row] = self.off[row] = 0

    def unaided(self, game: Any, s: State, player: int) -> float:
        return float(game.unaided(s, player))

    def estimate(self, game: Any, s: State, player: int, unaided: float, ply: int, out: ActionStack) -> float:
        for each in range(2):
            self.bring_up(game, s, each, ply, out)
        row = 2 * ply + game.to_move(s)
        worth = game.learned_answer(game.stage(s), self.sums[row], self.sums[row ^ 1])
        return float(game.learned_total(s, player, unaided, worth))

    def bring_up(self, game: Any, s: State, player: int, ply: int, out: ActionStack) -> None:
        """Bring the sum of a player at `ply`, where the position is `s`, up to date."""
        last = row = 2 * ply + player
        while not self.known[row]:
            if self.on[row] == UNLISTED:
                self.list_changes(game, row, out)
            if self.on[row] == ANEW:
                break
            row -= 2
        if not self.known[row]:
            self.sum_up(game, s, player, last, out)
            return
        while row < last:
            row += 2
            self.turn(game, row)

    def list_changes(self, game: Any, row: int, out: ActionStack) -> None:
        """List what the action that led to a row turned on and off."""
        start, on, off = len(out), 0, 0
        before = kept_state(self.states, row // 2, game)
        if game.sparse_changes(before, self.action[row // 2], row % 2, out.fresh()) and len(out) - start <= MOST:
            for i in range(start, len(out)):
                if out[i] >= 0:
                    self.turned_on[row, on] = out[i]
                    on += 1
                else:
                    self.turned_off[row, off] = ~out[i]
                    off += 1
        else:
            on = ANEW
        out.truncate(start)
        self.on[row], self.off[row] = on, off

    def sum_up(self, game: Any, s: State, player: int, row: int, out: ActionStack) -> None:
        """Compute the sum of all features of `s` into a row."""
        start = len(out)
        game.sparse_features(s, player, out.fresh())
        game.learned_begin(self.sums[row])
        for i in range(start, len(out)):
            game.learned_turn_on(self.sums[row], out[i])
        out.truncate(start)
        self.known[row] = 1

    def turn(self, game: Any, row: int) -> None:
        """Compute a row from that of the previous ply."""
        before, sums, on, off = self.sums[row - 2], self.sums[row], self.on[row], self.off[row]
        both = min(on, off)
        if both:
            game.learned_follow(before, sums, self.turned_on[row, 0], self.turned_off[row, 0])
        else:
            for j in range(self.width):
                sums[j] = before[j]
        for i in range(1, both):
            game.learned_follow(sums, sums, self.turned_on[row, i], self.turned_off[row, i])
        for i in range(both, on):
            game.learned_turn_on(sums, self.turned_on[row, i])
        for i in range(both, off):
            game.learned_turn_off(sums, self.turned_off[row, i])
        self.known[row] = 1


def accumulators_for(game: Game) -> NoAccumulators:
    """The accumulators that a search of `game` needs."""
    return Accumulators(game) if game.has_accumulators else NoAccumulators()
