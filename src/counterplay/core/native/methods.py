"""Calls of `game.method(...)` in compiled code, and attributes that are constants.

Before types are inferred, a pass rewrites the intermediate code of each function: where an argument is a game,
`game.result(s, a)` becomes a call of the compiled function `result(game, s, a)`, and `game.width` becomes the
number itself. So methods need no trampolines (half the compile time), may call themselves, and a branch such as
`if game.has_chance:` disappears before it is even typed.

A plain Python function that compiled code names is compiled, too: helpers need no decorator.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

from numba import njit
from numba.core import ir, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.extending import typeof_impl
from numba.core.ir_utils import guard
from numba.core.registry import cpu_target
from numba.core.untyped_passes import IRProcessing

from counterplay.core.fingerprint import is_foreign

MISSING = object()


class ObjectType(types.Type):  # type: ignore[misc]
    """The Numba type of a Python object whose methods compile from their own source."""

    def method(self, name: str) -> FunctionType | None:
        """The Python function behind `object.name(...)`."""
        return None

    def constant(self, name: str) -> Any:
        """The value of `object.name` where it is fixed at compile time, else MISSING."""
        return MISSING


@register_pass(mutates_CFG=False, analysis_only=False)
class ResolveMethods(FunctionPass):  # type: ignore[misc]
    """Turn methods of arguments into calls of functions, and constant attributes into constants."""

    _name = "counterplay_resolve_methods"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        func_ir, changed = state.func_ir, False
        for block in func_ir.blocks.values():
            bound: dict[str, ir.Var] = {}  # variables that hold a method, and its object
            for statement in block.body:
                if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
                    continue
                value = statement.value
                if value.op == "getattr":
                    new = self._attribute(state, value)
                    if new is not None:
                        if isinstance(new, ir.Global) and isinstance(new.value, type(compiled(_nothing))):
                            bound[statement.target.name] = value.value
                        self._define(func_ir, statement, new)
                        changed = True
                elif value.op == "call" and value.func.name in bound:
                    value.args = [bound[value.func.name], *value.args]
                    changed = True
        return changed

    def _attribute(self, state: Any, expr: ir.Expr) -> Any:
        source = guard(state.func_ir.get_definition, expr.value)
        if not isinstance(source, ir.Arg) or not isinstance(state.args[source.index], ObjectType):
            return None
        ty = state.args[source.index]
        function = ty.method(expr.attr)
        if function is not None:
            return ir.Global(expr.attr, compiled(function), expr.loc)
        value = ty.constant(expr.attr)
        if value is MISSING:
            return None
        if isinstance(value, (bool, int, float, str, type(None))) and type(value).__module__ == "builtins":
            return ir.Const(value, expr.loc)
        return ir.Global(expr.attr, value, expr.loc)

    def _define(self, func_ir: Any, statement: ir.Assign, new: Any) -> None:
        definitions = func_ir._definitions[statement.target.name]
        definitions[definitions.index(statement.value)] = new
        statement.value = new


class Pipeline(CompilerBase):  # type: ignore[misc]
    """Numba's own compiler with that pass in it."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(ResolveMethods, IRProcessing)
        passes.finalize()
        return [passes]


@functools.cache
def compiled(function: FunctionType) -> Any:
    """The Numba dispatcher of a Python function.

    A literal argument counts as an ordinary number. Otherwise `rec(n, 0)` would enter a recursion with other types than
    it recurses with, and such a function crashes when it comes from the cache.
    """
    made = njit(nogil=True, error_model="numpy", pipeline_class=Pipeline)(function)
    fold = made._compiler.fold_argument_types

    def fold_unliteral(args: Any, kws: Any) -> Any:
        return fold(tuple(map(types.unliteral, args)), {name: types.unliteral(ty) for name, ty in kws.items()})

    made._compiler.fold_argument_types = fold_unliteral
    return made


def _nothing() -> None:
    pass


@typeof_impl.register(FunctionType)
def _typeof_function(function: FunctionType, c: Any) -> Any:
    """A plain function that compiled code names is compiled like the rest, unless Numba knows it already."""
    context = cpu_target.typing_context
    if context._lookup_global(function) is not None:
        return None
    import sys

    if is_foreign(sys.modules.get(function.__module__)):
        return None
    return types.Dispatcher(compiled(function))
