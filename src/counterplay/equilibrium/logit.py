"""The logit path to an equilibrium of any number of players (McKelvey & Palfrey 1995; followed as by Turocy 2005).

In a quantal response equilibrium, each player takes an action with a probability that grows with its payoff: in
proportion to exp(precision * payoff). At precision 0 everyone mixes uniformly; as it grows, the path from there leads
towards an equilibrium. A predictor-corrector method follows it by its length, since it may turn back, and in logarithms
of probabilities, since those of unused actions may vanish. At its end, Newton's method sharpens the mixtures on their
supports, and the regret says how good the result is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.equilibrium.normal_form import Equilibrium, action_values, judged, spread

FIRST_PRECISION, LAST_PRECISION = 30.0, 1e6
"""The precision from which on the mixtures are sharpened, and the one at which the path is abandoned."""
MOST_STEPS = 20_000
USED = 1e-4
"""An action with a smaller probability at the end of the path counts as unused."""


class Path(NamedTuple):
    """Where the path led."""

    equilibrium: Equilibrium
    precision: float  # at which it was left, in units of 1 / the range of payoffs
    steps: int


def logit(tables: np.ndarray, tolerance: float = 1e-9) -> Path:
    """Follow the path until the sharpened mixtures have a regret of `tolerance` (as a fraction of the payoff range), or
    as far as it goes."""
    shape = tables.shape[1:]
    scaled = tables / spread(tables)
    point = np.append(np.concatenate([np.full(n, -np.log(n)) for n in shape]), 0.0)
    direction = np.append(np.zeros(len(point) - 1), 1.0)
    length, steps, tried = 0.05, 0, FIRST_PRECISION
    best = judged(tables, mixtures(point, shape))
    while point[-1] < LAST_PRECISION and steps < MOST_STEPS:
        steps += 1
        tangent = _tangent(jacobian(point, scaled), direction)
        ahead = _corrected(point + length * tangent, tangent, scaled)
        if ahead is None:
            length /= 2
            if length < 1e-10:
                break
            continue
        if tangent @ _tangent(jacobian(ahead, scaled), tangent) < 0.9:  # a sharp turn: take a smaller step
            if length > 1e-6:
                length /= 2
                continue
        point, direction, length = ahead, tangent, min(length * 1.4, 0.2 * (1.0 + abs(point[-1])))
        if point[-1] >= tried:
            tried *= 1.5
            best = min(best, sharpened(tables, mixtures(point, shape)), key=lambda one: one.regret)
            if best.regret <= tolerance * spread(tables):
                break
    return Path(best, float(point[-1]), steps)


def mixtures(point: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The strategies at a point of the path."""
    parts = np.split(np.exp(np.minimum(point[:-1], 0.0)), np.cumsum(shape)[:-1])
    return tuple(part / part.sum() for part in parts)


