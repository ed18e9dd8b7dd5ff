"""`language/kept_states.py` compiled: a state is stored in memory as the machine holds it, its numbers as words."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.arrayobj import make_array, populate_array

from counterplay.core.language.kept_states import keep_state, kept_state, write_numbers, zeroed_row
from counterplay.core.native.game import GameType
from counterplay.core.native.state import state_type
from counterplay.core.native.wide import WideType

WORD = ir.IntType(64)


def state_words(state_class: type) -> int:
    """How many words of memory a state takes."""
    context = cpu_target.target_context
    return -(-int(context.get_abi_sizeof(context.get_value_type(state_type(state_class)))) // 8)


def _data(context: Any, builder: Any, ty: Any, value: Any) -> Any:
    return make_array(ty)(context, builder, value).data if isinstance(ty, types.Array) else value


def _is_memory(ty: Any) -> bool:
    return isinstance(ty, (types.Array, types.CPointer)) and ty.dtype == types.int64


@infer_global(keep_state)
class _Keep(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 3 and _is_memory(args[0]):
            return signature(types.none, args[0], types.int64, args[2])
        return None


@infer_global(kept_state)
class _Kept(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 3 and _is_memory(args[0]) and isinstance(args[2], GameType):
            return signature(state_type(args[2].game.frozen.state_class), args[0], types.int64, args[2])
        return None


@infer_global(write_numbers)
class _Numbers(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 3 and _is_memory(args[0]):
            return signature(types.none, args[0], types.int64, args[2])
        return None


def _place(context: Any, builder: Any, sig: Any, args: Any, kind: Any) -> Any:
    """Where a state is kept."""
    words = -(-int(context.get_abi_sizeof(kind)) // 8)
    at = builder.mul(args[1], ir.Constant(WORD, words))
    address = builder.gep(_data(context, builder, sig.args[0], args[0]), [at])
    return builder.bitcast(address, kind.as_pointer())


for memory in (types.Array, types.CPointer):

    @lower_builtin(keep_state, memory, types.int64, types.Any)
    def _keep(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, sig, args, args[2].type), align=8)
        return context.get_dummy_value()

    @lower_builtin(kept_state, memory, types.int64, types.Any)
    def _kept(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.get_value_type(sig.return_type)
        return builder.load(_place(context, builder, sig, args, kind), align=8)

    @lower_builtin(write_numbers, memory, types.int64, types.Any)
    def _numbers(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = _data(context, builder, sig.args[0], args[0])
        for i, word in enumerate(_words(context, builder, sig.args[2], args[2])):
            builder.store(word, builder.gep(data, [builder.add(args[1], ir.Constant(WORD, i))]))
        return context.get_dummy_value()


@infer_global(zeroed_row)
class _Row(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if (
            len(args) == 3
            and isinstance(args[0], (types.Array, types.CPointer))
            and isinstance(args[2], types.UniTuple)
        ):
            return signature(types.Array(args[0].dtype, args[2].count, "C"), args[0], types.int64, args[2])
        return None


for memory in (types.Array, types.CPointer):

    @lower_builtin(zeroed_row, memory, types.int64, types.UniTuple)
    def _zeroed_row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        """An array over a part of the memory, not reference-counted."""
        row = make_array(sig.return_type)(context, builder)
        shape = cgutils.unpack_tuple(builder, args[2])
        item = context.get_abi_sizeof(context.get_data_type(sig.return_type.dtype))
        strides = [ir.Constant(WORD, item)]
        for length in reversed(shape):
            strides.insert(0, builder.mul(strides[0], length))
        start = _data(context, builder, sig.args[0], args[0])
        data = builder.gep(builder.bitcast(start, ir.IntType(8).as_pointer()), [builder.mul(args[1], strides[0])])
        populate_array(
            row,
            data=builder.bitcast(data, start.type),
            shape=shape,
            strides=strides[1:],
            itemsize=strides[-1],
            meminfo=None,
        )
        cgutils.memset(builder, data, strides[0], 0)
        return row._getvalue()


def _words(context: Any, builder: Any, ty: Any, value: Any) -> list[Any]:
    """The words of a value."""
    if isinstance(ty, types.BaseTuple):
        return [
            word
            for i, part in enumerate(ty.types if not isinstance(ty, types.UniTuple) else [ty.dtype] * ty.count)
            for word in _words(context, builder, part, builder.extract_value(value, i))
        ]
    if isinstance(ty, WideType):
        width = value.type.width
        words = [builder.lshr(value, ir.Constant(value.type, 64 * i)) if i else value for i in range(-(-width // 64))]
        return [builder.trunc(word, WORD) if width > 64 else _extend(builder, word, False) for word in words]
    if isinstance(ty, types.Float):
        return [builder.bitcast(context.cast(builder, value, ty, types.float64), WORD)]
    return [context.cast(builder, value, types.unliteral(ty), types.int64)]


def _extend(builder: Any, value: Any, sign: bool) -> Any:
    if value.type.width == 64:
        return value
    return builder.sext(value, WORD) if sign else builder.zext(value, WORD)
