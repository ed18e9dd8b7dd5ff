"""Random playouts: play to the end, uniformly at random or by the game's own policy."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.pointer import pointer
from counterplay.core.language.rng import Rng
from counterplay.core.rules import has_ended, list_options, payoff, step
from counterplay.core.types import State

LIMIT = 10_000
"""Plies after which a playout is given up, for games that need not end."""
SURVEYED = 50
"""The number of random playouts that show how many events chance draws from."""


class Playouts(NamedTuple):
    """The totals of a series of playouts."""

    played: int
    plies: int  # actions and chance events in all
    unfinished: int  # given up at the limit
    returns: tuple[float, ...]  # for each player, summed over the finished playouts


def playouts(game: Game, s: State, count: int, seed: int = 0, limit: int = LIMIT) -> Playouts:
    """Play `count` random playouts from `s`."""
    import numpy as np

    totals = np.zeros(game.players)
    path = np.zeros(limit + 2 if game.has_repetition else 1, np.int64)
    plies, unfinished = _playouts(game, s, count, limit, Rng(seed), action_stack(game), path, totals)
    return Playouts(count, int(plies), int(unfinished), tuple(map(float, totals)))


@kernel
def _playouts(
    game: Any, s: State, count: int, limit: int, rng: Any, out: Any, path: Any, totals: Any
) -> tuple[int, int]:
    """Adds what each player got to `totals`; overwrites `path`."""
    plies = unfinished = 0
    for _ in range(count):
        last, length = playout(game, s, limit, rng, out, pointer(path))
        plies += length
        if length < limit:
            for player in range(game.players):
                totals[player] += payoff(game, last, player)
        else:
            unfinished += 1
    return plies, unfinished


@kernel
def playout(game: Any, s: State, limit: int, rng: Any, out: Any, path: Any) -> tuple[Any, int]:
    """Play at random from `s` to the end or for `limit` plies: returns the last state and the number of plies."""
    ply = 0
    if game.has_repetition:
        path[0] = signed(game.repetition_key(s))
    while ply < limit:
        if has_ended(game, s, path, ply):
            break
        action, s = step(game, s, path, ply, out, rng)
        if action < 0:
            break  # every action would repeat a position
        ply += 1
    return s, ply


@functools.cache
def most_events(game: Game) -> int:
    """The maximum number of events that chance draws from, as far as some random playouts show."""
    return _most_of(game, True, SURVEYED, LIMIT) if game.has_chance else 0


@functools.cache
def most_actions(game: Game, playouts: int, limit: int) -> int:
    """The maximum number of actions a player has, judging by random playouts of limited length."""
    return _most_of(game, False, playouts, limit)


def _most_of(game: Game, of_chance: bool, playouts: int, limit: int) -> int:
    import numpy as np

    path = np.zeros(limit + 2 if game.has_repetition else 1, np.int64)
    return int(_most_listed(game, of_chance, playouts, limit, Rng(0), action_stack(game), path))


@kernel
def _most_listed(game: Any, of_chance: bool, playouts: int, limit: int, rng: Any, out: Any, path: Any) -> int:
    """The largest number of chance events, or else of a player's actions, in a state; overwrites `path`."""
    most = 0
    for _ in range(playouts):
        s, ply, action = game.initial(), 0, 0
        if game.has_repetition:
            path[0] = signed(game.repetition_key(s))
        while action >= 0 and ply < limit and not has_ended(game, s, path, ply):
            if (game.to_move(s) == CHANCE) == of_chance:
                start = len(out)
                list_options(game, s, path, ply, out)
                most = max(most, len(out) - start)
                out.truncate(start)
            action, s = step(game, s, path, ply, out, rng)
            ply += 1
    return most
