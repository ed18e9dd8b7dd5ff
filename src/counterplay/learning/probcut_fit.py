"""How well shallow searches predict deep ones: ProbCut's parameters by least squares (Buro 1995)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.search.decision import Decision
from counterplay.search.engine.decide import decide
from counterplay.search.engine.probcut import CHECKS, Cut
from counterplay.search.engine.techniques import Technique, default_for

LEAST = 4
"""The smallest depth at which cuts are tried."""
EARLIEST, SPAN = 4, 36
"""The range of plies after the start from which positions are drawn."""
STEADY = Technique.TABLE | Technique.ASPIRATION | Technique.DEEPER
"""What is switched off while values are compared: each depth must be searched independently."""


def values_by_depth(game: Game, s: State, depth: int) -> list[float] | None:
    """The value of `s` by searches of depth 1 to `depth`; None if one of them is proven."""
    found: list[Decision] = []
    decide(game, s, depth=depth, techniques=default_for(game) & ~STEADY | Technique.TABLE, table=8, report=found.append)
    by_depth = {each.depth: each for each in found}
    if any(d not in by_depth or by_depth[d].proven or by_depth[d].plies is not None for d in range(1, depth + 1)):
        return None
    return [float(by_depth[d].value or 0.0) for d in range(1, depth + 1)]


def positions(game: Game, seed: int) -> Iterator[State]:
    """Positions of random games, one per game."""
    rng = Rng(seed)
    while True:
        s, length = game.initial(), EARLIEST + rng.below(SPAN)
        for _ in range(length):
            if game.is_terminal(s):
                break
            options = legal(game, s)
            s = game.result(s, options[rng.below(len(options))])
        if not game.is_terminal(s):
            yield s


def sample(game: Game, number: int, depth: int, seed: int, hear: Callable[[str], None]) -> np.ndarray:
    """[positions, depth] values of `positions` positions by depth, to the side to move."""
    rows: list[list[float]] = []
    drawn = positions(game, seed)
    for _ in range(20 * number):
        values = values_by_depth(game, next(drawn), depth)
        if values is not None:
            rows.append(values)
            hear(f"{len(rows)} of {number} positions")
            if len(rows) == number:
                break
    return np.array(rows).reshape(-1, depth)


def checks_of(depth: int) -> list[int]:
    """The depths of the shallow searches for a depth, of the same parity: values of even and odd depths differ."""
    wanted = (depth // 4, depth // 2)
    found = {each - (depth - each) % 2 for each in wanted}
    return sorted(each for each in found if each >= 1)[-CHECKS:]


def fit_cuts(values: np.ndarray) -> list[Cut]:
    """The line that predicts each depth from each of its checks, and its error."""
    found = []
    for depth in range(LEAST, values.shape[1] + 1):
        for shallow in checks_of(depth):
            x, y = values[:, shallow - 1], values[:, depth - 1]
            design = np.stack([x, np.ones_like(x)], 1)
            (slope, offset), *_ = np.linalg.lstsq(design, y, rcond=None)
            error = float(np.sqrt(np.sum((y - slope * x - offset) ** 2) / max(1, len(y) - 2)))
            if slope > 0:
                found.append(Cut(depth, shallow, round(float(slope), 6), round(float(offset), 6), round(error, 6)))
    return found
