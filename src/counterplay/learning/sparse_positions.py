"""Positions of searched games as a network over sparse features learns from them.

Only positions that can be evaluated as they are count: not tense (in check), with a quiet action chosen and no win in
sight, and not among the first plies after the opening. Whole games are held out for validation, and the positions of
all others are shuffled: neighbours in a game are nearly the same, and a network that sees them in a row learns that
game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.learning.regression import cross_entropy
from counterplay.learning.searched_games import SearchedGame

SKIPPED = 4
"""Plies after the opening that are not learned from."""
HELD_OUT = 20
"""One game of this many is held out."""


class Positions(NamedTuple):
    """Positions, all from the point of view of the side to move."""

    features: np.ndarray  # [positions, 2, most] int32: the mover's and the other side's, padded with `sparse_size`
    stage: np.ndarray  # [positions]
    static: np.ndarray  # [positions] the game's own evaluation, 0 if it has none
    value: np.ndarray  # [positions] the search's value
    result: np.ndarray  # [positions] the mover's score in the game, 0 to 1
    held: np.ndarray  # [positions] whether the game is held out

    def __len__(self) -> int:
        return len(self.value)


def positions_of(game: Game, games: Sequence[SearchedGame], skipped: int = SKIPPED) -> Positions:
    """The usable positions of games."""
    begins = np.cumsum([0, *(len(each.actions) for each in games)])
    actions = np.array([action for each in games for action in each.actions], np.int64)
    values = np.full(len(actions), np.nan)
    for begin, each in zip(begins.tolist(), games, strict=False):
        first = begin + each.opening + skipped
        values[first : begin + len(each.actions)] = each.values[skipped:]
    results = np.array([each.result for each in games])
    room = int(np.isfinite(values).sum())
    found = Positions(
        np.full((room, 2, game.sparse_most), game.sparse_size, np.int32),
        np.zeros(room, np.int64),
        np.zeros(room, np.float32),
        np.zeros(room, np.float32),
        np.zeros(room, np.float32),
        np.zeros(room, np.bool_),
    )
    number = replay(
        game, game.initial(), begins, actions, values, results, cast(ActionStack, action_stack(game)),
        found.features, found.stage, found.static, found.value, found.result, found.held,
    )  # fmt: skip
    if number < 0:
        raise CounterplayError(f"game {-number} of the data is not one of {game.spec}: an action in it is not legal")
    return Positions(*(part[:number] for part in found))


@kernel
def replay(
    game: Game, start: State, begins: np.ndarray, actions: np.ndarray, values: np.ndarray, results: np.ndarray,
    out: ActionStack, features: np.ndarray, stage: np.ndarray, static: np.ndarray, value: np.ndarray, result: np.ndarray,
    held: np.ndarray,
) -> int:  # fmt: skip
    """Record the usable positions of games with the actions[begins[k]:begins[k + 1]]. Returns how many there are, or
    -k if the k-th game, counted from 1, has an illegal action. `values` is NaN for a position that was not searched."""
    low, high = game.utility_bounds[0], game.utility_bounds[1]
    most = game.evaluation_bounds[1]
    n = 0
    for k in range(len(begins) - 1):
        s = start
        for i in range(begins[k], begins[k + 1]):
            legal = False
            game.actions(s, out.fresh())
            for j in range(len(out)):
                legal = legal or out[j] == actions[i]
            out.truncate(0)
            if not legal or game.is_terminal(s):
                return -1 - k
            quiet = abs(values[i]) < most and not game.is_tense(s)
            if quiet and not (game.has_noise and game.is_noisy(s, actions[i])):
                mover = game.to_move(s)
                for side in range(2):
                    game.sparse_features(s, mover if side == 0 else 1 - mover, out.fresh())
                    for j in range(len(out)):
                        features[n, side, j] = out[j]
                    out.truncate(0)
                share = (results[k] - low) / (high - low)
                stage[n], static[n], value[n] = game.stage(s), game.evaluate(s, mover), values[i]
                result[n], held[n] = share if mover == 0 else 1 - share, k % HELD_OUT == 0
                n += 1
            s = game.result(s, actions[i])
    return n


def fitted_scale(game: Game, positions: Positions) -> float:
    """The value that adds 1 to the log-odds of winning, fitted to the search's values and the results. If the search
    values most positions at 0, it is an eighth of the most that can be won."""
    from scipy.optimize import minimize_scalar

    usual = (game.utility_bounds[1] - game.utility_bounds[0]) / 16
    if np.mean(positions.value != 0) < 0.5:
        return float(usual)

    def loss(logarithm: float) -> float:
        return float(np.mean(cross_entropy(positions.value / np.exp(logarithm), positions.result)))

    found = minimize_scalar(loss, bounds=(np.log(usual / 1000), np.log(usual * 10)), method="bounded")
    return float(np.exp(found.x))
