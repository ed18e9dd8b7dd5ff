"""All equilibria of a small game for two: by supports (Porter, Nudelman & Shoham 2004) or by vertices (Mangasarian 1964).

A pair of supports of the same size fixes both mixtures: each makes the other player indifferent over their support.
This finds every equilibrium of a nondegenerate game. If some mixture has more best responses than actions in it, the
game is degenerate, and equilibria may fill whole segments; their corners are then found as pairs of vertices of the
best-response polytopes that together have all labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.equilibrium.normal_form import Equilibrium, cleaned, judged, positive, proven, require_two, spread

CLOSE = 1e-9
MOST_BASES = 400_000
"""The maximum number of sets of tight inequalities tried for one player: a game of 10 by 10 has 184,756."""
BATCH = 20_000


def support_enumeration(tables: np.ndarray) -> list[Equilibrium]:
    """The equilibria with supports of equal size: all of them, unless the game is degenerate."""
    ours, theirs = require_two(tables, "supports")
    rows, columns = ours.shape
    pairs = sum(comb(rows, k) * comb(columns, k) for k in range(1, min(rows, columns) + 1))
    if pairs > MOST_BASES:
        raise CounterplayError(
            f"supports: {rows} by {columns} actions have {pairs:,} pairs of supports, too many; `lemke-howson` finds one"
        )
    found = []
    for size in range(1, min(rows, columns) + 1):
        for used in combinations(range(rows), size):
            for answered in combinations(range(columns), size):
                y = indifferent(ours[np.ix_(used, answered)])
                x = indifferent(theirs[np.ix_(used, answered)].T) if y is not None else None
                if x is None or y is None:
                    continue
                one, two = np.zeros(rows), np.zeros(columns)
                one[list(used)], two[list(answered)] = x, y
                profile = judged(tables, (one, two))
                if profile.regret <= CLOSE * spread(tables):
                    found.append(profile)
    return found


def indifferent(payoffs: np.ndarray) -> np.ndarray | None:
    """The mixture of all columns that makes all rows worth the same; None if there is none or more than one."""
    size = len(payoffs)
    system = np.ones((size + 1, size + 1))
    system[:size, :size], system[size, size] = payoffs / spread(payoffs), 0.0
    try:
        mixture = np.linalg.solve(system, np.append(np.zeros(size), 1.0))[:size]
    except np.linalg.LinAlgError:
        return None
    return mixture if mixture.min() > CLOSE and np.isfinite(mixture).all() else None


def extreme_equilibria(tables: np.ndarray) -> list[Equilibrium]:
    """Every corner of the set of equilibria, also in degenerate games."""
    ours, theirs = require_two(tables, "vertices")
    rows, columns = ours.shape
    if comb(rows + columns, rows) > MOST_BASES:
        raise CounterplayError(
            f"vertices: a game of {rows} by {columns} actions is too large to list all equilibria; "
            "`lemke-howson` finds one"
        )
    all_labels = (1 << rows + columns) - 1
    answers: dict[int, list[np.ndarray]] = {}  # the second player's vertices by label
    for vertex, tight in vertices(positive(ours)):  # first the best responses of the first player, then zeros of y
        answers.setdefault(_mask(tight), []).append(vertex)
    found = []
    for vertex, tight in vertices(positive(theirs.T)):
        missing = all_labels & ~_mask(np.roll(tight, rows))  # here the zeros of x come last
        for labels, others in answers.items():
            if missing & ~labels == 0:
                found += [
                    proven(tables, (cleaned(vertex, CLOSE), cleaned(other, CLOSE)), "vertices") for other in others
                ]
    return sorted(found, key=lambda one: [(-np.round(strategy, 9)).tolist() for strategy in one.strategies])


def _mask(tight: np.ndarray) -> int:
    return sum(1 << int(i) for i in np.flatnonzero(tight))


def vertices(payoffs: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The vertices except 0 of {y >= 0, payoffs @ y <= 1}, each with its tight inequalities: rows, then zeros of y."""
    size = payoffs.shape[1]
    sides = np.vstack([payoffs, -np.eye(size)])
    right = np.append(np.ones(len(payoffs)), np.zeros(size))
    seen: set[bytes] = set()
    bases = combinations(range(len(sides)), size)
    while chosen := [basis for _, basis in zip(range(BATCH), bases, strict=False)]:
        index = np.array(chosen)
        systems = sides[index]
        regular = np.abs(np.linalg.det(systems)) > 1e-12
        points = np.linalg.solve(systems[regular], right[index[regular]][..., None])[..., 0]
        slack = right - points @ sides.T
        for point, left in zip(points, slack, strict=True):
            if left.min() < -CLOSE or point.max() <= CLOSE:
                continue
            mark = (np.round(point, 8) + 0.0).tobytes()  # -0.0 is 0.0
            if mark not in seen:
                seen.add(mark)
                yield point, left <= CLOSE
