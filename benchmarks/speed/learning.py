"""Learning: a network's evaluations by ONNX Runtime beside PyTorch's, the speed of Othello's patterns, the speed of
self-play at backgammon and Connect Four, and what the shipped Connect Four network has learned.

Both evaluate the same batch with the same weights on one thread, and must agree. The network is tested with 64
simulations in positions in which the outcome depends on the move, by our solver, and in games from the usual start
against our own tree search with 10,000 simulations.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.measure import Comparison, Differs, Duration, Match, Outcome, Quota, Skipped, race, turn
from benchmarks.strength.mcts import critical_positions
from counterplay.arena.openings import Opening
from counterplay.arena.referee import play
from counterplay.arena.statistics import elo
from counterplay.core.errors import CounterplayError
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.registry import load
from counterplay.players.specs import player

NAME = "learning"
BATCH, GAMES, SIMULATIONS, JUDGED, POSITIONS = 256, 1400, 64, 3_000_000, 1500
PLIES = (14, 12, 10, 8)
KEPT_TARGET = 0.93
WON_TARGET = 0.85
RIVAL = "mcts:simulations=10000"


def run(quick: bool) -> Iterator[Outcome]:
    """The network, the dice, what was learned."""
    yield answers(2 if quick else 7)
    yield patterns(JUDGED // 10 if quick else JUDGED, 1 if quick else 5)
    yield dice(GAMES // 10 if quick else GAMES, 1 if quick else 5)
    yield self_play(1 if quick else 5, 1 if quick else 3)
    for ply in PLIES[:1] if quick else PLIES:
        yield kept(ply, 10 if quick else 300)
    yield duel(1 if quick else 50)


def answers(turns: int) -> Outcome:
    """Positions per second of a network of 3 blocks of 32 planes on Connect Four."""
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


@kernel
def walk(game: Any, positions: int, judges: bool, rng: Any) -> float:
    """Random play through a number of positions, evaluated or not."""
    total, s = 0.0, game.initial()
    for _ in range(positions):
        total += game.evaluate(s, 0) if judges else 0.0
        s = game.initial() if game.is_terminal(s) else game.result(s, game.sample(s, rng))
    return total


def patterns(positions: int, turns: int) -> Outcome:
    """Positions of random games evaluated by Othello's patterns; the play is not counted."""
    from counterplay.evaluation.judged import judged
    from counterplay.evaluation.model import find_model

    game = load("othello")
    seen = judged(game, find_model("othello", game))
    taken: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for judges in (True, False) * (turns + 1):
        wall, cpu = time.perf_counter(), time.process_time()
        walk(seen, positions, judges, Rng(1))
        taken[judges].append((time.perf_counter() - wall, time.process_time() - cpu))
    spent = [max(a - b, 1e-9) for a, b in zip(min(taken[True][1:]), min(taken[False][1:]), strict=True)]
    return Duration(NAME, f"{positions:,} positions of Othello judged by patterns", *spent, positions / JUDGED)


def dice(games: int, turns: int) -> Outcome:
    """Games of backgammon by `td-gammon` with all features, after the first, long ones."""
    from counterplay.learning.td_training import PRESETS, TemporalTraining

    name, recipe = PRESETS["td-gammon"]
    recipe = replace(recipe, encoding="features")
    training = TemporalTraining(load(name), recipe, games=1_000_000)
    training.plays[0].learn(1500, recipe.trace, recipe.rate, recipe.gamble)
    taken = []
    for _ in range(turns):
        wall, cpu = time.perf_counter(), time.process_time()
        training.plays[0].learn(games, recipe.trace, recipe.rate, recipe.gamble)
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    return Duration(NAME, f"{games:,} games of td-gammon, learned from", *min(taken), games / GAMES)


def self_play(seconds: int, turns: int) -> Outcome:
    """Positions of Connect Four that AlphaZero plays, with the shipped network in its training settings."""
    number = POSITIONS * seconds
    work = f"{number:,} positions of connect-four by AlphaZero's self-play"
    try:
        from counterplay.evaluation.model import find_model
        from counterplay.learning.alphazero import AlphaZero, Settings
        from counterplay.learning.games_in_progress import joined

        game = load("connect-four")
        training = AlphaZero(game, Settings(simulations=16, exact=8000, opening=12, positions=number), games=1)
        training.plays = find_model("connect-four", game)
    except CounterplayError as missing:
        return Skipped(NAME, work, "PyTorch", str(missing))
    training.prepare()
    taken = []
    for k in range(turns + 1):
        wall, cpu = time.perf_counter(), time.process_time()
        harvest = training.play(number)
        training.games_in_progress = joined([each.games for each in harvest])
        if k == 0:
            continue  # games are in progress only from here on
        share = number / harvest[0].counts["positions"]
        taken.append(((time.perf_counter() - wall) * share, (time.process_time() - cpu) * share))
    return Duration(NAME, work, *min(taken), seconds)


def kept(ply: int, count: int) -> Outcome:
    """The share of critical positions of Connect Four in which the network's search keeps the outcome."""
    from counterplay.evaluation.model import find_model
    from counterplay.evaluation.residual import Residual
    from counterplay.learning.gating import BatchSearcher

    game = load("connect-four")
    positions = list(critical_positions(ply, count))
    thinker = BatchSearcher(Residual(game, find_model("connect-four", game)), SIMULATIONS)
    chosen = thinker.choose([p.actions for p, _ in positions])
    good = sum(action in best for action, (_, best) in zip(chosen, positions, strict=True))
    return Quota(
        NAME,
        f"connect-four at ply {ply}, {SIMULATIONS} simulations: the move keeps the value",
        good,
        count,
        KEPT_TARGET,
    )


def duel(pairs: int) -> Outcome:
    """Games from the usual start, which differ only by the randomness of the other's playouts."""
    game, scores = load("connect-four"), []
    with player(f"mcts:net=connect-four,simulations={SIMULATIONS}") as us:
        for pair in range(pairs):
            first = play(game, [us, player(RIVAL, seed=2 * pair)], Opening()).returns[0]
            second = play(game, [player(RIVAL, seed=2 * pair + 1), us], Opening()).returns[1]
            scores.append(((first + 1) / 2, (second + 1) / 2))
    return Match(NAME, f"connect-four, {SIMULATIONS} simulations", RIVAL, scores, elo(WON_TARGET))
