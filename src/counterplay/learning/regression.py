"""Fitting weights to labels with a ridge penalty: least squares, in closed form or by gradient; logistic regression, by
gradient or at once.

The closed form accumulates the normal equations block by block and solves them once: one pass, for up to some thousands
of entries. Stochastic gradient descent passes over the samples several times, with a falling rate, and suits tables of
any size: the more often an entry was met, the smaller its steps, so that rare ones are learned as well (Duchi, Hazan &
Singer 2011). Held-out samples show how good the fit is: its error, its correlation, and its calibration. Data that fits
into memory as one sparse matrix is fitted at once (`fit_logistic`), by a quasi-Newton method.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.kernel import kernel
from counterplay.evaluation.encoding import EncodedGame, usual_encoding
from counterplay.evaluation.heads import logistic
from counterplay.evaluation.judged import encoded, require_learnable
from counterplay.evaluation.model import Model
from counterplay.learning.samples import Block, Hear, Source, Spool, blocks

MOST_EXACT = 4096
"""The maximum number of entries for the closed form."""
SLICE = 2048
"""States whose entries it expands at once."""
MOST_RIDGE = 1_000_000
BINS = 20
FAMILIAR = 50.0
"""After this many samples with an entry, its steps begin to shorten."""


@dataclass(frozen=True)
class FitOptions:
    """The options of a fit."""

    encoding: str = ""
    method: str = "exact"
    """exact or stochastic."""
    link: str = "identity"
    """identity or logistic."""
    ridge: float = 1e-3
    epochs: int = 4
    rate: float = 0.02
    hold_out: float = 0.1

    def __post_init__(self) -> None:
        if self.method not in ("exact", "stochastic"):
            raise CounterplayError(f"the method {self.method!r} must be exact or stochastic")
        if self.link not in ("identity", "logistic"):
            raise CounterplayError(f"the link {self.link!r} must be identity or logistic")
        if self.method == "exact" and self.link == "logistic":
            raise CounterplayError("logistic regression has no closed form: use --method stochastic")
        if not 0 <= self.ridge <= MOST_RIDGE or self.epochs < 1 or not 0 < self.rate <= 10:
            raise CounterplayError(
                f"ridge must be from 0 to {MOST_RIDGE}, epochs 1 or more, rate above 0 and at most 10"
            )
        if not 0 <= self.hold_out < 1:
            raise CounterplayError(f"hold-out {self.hold_out:g} must be from 0 to less than 1")


@dataclass
class Accuracy:
    """The distance between predictions and labels, accumulated."""

    low: float
    high: float
    sums: np.ndarray = field(default_factory=lambda: np.zeros(6))
    """Number, and the sums of predictions, labels, their squares and their products."""
    bins: np.ndarray = field(default_factory=lambda: np.zeros((BINS, 3)))
    """[bins of the prediction, (number, sum of predictions, sum of labels)]"""

    def add(self, predicted: np.ndarray, label: np.ndarray) -> None:
        """Add more samples."""
        p, y = predicted, label
        self.sums += [len(y), p.sum(), y.sum(), (p * p).sum(), (y * y).sum(), (p * y).sum()]
        bin_of = np.clip(((p - self.low) / (self.high - self.low) * BINS).astype(int), 0, BINS - 1)
        for column, weights in enumerate((None, p, y)):
            self.bins[:, column] += np.bincount(bin_of, weights, BINS)

    @property
    def number(self) -> int:
        """The number of samples."""
        return int(self.sums[0])

    @property
    def error(self) -> float:
        """The root of the mean squared error."""
        n, _, _, pp, yy, py = self.sums
        return float(np.sqrt(max(pp - 2 * py + yy, 0.0) / n)) if n else float("nan")

    @property
    def correlation(self) -> float:
        """Pearson's coefficient."""
        n, p, y, pp, yy, py = self.sums
        spread = (n * pp - p * p) * (n * yy - y * y)
        return float((n * py - p * y) / np.sqrt(spread)) if spread > 0 else 0.0

    def calibration(self) -> list[tuple[float, float, int]]:
        """For each nonempty bin: the mean prediction, the mean label, and the count."""
        return [(p / n, y / n, int(n)) for n, p, y in self.bins.tolist() if n]


class Fitted(NamedTuple):
    """The result of a fit."""

    model: Model
    samples: int  # fitted to
    held: Accuracy  # of the held-out samples


def fit(game: Game, source: Source, how: FitOptions, report: Hear = lambda line: None) -> Fitted:
    """Fit weights for `game` to the samples of `source`. `report` receives each epoch."""
    require_learnable(game)
    encoding = how.encoding or usual_encoding(game)
    seen = encoded(game, encoding)
    if how.method == "exact" and seen.learned_inputs > MOST_EXACT:
        raise CounterplayError(
            f"the closed form takes {MOST_EXACT} entries, not {seen.learned_inputs}: use --method stochastic"
        )
    with Spool(blocks(seen, source, how.hold_out)) as spool:
        if how.method == "exact":
            weights, samples = solve_exactly(seen, spool, how)
        else:
            weights, samples = descend_slowly(seen, spool, how, report)
        if not samples:
            raise CounterplayError("there is nothing to fit to: no positions with a label")
        if not np.isfinite(weights).all():
            raise CounterplayError("the weights grew beyond all bounds: use a smaller rate or ridge")
        held = Accuracy(*game.utility_bounds)
        for block in spool:
            if block.held.any():
                held.add(predict(seen, weights, block, how.link)[block.held], block.label[block.held])
    about = {"method": f"fit {how.method}", "samples": samples, "ridge": how.ridge}
    about |= {"held_out": held.number, "error": held.error, "correlation": held.correlation} if held.number else {}
    model = Model.of(game, "linear", encoding, {"weights": weights.astype(np.float32)}, how.link, about)
    return Fitted(model, samples, held)


