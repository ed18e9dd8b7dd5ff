"""`u64` and `Wide(n)` compiled: one LLVM integer, with the same meaning as in core/language/wide.py.

Numba's own rules would turn `uint64 & int` into int64 and `x if c else 0` into float64. Here an int that meets a wide
integer becomes one, so rules written for Python keep their meaning.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.extending import NativeValue, box, lower_cast, models, register_model, typeof_impl, unbox
from numba.core.imputils import lower_builtin, lower_constant
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from counterplay.core.language.wide import Wide, WideInt, u64

WORD = ir.IntType(64)


class WideType(types.Type):  # type: ignore[misc]
    """The Numba type of unsigned integers of `width` bits."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Wide({width})")

    def unify(self, typingctx: Any, other: types.Type) -> types.Type | None:
        """A variable that holds a wide integer here and an int there is a wide integer."""
        return self if isinstance(other, (types.Integer, types.Boolean)) else None

    def can_convert_from(self, typingctx: Any, other: types.Type) -> Any:
        """An int is brought into range."""
        return typingctx_safe if isinstance(other, (types.Integer, types.Boolean)) else None


def _safe() -> Any:
    from numba.core.typeconv import Conversion

    return Conversion.safe


typingctx_safe = _safe()
U64 = WideType(64)


@register_model(WideType)
class _WideModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: WideType) -> None:
        super().__init__(manager, fe_type, ir.IntType(fe_type.width))


@typeof_impl.register(WideInt)
def _typeof(value: WideInt, c: Any) -> WideType:
    return WideType(value.width)


@lower_constant(WideType)
def _constant(context: Any, builder: Any, ty: WideType, value: int) -> Any:
    return ir.Constant(ir.IntType(ty.width), int(value))


# To and from Python.


@unbox(WideType)
def _unbox(ty: WideType, obj: Any, c: Any) -> Any:
    api, builder, native = c.pyapi, c.builder, ir.IntType(ty.width)
    value = resize(builder, _lowest_word(c, obj), native)
    for shift in range(64, ty.width, 64):
        places = api.unserialize(api.serialize_object(shift))
        shifted = api.number_rshift(obj, places)
        word = resize(builder, _lowest_word(c, shifted), native)
        value = builder.or_(value, builder.shl(word, ir.Constant(native, shift)))
        api.decref(places)
        api.decref(shifted)
    return NativeValue(value, is_error=cgutils.is_not_null(builder, api.err_occurred()))


def _lowest_word(c: Any, number: Any) -> Any:
    """The lowest 64 bits of a Python integer."""
    signature = ir.FunctionType(WORD, [c.pyapi.pyobj])
    return c.builder.call(c.pyapi._get_function(signature, name="PyLong_AsUnsignedLongLongMask"), [number])


@box(WideType)
def _box(ty: WideType, value: Any, c: Any) -> Any:
    api, builder = c.pyapi, c.builder
    number = api.long_from_ulonglong(resize(builder, value, WORD))
    for shift in range(64, ty.width, 64):
        word = api.long_from_ulonglong(resize(builder, builder.lshr(value, ir.Constant(value.type, shift)), WORD))
        places = api.unserialize(api.serialize_object(shift))
        shifted = api.number_lshift(word, places)
        total = api.number_or(number, shifted)
        for temporary in (word, places, shifted, number):
            api.decref(temporary)
        number = total
    cls = _class(ty, c)
    boxed = api.call_function_objargs(cls, (number,))
    api.decref(cls)
    api.decref(number)
    return boxed


def _class(ty: WideType, c: Any) -> Any:
    """The Python class; pickling it by value would copy a class of another width."""
    api = c.pyapi
    if ty.width == u64.width:
        return api.unserialize(api.serialize_object(u64))
    maker, width = (api.unserialize(api.serialize_object(each)) for each in (Wide, ty.width))
    cls = api.call_function_objargs(maker, (width,))
    api.decref(maker)
    api.decref(width)
    return cls


# Conversions.


def resize(builder: Any, value: Any, native: ir.IntType, signed: bool = False) -> Any:
    """`value` as an integer of another width."""
    if value.type.width == native.width:
        return value
    if value.type.width > native.width:
        return builder.trunc(value, native)
    return builder.sext(value, native) if signed else builder.zext(value, native)


@lower_cast(types.Integer, WideType)
@lower_cast(types.IntegerLiteral, WideType)
@lower_cast(types.Boolean, WideType)
@lower_cast(WideType, WideType)
@lower_cast(WideType, types.Integer)
@lower_cast(WideType, types.Boolean)
def _cast(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    if isinstance(source, types.IntegerLiteral):
        value = context.cast(builder, value, source, source.literal_type)
        source = source.literal_type
    if isinstance(target, types.Boolean):
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))
    native = ir.IntType(target.width) if isinstance(target, WideType) else context.get_value_type(target)
    return resize(builder, value, native, signed=getattr(source, "signed", False))


