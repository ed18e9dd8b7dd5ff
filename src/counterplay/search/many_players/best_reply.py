"""Best-reply search (Schadd & Winands, Best-Reply Search for multiplayer games, 2011): only one opponent, the one whose
reply hurts the hero most, chooses an action before the hero moves again.

So the tree is as deep for four players as for two. The other opponents pass if the game lets them pass safely
(`allows_null`). If not, they take their most natural action (as in BRS+: Esser, Gras, Winands, Schadd & Lanctot 2013):
the best by the game's hint, or without a hint by their own estimate of the state after it.

Depth counts the hero's decisions and the replies; what the others do meanwhile does not use it up. With two players this
is expectiminimax.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import i64
from counterplay.core.types import State
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import INFINITY
from counterplay.search.root import RootContext

NOBODY = -2


class ReplyContext(RootContext):
    """What best-reply search uses."""

    prunes: bool
    reach: i64  # the deepest ply

    def __init__(
        self, game: Game, hero: int, prune: bool, nodes: int | None = None, before: Sequence[int] = ()
    ) -> None:
        super().__init__(game, hero, nodes, before)
        self.prunes = prune

    def allow(self, game: Game, depth: int) -> None:
        """Prepare for a depth: natural actions do not use it up, but must end all the same."""
        self.reach = 2 * depth * game.players


@kernel
def reply_value(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, replier: int, context: ReplyContext
) -> float:
    """Value of `s` to the hero: exact inside (alpha, beta), else a bound: >= beta from below, <= alpha from above.

    `replier` is the opponent who has replied since the hero moved, or NOBODY. Meaningless once `context.stopped()`.
    """
    context.enter(ply)
    if context.stopped():
        return 0.0
    if ply >= context.reach:
        depth = 0
    is_leaf, value = context.leaf(game, s, depth, ply)
    if is_leaf:
        return value
    mover, hero, out = game.to_move(s), context.hero, context.out
    start = len(out)
    if game.has_chance and mover == CHANCE:
        game.chance(s, out.fresh())
        value, low, high = 0.0, context.low, context.high
        for i in range(start, len(out)):
            after = game.result(s, out[i])
            value += game.probability(s, out[i]) * reply_value(game, after, depth, low, high, ply + 1, replier, context)
        out.truncate(start)
        return value
    is_bound = mover != hero and replier != NOBODY and replier != mover
    value = INFINITY
    if is_bound or (mover != hero and replier == NOBODY and game.players > 2):
        action = natural(game, s, mover, ply, context)
        after = game.null(s) if action == NO_ACTION else game.result(s, action)
        following = game.to_move(after)
        if is_bound or (following != hero and following != mover):
            value = reply_value(game, after, depth, alpha, beta, ply + 1, replier, context)
            if action != NO_ACTION:
                context.follow(ply, action)
            beta = min(beta, value)
        if is_bound or (alpha >= beta and context.prunes) or context.stopped():
            return value
    context.list_options(game, s, ply)
    if start == len(out):  # every action is forbidden by repetition
        return 0.0
    if mover == hero:
        value = -INFINITY
    for i in range(start, len(out)):
        v = reply_value(
            game, game.result(s, out[i]), depth - 1, alpha, beta, ply + 1, NOBODY if mover == hero else mover, context
        )  # fmt: skip
        if context.stopped():
            break
        if mover == hero and v > value:
            value, alpha = v, max(alpha, v)
            context.follow(ply, out[i])
        elif mover != hero and v < value:
            value, beta = v, min(beta, v)
            context.follow(ply, out[i])
        if alpha >= beta and context.prunes:
            context.cuts += 1
            context.first_cuts += i == start
            break
    out.truncate(start)
    return value


def natural(game: Game, s: State, mover: int, ply: int, context: ReplyContext) -> int:
    """What an opponent who does not reply does: NO_ACTION if they may pass, else their most natural action."""
    if game.has_null:
        if game.allows_null(s):
            return NO_ACTION
    out = context.out
    start = len(out)
    context.list_options(game, s, ply)
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
