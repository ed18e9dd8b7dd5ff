"""Tuples compiled: `replaced`, and tuples whose length is known only at run time.

Numba needs to know a tuple's length when it compiles. `tuple(cells)` of a list, `t[a:b]` and `tuple(x for ...)` do not
give it. Such a tuple is kept as an unshared list, with its own type, until it reaches a field of a state, which
declares a length. There the length is checked.
"""

from __future__ import annotations

import inspect
import operator
from typing import Any

from llvmlite import ir
from numba.core import errors, types
from numba.core.extending import intrinsic, lower_cast, models, overload, overload_method, register_model
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.cpython.listobj import ListInstance

from counterplay.core.language.tuples import replaced
from counterplay.core.native.wide import WideType


class LooseTuple(types.List):  # type: ignore[misc]
    """A tuple of any length; all elements are of one type."""

    def __init__(self, dtype: types.Type) -> None:
        super().__init__(dtype)
        self.name = f"LooseTuple({dtype})"

    def __unliteral__(self) -> LooseTuple:
        return self

    def unify(self, typingctx: Any, other: types.Type) -> types.Type | None:
        if isinstance(other, LooseTuple):
            dtype = typingctx.unify_pairs(self.dtype, other.dtype)
            return LooseTuple(dtype) if dtype is not None else None
        return None

    def can_convert_to(self, typingctx: Any, other: types.Type) -> Any:
        if isinstance(other, types.UniTuple):
            kept = typingctx.can_convert(self.dtype, other.dtype)
            return Conversion.safe if kept is not None and kept <= Conversion.safe else None
        return None


register_model(LooseTuple)(models.ListModel)


