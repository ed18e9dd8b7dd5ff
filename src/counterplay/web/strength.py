"""The strength of opponents in plain words, with the spec behind each word: the ladder of players that suits a game."""

from __future__ import annotations

import functools
from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.players.specs import player, prefers_playouts


class Level(NamedTuple):
    """A rung of the ladder."""

    word: str
    spec: str


LADDERS: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        ("easy", "alphabeta:depth=2"),
        ("medium", "alphabeta:depth=4,time=1"),
        ("strong", "alphabeta:time=1"),
        ("very strong", "alphabeta:time=5"),
    ),
    (
        ("easy", "expectiminimax:depth=1"),
        ("medium", "expectiminimax:depth=2,time=1"),
        ("strong", "expectiminimax:time=1"),
        ("very strong", "expectiminimax:time=5"),
    ),
    (
        ("easy", "maxn:depth=1"),
        ("medium", "maxn:depth=3,time=1"),
        ("strong", "maxn:time=1"),
        ("very strong", "maxn:time=5"),
    ),
    (
        ("easy", "ismcts:simulations=50"),
        ("medium", "ismcts:simulations=1000,time=1"),
        ("strong", "ismcts:time=1"),
        ("very strong", "ismcts:time=5"),
    ),
)
"""Beside `random`, which suits every game: the first of these that suits."""
SIMULATING = (
    ("easy", "mcts:simulations=30"),
    ("medium", "mcts:simulations=1000,time=1"),
    ("strong", "mcts:time=1"),
    ("very strong", "mcts:time=5"),
)
"""Used if a game asks for it, or has no `evaluate` and is large."""
BEGINNER = Level("beginner", "random")


def expert_ladder(expert: str) -> tuple[tuple[str, str], ...]:
    """The levels of the player that a game names as its best: those of its kind, with its options."""
    name, _, options = expert.partition(":")
    more = f",{options}" if options else ""
    for ladder in (*LADDERS, SIMULATING):
        if ladder[0][1].startswith(f"{name}:"):
            return tuple((word, f"{spec}{more}") for word, spec in ladder)
    return ()


@functools.lru_cache(maxsize=64)
def levels(game: Game) -> tuple[Level, ...]:
    """The strengths that a game offers, the weakest first; found once, as some load an evaluation to see if it suits."""
    simulating = SIMULATING if prefers_playouts(game) else ()
    for ladder in (expert_ladder(game.expert), simulating, *LADDERS):
        try:
            for _, spec in ladder:
                player(spec).require(game)
        except CounterplayError:
            continue
        if ladder:
            return BEGINNER, *(Level(word, spec) for word, spec in ladder)
    return (BEGINNER,)


def usual(game: Game) -> Level:
    """The opponent of a first game."""
    offered = levels(game)
    return offered[min(1, len(offered) - 1)]


def strongest(game: Game) -> Level:
    """The player for hints: as strong as possible without a long wait."""
    offered = levels(game)
    return offered[min(3, len(offered) - 1)]
