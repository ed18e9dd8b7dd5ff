"""Counting the tree of a game: the oldest test of a move generator."""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.pointer import pointer
from counterplay.core.rules import has_ended, list_options
from counterplay.core.types import State


def perft(game: Game, s: State, depth: int, before: tuple[int, ...] = ()) -> int:
    """The number of sequences of exactly `depth` actions from `s`; chance events count as actions. `before` are the
    repetition keys of the positions that led to `s`."""
    import numpy as np

    if depth < 0:
        raise CounterplayError(f"perft counts to a depth of 0 or more, not {depth}")
    path = np.zeros(len(before) + depth + 2, np.int64)
    path[: len(before)] = before
    return int(_perft_root(game, s, depth, len(before), action_stack(game), path))


@kernel
def _perft_root(game: Any, s: State, depth: int, ply: int, out: Any, path: Any) -> int:
    return _perft(game, s, depth, ply, out, pointer(path))


@kernel
def _perft(game: Any, s: State, depth: int, ply: int, out: Any, path: Any) -> int:
    if depth == 0:
        return 1
    if game.has_repetition and (depth > 1 or game.lookback(s) > 0):
        path[ply] = signed(game.repetition_key(s))
    if has_ended(game, s, path, ply):
        return 0
    start = len(out)
    list_options(game, s, path, ply, out)
    end = len(out)
    leaves = end - start
    if depth > 1:
        leaves = 0
        for i in range(start, end):
            leaves += _perft(game, game.result(s, out[i]), depth - 1, ply + 1, out, path)
    out.truncate(start)
    return leaves
