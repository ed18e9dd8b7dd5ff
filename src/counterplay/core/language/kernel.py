"""`@kernel`: an algorithm written once for any game, compiled for each game that it is called with.

    @kernel
    def perft(game, s, depth, out): ...

Called with a game that compiles, it runs as native code, from the disk cache if it can. Called with a game in plain
mode (any Python object as a state, or NUMBA_DISABLE_JIT=1), the same source runs as ordinary Python.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

from counterplay.core.fingerprint import jit_enabled
from counterplay.core.game import Game

P = ParamSpec("P")
R = TypeVar("R")


DEEP = 20_000
"""Python's recursion limit when kernels run plain: a search follows long games to their end."""


class Kernel(Generic[P, R]):
    """A function that runs compiled or plain, depending on its first argument, the game."""

    def __init__(self, function: Callable[P, R]) -> None:
        self.py_func = cast(FunctionType, function)
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        game = args[0] if args else None
        if not game.compiles if isinstance(game, Game) else not jit_enabled():
            if sys.getrecursionlimit() < DEEP:
                sys.setrecursionlimit(DEEP)
            return cast(R, self.py_func(*args, **kwargs))
        from counterplay.core.native.entry import call

        return cast(R, call(self, args, kwargs))

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Numba's object behind the kernel."""
        from counterplay.core.native.entry import dispatcher

        return dispatcher(self)


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Make a kernel of a function over games."""
    return Kernel(function)
