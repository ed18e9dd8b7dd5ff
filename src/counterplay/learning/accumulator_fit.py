"""Fitting a network over sparse features to positions, with PyTorch, and rounding it to integers.

Its first layer is an `EmbeddingBag`: of each position only the rows of the features that are on are read and changed.
The target is the probability of winning: a mixture of the game's result and the search's value. A network that corrects
the game's own evaluation begins with that evaluation: its last layer is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import Game
from counterplay.evaluation.accumulator import MOST_WEIGHT, ONE, UNIT, known_values
from counterplay.evaluation.model import Model
from counterplay.learning.regression import cross_entropy
from counterplay.learning.sparse_positions import Positions, fitted_scale

BATCH = 2048
SPREAD = 0.1
"""Standard deviation of the initial weights."""
REACH = 1.98
"""Weights stay within this, and within what numbers of 16 bits allow."""


class Fit(NamedTuple):
    """What a fit found."""

    model: Model
    loss: float  # on held-out positions
    rounded: float  # the same for the integer network, which is the one that plays
    least: float  # the least possible loss: labels between 0 and 1 leave some


def fit_network(
    game: Game,
    positions: Positions,
    *,
    width: int,
    epochs: int,
    correct: bool = False,
    rate: float = 3e-3,
    last_rate: float = 2e-5,
    mixture: float = 0.95,
    seed: int = 0,
    initial: Model | None = None,
    about: dict[str, Any] | None = None,
    report: Callable[[int, float], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Fit:
    """The network that predicts best: `mixture` is the share of search values in the labels; with `correct`, the network is
    added to the game's own evaluation. `report` receives the epoch and its loss on held-out positions."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    if correct and game.swing > 0:
        positions = limited(positions, game.swing)
    scale = fitted_scale(game, positions)
    labels = mixture / (1 + np.exp(-positions.value / scale)) + (1 - mixture) * positions.result
    rng = np.random.default_rng([seed, 1])
    seen, held = np.flatnonzero(~positions.held), np.flatnonzero(positions.held)
    offsets = positions.static / np.float32(scale) if correct else np.zeros(len(positions), np.float32)
    parts = begin_with(game, width, seed, initial, scale, correct)
    tensors = [torch.tensor(part, requires_grad=True) for part in parts]
    optimizer = torch.optim.Adam(tensors, lr=rate)
    limit = min(REACH, ((1 << 15) / ONE - 4) / game.sparse_most)
    total, step = epochs * -(-len(seen) // BATCH), 0
    for epoch in range(epochs):
        order = rng.permutation(seen)
        for start in range(0, len(order), BATCH):
            for group in optimizer.param_groups:
                group["lr"] = rate * (last_rate / rate) ** (step / total)
            batch, step = order[start : start + BATCH], step + 1
            optimizer.zero_grad()
            answers, wanted = logits(tensors, positions, offsets, batch), torch.from_numpy(labels[batch]).float()
            loss: Any = binary_cross_entropy_with_logits(answers, wanted)
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                tensors[0].clamp_(-limit, limit)
                tensors[1].clamp_(-4, 4)
                tensors[2].clamp_(-MOST_WEIGHT / UNIT, MOST_WEIGHT / UNIT)
            if stopped():
                break
        if report:
            report(epoch + 1, loss_of(tensors, positions, offsets, held, labels))
        if stopped():
            break
    arrays = [tensor.detach().numpy() for tensor in tensors]
    whole = rounded(arrays, scale)
    exact = [whole["first"][:-1] / ONE, whole["first"][-1] / ONE, whole["second"] / UNIT, whole["bias"] / (ONE * UNIT)]
    again = [torch.tensor(part, dtype=torch.float32) for part in exact]
    told = {"positions": len(positions), "epochs": epochs, "mixture": mixture} | (about or {})
    if correct:
        told["corrects"] = known_values(game)
    least = -np.mean(labels[held] * np.log(labels[held]) + (1 - labels[held]) * np.log(1 - labels[held]))
    return Fit(
        Model.of(game, "nnue", "sparse", whole, "added" if correct else "identity", told),
        loss_of(tensors, positions, offsets, held, labels),
        loss_of(again, positions, offsets, held, labels),
        float(least),
    )


def limited(positions: Positions, most: float) -> Positions:
    """The search's values no further than `most` from the game's own evaluation: the rest is tactics, which a search has to
    find and an evaluation cannot know."""
    value = positions.value.clip(positions.static - most, positions.static + most)
    return Positions(**positions._asdict() | {"value": value})


def begin_with(
    game: Game, width: int, seed: int, initial: Model | None, scale: float, correct: bool
) -> list[np.ndarray]:
    """The initial weights: those of a model, or random; a correction's last layer is 0."""
    if initial is not None and initial.arrays["first"].shape[1] == width:
        first, second, bias = (initial.arrays[name].astype(np.float32) for name in ("first", "second", "bias"))
        ratio = float(initial.arrays["scale"][0]) / scale
        return [first[:-1] / ONE, first[-1] / ONE, ratio * second / UNIT, ratio * bias / (ONE * UNIT)]
    rng = np.random.default_rng([seed, 0])
    drawn = rng.normal(0, SPREAD, (game.sparse_size, width)), np.full(width, 0.25)
    behind = rng.normal(0, 0 if correct else 1 / np.sqrt(width), (1, 2, width)).repeat(game.stages, 0)
    return [part.astype(np.float32) for part in (*drawn, behind, np.zeros(game.stages))]


def logits(tensors: list[Any], positions: Positions, offsets: np.ndarray, batch: np.ndarray) -> Any:
    """The log-odds of winning according to the network so far, added to its offsets."""
    import torch
    from torch.nn.functional import embedding_bag

    first, start, second, bias = tensors
    size, width = first.shape
    padded = torch.cat([first, torch.zeros(1, width)])
    features = torch.from_numpy(positions.features[batch]).flatten(0, 1)
    sums = embedding_bag(features, padded, mode="sum", padding_idx=size) + start
    active = sums.clamp(0, 1).square().reshape(len(batch), 2, width)
    stage = torch.from_numpy(positions.stage[batch])
    return (active * second[stage]).sum((1, 2)) + bias[stage] + torch.from_numpy(offsets[batch])


def loss_of(
    tensors: list[Any], positions: Positions, offsets: np.ndarray, which: np.ndarray, labels: np.ndarray
) -> float:
    """The mean cross entropy on some positions."""
    import torch

    total = 0.0
    with torch.no_grad():
        for start in range(0, len(which), BATCH):
            batch = which[start : start + BATCH]
            answers = logits(tensors, positions, offsets, batch).numpy().astype(np.float64)
            total += float(cross_entropy(answers, labels[batch]).sum())
    return total / max(len(which), 1)


def rounded(arrays: list[np.ndarray], scale: float) -> dict[str, np.ndarray]:
    """The network in integers."""
    first, start, second, bias = arrays
    return {
        "first": np.round(ONE * np.concatenate([first, start[None]])).astype(np.int16),
        "second": np.round(UNIT * second).astype(np.int16),
        "bias": np.round(ONE * UNIT * bias).astype(np.int32),
        "scale": np.array([scale], np.float32),
    }
