"""Calls of `game.method(...)` in compiled code, and constant attributes.

Before types are inferred, a pass rewrites the intermediate code of each function: if an argument is a game,
`game.result(s, a)` becomes a call of the compiled function `result(game, s, a)`, and `game.width` becomes the number
itself. So methods need no trampolines (half the compile time) and can call themselves, and a branch such as `if
game.has_chance:` disappears before it is even typed. A member of an `IntFlag` or `IntEnum` becomes its number.

A plain Python function that compiled code names is compiled as well: helpers need no decorator.
"""

from __future__ import annotations

import functools
from enum import Enum, EnumType
from types import FunctionType, MethodType
from typing import Any, ClassVar

from numba import njit
from numba.core import errors, ir, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.extending import typeof_impl
from numba.core.ir_utils import get_definition, guard
from numba.core.registry import cpu_target
from numba.core.untyped_passes import IRProcessing

from counterplay.core.fingerprint import Fingerprint, is_foreign
from counterplay.core.language.marks import marks_of
from counterplay.core.native import interrupts
from counterplay.core.native.generators import with_generators
from counterplay.core.native.passes import replaced_passes

FOR_KERNELS, FOR_INNER = replaced_passes()
LOWERS_ITSELF = any(each.__name__ == "InnerLowering" for each in FOR_INNER.values())
"""Whether our own pass lowers functions."""
MISSING = object()
ANY_ORDER = {"reassoc", "contract", "nsz"}
"""What LLVM may do with the sums of a function marked `any_order`."""


class ObjectType(types.Type):  # type: ignore[misc]
    """The Numba type of a Python object whose methods compile from their own source."""

    def method(self, name: str) -> FunctionType | None:
        """The Python function behind `object.name(...)`."""
        return None

    def getter(self, name: str) -> FunctionType | None:
        """The Python function behind the property `object.name`."""
        return None

    def constant(self, name: str) -> Any:
        """The value of `object.name` if it is fixed at compile time, else MISSING."""
        return MISSING

    def field(self, name: str) -> types.Type | None:
        """The type of `object.name` if it is read at run time."""
        return None

    def require_settable(self, name: str, given: types.Type) -> None:
        """Reject `object.name = value` if a value of the type `given` does not fit."""


@register_pass(mutates_CFG=False, analysis_only=False)
class ResolveMethods(FunctionPass):  # type: ignore[misc]
    """Turn methods of arguments and of their fields into calls of functions, and constant attributes into constants."""

    _name = "counterplay_resolve_methods"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        func_ir, changed = state.func_ir, False
        bound: dict[int, ir.Var] = {}  # the object of each method that was resolved, by the identity of its definition
        blocks = func_ir.blocks.values()
        for block in blocks:
            for statement in list(block.find_insts(ir.Assign)):
                if isinstance(statement.value, ir.Expr) and statement.value.op == "getattr":
                    changed |= self._attribute(state, block, statement, bound)
        for block in blocks:
            for call in block.find_exprs("call"):
                method = self._definition(func_ir, call.func)
                if id(method) in bound:
                    call.args = [bound[id(method)], *call.args]
        return changed

    def _definition(self, func_ir: Any, variable: ir.Var) -> Any:
        """The definition of `variable`, through copies. A call such as `self.f(x if c else y)` reads its method from a
        variable that each branch has copied."""
        found = [
            self._definition(func_ir, definition) if isinstance(definition, ir.Var) else definition
            for definition in func_ir._definitions[variable.name]
        ]
        return found[0] if found and all(one is found[0] for one in found) else None

    def _attribute(self, state: Any, block: ir.Block, statement: ir.Assign, bound: dict[int, ir.Var]) -> bool:
        """Replace `object.name` if the object is an argument, or a field of one, whose type knows the name."""
        expr = statement.value
        owner = guard(get_definition, state.func_ir, expr.value)
        flags: Any = owner.value if isinstance(owner, ir.Global) and isinstance(owner.value, EnumType) else Enum
        if isinstance(owner, ir.Const) and expr.attr == "value":  # of a member that has become its number
            self._define(state.func_ir, statement, owner)
            return True
        if issubclass(flags, int) and expr.attr in flags.__members__:
            self._define(state.func_ir, statement, ir.Const(int(flags[expr.attr]), expr.loc))
            return True
        ty = self._object_type(state, expr.value)
        if ty is None:
            return False
        method, getter, value = ty.method(expr.attr), ty.getter(expr.attr), ty.constant(expr.attr)
        if method is not None:
            function = ir.Global(expr.attr, compiled(method), expr.loc)
            bound[id(function)] = expr.value
            self._define(state.func_ir, statement, function)
        elif getter is not None:
            function = statement.target.scope.redefine("$getter", expr.loc)
            definition = ir.Assign(ir.Global(expr.attr, compiled(getter), expr.loc), function, expr.loc)
            state.func_ir._definitions[function.name].append(definition.value)
            block.body.insert(block.body.index(statement), definition)
            self._define(state.func_ir, statement, ir.Expr.call(function, [expr.value], (), expr.loc))
        elif value is MISSING:
            return False
        elif type(value) in (bool, int, float, str, type(None)):
            self._define(state.func_ir, statement, ir.Const(value, expr.loc))
        else:
            require_known(expr.attr, value, expr.loc)
            self._define(state.func_ir, statement, ir.Global(expr.attr, value, expr.loc))
        return True

    def _object_type(self, state: Any, variable: ir.Var) -> ObjectType | None:
        """The type of an argument, or of an object that is its field, as in `context.table.probe(key)`."""
        source = guard(get_definition, state.func_ir, variable)  # None if it is assigned more than once
        found = None
        if isinstance(source, ir.Arg):
            found = state.args[source.index]
        elif isinstance(source, ir.Expr) and source.op == "getattr":
            owner = self._object_type(state, source.value)
            found = owner and owner.field(source.attr)
        return found if isinstance(found, ObjectType) else None

    def _define(self, func_ir: Any, statement: ir.Assign, new: Any) -> None:
        definitions = func_ir._definitions[statement.target.name]
        definitions[definitions.index(statement.value)] = new
        statement.value = new


