"""Games of networks that follow their policy: each action is drawn by its probability, without search, in many games at
once.

REINFORCE (Williams 1992) makes the actions of won games likelier: a step along the mean of (result - baseline) x
gradient of log p(action), which is the gradient of the expected result. AlphaGo's policy was improved this way in games
against its earlier selves (Silver et al. 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from counterplay.core.game import Game
from counterplay.core.rules import payoff
from counterplay.evaluation.residual import Residual, look, shares
from counterplay.learning.gating import LONGEST, GatingGame

Chooser = Callable[[int, GatingGame], Residual | None]
"""The network that moves in a game, by the game's number; None: any action, all equally likely."""
MOST = LONGEST - 4
"""Plies after which a game counts as even."""


class Drawn(NamedTuple):
    """An action that a network drew."""

    game: int  # the number of the game
    mover: int
    planes: np.ndarray  # float32 [planes, rows, columns]
    legal: np.ndarray  # int64 [options] indices of the legal actions in the policy
    chosen: int  # the index of the one that was drawn


def play_by_policy(boards: Sequence[GatingGame], who: Chooser, draw: np.random.Generator) -> list[Drawn]:
    """Play all games to their ends: the networks' choices, in order of play."""
    found: list[Drawn] = []
    live = list(range(len(boards)))
    while live := [i for i in live if len(boards[i].history) < MOST and boards[i].options()]:
        turns: dict[int, tuple[Residual, list[int]]] = {}
        for i in live:
            network = who(i, boards[i])
            if network is None:
                options = boards[i].options()
                boards[i].play(options[draw.integers(len(options))])
            else:
                turns.setdefault(id(network), (network, []))[1].append(i)
        for network, numbers in turns.values():
            found += play_turn(boards, network, numbers, draw)
    return found


def play_turn(
    boards: Sequence[GatingGame], network: Residual, numbers: list[int], draw: np.random.Generator
) -> list[Drawn]:
    """One action in each of some games."""
    game = network.game
    planes = np.zeros((len(numbers), *game.plane_shape), np.float32)
    options = [boards[i].options() for i in numbers]
    indices = [np.array(each, np.int64) for each in options]
    for i, seen, legal in zip(numbers, planes, indices, strict=True):
        look(game, boards[i].state, seen, legal)
    logits, _ = network.answer(planes)
    found = []
    for k, i in enumerate(numbers):
        at = draw_index(shares(logits[k][indices[k]]), draw.random())
        mover = game.to_move(boards[i].state)
        boards[i].play(options[k][at])
        found.append(Drawn(i, mover, planes[k], indices[k], int(indices[k][at])))
    return found


def draw_index(chances: np.ndarray, u: float) -> int:
    """The index on which `u`, uniform from 0 to 1, falls."""
    return min(int(np.searchsorted(np.cumsum(chances), u, side="right")), len(chances) - 1)


def result_for(game: Game, board: GatingGame, player: int) -> float:
    """A player's result in a game, from -1 to 1; a game that took too long counts as even."""
    if board.options():
        return 0.0
    low, high = game.utility_bounds
    return 2 * (payoff(game, board.state, player) - low) / (high - low) - 1


def gains(results: np.ndarray) -> np.ndarray:
    """How far each result exceeds the mean of the others: the baseline must not depend on the game itself."""
    if len(results) == 1:
        return results
    found: np.ndarray = (results - results.mean()) * len(results) / (len(results) - 1)
    return found
