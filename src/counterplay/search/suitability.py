"""Which games and budgets a search accepts: each refusal is one sentence that names what works instead."""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.rules import is_over
from counterplay.core.types import State
from counterplay.endgame.enumeration import unfit_for_tables
from counterplay.search.memory import MAX_PLY, UNLIMITED

DEPTH = MAX_PLY // 2
"""The maximum depth that a search accepts."""


def require_suitable(game: Game, s: State, method: str, before: Sequence[int] = ()) -> None:
    """Refuse games that are not of perfect information for one player or two opponents, and positions without a choice;
    None stands for no particular position. `before` are the repetition keys of the positions before `s`."""
    traits = game.traits
    if traits.hidden:
        raise Unsuitable(f"{method} does not suit {game.spec}, which hides information; {what_suits(game)}")
    if traits.chance:
        instead = what_suits(game)
        if method == "solve" and not unfit_for_tables(game):
            instead = f"`tables` does if all positions fit in memory, and {instead} in any case"
        raise Unsuitable(f"{method} does not suit {game.spec}, which has chance; {instead}")
    if not is_opposed(game) and traits.players > 1:
        raise Unsuitable(
            f"{method} suits one player, or two with opposite interests, not {game.spec}; {what_suits(game)}"
        )
    if s is not None and is_over(game, s, before):
        raise CounterplayError("there is nothing to search: the game is over")


def is_opposed(game: Game) -> bool:
    """Whether there are two players and what one wins the other loses."""
    return game.players == 2 and game.zero_sum


def what_suits(game: Game) -> str:
    """The search that suits this kind of game, for the end of a refusal."""
    if game.has_secrets:
        return "the player `ismcts` does, and `equilibrium` solves it"
    if game.players > 1 and not is_opposed(game):
        return "the player `maxn` does"
    return f"the player `{'expectiminimax' if game.has_chance else 'alphabeta'}` does"


def require_budget(depth: int | None = None, seconds: float | None = None, nodes: int | None = None) -> None:
    """Refuse budgets that allow nothing."""
    if depth is not None and not 1 <= depth <= DEPTH:
        raise CounterplayError(f"depth={depth}: a search looks 1 to {DEPTH} plies ahead")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise CounterplayError(f"time={seconds:g}: a search needs a number of seconds, more than 0")
    if nodes is not None and not 1 <= nodes <= UNLIMITED:
        raise CounterplayError(f"nodes={nodes}: a search has a limit of 1 to {UNLIMITED:,} nodes, or none")


def require_table(megabytes: float) -> None:
    """Refuse a table without a positive size."""
    if not 0 < megabytes < float("inf"):
        raise CounterplayError(f"memory={megabytes:g}: a table needs a number of megabytes, more than 0")


def has_key(game: Game) -> bool:
    """Whether each state has a key: the game's own, or that of its type. Without it there is no table."""
    return has_lasting_key(game) or game.has_equality


def has_lasting_key(game: Game) -> bool:
    """Whether that key is the same in every process. Plain states without `key` are numbered in the order met."""
    return type(game).key is not Game.key or not game.has_plain_states


def unfit_for_deepening(game: Game, before: Sequence[int]) -> str:
    """Why deepening does not suit a position of `game` with such a past; empty if it does."""
    if game.players != 2:
        return f"deepening does not suit {game.spec}, which has one player"
    if game.has_repetition and not (game.forbids_repetition and game.occurrences == 2):
        return f"deepening does not suit {game.spec}, where repeating ends a game"
    if game.forbids_repetition and before:
        return "deepening does not suit positions with a past, given by moves instead of a position"
    if not has_key(game):
        return f"deepening does not suit {game.spec}, whose states have no `key`"
    return ""


def unfit_for_retrograde(game: Game, before: Sequence[int]) -> str:
    """Why retrograde analysis does not suit a position of `game` with such a past; empty if it does, or would with room
    for all positions."""
    if game.has_repetition and before:
        return "retrograde does not suit positions with a past, given by moves instead of a position"
    return unfit_for_tables(game)
