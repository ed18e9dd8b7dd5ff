"""Lemke and Howson's algorithm (1964): one equilibrium of any game for two, along a path of pivots.

Each player's best-response polytope is a tableau. Starting with nothing played, the path drops one label (an action)
and pivots in both tableaus in turn until that label comes back. Ties in the ratio test are broken by the lexicographic
rule (von Stengel 2002); without it, degenerate games can cycle forever.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.language.kernel import kernel
from counterplay.equilibrium.normal_form import Equilibrium, cleaned, positive, proven, require_two

TINY = 1e-11
"""A pivot element or a difference of ratios below this counts as rounding."""
MOST_PIVOTS = 1_000_000


def lemke_howson(tables: np.ndarray, label: int = 0) -> Equilibrium:
    """The equilibrium at the end of the path that drops `label`: an action of the first player, or, from the number of
    the first player's actions on, one of the second."""
    ours, theirs = require_two(tables, "lemke-howson")
    rows, columns = ours.shape
    if not 0 <= label < rows + columns:
        raise CounterplayError(f"lemke-howson: label={label} must be from 0 to {rows + columns - 1}")
    first = _tableau(ours, rows)  # whose basic variables are the slacks of the first player's actions
    second = _tableau(theirs.T, columns)
    basis = np.concatenate([np.arange(rows), rows + np.arange(columns)])
    pivots = follow(first, second, basis, label, MOST_PIVOTS)
    if pivots < 0:
        raise CounterplayError("lemke-howson failed because of rounding; use `supports` or scale the payoffs")
    mixed = np.zeros(rows + columns)
    for row in range(rows):
        if basis[row] >= rows:
            mixed[basis[row]] = first[row, -1]
    for row in range(columns):
        if basis[rows + row] < rows:
            mixed[basis[rows + row]] = second[row, -1]
    return proven(tables, (cleaned(mixed[:rows]), cleaned(mixed[rows:])), "lemke-howson")


def every_label(tables: np.ndarray) -> list[Equilibrium]:
    """The different equilibria at the ends of all labels' paths: at least one, often not all."""
    found: list[Equilibrium] = []
    for label in range(sum(tables.shape[1:])):
        one = lemke_howson(tables, label)
        if not any(np.allclose(np.concatenate(one.strategies), np.concatenate(two.strategies)) for two in found):
            found.append(one)
    return found


def _tableau(payoffs: np.ndarray, size: int) -> np.ndarray:
    """[slacks, variables, right side]: payoffs made positive, so that every column is bounded."""
    return np.hstack([np.eye(size), positive(payoffs), np.ones((size, 1))])


@kernel
def follow(first: np.ndarray, second: np.ndarray, basis: np.ndarray, label: int, most: int) -> int:
    """Pivot until `label` comes back, in place; `basis[r]` is the label in row r of `first`, then of `second`. Returns
    the number of pivots, or -1 if rounding leaves no way on.

    In `first`, columns are the slacks of the first player's actions, then the second player's actions; in `second` it
    is the other way round.
    """
    rows, columns = first.shape[0], second.shape[0]
    entering = label
    in_first = label >= rows  # a player's own action enters the tableau of the other
    for pivots in range(most):
        if in_first:
            row = leaving_row(first, entering, rows)
            if row < 0:
                return -1
            pivot(first, row, entering)
            gone, basis[row] = basis[row], entering
        else:
            column = entering - rows if entering >= rows else columns + entering
            row = leaving_row(second, column, columns)
            if row < 0:
                return -1
            pivot(second, row, column)
            gone, basis[rows + row] = basis[rows + row], entering
        if gone == label:
            return pivots + 1
        entering = gone  # its complement has the same label in the other tableau
        in_first = not in_first
    return -1


def leaving_row(tableau: np.ndarray, column: int, slacks: int) -> int:
    """The row with the smallest ratio; the slack columns, which are the inverse of the basis, break ties."""
    best = -1
    last = tableau.shape[1] - 1
    for row in range(tableau.shape[0]):
        element = tableau[row, column]
        if element <= TINY:
            continue
        if best < 0:
            best = row
            continue
        other = tableau[best, column]
        difference = tableau[row, last] / element - tableau[best, last] / other
        k = 0
        while abs(difference) <= TINY and k < slacks:
            difference = tableau[row, k] / element - tableau[best, k] / other
            k += 1
        if difference < 0:
            best = row
    return best


def pivot(tableau: np.ndarray, row: int, column: int) -> None:
    """Bring `column` into the basis at `row`."""
    element = tableau[row, column]
    for j in range(tableau.shape[1]):
        tableau[row, j] /= element
    for i in range(tableau.shape[0]):
        factor = tableau[i, column]
        if i != row and factor != 0:
            for j in range(tableau.shape[1]):
                tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = 0.0
