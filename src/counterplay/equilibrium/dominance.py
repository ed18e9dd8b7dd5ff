"""Iterated removal of strictly dominated actions (Luce & Raiffa 1957).

An action is dominated if some mixture of the player's other actions pays more whatever the others do; a linear program
decides this. The order of removal does not change what remains, and no equilibrium uses what is removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.equilibrium.normal_form import spread

CLOSE = 1e-9


class Dominated(NamedTuple):
    """A dominated action."""

    player: int
    action: int
    by: dict[int, float]  # the mixture of their other actions that always pays more
    gain: float  # at least


def remove_dominated(tables: np.ndarray) -> tuple[list[Dominated], list[np.ndarray]]:
    """The actions removed, in order, and the actions that remain for each player."""
    kept = [np.arange(count) for count in tables.shape[1:]]
    removed: list[Dominated] = []
    changed = True
    while changed:
        changed = False
        for player in range(len(tables)):
            for action in list(kept[player]):
                found = dominated(tables[player][np.ix_(*kept)], player, kept[player], int(action))
                if found:
                    removed.append(found)
                    kept[player] = kept[player][kept[player] != action]
                    changed = True
    return removed, kept


def dominated(payoffs: np.ndarray, player: int, actions: np.ndarray, action: int) -> Dominated | None:
    """What dominates `action` in what is left of the game; None if nothing does."""
    from scipy.optimize import linprog

    if len(actions) == 1:
        return None
    rows = np.moveaxis(payoffs, player, 0).reshape(len(actions), -1) / spread(payoffs)
    row = int(np.flatnonzero(actions == action)[0])
    others = np.delete(rows, row, axis=0)
    names = np.delete(actions, row)
    # Over mixtures w of the others and the gain g: maximize g where rows[row] + g <= w @ column for each column.
    found = linprog(
        np.append(np.zeros(len(others)), -1.0),
        A_ub=np.hstack([-others.T, np.ones((others.shape[1], 1))]),
        b_ub=-rows[row],
        A_eq=np.append(np.ones(len(others)), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * len(others) + [(None, None)],
        method="highs-ds",
    )
    gain = float(found.x[-1])
    if gain <= CLOSE:
        return None
    weights = {int(name): float(weight) for name, weight in zip(names, found.x, strict=False) if weight > CLOSE}
    return Dominated(player, action, weights, gain * spread(payoffs))
