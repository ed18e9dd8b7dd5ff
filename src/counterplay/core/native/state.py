"""`@state` classes compiled: named tuples whose fields have exactly the declared types.

Numba would type `State(0, 1)` by its arguments; here the constructor converts each argument to its field's type, so
that a state has one type however it was made. It rejects what does not fit, in terms of the rules' source.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import errors, types
from numba.core.extending import box, models, register_model, typeof_impl
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.core.typing.typeof import _typeof_type

from counterplay.core.language.rng import mix
from counterplay.core.language.state import SEED, STATES, Kind, identity, is_state, kinds, state_key, words
from counterplay.core.language.wide import WideInt
from counterplay.core.native import wide
from counterplay.core.native.tuples import LooseTuple
from counterplay.core.native.wide import U64, WideType

WORD = ir.IntType(64)


class StateType(types.NamedTuple):  # type: ignore[misc]
    """The Numba type of a `@state` class."""

    def __init__(self, cls: type) -> None:
        super().__init__([numba_type(kind) for kind in kinds(cls)], cls)
        self.name = f"{cls.__module__}.{cls.__qualname__}({', '.join(map(str, self.types))})"

    @property
    def key(self) -> Any:
        return self.instance_class

    def __reduce__(self) -> tuple[Any, ...]:
        return _type_of_class, (identity(self.instance_class),)


def _type_of_class(identity: str) -> StateType:
    return state_type(_class_named(identity))


register_model(StateType)(models.TupleModel)


@functools.cache
def state_type(cls: type) -> StateType:
    """The one Numba type of a class. Numba asks a state for it at every call of a kernel."""
    cls._numba_type_ = made = StateType(cls)  # type: ignore[attr-defined]
    return made


def numba_type(kind: Kind) -> types.Type:
    """The Numba type of a field."""
    if isinstance(kind, tuple):
        parts = [numba_type(part) for part in kind]
        uniform = all(part == parts[0] for part in parts)
        return types.UniTuple(parts[0], len(parts)) if uniform else types.Tuple(parts)
    if kind in (int, bool, float):
        return {int: types.int64, bool: types.boolean, float: types.float64}[kind]
    if issubclass(kind, WideInt):
        return WideType(kind.width)
    return state_type(kind)


@typeof_impl.register(tuple)
def _typeof_tuple(value: tuple[Any, ...], c: Any) -> Any:
    if is_state(type(value)):
        return state_type(type(value))
    return _numba_typeof_tuple(value, c)


def _find_typeof_tuple() -> Any:
    from numba.core.typing import typeof

    return typeof._typeof_tuple


_numba_typeof_tuple = _find_typeof_tuple()


@typeof_impl.register(type)
def _typeof_class(cls: type, c: Any) -> Any:
    if issubclass(cls, WideInt):
        return wide.constructor(cls)
    if issubclass(cls, tuple) and is_state(cls):
        return constructor(cls)
    return _typeof_type(cls, c)


def constructor(cls: type) -> types.Type:
    """The Numba type of the class itself: what `State` is in `State(...)`."""
    if cls not in _constructors:
        made = state_type(cls)

        class Constructor(AbstractTemplate):  # type: ignore[misc]
            key = cls

            def generic(self, args: Any, kws: Any) -> Any:
                return _construct(self.context, cls, made, args, kws)

        lower_builtin(cls, types.VarArg(types.Any))(_make)
        _constructors[cls] = types.Function(Constructor)
    return _constructors[cls]


_constructors: dict[type, types.Type] = {}


def _construct(context: Any, cls: type, made: StateType, args: Any, kws: Any) -> Any:
    pysig = inspect.signature(cls)
    try:
        bound = pysig.bind(*args, **kws)
    except TypeError as wrong:
        raise errors.TypingError(f"{cls.__name__}(...): {wrong}") from None
    for field, given in bound.arguments.items():
        wanted = made.types[made.fields.index(field)]
        if not fits(given, wanted):
            raise errors.TypingError(f"{cls.__name__}.{field} is {shown(wanted)}, but here it is given {shown(given)}")
    return signature(made, *made.types).replace(pysig=pysig)


def _make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.make_tuple(builder, sig.return_type, args)


def fits(given: types.Type, wanted: types.Type) -> bool:
    """Whether a value of type `given` fits a field of type `wanted` without loss."""
    if isinstance(given, types.Omitted):
        return True
    given = types.unliteral(given)
    if given == wanted:
        return True
    whole = isinstance(given, (types.Integer, types.Boolean))
    if isinstance(wanted, (types.Integer, WideType)):
        return whole
    if isinstance(wanted, types.Float):
        return whole or isinstance(given, types.Float)
    if isinstance(wanted, types.UniTuple) and isinstance(given, LooseTuple):
        return fits(given.dtype, wanted.dtype)
    if isinstance(wanted, types.BaseTuple) and not isinstance(wanted, StateType) and isinstance(given, types.BaseTuple):
        return len(given) == len(wanted) and all(map(fits, given.types, wanted.types))
    return False


def shown(ty: types.Type) -> str:
    """A Numba type as the rules' author would name it."""
    ty = types.unliteral(ty)
    if isinstance(ty, WideType):
        return "a u64" if ty.width == 64 else f"a Wide({ty.width})"
    if isinstance(ty, StateType):
        return f"a {ty.instance_class.__name__}"
    if isinstance(ty, types.BaseTuple):
        return f"a tuple of {len(ty)}"
    if isinstance(ty, LooseTuple):
        return "a tuple of unknown length"
    if isinstance(ty, types.List):
        return "a list"
    if isinstance(ty, types.Array):
        return "an array"
    if isinstance(ty, types.Boolean):
        return "a bool"
    if isinstance(ty, types.Integer):
        return "an int"
    if isinstance(ty, types.Float):
        return "a float"
    return str(ty)


