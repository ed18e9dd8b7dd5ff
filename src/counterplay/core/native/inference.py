"""Numba's type inference with a memory: what an operator returns for operands of certain types is looked up only once.

Inference asks Numba's templates, dozens for an operator such as `+`, at every call that it meets, and it meets each
call many times, above all in a kernel that calls itself. The answer depends only on the types.
"""

from __future__ import annotations

import builtins
import inspect
import operator
from types import FunctionType
from typing import Any

from numba.core import errors, ir, types
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import get_definition, guard
from numba.core.typed_passes import NopythonTypeInference

from counterplay.core.game import Game

SURE = {each for module in (operator, builtins) for each in vars(module).values() if callable(each)}
"""Functions whose type nobody changes."""
VALUES = {
    name
    for name in dir(Game)
    if isinstance(rule := inspect.getattr_static(Game, name), FunctionType)
    and "None" not in rule.__annotations__.get("return", "None")
}
"""Rules that return a value."""
_signatures: dict[Any, Any] = {}


class RememberingContext:
    """A typing context that asks Numba's own and remembers the signatures of operators."""

    def __init__(self, context: Any) -> None:
        self.context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if kws or not isinstance(func, types.BaseFunction) or func.typing_key not in SURE:
            return self.context.resolve_function_type(func, args, kws)
        found = _signatures.get((func, args))
        if found is None:
            found = self.context.resolve_function_type(func, args, kws)
            if found is not None:
                _signatures[func, args] = found
        return found

    def resolve_setattr(self, target: Any, attr: str, value: Any) -> Any:
        """The signature of `target.attr = value`. Numba would silently turn a float into an int."""
        found = self.context.resolve_setattr(target, attr, value)
        if found is not None and hasattr(target, "require_settable"):
            target.require_settable(attr, value)
        return found


@register_pass(mutates_CFG=True, analysis_only=False)
class QuickTypeInference(NopythonTypeInference):  # type: ignore[misc]
    """Numba's pass in such a context."""

    _name = "counterplay_type_inference"

    def run_pass(self, state: Any) -> bool:
        context = state.typingctx
        state.typingctx = RememberingContext(context)
        try:
            changed = bool(super().run_pass(state))
        finally:
            state.typingctx = context
        require_value(state)
        return changed


def require_value(state: Any) -> None:
    """Refuse a rule that does not return a value on every path: Numba would continue with "a value or None"."""
    name: str = state.func_id.func_name
    given: Any = state.args[0] if state.args else None
    if name not in VALUES or not isinstance(getattr(given, "game", None), Game):
        return
    if given.method(name) is not inspect.unwrap(state.func_id.func):
        return  # some other function or method that happens to have a rule's name
    if isinstance(state.return_type, types.Optional) or state.return_type == types.none:
        raise errors.TypingError(
            f"`{name}` ends without a value here (or returns None); write `return` with a value on every path",
            loc=_where_none(state.func_ir),
        )


def _where_none(func_ir: Any) -> Any:
    """The line after which a function returns None."""
    for block in func_ir.blocks.values():
        if isinstance(block.terminator, ir.Return):
            value = guard(get_definition, func_ir, block.terminator.value)
            if isinstance(value, ir.Expr) and value.op == "cast":
                value = guard(get_definition, func_ir, value.value)
            if isinstance(value, ir.Const) and value.value is None:
                return block.terminator.loc
    return func_ir.loc
