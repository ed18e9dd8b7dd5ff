"""Correlated equilibrium (Aumann 1974): a mediator draws a profile of actions and shows each player their own.

The distribution is an equilibrium if nobody gains by deviating from what they are told: linear inequalities, for any
number of players. Of all such distributions, the one with the greatest total payoff is chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.equilibrium.normal_form import spread


class Correlated(NamedTuple):
    """A distribution over profiles that everyone has reason to follow."""

    distribution: np.ndarray  # with an axis for each player's actions
    payoffs: tuple[float, ...]
    regret: float  # the most that a player would gain, on average, by deviating from the action they are told


def correlated_equilibrium(tables: np.ndarray) -> Correlated:
    """The correlated equilibrium with the greatest sum of payoffs."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    shape = tables.shape[1:]
    gains = incentives(tables)
    found = linprog(
        -tables.sum(axis=0).ravel() / spread(tables),
        A_ub=csr_matrix(gains / spread(tables)) if len(gains) else None,
        b_ub=np.zeros(len(gains)) if len(gains) else None,
        A_eq=np.ones((1, int(np.prod(shape)))),
        b_eq=[1.0],
        method="highs",
    )
    if found.status != 0:
        raise CounterplayError(f"correlated: the linear program was not solved: {found.message}")
    weights = np.where(found.x > 1e-12, found.x, 0.0)
    weights /= weights.sum()
    payoffs = tuple(float(table.ravel() @ weights) for table in tables)
    regret = max(0.0, float((gains @ weights).max(initial=0.0)))
    return Correlated(weights.reshape(shape), payoffs, regret)


def incentives(tables: np.ndarray) -> np.ndarray:
    """[incentives, profiles]: what a player who is told one action gains by playing another, in each profile with the
    first."""
    shape = tables.shape[1:]
    rows = []
    for player, count in enumerate(shape):
        payoffs = np.moveaxis(tables[player], player, 0)
        for told in range(count):
            for other in range(count):
                if told != other:
                    row = np.zeros_like(payoffs)
                    row[told] = payoffs[other] - payoffs[told]
                    rows.append(np.moveaxis(row, 0, player).ravel())
    return np.array(rows).reshape(len(rows), int(np.prod(shape)))
