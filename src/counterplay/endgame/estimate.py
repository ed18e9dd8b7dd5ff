"""A lower bound on how many positions a game has, before all are counted.

Two random playthroughs sometimes meet the same position at a ply. If N playthroughs end up in n positions, the expected
number of pairs that meet is N(N-1)/2n or more, as chance prefers some positions to others; so few meetings mean many
positions. (This is the birthday problem in reverse, and ecologists' capture and recapture.)
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state_key
from counterplay.core.rules import pick_evenly

WALKS, PLIES = 50_000, 64


def least_positions(game: Game, s: Any) -> float:
    """A lower bound on the positions that can be reached from `s`, with about 95% confidence."""
    keys = np.zeros((PLIES, WALKS), np.int64)
    walk(game, s, keys, cast(Any, action_stack(game)), Rng(1), np.zeros(1, np.int64))
    return max(least_different(row[row != 0]) for row in keys)


def least_different(keys: np.ndarray) -> float:
    """A lower bound on the size of the set from which a sample was drawn."""
    n = len(keys)
    _, times = np.unique(keys, return_counts=True)
    meetings = float((times * (times - 1) / 2).sum())
    return n * (n - 1) / 2 / (meetings + 2 * math.sqrt(meetings) + 3)


@kernel
def walk(game: Game, start: Any, keys: np.ndarray, out: ActionStack, rng: Rng, path: np.ndarray) -> int:
    """Play at random from `start`, and record a hash of the position at each ply; 0 once the game is over."""
    for number in range(keys.shape[1]):
        s = start
        for ply in range(keys.shape[0]):
            if game.is_terminal(s):
                break
            s = game.result(s, pick_evenly(game, s, path, 0, out, rng))
            keys[ply, number] = signed(state_key(s)) | 1
    return 0