# `s._replace(left=3)`: the same state except for the given fields.


@infer_getattr
class _Methods(AttributeTemplate):  # type: ignore[misc]
    key = StateType

    def resolve__replace(self, ty: StateType) -> types.Type:
        """Typed for each state class, since its fields are the names of the arguments."""

        class Replace(AbstractTemplate):  # type: ignore[misc]
            key = "state._replace"

            def generic(self, args: Any, kws: Any) -> Any:
                return _replacing(ty, args, kws)

        return types.BoundFunction(Replace, ty)


def _replacing(ty: StateType, args: Any, kws: Any) -> Any:
    name = ty.instance_class.__name__
    if args:
        raise errors.TypingError(f"{name}._replace(...) takes fields by name, such as {ty.fields[0]}=...")
    wanted = []
    for field, declared in zip(ty.fields, ty.types, strict=True):
        if field in kws and not fits(kws[field], declared):
            raise errors.TypingError(f"{name}.{field} is {shown(declared)}, but here it is given {shown(kws[field])}")
        wanted.append(declared if field in kws else types.Omitted(None))
    for field in kws:
        if field not in ty.fields:
            raise errors.TypingError(f"{name} has no field {field}; it has {', '.join(ty.fields)}")
    parameters = [
        inspect.Parameter(field, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for field in ty.fields
    ]
    return signature(ty, *wanted, recvr=ty).replace(pysig=inspect.Signature(parameters))


@lower_builtin("state._replace", StateType, types.VarArg(types.Any))
def _replace(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    made = args[0]
    for i, (given, value) in enumerate(zip(sig.args[1:], args[1:], strict=True)):
        if not isinstance(given, types.Omitted):
            made = builder.insert_value(made, value, i)
    return made


@box(StateType)
def _box(ty: StateType, value: Any, c: Any) -> Any:
    """A Python state. The class is found by its identity: pickling it would copy a class of `__main__`."""
    api = c.pyapi
    parts = [c.box(part, c.builder.extract_value(value, i)) for i, part in enumerate(ty.types)]
    maker = api.unserialize(api.serialize_object(_class_named))
    name = api.unserialize(api.serialize_object(identity(ty.instance_class)))
    cls = api.call_function_objargs(maker, (name,))
    made = api.call_function_objargs(cls, parts)
    for temporary in (*parts, maker, name, cls):
        api.decref(temporary)
    return made


def _class_named(identity: str) -> type:
    return STATES[identity]


# The default key: the same mixing of all fields as core/language/state.py does.


@infer_global(state_key)
class _StateKey(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(U64, args[0]) if len(args) == 1 and isinstance(args[0], StateType) else None


@lower_builtin(state_key, StateType)
def _state_key(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _fold(context, builder, ir.Constant(WORD, int(SEED)), args[0], sig.args[0])


def _fold(context: Any, builder: Any, h: Any, value: Any, ty: types.Type) -> Any:
    if isinstance(ty, types.BaseTuple):
        for i, part in enumerate(ty.types):
            h = _fold(context, builder, h, builder.extract_value(value, i), part)
        return h
    if isinstance(ty, types.Float):
        value = builder.fadd(value, ir.Constant(value.type, 0.0))  # -0.0 is 0.0
        return _mixed(context, builder, builder.xor(h, builder.bitcast(value, WORD)))
    if isinstance(ty, types.Boolean):
        return _mixed(context, builder, builder.xor(h, builder.zext(value, WORD)))
    if isinstance(ty, types.Integer):
        return _mixed(context, builder, builder.xor(h, value))
    for shift in range(0, ty.width, 64):
        word = builder.lshr(value, ir.Constant(value.type, shift))
        word = wide.resize(builder, word, WORD)
        h = _mixed(context, builder, builder.xor(h, word))
    return h


def _mixed(context: Any, builder: Any, word: Any) -> Any:
    return context.compile_internal(builder, mix, signature(U64, U64), [word])


# A value as words.


@infer_global(words)
class _Words(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        count = _word_count(args[0]) if len(args) == 1 else 0
        return signature(types.UniTuple(types.int64, count), types.unliteral(args[0])) if count else None


def _word_count(ty: types.Type) -> int:
    """The number of words of a value of this type; 0 if it is not a number."""
    if isinstance(ty, types.BaseTuple):
        counts = [_word_count(part) for part in ty.types]
        return sum(counts) if all(counts) else 0
    if isinstance(ty, WideType):
        return -(-ty.width // 64)
    return int(isinstance(ty, (types.Integer, types.Boolean, types.Float)))


@lower_builtin(words, types.Any)
def _words(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.make_tuple(builder, sig.return_type, list(_parts(builder, args[0], sig.args[0])))


def _parts(builder: Any, value: Any, ty: types.Type) -> Iterator[Any]:
    if isinstance(ty, types.BaseTuple):
        for i, part in enumerate(ty.types):
            yield from _parts(builder, builder.extract_value(value, i), part)
    elif isinstance(ty, types.Float):
        yield builder.bitcast(builder.fadd(value, ir.Constant(value.type, 0.0)), WORD)
    elif isinstance(ty, WideType):
        for shift in range(0, ty.width, 64):
            yield wide.resize(builder, builder.lshr(value, ir.Constant(value.type, shift)), WORD)
    else:
        yield wide.resize(builder, value, WORD, signed=getattr(ty, "signed", False))
