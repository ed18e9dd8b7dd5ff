"""Games in normal form as arrays: what a profile of mixed strategies is worth, and whether it is an equilibrium.

`tables[p]` holds player p's payoffs, in an array with an axis for each player's actions. A profile is an equilibrium
(Nash 1950) if nobody gains by another action; its `regret`, the most that anyone would gain, says how far it is from
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.games.matrix import Matrix

Strategies = tuple[np.ndarray, ...]
"""A mixed strategy for each player: the probability of each of their actions."""

ROUNDING = 1e-7
"""A regret this small, as a fraction of the payoff range, counts as rounding."""


class Equilibrium(NamedTuple):
    """A profile of mixed strategies, and how good it is."""

    strategies: Strategies
    payoffs: tuple[float, ...]  # each player's average payoff
    regret: float  # the most that a player would gain by another action: 0 in an equilibrium

    @property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """The actions that each player uses."""
        return tuple(tuple(np.flatnonzero(strategy).tolist()) for strategy in self.strategies)


def tables_of(game: Game) -> np.ndarray:
    """The payoffs of a matrix game as [players, actions, actions, ...]."""
    if not isinstance(game, Matrix):
        raise Unsuitable(
            f"{game.spec} is not a matrix game; the methods for games with secrets suit it: cfr+, lp, mccfr"
        )
    return np.moveaxis(game.payoffs.reshape(*game.counts, game.players), -1, 0)


def require_two(tables: np.ndarray, method: str) -> tuple[np.ndarray, np.ndarray]:
    """The two tables of a game for two."""
    if len(tables) != 2:
        raise Unsuitable(
            f"{method} is for two players, not for {len(tables)}; `logit` and `correlated` take any number"
        )
    return np.asarray(tables[0], np.float64), np.asarray(tables[1], np.float64)


def action_values(tables: np.ndarray, strategies: Sequence[np.ndarray], player: int) -> np.ndarray:
    """What each action of `player` is worth against the others' strategies."""
    values = tables[player]
    for other in reversed(range(len(strategies))):
        if other != player:
            values = np.tensordot(values, strategies[other], axes=(other, 0))
    return values


def judged(tables: np.ndarray, strategies: Sequence[np.ndarray]) -> Equilibrium:
    """A profile with its payoffs and its distance from an equilibrium."""
    payoffs, regret = [], 0.0
    for player, strategy in enumerate(strategies):
        values = action_values(tables, strategies, player)
        mean = float(values @ strategy)
        payoffs.append(mean if abs(mean) > 1e-15 * spread(tables) else 0.0)
        regret = max(regret, float(values.max()) - mean)
    return Equilibrium(tuple(strategies), tuple(payoffs), regret)


def exploitability(tables: np.ndarray, strategies: Sequence[np.ndarray]) -> float:
    """What a player would gain on average by their best response: NashConv divided by the number of players."""
    gains = 0.0
    for player, strategy in enumerate(strategies):
        values = action_values(tables, strategies, player)
        gains += float(values.max() - values @ strategy)
    return max(0.0, gains) / len(tables)


def proven(tables: np.ndarray, strategies: Sequence[np.ndarray], method: str) -> Equilibrium:
    """A profile that is an equilibrium up to rounding; anything else is an error, not an answer."""
    found = judged(tables, strategies)
    if not found.regret <= ROUNDING * spread(tables):
        raise CounterplayError(
            f"{method} failed because of rounding: its answer leaves a regret of {found.regret:.3g}; scale the payoffs "
            "to the same order of magnitude, or use another method"
        )
    return found


def spread(tables: np.ndarray) -> float:
    """The range of all payoffs; a positive number even if that is zero, or only rounding."""
    return max(float(tables.max() - tables.min()), 1e-9 * float(np.abs(tables).max())) or 1.0


def positive(payoffs: np.ndarray) -> np.ndarray:
    """The same game for this player with payoffs from 1 to 2."""
    return (payoffs - payoffs.min()) / spread(payoffs) + 1.0


def cleaned(strategy: np.ndarray, least: float = 1e-12) -> np.ndarray:
    """A mixed strategy without rounding noise."""
    kept = np.where(strategy > least, strategy, 0.0)
    return kept / kept.sum()
