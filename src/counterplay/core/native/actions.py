"""Actions compiled: a kernel's stack is a pointer to words, its length in slot 0; a rule's list is the top of that stack,
a pair of the pointer and the length at which the list begins."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.extending import (
    NativeValue,
    make_attribute_wrapper,
    models,
    overload,
    overload_method,
    register_model,
    unbox,
)
from numba.core.imputils import RefType, iternext_impl, lower_builtin
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    bound_function,
    infer_getattr,
    infer_global,
    signature,
)

from counterplay.core.language.actions import CAPACITY, NativeActionStack
from counterplay.core.native.address import address_of

WORD = ir.IntType(64)
FULL = f"one line of play lists more than {CAPACITY:,} actions; does `actions` append forever?"
RANGE = "there is no such index in the list of actions"


class StackType(types.Type):  # type: ignore[misc]
    """The Numba type of a kernel's stack."""

    def __init__(self) -> None:
        super().__init__(name="ActionStack")


class ActionsType(types.IterableType):  # type: ignore[misc]
    """The Numba type of the list that a rule fills."""

    def __init__(self) -> None:
        super().__init__(name="Actions")

    @property
    def iterator_type(self) -> types.Type:
        return ITERATOR


class IteratorType(types.SimpleIteratorType):  # type: ignore[misc]
    """The Numba type of a loop over such a list."""

    def __init__(self) -> None:
        super().__init__("iter(Actions)", types.int64)


STACK, ACTIONS, ITERATOR = StackType(), ActionsType(), IteratorType()
NativeActionStack._numba_type_ = STACK  # type: ignore[attr-defined]


@register_model(StackType)
class _StackModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: StackType) -> None:
        super().__init__(manager, fe_type, WORD.as_pointer())


@register_model(ActionsType)
class _ActionsModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: ActionsType) -> None:
        super().__init__(manager, fe_type, [("stack", STACK), ("start", types.int64)])


@register_model(IteratorType)
class _IteratorModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: IteratorType) -> None:
        super().__init__(manager, fe_type, [("list", ACTIONS), ("next", types.EphemeralPointer(types.int64))])


make_attribute_wrapper(ActionsType, "stack", "stack_")
make_attribute_wrapper(ActionsType, "start", "start_")


@unbox(StackType)
def _unbox(ty: StackType, obj: Any, c: Any) -> Any:
    return NativeValue(c.builder.bitcast(address_of(c, obj), WORD.as_pointer()))


# The kernel's stack.


def _is_action(ty: Any) -> bool:
    from counterplay.core.native.wide import WideType

    return isinstance(ty, (types.Integer, types.Boolean, WideType))


@infer_getattr
class _StackMethods(AttributeTemplate):  # type: ignore[misc]
    key = StackType

    @bound_function("stack.fresh")
    def resolve_fresh(self, ty: Any, args: Any, kws: Any) -> Any:
        return signature(ACTIONS)

    @bound_function("stack.push")
    def resolve_push(self, ty: Any, args: Any, kws: Any) -> Any:
        return signature(types.none, types.int64) if len(args) == 1 and _is_action(args[0]) else None

    @bound_function("stack.truncate")
    def resolve_truncate(self, ty: Any, args: Any, kws: Any) -> Any:
        return signature(types.none, types.int64)