def residual(point: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """What must be 0: probabilities add up to 1, and differences of logarithms equal the precision times those of
    payoffs."""
    shape = tables.shape[1:]
    logs = np.split(point[:-1], np.cumsum(shape)[:-1])
    strategies = [np.exp(part) for part in logs]
    parts = []
    for player, part in enumerate(logs):
        values = action_values(tables, strategies, player)
        parts.append(np.append(strategies[player].sum() - 1, part[1:] - part[0] - point[-1] * (values[1:] - values[0])))
    return np.concatenate(parts)


def jacobian(point: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """The derivatives of `residual` by each logarithm and by the precision."""
    shape = tables.shape[1:]
    starts = np.append(0, np.cumsum(shape))
    strategies = [np.exp(part) for part in np.split(point[:-1], starts[1:-1])]
    matrix = np.zeros((starts[-1], starts[-1] + 1))
    for player, count in enumerate(shape):
        here = slice(starts[player], starts[player + 1])
        matrix[starts[player], here] = strategies[player]
        below = slice(starts[player] + 1, starts[player + 1])
        matrix[below, here] = np.eye(count)[1:]
        matrix[below, starts[player]] = -1.0
        values = action_values(tables, strategies, player)
        matrix[below, -1] = -(values[1:] - values[0])
        for other in range(len(shape)):
            if other != player:
                change = pair_values(tables, strategies, player, other) * strategies[other]
                columns = slice(starts[other], starts[other + 1])
                matrix[below, columns] = -point[-1] * (change[1:] - change[0])
    return matrix


def pair_values(tables: np.ndarray, strategies: list[np.ndarray], player: int, other: int) -> np.ndarray:
    """[actions of player, actions of other]: the player's payoffs when the rest mix."""
    values = tables[player]
    for third in reversed(range(len(strategies))):
        if third not in (player, other):
            values = np.tensordot(values, strategies[third], axes=(third, 0))
    return values if player < other else values.T


def _tangent(matrix: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The direction of the path, on from `before`."""
    bordered = np.vstack([matrix, before])
    try:
        found = np.linalg.solve(bordered, np.append(np.zeros(len(matrix)), 1.0))
    except np.linalg.LinAlgError:
        found = np.linalg.svd(matrix)[2][-1]
        found = found if found @ before >= 0 else -found
    return found / np.linalg.norm(found)


def _corrected(guess: np.ndarray, tangent: np.ndarray, tables: np.ndarray) -> np.ndarray | None:
    """The point of the path near `guess`, by Newton's method across the tangent; None if it does not converge."""
    point, start = guess.copy(), guess
    for _ in range(8):
        errors = np.append(residual(point, tables), tangent @ (point - start))
        if not np.isfinite(errors).all():
            return None
        if np.abs(errors).max() < 1e-10 * (1.0 + abs(point[-1])):
            return point
        try:
            point = point - np.linalg.solve(np.vstack([jacobian(point, tables), tangent]), errors)
        except np.linalg.LinAlgError:
            return None
        if point[:-1].max() > 1.0:
            return None
    return None


def sharpened(tables: np.ndarray, strategies: tuple[np.ndarray, ...]) -> Equilibrium:
    """The profile near `strategies` in which everyone is indifferent between the actions they use; if there is none,
    the given one."""
    start = judged(tables, strategies)
    used = [np.flatnonzero(strategy > USED) for strategy in strategies]
    small = (tables / spread(tables))[np.ix_(np.arange(len(tables)), *used)]
    mixed = [strategy[part] / strategy[part].sum() for strategy, part in zip(strategies, used, strict=True)]
    sizes = [len(part) for part in used]
    starts = np.append(0, np.cumsum(sizes))
    for _ in range(30):
        errors, matrix = np.zeros(starts[-1]), np.zeros((starts[-1], starts[-1]))
        for player in range(len(mixed)):
            here, below = starts[player], slice(starts[player] + 1, starts[player + 1])
            values = action_values(small, mixed, player)
            errors[here], errors[below] = mixed[player].sum() - 1, values[1:] - values[0]
            matrix[here, here : starts[player + 1]] = 1.0
            for other in range(len(mixed)):
                if other != player:
                    change = pair_values(small, mixed, player, other)
                    matrix[below, starts[other] : starts[other + 1]] = change[1:] - change[0]
        step = np.linalg.lstsq(matrix, errors, rcond=None)[0]
        mixed = [part - step[starts[p] : starts[p + 1]] for p, part in enumerate(mixed)]
        if np.abs(step).max() < 1e-15 or not np.isfinite(step).all():
            break
    if not all(np.isfinite(part).all() and part.min() >= -1e-12 for part in mixed):
        return start
    whole = []
    for strategy, part, places in zip(strategies, mixed, used, strict=True):
        full = np.zeros(len(strategy))
        full[places] = np.maximum(part, 0.0)
        whole.append(full / full.sum())
    found = judged(tables, whole)
    return found if found.regret < start.regret else start
