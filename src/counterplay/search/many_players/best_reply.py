"""Best-reply search (Schadd & Winands, Best-Reply Search for multiplayer games, 2011): of all opponents only one, whose
reply hurts the hero most, chooses his action before the hero moves again.

So the tree is as deep for four players as for two. The other opponents pass, where the game lets them pass safely
(`allows_null`). Where it does not, they take their most natural action (as in BRS+: Esser, Gras, Winands, Schadd & Lanctot
2013): the first by the game's hint, or without a hint by their own estimate of the state behind it.

Depth counts the hero's decisions and the replies; what the others do meanwhile does not use it up. With two players this
is expectiminimax.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.kernel import kernel
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import CUTS, FIRST_CUTS, HIGH, INFINITY, LOW
from counterplay.search.root import RootedMemory

PRUNES, REACH = range(2)
NOBODY = -2


class ReplyMemory(RootedMemory):
    """What best-reply search keeps at hand."""

    def __init__(
        self, game: Game, hero: int, prune: bool, nodes: int | None = None, before: Sequence[int] = ()
    ) -> None:
        super().__init__(game, hero, nodes, before)
        self.settings = np.array([prune, 0], np.int64)

    def allow(self, game: Game, depth: int) -> None:
        """Prepare for a depth: natural actions, which do not use it up, must come to an end all the same."""
        self.settings[REACH] = 2 * depth * game.players


@kernel
def reply_value(
    game: Any, s: Any, depth: int, alpha: float, beta: float, ply: int, replier: int, memory: Any, out: Any
) -> float:
    """Value of `s` to the hero: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from above.

    `replier` is the opponent who has replied since the hero moved, or NOBODY. Meaningless once `memory.stopped()`.
    """
    memory.enter(ply)
    if memory.stopped():
        return 0.0
    if ply >= memory.settings[REACH]:
        depth = 0
    is_leaf, value = memory.leaf(game, s, depth, ply)
    if is_leaf:
        return value
    mover, hero = game.to_move(s), memory.hero[0]
    start = len(out)
    if game.has_chance and mover == CHANCE:
        game.chance(s, out.fresh())
        value, low, high = 0.0, memory.scale[LOW], memory.scale[HIGH]
        for i in range(start, len(out)):
            after = game.result(s, out[i])
            value += game.probability(s, out[i]) * reply_value(
                game, after, depth, low, high, ply + 1, replier, memory, out
            )
        out.truncate(start)
        return value
    is_bound = mover != hero and replier != NOBODY and replier != mover
    value = INFINITY
    if is_bound or (mover != hero and replier == NOBODY and game.players > 2):
        action = natural(game, s, mover, ply, memory, out)
        after = game.null(s) if action == NO_ACTION else game.result(s, action)
        following = game.to_move(after)
        if is_bound or (following != hero and following != mover):
            value = reply_value(game, after, depth, alpha, beta, ply + 1, replier, memory, out)
            if action != NO_ACTION:
                memory.follow(ply, action)
            beta = min(beta, value)
        if is_bound or (alpha >= beta and memory.settings[PRUNES]) or memory.stopped():
            return value
    memory.list_options(game, s, ply, out)
    if start == len(out):  # every action is forbidden by repetition
        return 0.0
    if mover == hero:
        value = -INFINITY
    for i in range(start, len(out)):
        v = reply_value(
            game, game.result(s, out[i]), depth - 1, alpha, beta, ply + 1, NOBODY if mover == hero else mover, memory, out
        )  # fmt: skip
        if memory.stopped():
            break
        if mover == hero and v > value:
            value, alpha = v, max(alpha, v)
            memory.follow(ply, out[i])
        elif mover != hero and v < value:
            value, beta = v, min(beta, v)
            memory.follow(ply, out[i])
        if alpha >= beta and memory.settings[PRUNES]:
            memory.counts[CUTS] += 1
            memory.counts[FIRST_CUTS] += i == start
            break
    out.truncate(start)
    return value


def natural(game: Any, s: Any, mover: int, ply: int, memory: Any, out: Any) -> int:
    """What an opponent does who does not reply: NO_ACTION where he may pass, else his most natural action."""
    if game.has_null:
        if game.allows_null(s):
            return NO_ACTION
    start = len(out)
    memory.list_options(game, s, ply, out)
    best, score = NO_ACTION, -INFINITY
    for i in range(start, len(out)):
        if game.has_ordering:
            promise = float(game.ordering(s, out[i]))
        else:
            after = game.result(s, out[i])
            promise = game.utility(after, mover) if game.is_terminal(after) else game.evaluate(after, mover)
        if promise > score:
            best, score = out[i], promise
    out.truncate(start)
    return best
