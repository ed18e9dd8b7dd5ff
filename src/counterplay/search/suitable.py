"""Which games and budgets a search takes: the refusals, each in one sentence that names what would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.rules import is_over
from counterplay.core.state import is_state
from counterplay.search.memory import MAX_PLY

DEPTH = MAX_PLY // 2
"""The deepest that a search may be asked to look."""


def require_suitable(game: Game, s: Any, method: str, before: Sequence[int] = (), *, alone: bool = False) -> None:
    """Refuse games that a two-player search of open positions does not suit, and positions without a choice; None
    stands for no position in particular. `before` are the repetition keys of the positions before `s`. With `alone`,
    games for one player suit, too."""
    traits = game.traits
    if traits.hidden:
        raise Unsuitable(f"{method} does not suit {game.spec}, which hides information; `ismcts` plays it")
    if traits.chance:
        raise Unsuitable(f"{method} does not suit {game.spec}, which has chance; `expectiminimax` does")
    if not (alone and traits.players == 1) and (traits.players != 2 or not traits.zero_sum):
        raise Unsuitable(f"{method} suits two players with opposite interests, not {game.spec}; `maxn` does")
    if s is not None and is_over(game, s, before):
        raise CounterplayError("there is nothing to search: the game is over")


def require_budget(depth: int | None = None, seconds: float | None = None, nodes: int | None = None) -> None:
    """Refuse budgets that allow nothing."""
    if depth is not None and not 1 <= depth <= DEPTH:
        raise CounterplayError(f"depth={depth}: a search looks 1 to {DEPTH} plies ahead")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise CounterplayError(f"time={seconds:g}: a search needs a number of seconds, more than 0")
    if nodes is not None and nodes < 1:
        raise CounterplayError(f"nodes={nodes}: a search needs at least 1 node")


def require_table(megabytes: float) -> None:
    """Refuse a table of no size."""
    if not 0 < megabytes < float("inf"):
        raise CounterplayError(f"memory={megabytes:g}: a table needs a number of megabytes, more than 0")


def has_key(game: Game) -> bool:
    """Whether a key names each state: its own type's, or one that the game writes. Without it there is no table."""
    return type(game).key is not Game.key or is_state(type(game.initial()))
