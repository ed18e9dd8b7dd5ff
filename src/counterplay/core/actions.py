"""The list that `Game.actions` and `Game.chance` fill by `out.append(action)`.

One list serves a whole recursion: a node appends its actions after its parents' and truncates when it is
done. Uncompiled it is a Python list; compiled, a flat stack of int64 (native/actions.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterplay.core.game import Game

CAPACITY = 1 << 20
"""Actions that may be listed at once. Memory is only touched as far as it is used."""


class Actions(list[int]):
    """The plain form: a list."""

    def truncate(self, length: int) -> None:
        """Forget the actions from `length` on."""
        del self[length:]


class ActionStack:
    """The compiled form: slot 0 holds the length, the actions follow."""

    def __init__(self) -> None:
        import numpy as np

        self.slots = np.empty(CAPACITY + 1, np.int64)
        self.slots[0] = 0
        self.address = self.slots.ctypes.data

    def __len__(self) -> int:
        return int(self.slots[0])

    def __getitem__(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise IndexError("no such action")
        return int(self.slots[1 + index % len(self)])

    def __iter__(self) -> Iterator[int]:
        return iter(self.slots[1 : 1 + len(self)].tolist())

    def truncate(self, length: int) -> None:
        """Forget the actions from `length` on."""
        self.slots[0] = length


def action_list(game: Game) -> Actions | ActionStack:
    """An empty list of the form that kernels over `game` take."""
    return ActionStack() if game.compiles else Actions()
