"""Where Python enters compiled code: a kernel's dispatcher, its cache, and errors in the words of the rules' author."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.extending import typeof_impl

from counterplay.core.game import Game
from counterplay.core.kernel import Kernel
from counterplay.core.native import actions, bits, cache, game, memory, rng, state, wide, workspace  # noqa: F401 (they register their types)
from counterplay.core.native.explain import explain
from counterplay.core.native.methods import compiled


def dispatcher(function: FunctionType) -> Any:
    """The Numba dispatcher of a kernel, with our cache in place of Numba's."""
    made = compiled(function)
    made._cache = cache.KernelCache(function)
    return made


@typeof_impl.register(Kernel)
def _typeof(kernel: Kernel[Any, Any], c: Any) -> types.Type:
    return types.Dispatcher(kernel.dispatcher)


def call(kernel: Kernel[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a kernel compiled; a rule that does not compile is explained."""
    try:
        return kernel.dispatcher(*args, **kwargs)
    except (NumbaError, UnsupportedBytecodeError) as wrong:
        cache.abandon()
        broken = args[0] if args and isinstance(args[0], Game) else None
        raise explain(wrong, broken) from wrong
    except BaseException:
        cache.abandon()
        raise