@lower_builtin("stack.fresh", StackType)
def _fresh(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    fresh = cgutils.create_struct_proxy(ACTIONS)(context, builder)
    fresh.stack, fresh.start = args[0], _length(builder, args[0])
    return fresh._getvalue()


@lower_builtin("stack.push", StackType, types.int64)
def _push(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    stack, action = args
    length = _length(builder, stack)
    full = builder.icmp_unsigned(">=", length, ir.Constant(WORD, CAPACITY))
    with builder.if_then(full, likely=False):
        context.call_conv.return_user_exc(builder, OverflowError, (FULL,))
    longer = builder.add(length, ir.Constant(WORD, 1))
    _apart(builder, builder.store(action, builder.gep(stack, [longer])), "action")
    _apart(builder, builder.store(longer, stack), "length")
    return context.get_dummy_value()


@lower_builtin("stack.truncate", StackType, types.int64)
def _truncate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    _apart(builder, builder.store(args[1], args[0]), "length")
    return context.get_dummy_value()


# The rule's list.


@infer_getattr
class _ListMethods(AttributeTemplate):  # type: ignore[misc]
    key = ActionsType

    @bound_function("actions.append")
    def resolve_append(self, ty: Any, args: Any, kws: Any) -> Any:
        return signature(types.none, types.int64) if len(args) == 1 and _is_action(args[0]) else None


@lower_builtin("actions.append", ActionsType, types.int64)
def _append(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    stack = cgutils.create_struct_proxy(ACTIONS)(context, builder, args[0]).stack
    return _push(context, builder, sig, (stack, args[1]))


@overload_method(ActionsType, "extend")
def _extend(out: Any, items: Any) -> Any:
    def extend(out: Any, items: Any) -> None:
        for item in items:
            out.append(item)

    return extend


@overload_method(ActionsType, "clear")
def _clear(out: Any) -> Any:
    def clear(out: Any) -> None:
        out.stack_.truncate(out.start_)

    return clear


@overload_method(ActionsType, "pop")
def _pop(out: Any) -> Any:
    def pop(out: Any) -> int:
        if len(out) == 0:
            raise IndexError("pop from an empty list of actions")
        last = out[len(out) - 1]
        out.stack_.truncate(len(out.stack_) - 1)
        return last

    return pop


@overload_method(ActionsType, "count")
def _count(out: Any, action: Any) -> Any:
    def count(out: Any, action: Any) -> int:
        found = 0
        for each in out:
            if each == action:
                found += 1
        return found

    return count


@overload_method(ActionsType, "index")
def _index(out: Any, action: Any) -> Any:
    def index(out: Any, action: Any) -> int:
        for i in range(len(out)):
            if out[i] == action:
                return i
        raise ValueError("that action is not in the list")

    return index


@overload_method(ActionsType, "remove")
def _remove(out: Any, action: Any) -> Any:
    def remove(out: Any, action: Any) -> None:
        for i in range(out.index(action), len(out) - 1):
            out[i] = out[i + 1]
        out.pop()

    return remove


@overload_method(ActionsType, "reverse")
def _reverse(out: Any) -> Any:
    def reverse(out: Any) -> None:
        for i in range(len(out) // 2):
            other = len(out) - 1 - i
            out[i], out[other] = out[other], out[i]

    return reverse


@overload_method(ActionsType, "sort")
def _sort(out: Any) -> Any:
    def sort(out: Any) -> None:
        for i in range(1, len(out)):
            action, k = out[i], i
            while k > 0 and out[k - 1] > action:
                out[k] = out[k - 1]
                k -= 1
            out[k] = action

    return sort


@overload(operator.contains)
def _contains(out: Any, action: Any) -> Any:
    if not isinstance(out, ActionsType):
        return None

    def contains(out: Any, action: Any) -> bool:
        return out.count(action) > 0

    return contains


class _Truth(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.boolean, ACTIONS) if args == (ACTIONS,) else None


for question in (bool, operator.truth, operator.not_):
    infer_global(question)(type("_Truth", (_Truth,), {}))


@lower_builtin(bool, ActionsType)
@lower_builtin(operator.truth, ActionsType)
def _is_filled(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.icmp_signed(">", _list_length(context, builder, args[0]), ir.Constant(WORD, 0))


@lower_builtin(operator.not_, ActionsType)
def _is_empty(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(_is_filled(context, builder, sig, args))


@lower_builtin("getiter", ActionsType)
def _getiter(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    loop = cgutils.create_struct_proxy(ITERATOR)(context, builder)
    loop.list = args[0]
    loop.next = cgutils.alloca_once_value(builder, ir.Constant(WORD, 0))
    return loop._getvalue()


@lower_builtin("iternext", IteratorType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    loop = cgutils.create_struct_proxy(ITERATOR)(context, builder, args[0])
    index = builder.load(loop.next)
    more = builder.icmp_signed("<", index, _list_length(context, builder, loop.list))
    result.set_valid(more)
    with builder.if_then(more):
        out = cgutils.create_struct_proxy(ACTIONS)(context, builder, loop.list)
        result.yield_(_read(builder, out.stack, builder.add(out.start, index)))
        builder.store(builder.add(index, ir.Constant(WORD, 1)), loop.next)


# What both share.


@infer_global(len)
class _Len(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.int64, args[0]) if len(args) == 1 and args[0] in (STACK, ACTIONS) else None


@lower_builtin(len, StackType)
def _stack_len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _length(builder, args[0])


@lower_builtin(len, ActionsType)
def _list_len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _list_length(context, builder, args[0])


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if args[0] not in (STACK, ACTIONS) or not _is_action(args[1]):
            return None
        return signature(types.int64, args[0], types.int64)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if args[0] not in (STACK, ACTIONS) or not _is_action(args[1]) or not _is_action(args[2]):
            return None
        return signature(types.none, args[0], types.int64, types.int64)


@lower_builtin(operator.getitem, StackType, types.int64)
def _stack_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _read(builder, *args)


@lower_builtin(operator.setitem, StackType, types.int64, types.int64)
def _stack_setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    _apart(builder, builder.store(args[2], _slot(builder, args[0], args[1])), "action")
    return context.get_dummy_value()


@lower_builtin(operator.getitem, ActionsType, types.int64)
def _list_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _read(builder, *_found(context, builder, *args))


@lower_builtin(operator.setitem, ActionsType, types.int64, types.int64)
def _list_setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _stack_setitem(context, builder, sig, (*_found(context, builder, args[0], args[1]), args[2]))


def _found(context: Any, builder: Any, value: Any, index: Any) -> tuple[Any, Any]:
    """The stack, and where on it an index of the list is; a negative index counts from the end."""
    out = cgutils.create_struct_proxy(ACTIONS)(context, builder, value)
    length = _list_length(context, builder, value)
    negative = builder.icmp_signed("<", index, ir.Constant(WORD, 0))
    index = builder.select(negative, builder.add(index, length), index)
    if config.BOUNDSCHECK:
        with builder.if_then(builder.icmp_unsigned(">=", index, length), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, (RANGE,))
    return out.stack, builder.add(out.start, index)


def _list_length(context: Any, builder: Any, value: Any) -> Any:
    out = cgutils.create_struct_proxy(ACTIONS)(context, builder, value)
    return builder.sub(_length(builder, out.stack), out.start)


def _read(builder: Any, stack: Any, index: Any) -> Any:
    return _apart(builder, builder.load(_slot(builder, stack, index)), "action")


def _slot(builder: Any, stack: Any, index: Any) -> Any:
    return builder.gep(stack, [builder.add(index, ir.Constant(WORD, 1))])


def _length(builder: Any, stack: Any) -> Any:
    return _apart(builder, builder.load(stack), "length")


def _apart(builder: Any, instruction: Any, what: str) -> Any:
    """Tell LLVM that the length and the actions never share a word, so that a loop of appends keeps its length in a
    register."""
    module = builder.module
    root = module.add_metadata(["counterplay actions"])
    kind = module.add_metadata([what, root, ir.Constant(WORD, 0)])
    instruction.set_metadata("tbaa", module.add_metadata([kind, kind, ir.Constant(WORD, 0)]))
    return instruction
