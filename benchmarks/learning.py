"""Learning: a network's answers by ONNX Runtime beside PyTorch's, and how fast backgammon is played against oneself.

Both answer the same batch with the same weights on one thread, and must agree.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.measure import Comparison, Differs, Duration, Outcome, Skipped, race, turn
from counterplay.core.errors import CounterplayError
from counterplay.core.registry import load

NAME = "learning"
BATCH, GAMES = 256, 1400


def run(quick: bool) -> Iterator[Outcome]:
    """The network, then the dice."""
    yield answers(2 if quick else 7)
    yield dice(GAMES // 10 if quick else GAMES, 1 if quick else 5)


def answers(turns: int) -> Outcome:
    """Positions a second of a network of 3 blocks of 32 planes on Connect Four."""
    work = f"Connect Four, 3 blocks of 32 planes, batches of {BATCH}, one thread"
    try:
        from counterplay.evaluation.residual import Residual
        from counterplay.learning.network import Trainee

        game = load("connect-four")
        trainee = Trainee(game, 32, 3, 0.001, 0.0, seed=0, threads=1)
        network = Residual(game, trainee.model())
    except CounterplayError as missing:
        return Skipped(NAME, work, "PyTorch", str(missing))
    torch = trainee.torch
    planes = np.random.default_rng(0).integers(0, 2, (BATCH, *game.plane_shape)).astype(np.float32)
    trainee.layers.eval()

    def theirs() -> tuple[np.ndarray, np.ndarray]:
        with torch.inference_mode():
            logits, values = trainee.answer(torch.from_numpy(planes))
        return logits.numpy(), values.numpy()

    for one, other in zip(network.answer(planes), theirs(), strict=True):
        if not np.allclose(one, other, atol=1e-3):
            return Differs(NAME, work, "PyTorch", "the answers are not the same")
    seconds, their_seconds = race(turn(lambda: network.answer(planes)), turn(theirs), turns)
    return Comparison(NAME, work, "positions/s", BATCH / seconds, "PyTorch", BATCH / their_seconds, 1.5)


def dice(games: int, turns: int) -> Outcome:
    """Games of backgammon by `td-gammon`, after the first, long ones."""
    from counterplay.learning.training import PRESETS, TemporalTraining

    name, recipe = PRESETS["td-gammon"]
    training = TemporalTraining(load(name), recipe, games=1_000_000)
    training.play.learn(1500, recipe.trace, recipe.rate, recipe.gamble)
    taken = []
    for _ in range(turns):
        wall, cpu = time.perf_counter(), time.process_time()
        training.play.learn(games, recipe.trace, recipe.rate, recipe.gamble)
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    return Duration(NAME, f"{games:,} games of td-gammon, learned from", *min(taken), games / GAMES)