@intrinsic
def _loose(typingctx: Any, items: Any) -> Any:
    """An unshared list as a tuple."""

    def same(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return impl_ret_borrowed(context, builder, sig.return_type, args[0])

    return (LooseTuple(items.dtype)(items), same) if isinstance(items, types.List) else None


@overload(tuple)
def _tuple(items: Any) -> Any:
    def whole(items: Any) -> Any:
        return _loose(list(items))

    return whole if isinstance(items, types.IterableType) and not isinstance(items, types.BaseTuple) else None


@overload(operator.getitem)
def _slice(t: Any, bounds: Any) -> Any:
    def cut(t: Any, bounds: Any) -> Any:
        start, stop, step = bounds.indices(len(t))
        return _loose([t[i] for i in range(start, stop, step)])

    return cut if isinstance(t, types.UniTuple) and len(t) and isinstance(bounds, types.SliceType) else None


def _mixed(a: Any, b: Any) -> bool:
    """Whether a tuple of any length meets one of a fixed length."""
    return (isinstance(a, LooseTuple) and isinstance(b, types.UniTuple)) or (
        isinstance(b, LooseTuple) and isinstance(a, types.UniTuple)
    )


@overload(operator.add)
def _add(a: Any, b: Any) -> Any:
    def joined(a: Any, b: Any) -> Any:
        return _loose(list(a) + list(b))

    return joined if _mixed(a, b) else None


@overload(operator.mul)
def _mul(t: Any, times: Any) -> Any:
    def repeated(t: Any, times: Any) -> Any:
        return _loose(list(t) * times)

    return repeated if isinstance(t, types.UniTuple) and len(t) and isinstance(times, types.Integer) else None


@overload_method(types.UniTuple, "count")
@overload_method(LooseTuple, "count")
def _count(t: Any, value: Any) -> Any:
    def number(t: Any, value: Any) -> int:
        n = 0
        for each in t:
            if each == value:
                n += 1
        return n

    return number


@overload(reversed)
def _reversed(items: Any) -> Any:
    def back(items: Any) -> Any:
        return range(items.start + (len(items) - 1) * items.step, items.start - items.step, -items.step)

    def turned(items: Any) -> Any:
        return list(items)[::-1]

    if isinstance(items, types.RangeType):
        return back
    return turned if isinstance(items, (types.UniTuple, types.List)) else None


@overload(operator.eq)
def _eq(a: Any, b: Any) -> Any:
    def equal(a: Any, b: Any) -> bool:
        return list(a) == list(b)

    return equal if _mixed(a, b) else None


@overload(operator.ne)
def _ne(a: Any, b: Any) -> Any:
    def unequal(a: Any, b: Any) -> bool:
        return list(a) != list(b)

    return unequal if _mixed(a, b) else None


@lower_cast(LooseTuple, types.UniTuple)
def _fix_length(context: Any, builder: Any, given: LooseTuple, wanted: types.UniTuple, value: Any) -> Any:
    """The tuple with exactly the expected number of elements: any other number is an error."""
    items = ListInstance(context, builder, given, value)
    length = ir.Constant(items.size.type, len(wanted))
    with builder.if_then(builder.icmp_signed("!=", items.size, length), likely=False):
        told = f"a tuple of {len(wanted)} elements is expected here, but this one has more or fewer"
        context.call_conv.return_user_exc(builder, ValueError, (told,))
    parts = [
        context.cast(builder, items.getitem(ir.Constant(items.size.type, i)), given.dtype, wanted.dtype)
        for i in range(len(wanted))
    ]
    return context.make_tuple(builder, wanted, parts)


# What consumes a generator: `any` and `all`, which Numba does not have, and others that Numba has only for lists.


@overload(any)
def _any(items: Any) -> Any:
    def is_any(items: Any) -> bool:
        for each in items:  # noqa: SIM110 (this is `any`)
            if each:
                return True
        return False

    return is_any if isinstance(items, types.IterableType) else None


@overload(all)
def _all(items: Any) -> Any:
    def are_all(items: Any) -> bool:
        for each in items:  # noqa: SIM110 (this is `all`)
            if not each:
                return False
        return True

    return are_all if isinstance(items, types.IterableType) else None


@overload(sum)
def _sum(items: Any, start: Any = 0) -> Any:
    def total(items: Any, start: Any = 0) -> Any:
        for each in items:
            start = start + each
        return start

    return total if isinstance(items, types.Generator) else None


@overload(min)
def _min(items: Any) -> Any:
    def least(items: Any) -> Any:
        return min(list(items))

    return least if isinstance(items, types.Generator) else None


@overload(max)
def _max(items: Any) -> Any:
    def most(items: Any) -> Any:
        return max(list(items))

    return most if isinstance(items, types.Generator) else None


# `replaced(t, i, value)`.

_SIGNATURE = inspect.signature(replaced)


@infer_global(replaced)
class _Replaced(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        from counterplay.core.native.state import StateType, fits, shown

        try:
            t, i, value = map(types.unliteral, _SIGNATURE.bind(*args, **kws).args)
        except TypeError as wrong:
            raise errors.TypingError(f"replaced(...): {wrong}; write replaced(t, i, value)") from None
        if isinstance(t, StateType):
            raise errors.TypingError(f"replaced(...) changes a tuple; for {shown(t)} write s._replace(field=value)")
        if isinstance(t, LooseTuple):
            raise errors.TypingError("replaced(...) needs a tuple of fixed length, such as a state's field")
        if not isinstance(t, types.UniTuple) or not len(t):
            raise errors.TypingError(f"replaced(...) needs a tuple whose elements all have one type, not {shown(t)}")
        if not isinstance(i, (types.Integer, types.Boolean, WideType)):
            raise errors.TypingError(f"replaced(...): the index is {shown(i)}; it must be an int")
        if not fits(value, t.dtype):
            raise errors.TypingError(
                f"replaced(...): the elements are {shown(t.dtype)} each, the value is {shown(value)}"
            )
        return signature(t, t, types.int64, t.dtype).replace(pysig=_SIGNATURE)


@lower_builtin(replaced, types.UniTuple, types.Integer, types.Any)
def _replaced(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    t, i, value = args
    count = len(sig.args[0])
    length = ir.Constant(i.type, count)
    negative = builder.icmp_signed("<", i, ir.Constant(i.type, 0))
    i = builder.select(negative, builder.add(i, length), i)
    with builder.if_then(builder.icmp_unsigned(">=", i, length), likely=False):
        told = f"replaced(t, i, value): t has {count} elements, so i is from 0 to {count - 1}"
        context.call_conv.return_user_exc(builder, IndexError, (told,))
    made = t
    for k in range(count):
        here = builder.icmp_unsigned("==", i, ir.Constant(i.type, k))
        made = builder.insert_value(made, builder.select(here, value, builder.extract_value(t, k)), k)
    return made
