"""`pointer(array)` compiled."""

from __future__ import annotations

from typing import Any

from numba.core import config, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.arrayobj import make_array

from counterplay.core.memory import pointer


@infer_global(pointer)
class _Pointer(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 1 or not isinstance(args[0], types.Array) or args[0].ndim != 1:
            return None
        return signature(args[0] if config.BOUNDSCHECK else types.CPointer(args[0].dtype), args[0])


@lower_builtin(pointer, types.Array)
def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    if config.BOUNDSCHECK:
        context.nrt.incref(builder, sig.args[0], args[0])
        return args[0]
    return make_array(sig.args[0])(context, builder, args[0]).data
