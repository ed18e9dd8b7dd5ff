"""Numba's type inference with a memory: what an operator gives for operands of certain types is found out once.

Inference asks Numba's templates, dozens for an operator such as `+`, whenever it meets a call, and it meets each call
many times over, above all in a kernel that calls itself. The answer depends on the types alone.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NopythonTypeInference

SURE = {each for module in (operator, builtins) for each in vars(module).values() if callable(each)}
"""Functions whose answer no one changes."""
_signatures: dict[Any, Any] = {}


class RememberingContext:
    """A typing context that asks Numba's own, and keeps the signatures of operators."""

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
        """The signature of `target.attr = value`. Numba would turn a float into an int without a word."""
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
            return bool(super().run_pass(state))
        finally:
            state.typingctx = context
