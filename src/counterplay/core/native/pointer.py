"""`pointer(array)`, `prefetch(array, index)` and the atomic steps, compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import config, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.arrayobj import make_array

from counterplay.core.language.pointer import compare_swap, fetch_add, pointer, prefetch


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


@infer_global(prefetch)
class _Prefetch(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 2 and isinstance(args[0], (types.CPointer, types.Array)):
            return signature(types.none, args[0], types.int64)
        return None


@lower_builtin(prefetch, types.CPointer, types.int64)
def _lower_prefetch(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
    address = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
    builder.call(function, [address, *(ir.Constant(number, flag) for flag in (0, 3, 1))])  # to read, keep, data
    return context.get_dummy_value()


@lower_builtin(prefetch, types.Array, types.int64)
def _lower_checked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_dummy_value()


# What several threads share.


def _address(context: Any, builder: Any, ty: Any, array: Any, index: Any) -> Any:
    """The address of an element of a pointer or an array."""
    data = make_array(ty)(context, builder, array).data if isinstance(ty, types.Array) else array
    return builder.gep(data, [index])


def _item(array: Any, kind: Any) -> Any:
    """The type of the elements, if they are of this kind and in memory."""
    item = getattr(array, "dtype", None)
    return item if isinstance(array, (types.CPointer, types.Array)) and isinstance(item, kind) else None


@infer_global(fetch_add)
class _FetchAdd(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        item = _item(args[0], types.Number) if len(args) == 3 else None
        return item and signature(item, args[0], types.int64, item)


@lower_builtin(fetch_add, types.CPointer, types.int64, types.Number)
@lower_builtin(fetch_add, types.Array, types.int64, types.Number)
def _lower_fetch_add(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    address = _address(context, builder, sig.args[0], args[0], args[1])
    return builder.atomic_rmw(
        "fadd" if isinstance(sig.return_type, types.Float) else "add", address, args[2], "acq_rel"
    )


@infer_global(compare_swap)
class _CompareSwap(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        item = _item(args[0], types.Integer) if len(args) == 4 else None
        return item and signature(types.boolean, args[0], types.int64, item, item)


@lower_builtin(compare_swap, types.CPointer, types.int64, types.Integer, types.Integer)
@lower_builtin(compare_swap, types.Array, types.int64, types.Integer, types.Integer)
def _lower_compare_swap(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    address = _address(context, builder, sig.args[0], args[0], args[1])
    return builder.extract_value(builder.cmpxchg(address, args[2], args[3], "acq_rel", "acquire"), 1)
