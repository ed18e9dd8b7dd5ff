"""max^n: every player maximizes what he himself gets (Luckhardt & Irani 1986), for any number of players and any sum.

The value of a state is a vector, one number a player: where a player moves, that of the action with the most for him (of
equals the first); where chance moves, the average.

Two prunings are sound. *Immediate*: who has all that there is to get looks no further. *Shallow* (Korf, Multi-player
alpha-beta pruning, 1991), where the values add up to 0: what one player has leaves only so much to the one who moved
before him; if that one has at least as much elsewhere, he will not come here. (Deeper prunings, which are sound for two,
are not for three.) Both keep the whole vector of the root.

For shallow pruning, estimates must add up to 0, too. Those that do not are shifted by the same amount for all, and drawn
in where they leave the bounds of utility.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import payoff
from counterplay.search.memory import CUTS, FIRST_CUTS, HIGH, INFINITY, LEAVES, LOW, MARGIN, MAX_PLY, UNIT
from counterplay.search.root import RootedMemory

PRUNES, SHARES = range(2)
NOBODY = -2
ROUNDING = 1e-12


class VectorMemory(RootedMemory):
    """What max^n keeps at hand."""

    def __init__(
        self, game: Game, hero: int, prune: bool, nodes: int | None = None, before: Sequence[int] = ()
    ) -> None:
        super().__init__(game, hero, nodes, before)
        self.settings = np.array([prune, prune and game.zero_sum], np.int64)
        self.total = np.zeros(1)  # what the values add up to at most
        self.values = np.zeros((MAX_PLY + 2) * game.players)  # [ply, players]

    def allow(self, game: Game, depth: int) -> None:
        """Prepare for a depth: a later loss is a smaller one, so that the values of three may add up to more than 0."""
        if game.players > 2 and not game.has_chance:
            self.total[0] = self.scale[UNIT] * depth * (game.players - 1)

    # What kernels call.

    def write_leaf(self, game: Any, s: Any, depth: int, ply: int) -> bool:
        """Whether the search ends in `s`; then the values at `ply` are what that is worth."""
        at = ply * game.players
        if game.is_terminal(s):
            for player in range(game.players):
                self.values[at + player] = self.final(game, game.utility(s, player), ply)
        elif self.repeated(game, s, ply):
            self.doubts[0] += 1
            for player in range(game.players):
                self.values[at + player] = self.final(game, payoff(game, s, player), ply)
        elif depth <= 0 or ply >= MAX_PLY:
            self.doubts[0] += 1
            self.write_estimates(game, s, at)
        else:
            return False
        self.counts[LEAVES] += 1
        return True

    def write_estimates(self, game: Any, s: Any, at: int) -> None:
        """Write what each player may expect from `s`, adding up to 0 in a zero-sum game."""
        if game.players == 2 and game.zero_sum:
            self.values[at] = self.estimate(game, s, 0)
            self.values[at + 1] = -self.values[at]
        elif not game.zero_sum or game.players == 1:
            for player in range(game.players):
                self.values[at + player] = self.horizon(game, s, player)
        else:
            least, most = self.scale[LOW] + self.scale[MARGIN], self.scale[HIGH] - self.scale[MARGIN]
            total, part = 0.0, 1.0
            for player in range(game.players):
                self.values[at + player] = game.evaluate(s, player)
                total += self.values[at + player]
            if abs(total) > ROUNDING * (most - least):
                for player in range(game.players):
                    self.values[at + player] -= total / game.players
            for player in range(game.players):
                value = self.values[at + player]
                if value > most:
                    part = min(part, most / value)
                elif value < least:
                    part = min(part, least / value)
            if part < 1:
                for player in range(game.players):
                    self.values[at + player] *= part

    def most_to_get(self, game: Any, ply: int) -> float:
        """More than this nobody gets below `ply`."""
        if self.settings[PRUNES] == 0:
            return INFINITY
        return self.final(game, self.scale[HIGH], ply + 1)

    def left_beside(self, game: Any, mover: int, rival: int, floor: float) -> float:
        """Once `mover` has this much, no more than `floor` is left to `rival`, even if the others get the least."""
        if self.settings[SHARES] == 0 or rival in (NOBODY, mover):
            return INFINITY
        return self.total[0] - floor - (game.players - 2) * self.scale[LOW]

    def take_over(self, players: int, ply: int) -> None:
        """The values at `ply` are those of the next ply."""
        at = ply * players
        for player in range(players):
            self.values[at + player] = self.values[at + players + player]


@kernel
def maxn_values(game: Any, s: Any, depth: int, ply: int, rival: int, floor: float, memory: Any, out: Any) -> None:
    """Write the max^n values of `s` to `memory.values` at `ply`.

    The player `rival` moved here and has `floor` elsewhere: where it turns out that he gets no more here, his value is
    at most `floor` and the rest of no account. Meaningless once `memory.stopped()`.
    """
    memory.enter(ply)
    if memory.stopped() or memory.write_leaf(game, s, depth, ply):
        return
    mover = game.to_move(s)
    start, at, below = len(out), ply * game.players, (ply + 1) * game.players
    if game.has_chance and mover == CHANCE:
        game.chance(s, out.fresh())
        for player in range(game.players):
            memory.values[at + player] = 0.0
        for i in range(start, len(out)):
            p = game.probability(s, out[i])
            maxn_values(game, game.result(s, out[i]), depth, ply + 1, NOBODY, -INFINITY, memory, out)
            for player in range(game.players):
                memory.values[at + player] += p * memory.values[below + player]
        out.truncate(start)
        return
    memory.list_options(game, s, ply, out)
    if start == len(out):  # every action is forbidden by repetition
        for player in range(game.players):
            memory.values[at + player] = 0.0
        return
    most, ceiling = memory.most_to_get(game, ply), memory.left_beside(game, mover, rival, floor)
    own = floor if mover == rival else -INFINITY  # what he has, here or where he chose to come here
    value = -INFINITY
    for i in range(start, len(out)):
        maxn_values(game, game.result(s, out[i]), depth - 1, ply + 1, mover, own, memory, out)
        if memory.stopped():
            break
        v = memory.values[below + mover]
        if v > value:
            value, own = v, max(own, v)
            memory.take_over(game.players, ply)
            memory.follow(ply, out[i])
            if value >= ceiling:
                memory.values[at + rival] = min(memory.values[at + rival], floor)  # even with rounding
            if value >= ceiling or value >= most:
                memory.counts[CUTS] += 1
                memory.counts[FIRST_CUTS] += i == start
                break
    out.truncate(start)
