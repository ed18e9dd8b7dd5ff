"""Search in games with chance: expectiminimax (Michie 1966), and what it shares with its prunings (star.py).

Values are to the hero, the player to move at the root: the hero maximizes, everyone else minimizes, chance averages.
Depth counts decisions; chance events do not use it up. At depth 0 the game's evaluation decides, even if chance is to
move.

If there are many events, a sample can represent them all. It is systematic (Madow & Madow 1944): k equally spaced
points with a random start each select one event of the distribution; so an event's expected weight is its probability,
and none counts much more or less than that. The start depends only on the seed and the position, so that every method
and every visit sees the same sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import CAPACITY
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import Array, f64, i64
from counterplay.core.types import State
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.memory import INFINITY
from counterplay.search.root import RootContext
from counterplay.search.tracing.tracer import HORIZON, SEARCHED, TERMINAL


class ChanceContext(RootContext):
    """What a search with chance uses. The long arrays parallel the action list: an entry for each event or action of
    the path. Memory is only touched as far as it is used."""

    table: TranspositionTable
    samples: i64  # the maximum number of events searched; 0: all
    seed: i64
    probes: bool  # whether one action after each event is tried first
    remembers: bool  # whether the table is probed
    salt: i64  # in the table's keys: whose values, from which samples
    weights: Array[f64, CAPACITY]  # of an event: its probability
    lower: Array[f64, CAPACITY]  # of an event: bounds of the value after it
    upper: Array[f64, CAPACITY]
    probed: Array[i64, CAPACITY]  # of an event: the action tried after it, or NO_ACTION
    heads: Array[f64, CAPACITY]  # its value, exact or, outside the window, a bound
    doubted: Array[i64, CAPACITY]  # and the doubts that came with it
    scores: Array[i64, CAPACITY]  # of an action: how promising it is

    def __init__(
        self,
        game: Game,
        hero: int,
        table: TranspositionTable,
        *,
        probes: bool,
        remembers: bool,
        samples: int,
        seed: int,
        nodes: int | None,
        before: Sequence[int] = (),
    ) -> None:
        super().__init__(game, hero, nodes, before)
        self.table, self.samples, self.probes, self.remembers = table, samples, probes, remembers
        self.seed = signed(seed)  # 64 bits of whatever the user wrote
        self.salt = int(mix(u64(hero + 64 * samples) ^ mix(u64(seed))) >> 1)

    # What kernels call.

    def list_events(self, game: Game, s: State) -> None:
        """Put the events of `s`, or a sample of them, on the stack, and set their weights."""
        out = self.out
        start = len(out)
        game.chance(s, out.fresh())
        end, kept = len(out), start
        samples = self.samples
        if samples == 0 or end - start <= samples:
            for i in range(start, end):
                p = game.probability(s, out[i])
                if p > 0:
                    out[kept] = out[i]
                    self.weights[kept] = p
                    kept += 1
        else:
            self.doubts += 1
            point = self.chosen_start(game, s)
            reached, drawn = 0.0, 0
            for i in range(start, end):
                reached += samples * game.probability(s, out[i])
                below = min(samples, math.ceil(reached - point))  # points before the event's end
                if below > drawn:
                    out[kept] = out[i]
                    self.weights[kept] = (below - drawn) / samples
                    drawn = below
                    kept += 1
            self.weights[kept - 1] += (samples - drawn) / samples  # 0, up to rounding
        out.truncate(kept)

    def chosen_start(self, game: Game, s: State) -> float:
        """The first point of the sample of `s`, in [0, 1)."""
        return int(mix(u64(game.key(s)) ^ mix(u64(self.seed))) >> 11) * 2.0**-53


@kernel
def expectiminimax_value(game: Game, s: State, depth: int, ply: int, last: int, context: ChanceContext) -> float:
    """Expectiminimax value of `s` to the hero. `last` is the action or event that led to `s`. Meaningless once
    `context.stopped()`."""
    context.enter(ply)
    if context.stopped():
        return 0.0
    mover, tracer, out = game.to_move(s), context.tracer, context.out
    tracer.enter(ply, last, mover, depth, -INFINITY, INFINITY)
    is_leaf, value = context.leaf(game, s, depth, ply)
    if is_leaf:
        tracer.leave(ply, context.to(mover, value), TERMINAL if game.is_terminal(s) else HORIZON)
        return value
    start = len(out)
    if game.has_chance and mover == CHANCE:
        context.list_events(game, s)
        value = 0.0
        for i in range(start, len(out)):
            after = game.result(s, out[i])
            v = expectiminimax_value(game, after, depth, ply + 1, out[i], context)
            value += context.weights[i] * v
    else:
        context.list_options(game, s, ply)
        is_hero = mover == context.hero
        value = -INFINITY if is_hero else INFINITY
        for i in range(start, len(out)):
            after = game.result(s, out[i])
            v = expectiminimax_value(game, after, depth - 1, ply + 1, out[i], context)
            if v > value if is_hero else v < value:
                value = v
                context.follow(ply, out[i])
        if start == len(out):  # every action is forbidden by repetition
            value = 0.0
    out.truncate(start)
    tracer.leave(ply, context.to(mover, value), SEARCHED)
    return value
