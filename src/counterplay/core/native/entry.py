"""Where Python enters compiled code: a kernel's dispatcher, its cache, and errors in terms of the rules' source."""

from __future__ import annotations

import inspect
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError
from numba.core.extending import typeof_impl

from counterplay.core.game import Game
from counterplay.core.language.kernel import Kernel
from counterplay.core.native import actions, bits, cache, game, pointer, rng, state, tuples, wide, workspace  # noqa: F401 (they register their types)
from counterplay.core.native.explain import explain
from counterplay.core.native.methods import Pipeline, compiled
from counterplay.core.native.stack import SMALL, state_bytes, with_room


def dispatcher(kernel: Kernel[Any, Any]) -> Any:
    """The Numba dispatcher of a function that only calls a kernel, with our cache instead of Numba's.

    The kernel itself is an inner function like any other, so it can call itself, directly or through others.
    """
    parameters = inspect.signature(kernel.py_func).parameters
    names = ", ".join(parameters)
    scope: dict[str, Any] = {"kernel": kernel, "__name__": kernel.py_func.__module__}
    exec(f"def {kernel.py_func.__name__}({names}):\n    return kernel({names})", scope)
    enter = scope[kernel.py_func.__name__]
    enter.__defaults__ = kernel.py_func.__defaults__
    made = compiled(enter, Pipeline)
    made._cache = cache.KernelCache(kernel.py_func)
    return made


@typeof_impl.register(Kernel)
def _typeof(kernel: Kernel[Any, Any], c: Any) -> types.Type:
    return types.Dispatcher(compiled(kernel.py_func))  # called by another kernel


def call(kernel: Kernel[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a kernel compiled, on a stack with room for its states."""
    if args and isinstance(args[0], Game) and state_bytes(args[0].frozen.state_class) > SMALL:
        return with_room(args[0], lambda: _enter(kernel, args, kwargs))
    return _enter(kernel, args, kwargs)


def _enter(kernel: Kernel[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a kernel compiled; a rule that does not compile is explained."""
    try:
        return kernel.dispatcher(*args, **kwargs)
    except Exception as wrong:
        compiling = cache.abandon()
        if not compiling and not isinstance(wrong, NumbaError):
            raise
        broken = args[0] if args and isinstance(args[0], Game) else None
        raise explain(wrong, broken) from wrong
    except BaseException:
        cache.abandon()
        raise