def dense(block: Block, rows: np.ndarray, inputs: int) -> np.ndarray:
    """Some states of a block as dense rows."""
    x = np.zeros((len(rows), inputs))
    for i, row in enumerate(rows):
        n = block.used[row]
        np.add.at(x[i], block.index[row, :n], block.value[row, :n])
    return x


def solve_exactly(seen: EncodedGame, spool: Spool[Block], how: FitOptions) -> tuple[np.ndarray, int]:
    """Least squares by the normal equations, one system for each stage; the bias has no ridge."""
    inputs, stages, samples = seen.learned_inputs, seen.stages, 0
    squares, sums = np.zeros((stages, inputs, inputs)), np.zeros((stages, inputs))
    for block in spool:
        for stage in range(stages):
            rows = np.flatnonzero(~block.held & (block.stage == stage))
            for start in range(0, len(rows), SLICE):
                part = rows[start : start + SLICE]
                x = dense(block, part, inputs)
                squares[stage] += x.T @ x
                sums[stage] += x.T @ block.label[part]
                samples += len(part)
    weights = np.zeros((stages, inputs))
    for stage in range(stages):
        number = max(squares[stage, -1, -1], 1.0)  # the bias is 1 in every sample
        ridge = np.full(inputs, how.ridge * number)
        ridge[-1] = 1e-9 * number
        weights[stage] = np.linalg.solve(squares[stage] + np.diag(ridge + 1e-12 * number), sums[stage])
    return weights, samples


def descend_slowly(seen: EncodedGame, spool: Spool[Block], how: FitOptions, report: Hear) -> tuple[np.ndarray, int]:
    """The same, or logistic regression, by stochastic gradient descent; the rate falls to a tenth."""
    weights = np.zeros(seen.stages * seen.learned_inputs, np.float32)
    met = np.zeros_like(weights)
    low, high = seen.utility_bounds
    samples = 0
    for epoch in range(how.epochs):
        report(f"epoch {epoch + 1} of {how.epochs}")
        rate = how.rate * 0.1 ** (epoch / max(how.epochs - 1, 1))
        samples = 0
        for k, block in enumerate(spool):
            order = np.random.default_rng([epoch, k]).permutation(np.flatnonzero(~block.held))
            samples += len(order)
            label = block.label if how.link == "identity" else (block.label - low) / (high - low)
            descend(
                seen, block.index, block.value, block.used, block.stage, label, order, weights, met,
                float(rate), float(how.ridge), how.link == "logistic",
            )  # fmt: skip
    return weights.reshape(seen.stages, seen.learned_inputs), samples


@kernel
def descend(
    game: EncodedGame, index: np.ndarray, value: np.ndarray, used: np.ndarray, stage: np.ndarray, label: np.ndarray,
    order: np.ndarray, weights: np.ndarray, met: np.ndarray,
    rate: float, ridge: float, is_logistic: bool,
) -> None:  # fmt: skip
    """A pass over the states in `order`, each a step down the gradient of its squared error or cross entropy. `met`
    accumulates how often, and how strongly, each entry occurred."""
    for row in order:
        base, total = stage[row] * game.learned_inputs, 0.0
        for k in range(used[row]):
            total += weights[base + index[row, k]] * value[row, k]
        predicted = logistic(total) if is_logistic else total
        error = label[row] - predicted
        for k in range(used[row]):
            at, amount = base + index[row, k], value[row, k]
            met[at] += amount * amount
            step = rate / np.sqrt(1.0 + met[at] / FAMILIAR)
            weights[at] += np.float32(step * (error * amount - ridge * weights[at]))


def chances(odds: np.ndarray) -> np.ndarray:
    """The probabilities for logarithms of odds."""
    return 1 / (1 + np.exp(-odds))


def cross_entropy(odds: np.ndarray, results: np.ndarray) -> np.ndarray:
    """How surprising results from 0 to 1 are, given the logarithms of the odds of 1."""
    return np.logaddexp(0, odds) - results * odds


def fit_logistic(features: np.ndarray, results: np.ndarray, offset: np.ndarray, ridge: float) -> np.ndarray:
    """Logistic regression of results from 0 to 1 on a matrix of features, [rows, weights], which may be sparse: the
    weights w that make the results least surprising given the odds offset + features @ w, with a ridge penalty. All at
    once; `descend` goes row by row."""
    from scipy.optimize import minimize

    def surprise(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = offset + features @ weights
        total = np.sum(cross_entropy(odds, results)) + ridge / 2 * np.sum(weights**2)
        return float(total), features.T @ (chances(odds) - results) + ridge * weights

    found: np.ndarray = minimize(
        surprise, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    ).x
    return found


def predict(seen: EncodedGame, weights: np.ndarray, block: Block, link: str) -> np.ndarray:
    """The predictions of weights for the states of a block, in the game's units."""
    low, high = seen.utility_bounds
    entries = weights[block.stage[:, None], block.index] * block.value
    entries[np.arange(entries.shape[1]) >= block.used[:, None]] = 0.0
    total = entries.sum(1)
    if link == "logistic":
        return low + (high - low) * chances(total)
    return np.clip(total, low, high)