def number_to(target: Any) -> Callable[..., Any]:
    """Lowering for a conversion call such as u64(x) or int(x)."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.cast(builder, args[0], sig.args[0], sig.return_type)

    return lower


def constructor(cls: type[WideInt]) -> types.Type:
    """The Numba type of the class itself: what `u64` is in `u64(x)`."""
    if cls not in _constructors:
        wide = WideType(cls.width)

        class Constructor(AbstractTemplate):  # type: ignore[misc]
            key = cls

            def generic(self, args: Any, kws: Any) -> Any:
                if not args:
                    return signature(wide)
                if len(args) == 1 and isinstance(args[0], (types.Integer, types.Boolean, WideType)):
                    return signature(wide, types.unliteral(args[0]))
                raise errors.TypingError(f"{cls.__name__}(...) takes one whole number")

        lower_builtin(cls)(lambda context, builder, sig, args: ir.Constant(ir.IntType(cls.width), 0))
        for source in (types.Integer, types.Boolean, WideType):
            lower_builtin(cls, source)(number_to(wide))
        _constructors[cls] = types.Function(Constructor)
    return _constructors[cls]


_constructors: dict[type[WideInt], types.Type] = {}


@infer_global(int)
class _Int(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], WideType):
            return signature(types.int64, args[0])
        return None


lower_builtin(int, WideType)(number_to(types.int64))


@infer_global(bool)
class _Bool(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], WideType):
            return signature(types.boolean, args[0])
        return None


lower_builtin(bool, WideType)(number_to(types.boolean))


# Operators. A template that returns signature(w, w, w) makes Numba bring the other operand into range first.


def is_number(ty: types.Type) -> bool:
    """Whether `ty` is an ordinary whole number."""
    return isinstance(ty, (types.Integer, types.Boolean))


def _meeting(args: Any) -> WideType | None:
    """The wide type of an operation on two operands, one of which may be an int."""
    if len(args) != 2:
        return None
    x, y = args
    if isinstance(x, WideType) and isinstance(y, WideType):
        if x.width != y.width:
            raise errors.TypingError(f"{x} and {y} differ in width: convert one of them first")
        return x
    if isinstance(x, WideType) and is_number(y):
        return x
    if is_number(x) and isinstance(y, WideType):
        return y
    return None


def _binary(operators: tuple[Any, ...], emit: Callable[..., Any], divides: bool = False) -> None:
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            wide = _meeting(args)
            return wide and signature(wide, wide, wide)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if divides:  # division by zero would end the whole process
            zero = builder.icmp_unsigned("==", args[1], ir.Constant(args[1].type, 0))
            with builder.if_then(zero, likely=False):
                context.call_conv.return_user_exc(builder, ZeroDivisionError, ("integer division or modulo by zero",))
        return emit(builder, *args)

    for op in operators:
        infer_global(op)(type(f"Wide_{op.__name__}", (Template,), {}))
        lower_builtin(op, WideType, WideType)(lower)


_binary((operator.and_, operator.iand), lambda b, x, y: b.and_(x, y))
_binary((operator.or_, operator.ior), lambda b, x, y: b.or_(x, y))
_binary((operator.xor, operator.ixor), lambda b, x, y: b.xor(x, y))
_binary((operator.add, operator.iadd), lambda b, x, y: b.add(x, y))
_binary((operator.sub, operator.isub), lambda b, x, y: b.sub(x, y))
_binary((operator.mul, operator.imul), lambda b, x, y: b.mul(x, y))
_binary((operator.floordiv, operator.ifloordiv), lambda b, x, y: b.udiv(x, y), divides=True)
_binary((operator.mod, operator.imod), lambda b, x, y: b.urem(x, y), divides=True)


def _shift(operators: tuple[Any, ...], name: str) -> None:
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != 2:
                return None
            x, places = args
            if isinstance(x, WideType) and (is_number(places) or isinstance(places, WideType)):
                return signature(x, x, types.int64)
            if is_number(x) and isinstance(places, WideType):
                return signature(types.int64, types.int64, types.int64)
            return None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        """A shift beyond the width leaves nothing, as in Python (the machine would shift by the remainder)."""
        x, places = args
        amount = resize(builder, places, x.type)
        shifted = getattr(builder, name)(x, amount)
        inside = builder.icmp_unsigned("<", places, ir.Constant(places.type, x.type.width))
        return builder.select(inside, shifted, ir.Constant(x.type, 0))

    for op in operators:
        infer_global(op)(type(f"Wide_{op.__name__}", (Template,), {}))
        lower_builtin(op, WideType, types.int64)(lower)


_shift((operator.lshift, operator.ilshift), "shl")
_shift((operator.rshift, operator.irshift), "lshr")


def _compare(op: Any, symbol: str) -> None:
    @infer_global(op)
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            wide = _meeting(args)
            if wide is None:
                return None
            if any(isinstance(a, types.Integer) and not a.signed for a in args):  # such as an element of a uint64 array
                return signature(types.boolean, wide, wide)
            return signature(types.boolean, *(a if isinstance(a, WideType) else types.int64 for a in args))

    def lower_both(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.icmp_unsigned(symbol, *args)

    def lower_mixed(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        """A negative int is below every wide integer."""
        is_left = isinstance(sig.args[0], WideType)
        wide, number = args if is_left else (args[1], args[0])
        room = ir.IntType(max(wide.type.width, 64) + 1)
        wide, number = builder.zext(wide, room), builder.sext(number, room)
        return builder.icmp_signed(symbol, *((wide, number) if is_left else (number, wide)))

    lower_builtin(op, WideType, WideType)(lower_both)
    lower_builtin(op, WideType, types.int64)(lower_mixed)
    lower_builtin(op, types.int64, WideType)(lower_mixed)


for _op, _symbol in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    _compare(getattr(operator, _op), _symbol)


def unary(function: Any, result: types.Type | None, emit: Callable[..., Any]) -> None:
    """Type and lower a function of one wide integer; if `result` is None, the result has the same type."""

    @infer_global(function)
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 1 and isinstance(args[0], WideType):
                return signature(result or args[0], args[0])
            return None

    lower_builtin(function, WideType)(lambda context, builder, sig, args: emit(builder, args[0]))


unary(operator.invert, None, lambda b, x: b.not_(x))
unary(operator.neg, None, lambda b, x: b.neg(x))
unary(operator.pos, None, lambda b, x: x)
unary(operator.not_, types.boolean, lambda b, x: b.icmp_unsigned("==", x, ir.Constant(x.type, 0)))
