"""The action list compiled: a pointer to a flat stack of int64, its length in slot 0."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import NativeValue, models, overload_method, register_model, unbox
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    bound_function,
    infer_getattr,
    infer_global,
    signature,
)

from counterplay.core.actions import CAPACITY, ActionStack

WORD = ir.IntType(64)
FULL = f"one path lists more than {CAPACITY} actions; does `actions` append for ever?"


class ActionsType(types.Type):  # type: ignore[misc]
    """The Numba type of an action list."""

    def __init__(self) -> None:
        super().__init__(name="Actions")


ACTIONS = ActionsType()


@register_model(ActionsType)
class _ActionsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: ActionsType) -> None:
        super().__init__(manager, fe_type, WORD.as_pointer())


ActionStack._numba_type_ = ACTIONS  # type: ignore[attr-defined]


@unbox(ActionsType)
def _unbox(ty: ActionsType, obj: Any, c: Any) -> Any:
    return NativeValue(c.builder.bitcast(address_of(c, obj), WORD.as_pointer()))


def address_of(c: Any, obj: Any) -> Any:
    """The pointer that an object keeps in its attribute `address`."""
    attribute = c.pyapi.object_getattr_string(obj, "address")
    pointer = c.pyapi.long_as_voidptr(attribute)
    c.pyapi.decref(attribute)
    return pointer


@infer_getattr
class _Methods(AttributeTemplate):  # type: ignore[misc]
    key = ActionsType

    @bound_function("actions.append")
    def resolve_append(self, ty: Any, args: Any, kws: Any) -> Any:
        from counterplay.core.native.wide import WideType

        if len(args) == 1 and isinstance(args[0], (types.Integer, types.Boolean, WideType)):
            return signature(types.none, types.int64)
        return None

    @bound_function("actions.truncate")
    def resolve_truncate(self, ty: Any, args: Any, kws: Any) -> Any:
        return signature(types.none, types.int64)


@lower_builtin("actions.append", ActionsType, types.int64)
def _append(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    slots, action = args
    length = _length(builder, slots)
    full = builder.icmp_unsigned(">=", length, ir.Constant(WORD, CAPACITY))
    with builder.if_then(full, likely=False):
        context.call_conv.return_user_exc(builder, OverflowError, (FULL,))
    longer = builder.add(length, ir.Constant(WORD, 1))
    _apart(builder, builder.store(action, builder.gep(slots, [longer])), "action")
    _apart(builder, builder.store(longer, slots), "length")
    return context.get_dummy_value()


@lower_builtin("actions.truncate", ActionsType, types.int64)
def _truncate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    _apart(builder, builder.store(args[1], args[0]), "length")
    return context.get_dummy_value()


@overload_method(ActionsType, "extend")
def _extend(out: Any, items: Any) -> Any:
    def extend(out: Any, items: Any) -> None:
        for item in items:
            out.append(item)

    return extend


@infer_global(len)
class _Len(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.int64, ACTIONS) if args == (ACTIONS,) else None


@lower_builtin(len, ActionsType)
def _len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _length(builder, args[0])


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.int64, ACTIONS, types.int64) if args[0] == ACTIONS else None


@lower_builtin(operator.getitem, ActionsType, types.int64)
def _getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _apart(builder, builder.load(_slot(builder, *args)), "action")


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.none, ACTIONS, types.int64, types.int64) if args[0] == ACTIONS else None


@lower_builtin(operator.setitem, ActionsType, types.int64, types.int64)
def _setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    _apart(builder, builder.store(args[2], _slot(builder, args[0], args[1])), "action")
    return context.get_dummy_value()


def _slot(builder: Any, slots: Any, index: Any) -> Any:
    return builder.gep(slots, [builder.add(index, ir.Constant(WORD, 1))])


def _length(builder: Any, slots: Any) -> Any:
    return _apart(builder, builder.load(slots), "length")


def _apart(builder: Any, instruction: Any, what: str) -> Any:
    """Tell LLVM that the length and the actions never share a word, so that a loop of appends keeps its length in a
    register."""
    module = builder.module
    root = module.add_metadata(["counterplay actions"])
    kind = module.add_metadata([what, root, ir.Constant(WORD, 0)])
    instruction.set_metadata("tbaa", module.add_metadata([kind, kind, ir.Constant(WORD, 0)]))
    return instruction
