"""Repetition: threefold, superko, or any other rule about a position that recurs.

A game says what repetition means (`repetition`, `occurrences` in `aspects/identity.py`) and what counts as the same
position (`repetition_key`). `path` holds those keys as signed words, `path[ply]` for the position at `ply`. Plain
functions, as in `rules.py`: Python calls them as they are, kernels compile them with the game.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.types import State


def is_new(game: Any, after: State, path: Any, ply: int) -> bool:
    """Record `after`, the position at `ply`, on the path; returns whether it is new."""
    path[ply] = signed(game.repetition_key(after))
    return not repeats(game, after, path, ply)


def repeats(game: Any, s: State, path: Any, ply: int) -> bool:
    """Whether this occurrence of `s`, the position at `ply`, is the one that the game's rule forbids or ends at."""
    key = path[ply]
    seen = 1
    for earlier in range(max(game.earliest(s, path[0]), ply - game.lookback(s)), ply):
        if path[earlier] == key:
            seen += 1
            if seen >= game.occurrences:
                return True
    return False


def repetition_word(game: Game, s: State) -> int:
    """What a repetition rule compares of `s`, as paths hold it."""
    return signed(game.repetition_key(s)) if game.has_repetition else 0
