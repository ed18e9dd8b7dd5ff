"""Zero-sum matrix games by linear programming (von Neumann 1928, Dantzig 1951), solved by HiGHS.

The row player's mixture maximizes the payoff in its worst column; the program's dual is the column player's mixture.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.equilibrium.normal_form import Equilibrium, cleaned, positive, proven, require_two, spread


def solve_zero_sum(tables: np.ndarray) -> Equilibrium:
    """An equilibrium of a zero-sum game for two; its first payoff is the value of the game."""
    from scipy.optimize import linprog

    ours, theirs = require_two(tables, "lp")
    if np.abs(ours + theirs).max() > 1e-9 * spread(tables):
        raise Unsuitable("lp is for zero-sum games; `lemke-howson` and `supports` take any two tables")
    rows, columns = ours.shape
    # Over mixtures x and the value v: maximize v where v <= x @ column for each column.
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-positive(ours).T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs-ds",
    )
    return proven(tables, (cleaned(found.x[:-1]), cleaned(-found.ineqlin.marginals)), "lp")
