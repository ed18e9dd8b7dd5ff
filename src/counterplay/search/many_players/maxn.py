"""max^n: every player maximizes their own payoff (Luckhardt & Irani 1986), for any number of players and any sum.

The value of a state is a vector, one number per player: if a player moves, that of the action that gives them the most
(the first among equals); if chance moves, the average.

Two prunings are sound. *Immediate*: a player who already has the maximum looks no further. *Shallow* (Korf,
Multi-player alpha-beta pruning, 1991), if the values add up to 0: what one player has limits what is left for the
previous mover; if that player has at least as much elsewhere, they will not come here. (Deeper prunings are sound for
two players but not for three.) Both keep the whole vector of the root.

For shallow pruning, estimates must add up to 0 as well. Those that do not are shifted by the same amount for all, and
clamped to the bounds of utility.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Array, f64
from counterplay.core.rules import payoff
from counterplay.core.types import State
from counterplay.search.memory import INFINITY, MAX_PLY
from counterplay.search.root import RootContext
from counterplay.search.tracing.tracer import HORIZON, SEARCHED, TERMINAL
from counterplay.search.tracing.vector_tracer import SilentVectors, VectorRecorder

NOBODY = -2
ROUNDING = 1e-12


class VectorContext(RootContext):
    """What max^n uses."""

    prunes: bool
    shares: bool  # whether one player's gain is another's loss, so that shallow pruning is sound
    tracer: SilentVectors | VectorRecorder
    total: f64  # the largest possible sum of the values
    values: Array[f64, MAX_PLY + 2, "players"]  # [plies, players]

    def __init__(
        self, game: Game, hero: int, prune: bool, nodes: int | None = None, before: Sequence[int] = ()
    ) -> None:
        super().__init__(game, hero, nodes, before)
        self.prunes, self.shares, self.players = prune, prune and game.zero_sum, game.players
        self.tracer = SilentVectors()

    def allow(self, game: Game, depth: int) -> None:
        """Prepare for a depth: a later loss is a smaller one, so the values of three players may add up to more than
        0."""
        if game.players > 2 and not game.has_chance:
            self.total = self.unit * depth * (game.players - 1)

    # What kernels call.

    def write_leaf(self, game: Game, s: State, depth: int, ply: int) -> bool:
        """Whether the search ends in `s`; if so, its values are written at `ply`."""
        if game.is_terminal(s):
            for player in range(game.players):
                self.values[ply, player] = self.final(game, game.utility(s, player), ply)
        elif self.repeated(game, s, ply):
            self.doubts += 1
            for player in range(game.players):
                self.values[ply, player] = self.final(game, payoff(game, s, player), ply)
        elif depth <= 0 or ply >= MAX_PLY:
            self.doubts += 1
            self.write_estimates(game, s, ply)
        else:
            return False
        self.leaves += 1
        return True

    def write_estimates(self, game: Game, s: State, ply: int) -> None:
        """Write what each player can expect from `s`, adding up to 0 in a zero-sum game."""
        if game.players == 2 and game.zero_sum:
            self.values[ply, 0] = self.estimate(game, s, 0)
            self.values[ply, 1] = -self.values[ply, 0]
        elif not game.zero_sum or game.players == 1:
            for player in range(game.players):
                self.values[ply, player] = self.horizon(game, s, player)
        else:
            least, most = self.low + self.margin, self.high - self.margin
            total, part = 0.0, 1.0
            for player in range(game.players):
                self.values[ply, player] = game.evaluate(s, player)
                total += self.values[ply, player]
            if abs(total) > ROUNDING * (most - least):
                for player in range(game.players):
                    self.values[ply, player] -= total / game.players
            for player in range(game.players):
                value = self.values[ply, player]
                if value > most:
                    part = min(part, most / value)
                elif value < least:
                    part = min(part, least / value)
            if part < 1:
                for player in range(game.players):
                    self.values[ply, player] *= part

    def most_to_get(self, game: Game, ply: int) -> float:
        """The most that anybody can get below `ply`."""
        if not self.prunes:
            return INFINITY
        return self.final(game, self.high, ply + 1)

    def left_beside(self, game: Game, mover: int, rival: int, floor: float) -> float:
        """The value for `mover` that leaves `rival` no more than `floor`, even if the others get the least."""
        if not self.shares or rival in (NOBODY, mover):
            return INFINITY
        return self.total - floor - (game.players - 2) * self.low

    def leave(self, game: Game, mover: int, ply: int, why: int) -> None:
        """Report to a tracer the value of the node at `ply` to each player."""
        for player in range(game.players):
            self.tracer.worth(player, self.values[ply, player])
        self.tracer.leave(ply, self.values[ply, self.hero if mover == CHANCE else mover], why)

    def take_over(self, players: int, ply: int) -> None:
        """Copy the values of the next ply to `ply`."""
        for player in range(players):
            self.values[ply, player] = self.values[ply + 1, player]


@kernel
def maxn_values(
    game: Game, s: State, depth: int, ply: int, last: int, rival: int, floor: float, context: VectorContext
) -> None:
    """Write the max^n values of `s` to `context.values` at `ply`. `last` is the action or event that led to `s`.

    The player `rival` moved here and has `floor` elsewhere: if it turns out that they get no more here, their value is
    at most `floor` and the other values are meaningless. Meaningless once `context.stopped()`.
    """
    context.enter(ply)
    if context.stopped():
        return
    mover, tracer, out = game.to_move(s), context.tracer, context.out
    tracer.enter(ply, last, mover, depth, -INFINITY, INFINITY)
    if context.write_leaf(game, s, depth, ply):
        context.leave(game, mover, ply, TERMINAL if game.is_terminal(s) else HORIZON)
        return
    start = len(out)
    if game.has_chance and mover == CHANCE:
        game.chance(s, out.fresh())
        for player in range(game.players):
            context.values[ply, player] = 0.0
        for i in range(start, len(out)):
            p = game.probability(s, out[i])
            maxn_values(game, game.result(s, out[i]), depth, ply + 1, out[i], NOBODY, -INFINITY, context)
            for player in range(game.players):
                context.values[ply, player] += p * context.values[ply + 1, player]
        out.truncate(start)
        context.leave(game, mover, ply, SEARCHED)
        return
    context.list_options(game, s, ply)
    if start == len(out):  # every action is forbidden by repetition
        for player in range(game.players):
            context.values[ply, player] = 0.0
        context.leave(game, mover, ply, SEARCHED)
        return
    most, ceiling = context.most_to_get(game, ply), context.left_beside(game, mover, rival, floor)
    own = floor if mover == rival else -INFINITY  # what they have, here or elsewhere
    value = -INFINITY
    for i in range(start, len(out)):
        maxn_values(game, game.result(s, out[i]), depth - 1, ply + 1, out[i], mover, own, context)
        if context.stopped():
            break
        v = context.values[ply + 1, mover]
        if v > value:
            value, own = v, max(own, v)
            context.take_over(game.players, ply)
            context.follow(ply, out[i])
            if value >= ceiling:
                context.values[ply, rival] = min(context.values[ply, rival], floor)  # even with rounding
            if value >= ceiling or value >= most:
                context.cuts += 1
                context.first_cuts += i == start
                tracer.cut(ply, out, i + 1, len(out))
                break
    out.truncate(start)
    context.leave(game, mover, ply, SEARCHED)
