"""The shipped backgammon network against `pubeval`, the common opponent in papers on backgammon.

Tesauro published it in 1993: the value of a position is the weighted sum of its 122 inputs, with two sets of weights,
for races and for contact. The weights are his, not ours: to use them, put the files `WT.race` and `WT.cntc`, 122
numbers each, into the folder where the benchmark runs. Neither side looks ahead, and there is no cube.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Mean, Outcome, Skipped
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.language.actions import action_stack
from counterplay.core.language.bits import last
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.registry import load
from counterplay.core.rules import pick_evenly
from counterplay.games.backgammon.board import BAR, CHECKERS, OFF, POINTS, WIDTH, count_at, occupied

NAME = "pubeval"
FILES = ("WT.race", "WT.cntc")
INPUTS = 122
GAMES = 5000
LEAST = 0.5
"""The required points per game."""


def run(quick: bool) -> Iterator[Outcome]:
    """The games, if the weights are there."""
    peer, games = "pubeval", 100 if quick else GAMES
    work = f"backgammon, {games:,} games, no look-ahead"
    if not all(Path(name).exists() for name in FILES):
        yield Skipped(NAME, work, peer, f"its weights, {' and '.join(FILES)}, are not in this folder")
        return
    mean, error = against(*(read(Path(name)) for name in FILES), games)
    yield Mean(NAME, work, peer, "points a game", mean, error, LEAST)


def read(file: Path) -> np.ndarray:
    """The weights in a file."""
    try:
        weights = np.array(file.read_text().split(), np.float64)
    except ValueError:
        weights = np.empty(0)
    if weights.size != INPUTS:
        raise CounterplayError(f"{file}: the weights of pubeval are {INPUTS} numbers")
    return weights


def against(race: np.ndarray, contact: np.ndarray, games: int) -> tuple[float, float]:
    """Our network's points per game against it, and the standard error."""
    from counterplay.evaluation.judged import judged
    from counterplay.evaluation.model import find_model

    plain = load("backgammon")
    game = judged(plain, find_model("backgammon", plain))
    points = np.zeros(games)
    contest(game, race, contact, points, Rng(1), action_stack(game))
    return float(points.mean()), float(points.std() / np.sqrt(games))


@kernel
def contest(game: Any, race: Any, contact: Any, points: Any, rng: Any, out: Any) -> None:
    """Fill `points` with our points in each game; each side begins half of them."""
    path = np.empty(0, np.int64)
    for k in range(points.size):
        s = game.initial()
        while not game.is_terminal(s):
            mover = game.to_move(s)
            if mover == CHANCE:
                s = game.result(s, pick_evenly(game, s, path, 0, out, rng))
                continue
            weights = contact if has_contact(s) else race
            start = len(out)
            game.actions(s, out.fresh())
            best, most = out[start], -np.inf
            for i in range(start, len(out)):
                after = game.result(s, out[i])
                if game.is_terminal(after):
                    worth = 1e9
                elif mover == k % 2:
                    worth = game.evaluate(after, mover)
                else:
                    worth = score(after.theirs, after.mine, weights)
                if worth > most:
                    best, most = out[i], worth
            out.truncate(start)
            s = game.result(s, best)
        points[k] = game.utility(s, k % 2)


def has_contact(s: Any) -> bool:
    """Whether the sides still have to pass each other."""
    return last(occupied(s.mine)) // WIDTH + last(occupied(s.theirs)) // WIDTH > POINTS


def score(own: Any, other: Any, weights: Any) -> float:
    """pubeval's value of the checkers of the side that has just played, `own`, and of the other side."""
    total = 0.0
    for point in range(1, POINTS + 1):
        at = 5 * (POINTS - point)
        number = count_at(own, point)
        if count_at(other, BAR - point) == 1:
            total += weights[at]
        if number == 1:
            total += weights[at + 1]
        if number >= 2:
            total += weights[at + 2]
        if number == 3:
            total += weights[at + 3]
        if number >= 4:
            total += weights[at + 4] * (number - 3) / 2
    total += weights[120] * count_at(other, BAR) / 2
    return total + weights[121] * count_at(own, OFF) / CHECKERS
