"""Search in games with chance: expectiminimax (Michie 1966), and what its prunings (star.py) share with it.

Values are to the hero, the player who moves at the root: he takes the greatest, everyone else the least, chance the
average. Depth counts decisions; chance events do not use it up. At depth 0 the game's evaluation judges, where chance is
to move, too.

Where an event is one of many, a sample may stand for all. It is systematic (Madow & Madow 1944): of k points at equal
distances, from a random start, each falls on one event of the distribution; so an event's expected weight is its
probability, and none counts much more or less than that. The start depends on the seed and the position alone, so that
every method and every visit sees the same sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import CAPACITY
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.search.memory import INFINITY
from counterplay.search.root import RootedMemory
from counterplay.search.tracing.tracer import HORIZON, SEARCHED, TERMINAL

SAMPLES, SEED, PROBES, REMEMBERS, SALT = range(5)


class ChanceMemory(RootedMemory):
    """What a search with chance keeps at hand. The long arrays lie beside the action list: an entry for each event or
    action of the path. Memory is only touched as far as it is used."""

    def __init__(
        self,
        game: Game,
        hero: int,
        *,
        probes: bool,
        remembers: bool,
        samples: int,
        seed: int,
        nodes: int | None,
        before: Sequence[int] = (),
    ) -> None:
        super().__init__(game, hero, nodes, before)
        salt = int(mix(u64(hero + 64 * samples) ^ mix(u64(seed))) >> 1)  # whose values, of which samples
        self.settings = np.array([samples, seed, probes, remembers, salt], np.int64)
        self.weights = np.empty(CAPACITY)  # of an event: its probability
        self.lower = np.empty(CAPACITY)  # of an event: bounds of the value behind it
        self.upper = np.empty(CAPACITY)
        self.probed = np.empty(CAPACITY, np.int64)  # of an event: the action tried behind it, or NO_ACTION
        self.heads = np.empty(CAPACITY)  # its value, exact or, outside the window, a bound
        self.doubted = np.empty(CAPACITY, np.int64)  # and the doubts that came with it
        self.scores = np.empty(CAPACITY, np.int64)  # of an action: how promising it is

    # What kernels call.

    def list_events(self, game: Any, s: Any, out: Any) -> None:
        """Append the events of `s`, or a sample of them, and set their weights."""
        start = len(out)
        game.chance(s, out.fresh())
        end, kept = len(out), start
        samples = self.settings[SAMPLES]
        if samples == 0 or end - start <= samples:
            for i in range(start, end):
                p = game.probability(s, out[i])
                if p > 0:
                    out[kept] = out[i]
                    self.weights[kept] = p
                    kept += 1
        else:
            self.doubts[0] += 1
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
            self.weights[kept - 1] += (samples - drawn) / samples  # 0, but for rounding
        out.truncate(kept)

    def chosen_start(self, game: Any, s: Any) -> float:
        """The first point of the sample of `s`, in [0, 1)."""
        return int(mix(u64(game.key(s)) ^ mix(u64(self.settings[SEED]))) >> 11) * 2.0**-53


@kernel
def expectiminimax_value(
    game: Any, s: Any, depth: int, ply: int, last: int, memory: Any, tracer: Any, out: Any
) -> float:
    """Expectiminimax value of `s` to the hero. `last` is the action or event that led to `s`. Meaningless once
    `memory.stopped()`."""
    memory.enter(ply)
    if memory.stopped():
        return 0.0
    mover = game.to_move(s)
    tracer.enter(ply, last, mover, depth, -INFINITY, INFINITY)
    is_leaf, value = memory.leaf(game, s, depth, ply)
    if is_leaf:
        tracer.leave(ply, memory.to(mover, value), TERMINAL if game.is_terminal(s) else HORIZON)
        return value
    start = len(out)
    if game.has_chance and mover == CHANCE:
        memory.list_events(game, s, out)
        value = 0.0
        for i in range(start, len(out)):
            after = game.result(s, out[i])
            v = expectiminimax_value(game, after, depth, ply + 1, out[i], memory, tracer, out)
            value += memory.weights[i] * v
    else:
        memory.list_options(game, s, ply, out)
        is_hero = mover == memory.hero[0]
        value = -INFINITY if is_hero else INFINITY
        for i in range(start, len(out)):
            after = game.result(s, out[i])
            v = expectiminimax_value(game, after, depth - 1, ply + 1, out[i], memory, tracer, out)
            if v > value if is_hero else v < value:
                value = v
                memory.follow(ply, out[i])
        if start == len(out):  # every action is forbidden by repetition
            value = 0.0
    out.truncate(start)
    tracer.leave(ply, memory.to(mover, value), SEARCHED)
    return value