def require_known(name: str, value: Any, loc: Any) -> None:
    """Refuse an attribute whose value compiled code cannot hold."""
    if isinstance(value, (list, dict, set, frozenset)):
        raise errors.TypingError(
            f"self.{name} is a {type(value).__name__}; make it a tuple, or a NumPy array if it is long", loc=loc
        )
    if isinstance(value, MethodType):
        raise errors.TypingError(f"self.{name} is a class method; write it as a method with `self`", loc=loc)
    if isinstance(getattr(value, "__wrapped__", None), FunctionType):
        raise errors.TypingError(f"self.{name} is a decorated function; leave the decorator out", loc=loc)


class Pipeline(CompilerBase):  # type: ignore[misc]
    """Numba's own compiler with that pass added, and with some passes replaced by ours."""

    ours: ClassVar[dict[Any, Any]] = FOR_KERNELS

    def compile_extra(self, func: FunctionType) -> Any:
        """Numba's entry point. An error records the innermost function in which it occurred."""
        interrupts.safe_point()
        try:
            return super().compile_extra(func)
        except Exception as wrong:
            if not hasattr(wrong, "function"):
                wrong.function = func  # type: ignore[attr-defined]
            raise

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(ResolveMethods, IRProcessing)
        passes.passes = [(self.ours.get(each, each), text) for each, text in passes.passes]
        passes.finalize()
        return [passes]


class InnerPipeline(Pipeline):
    """The same for functions that only compiled code calls."""

    ours: ClassVar[dict[Any, Any]] = FOR_INNER


def compiled(function: FunctionType, pipeline: Any = InnerPipeline) -> Any:
    """The Numba dispatcher of a Python function and everything that it reaches now: in a notebook, a name that a helper
    mentions can mean another function next time."""
    is_ours = function.__module__.startswith("counterplay.")
    return _dispatcher(function, "" if is_ours else Fingerprint().of(function).hexdigest(), pipeline)


@functools.cache
def _dispatcher(function: FunctionType, reach: str, pipeline: Any) -> Any:
    """The Numba dispatcher of a Python function, one for each hash of what it reaches.

    A literal argument counts as an ordinary number. Otherwise `rec(n, 0)` would enter a recursion with types other than
    those it recurses with, and such a function crashes when loaded from the cache.
    """
    marks = marks_of(function)
    fast = ANY_ORDER if "any_order" in marks else False
    # Numba's own lowering names a function that calls back by the flags of the caller: here all have the same flags.
    inline = "inlined" in marks and LOWERS_ITSELF
    made = njit(nogil=True, error_model="numpy", fastmath=fast, forceinline=inline, pipeline_class=pipeline)(
        with_generators(function)
    )
    fold = made._compiler.fold_argument_types

    def fold_unliteral(args: Any, kws: Any) -> Any:
        return fold(tuple(map(types.unliteral, args)), {name: types.unliteral(ty) for name, ty in kws.items()})

    made._compiler.fold_argument_types = fold_unliteral
    return made


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
