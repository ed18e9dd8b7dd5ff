"""How many positions a game has at least, before all are counted.

Random playthroughs meet at a ply now and then in the same position. Of N playthroughs that end up in n positions, the pairs
that meet are N(N-1)/2n or more, as chance prefers some positions to others; so few meetings mean many positions. (This
is the birthday problem read backwards, and ecologists' capture and recapture.)
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
    """How many positions can be reached from `s`, at least, with some 95% confidence."""
    keys = np.zeros((PLIES, WALKS), np.int64)
    walk(game, s, keys, cast(Any, action_stack(game)), Rng(1), np.zeros(1, np.int64))
    return max(least_different(row[row != 0]) for row in keys)


def least_different(keys: np.ndarray) -> float:
    """How many there are, at least, of what a sample was drawn from."""
    n = len(keys)
    _, times = np.unique(keys, return_counts=True)
    meetings = float((times * (times - 1) / 2).sum())
    return n * (n - 1) / 2 / (meetings + 2 * math.sqrt(meetings) + 3)


@kernel
def walk(game: Game, start: Any, keys: np.ndarray, out: ActionStack, rng: Rng, path: np.ndarray) -> int:
    """Play at random from `start`, and note a hash of the position at each ply; 0 where the game is over."""
    for number in range(keys.shape[1]):
        s = start
        for ply in range(keys.shape[0]):
            if game.is_terminal(s):
                break
            s = game.result(s, pick_evenly(game, s, path, 0, out, rng))
            keys[ply, number] = signed(state_key(s)) | 1
    return 0
