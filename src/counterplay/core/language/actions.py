"""The actions that rules list, and the stack on which kernels keep them.

`Game.actions(s, out)` and every other rule that lists actions is given its own list, empty at first: `out.append`,
`len(out)`, `not out`, `in`, an index and a loop mean what they mean for any list.

A kernel keeps the actions of a whole line of play on one stack, a node's after its parent's, and truncates it when a
node is done. It never hands the stack itself to a rule, but `stack.fresh()`: what the rule appends there is then on top
of the stack. Uncompiled, that is a Python list; compiled, the top of the stack itself (native/actions.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterplay.core.game import Game

CAPACITY = 1 << 22
"""The maximum number of actions on a stack. Memory is only touched as far as it is used."""


class Actions(list[int]):
    """The list that a rule fills, uncompiled."""


class ActionStack:
    """The stack of a kernel that runs uncompiled."""

    def __init__(self) -> None:
        self._actions: list[int] = []
        self._top = Actions()  # the list that a rule was last given, until the kernel looks at it

    def fresh(self) -> Actions:
        """An empty list for a rule; what it appends is on the stack afterwards."""
        self._settle()
        self._top = Actions()
        return self._top

    def push(self, action: int) -> None:
        """Put one number on the stack."""
        self._settle().append(action)

    def truncate(self, length: int) -> None:
        """Forget the actions from `length` on."""
        del self._settle()[length:]

    def __len__(self) -> int:
        return len(self._settle())

    def __getitem__(self, index: int) -> int:
        return self._settle()[index]

    def __setitem__(self, index: int, action: int) -> None:
        self._settle()[index] = action

    def __iter__(self) -> Iterator[int]:
        return iter(self._settle())

    def _settle(self) -> list[int]:
        if self._top:
            self._actions += self._top
            self._top = Actions()
        return self._actions


class NativeActionStack:
    """The stack of a kernel that runs compiled: slot 0 holds the length, the actions follow."""

    def __init__(self) -> None:
        import numpy as np

        self.slots = np.empty(CAPACITY + 1, np.int64)
        self.slots[0] = 0
        self.address = self.slots.ctypes.data

    def truncate(self, length: int) -> None:
        """Forget the actions from `length` on."""
        self.slots[0] = length

    def __len__(self) -> int:
        return int(self.slots[0])

    def __iter__(self) -> Iterator[int]:
        return iter(self.slots[1 : 1 + len(self)].tolist())


def action_stack(game: Game) -> ActionStack | NativeActionStack:
    """An empty stack of the form that kernels over `game` take."""
    return NativeActionStack() if game.compiles else ActionStack()
