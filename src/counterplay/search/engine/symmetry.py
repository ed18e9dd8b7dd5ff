"""Symmetric positions share a table entry: that of the form with the least key."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.types import State


def folded_key(game: Game, s: State, key: int) -> tuple[int, int]:
    """The least key among the symmetric forms of `s`, whose own key is `key`, and the form that has it."""
    form = 0
    for k in range(1, game.symmetries):
        other = signed(game.key(game.symmetric(s, k)))
        if other < key:
            key, form = other, k
    return key, form


def stored_action(game: Game, action: int, form: int) -> int:
    """An action as numbered in the table's symmetric form."""
    if game.symmetries > 1:
        if form and action >= 0:
            return game.symmetric_action(action, form)
    return action
