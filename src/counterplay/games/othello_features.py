"""What a network sees of an Othello position: each disc on its square, one feature each, one's own first."""

from __future__ import annotations

from typing import Any

from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import ones
from counterplay.core.types import State


class DiscFeatures(Game):
    """Sparse features of a board of two bitboards, `mine` and `theirs`."""

    def sparse_features(self: Any, s: State, player: int, out: Actions) -> None:
        mine, theirs = (0, self.skip) if s.player == player else (self.skip, 0)
        for square in ones(s.mine):
            out.append(mine + square)
        for square in ones(s.theirs):
            out.append(theirs + square)

    def sparse_changes(self: Any, s: State, action: int, player: int, out: Actions) -> bool:
        if action != self.skip:
            mine, theirs = (0, self.skip) if s.player == player else (self.skip, 0)
            out.append(mine + action)
            for square in ones(self.turned(action, s.mine, s.theirs)):
                out.append(mine + square)
                out.append(~(theirs + square))
        return True
