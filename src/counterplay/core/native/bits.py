"""Operations on bitboards, compiled: each function of core/language/bits.py as its machine instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import models, register_model
from numba.core.imputils import RefType, iternext_impl, lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from counterplay.core.language import bits
from counterplay.core.native.wide import U64, WORD, WideType, is_number, number_to, resize


def _bitwise(function: Any, emit: Callable[..., Any]) -> None:
    """Type and lower a function from a wide integer (or an int, read as a u64) to an int."""

    @infer_global(function)
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != 1:
                return None
            if isinstance(args[0], WideType):
                return signature(types.int64, args[0])
            return signature(types.int64, U64) if is_number(args[0]) else None

    lower_builtin(function, WideType)(lambda context, builder, sig, args: emit(builder, args[0]))


def _intrinsic(builder: Any, name: str, x: Any, *flags: int) -> Any:
    """A call of an LLVM intrinsic on `x`."""
    boolean = ir.IntType(1)
    function = builder.module.declare_intrinsic(
        name, (x.type,), ir.FunctionType(x.type, [x.type] + [boolean] * len(flags))
    )
    return builder.call(function, [x, *(ir.Constant(boolean, flag) for flag in flags)])


def _first(builder: Any, x: Any) -> Any:
    return resize(builder, _intrinsic(builder, "llvm.cttz", x, 1), WORD)


def _last(builder: Any, x: Any) -> Any:
    zeros = resize(builder, _intrinsic(builder, "llvm.ctlz", x, 1), WORD)
    return builder.sub(ir.Constant(WORD, x.type.width - 1), zeros)


_bitwise(bits.count, lambda b, x: resize(b, _intrinsic(b, "llvm.ctpop", x), WORD))
_bitwise(bits.first, _first)
_bitwise(bits.last, _last)


@infer_global(bits.bit)
class _Bit(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(U64, types.int64) if len(args) == 1 and is_number(args[0]) else None


@lower_builtin(bits.bit, types.int64)
def _bit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.shl(ir.Constant(WORD, 1), builder.and_(args[0], ir.Constant(WORD, 63)))


@infer_global(bits.signed)
class _Signed(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 1 and (is_number(args[0]) or isinstance(args[0], WideType)):
            return signature(types.int64, args[0] if isinstance(args[0], WideType) else types.int64)
        return None


lower_builtin(bits.signed, WideType)(number_to(types.int64))
lower_builtin(bits.signed, types.int64)(number_to(types.int64))


def _bitcast(function: Any, source: types.Type, target: types.Type) -> None:
    """Type and lower a function that reads the same 64 bits as another type."""

    @infer_global(function)
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(target, source) if len(args) == 1 else None

    lower_builtin(function, source)(
        lambda context, builder, sig, args: builder.bitcast(args[0], context.get_value_type(target))
    )


_bitcast(bits.float_bits, types.float64, types.int64)
_bitcast(bits.bits_float, types.int64, types.float64)


# nth: the k-th bit set.


@infer_global(bits.nth)
class _Nth(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 2 and isinstance(args[0], WideType) and is_number(args[1]):
            return signature(types.int64, args[0], types.int64)
        return None


@lower_builtin(bits.nth, WideType, types.int64)
def _nth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Find the word by counting, without branches, then the bit within it."""
    x, k = args
    width = x.type.width
    word = rank = base = None
    seen = ir.Constant(WORD, 0)
    for offset in range(0, width, 64):
        here = resize(builder, builder.lshr(x, ir.Constant(x.type, offset)), WORD)
        if word is None:
            word, rank, base = here, k, ir.Constant(WORD, 0)
        else:
            reached = builder.icmp_signed(">=", k, seen)
            word = builder.select(reached, here, word)
            rank = builder.select(reached, builder.sub(k, seen), rank)
            base = builder.select(reached, ir.Constant(WORD, offset), base)
        seen = builder.add(seen, _intrinsic(builder, "llvm.ctpop", here))
    return builder.add(base, _nth_of_word(builder, word, rank))


def _nth_of_word(builder: Any, word: Any, rank: Any) -> Any:
    if llvm.get_host_cpu_features().get("bmi2"):
        name = "llvm.x86.bmi.pdep.64"
        function = builder.module.globals.get(name)
        if function is None:
            function = ir.Function(builder.module, ir.FunctionType(WORD, [WORD, WORD]), name)
        return _first(builder, builder.call(function, [builder.shl(ir.Constant(WORD, 1), rank), word]))
    rest = cgutils.alloca_once_value(builder, word)
    with cgutils.for_range(builder, rank):
        now = builder.load(rest)
        builder.store(builder.and_(now, builder.sub(now, ir.Constant(WORD, 1))), rest)
    return _first(builder, builder.load(rest))


# ones: iteration over the bits set.


class OnesType(types.SimpleIteratorType):  # type: ignore[misc]
    """The type of `ones(x)`: an iterator that holds the bits still to come."""

    def __init__(self, wide: WideType) -> None:
        self.wide = wide
        super().__init__(f"ones({wide})", types.int64)


@register_model(OnesType)
class _OnesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: OnesType) -> None:
        super().__init__(manager, fe_type, [("rest", types.EphemeralPointer(fe_type.wide))])


@infer_global(bits.ones)
class _Ones(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 1 and (isinstance(args[0], WideType) or is_number(args[0])):
            wide = args[0] if isinstance(args[0], WideType) else U64
            return signature(OnesType(wide), wide)
        return None


@lower_builtin(bits.ones, WideType)
def _ones(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    iterator = context.make_helper(builder, sig.return_type)
    iterator.rest = cgutils.alloca_once_value(builder, args[0])
    return iterator._getvalue()


@lower_builtin("getiter", OnesType)
def _getiter(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return args[0]


@lower_builtin("iternext", OnesType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    iterator = context.make_helper(builder, sig.args[0], value=args[0])
    rest = builder.load(iterator.rest)
    some = builder.icmp_unsigned("!=", rest, ir.Constant(rest.type, 0))
    result.set_valid(some)
    with builder.if_then(some):
        result.yield_(_first(builder, rest))
        builder.store(builder.and_(rest, builder.sub(rest, ir.Constant(rest.type, 1))), iterator.rest)
