"""Counting the tree of a game: the oldest test of a move generator."""

from __future__ import annotations

from typing import Any

from counterplay.core.actions import action_list
from counterplay.core.game import CHANCE, Game
from counterplay.core.kernel import kernel


def perft(game: Game, s: Any, depth: int) -> int:
    """The number of sequences of exactly `depth` actions from `s`; chance events count as actions."""
    return int(_perft(game, s, depth, action_list(game)))


@kernel
def _perft(game: Any, s: Any, depth: int, out: Any) -> int:
    if depth == 0:
        return 1
    if game.is_terminal(s):
        return 0
    start = len(out)
    if game.has_chance and game.to_move(s) == CHANCE:
        game.chance(s, out)
    else:
        game.actions(s, out)
    end = len(out)
    leaves = end - start
    if depth > 1:
        leaves = 0
        for i in range(start, end):
            leaves += _perft(game, game.result(s, out[i]), depth - 1, out)
    out.truncate(start)
    return leaves
