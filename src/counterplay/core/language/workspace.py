"""`Workspace`: an object whose fields compiled code reads and writes, with methods that compile.

    class Context(Workspace):
        nodes: i64 = 0
        high: f64
        stop: Flag
        estimates: Array[f64, MAX_PLY]
        capacity: i64
        total: Array[f64, "capacity", "players"]
        table: Table

        def __init__(self, capacity: int, table: Table) -> None:
            self.capacity, self.players, self.table = capacity, 2, table

        def count(self) -> None:
            self.nodes += 1

A kernel that is given a `Context` says `context.nodes += 1`, `context.total[node, player]`, `context.table.probe(key)`
and `context.count()`; Python sees the same memory.

- A number (i64, f64, bool, u64) is a word of the workspace's own block, 0 unless a default is given. LLVM may keep it in
  a register while a loop runs, so a number that another thread sets to be seen at once is a `Flag`.
- An `Array` of numbers begins as zeros. Its lengths are constants or names of attributes that `__init__` sets; if
`__init__` assigns the array itself, a name stands for any length.
- Another workspace, an action stack, a random stream or a game is reached by its address.
- All other attributes are compile-time constants.

Tables, histories, trees and tracers are workspaces: a silent tracer is one whose methods do nothing, so it compiles to
nothing.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, get_args, get_origin

import numpy as np

from counterplay.core.fingerprint import Fingerprint
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.wide import u64

__all__ = ["Array", "Flag", "Workspace", "f32", "f64", "i8", "i16", "i32", "i64", "u8"]


class Number(NamedTuple):
    """A type of number: how memory holds it, and what Python reads."""

    name: str
    code: str  # of NumPy and of memory views
    restore: Any = None  # makes the number from what memory holds, if that is not the number itself


if TYPE_CHECKING:
    i8: TypeAlias = Any
    i16: TypeAlias = Any
    i32: TypeAlias = Any
    i64: TypeAlias = Any
    u8: TypeAlias = Any
    f32: TypeAlias = Any
    f64: TypeAlias = Any
    Flag: TypeAlias = Any
    from typing import Annotated as Array  # a type checker looks only at its first part
else:
    i8, i16, i32, i64 = Number("i8", "b"), Number("i16", "h"), Number("i32", "i"), Number("i64", "q")
    u8, f32, f64 = Number("u8", "B"), Number("f32", "f"), Number("f64", "d")
    Flag = Number("Flag", "q", bool)

    class Array:
        """`Array[f64, 64, 2]`: a field that is an array of numbers, with its lengths."""

        def __init__(self, item: Number, lengths: tuple[int | str, ...]) -> None:
            self.item, self.lengths = item, lengths

        def __class_getitem__(cls, given: Any) -> Array:
            item, *lengths = given if type(given) is tuple else (given,)
            if item not in ITEMS:
                raise TypeError(f"an Array begins with the type of its numbers, {_names(ITEMS)}, not {_shown(item)}")
            if not lengths:
                raise TypeError(f"an Array has a length in each dimension: Array[{item.name}, 64] has one, of 64")
            for length in lengths:
                if isinstance(length, bool) or not isinstance(length, (int, str)) or length in (0, ""):
                    raise TypeError(f"the length of an Array is a number or an attribute's name, not {length!r}")
                if isinstance(length, int) and length < 0:
                    raise TypeError(f"the length of an Array is not negative, as {length} is")
            return cls(item, tuple(lengths))


ITEMS = (i8, i16, i32, i64, u8, f32, f64)
SCALARS = {i64: i64, f64: f64, Flag: Flag, bool: Number("bool", "q", bool), u64: Number("u64", "Q", u64)}
LINE = 64
"""Bytes in a line of the processor's cache: the blocks of two threads share no line."""


def _names(numbers: Any) -> str:
    return ", ".join(number.name for number in numbers)


def _shown(hint: Any) -> str:
    return str(getattr(hint, "__name__", None) or getattr(hint, "name", None) or hint)


class Field:
    """A number of a workspace: a word of its block."""

    def __init__(self, owner: str, name: str, number: Number, word: int, default: Any) -> None:
        self.owner, self.name, self.number, self.word, self.default = owner, name, number, word, default

    def __get__(self, workspace: Workspace | None, owner: Any = None) -> Any:
        if workspace is None:
            return self
        value = workspace._views[self.number.code][self.word]
        return value if self.number.restore is None else self.number.restore(value)

    def __set__(self, workspace: Workspace, value: Any) -> None:
        self.put(workspace._views, value)

    def put(self, views: dict[str, Any], value: Any) -> None:
        """Write a value into a block."""
        try:
            views[self.number.code][self.word] = value
        except (TypeError, ValueError):
            raise TypeError(f"{self.owner}.{self.name} is {self.number.name}, not {value!r}") from None


class Laid(NamedTuple):
    """An array as compiled code sees it."""

    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]  # None if it differs from workspace to workspace
    slot: int  # the word with its address; its lengths follow


class Layout(NamedTuple):
    """A workspace as compiled code sees it: one block of words."""

    key: str  # names the Numba type: class, constants, fields with their types, and everything that the methods reach
    constants: dict[str, Any]
    arrays: dict[str, Laid]
    objects: dict[str, int]  # name -> the word with its address
    address: int  # of the block


class Workspace:
    """Subclass it and declare its fields; once it is in use, an array may be filled but not replaced."""

    _fields: ClassVar[dict[str, Field]] = {}
    _arrays: ClassVar[dict[str, Any]] = {}
    _layout: Layout | None = None
    _views: dict[str, Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        scope = sys._getframe(1)
        bases = [base for base in cls.__bases__ if issubclass(base, Workspace) and (base._fields or base._arrays)]
        if len(bases) > 1:
            raise TypeError(f"{cls.__name__}: a workspace takes the fields of one class, not of {len(bases)}")
        cls._fields, cls._arrays = dict(cls._fields), dict(cls._arrays)
        for name, hint in inspect.get_annotations(cls).items():
            if isinstance(hint, str):
                try:
                    hint = eval(hint, scope.f_globals, dict(scope.f_locals) | dict(vars(cls)))
                except (NameError, TypeError) as wrong:
                    raise TypeError(f"{cls.__name__}.{name}: {wrong}") from None
            cls._declare(name, hint)

    @classmethod
    def _declare(cls, name: str, hint: Any) -> None:
        """Turn a declared attribute into a field."""
        has_default = name in vars(cls)
        if hasattr(hint, "lengths"):
            if has_default:
                raise TypeError(f"{cls.__name__}.{name}: an array has no default; fill it in __init__")
            cls._arrays[name] = hint
        elif isinstance(hint, (type, Number)) and hint in SCALARS:
            if name in cls._fields:
                raise TypeError(f"{cls.__name__}.{name} is already a field of {cls._fields[name].owner}")
            field = Field(cls.__name__, name, SCALARS[hint], len(cls._fields), vars(cls).get(name, 0))
            cls._fields[name] = field
            setattr(cls, name, field)
            field.put(_views(len(cls._fields)), field.default)  # a wrong default is reported here
        elif not _is_object(hint):
            raise TypeError(
                f"{cls.__name__}.{name}: a field is {_names(SCALARS.values())}, an Array of numbers, or another workspace, "
                f"not {_shown(hint)}; a constant is set without a type"
            )

    def __new__(cls, *args: Any, **options: Any) -> Any:
        made = super().__new__(cls)
        made.__dict__["_views"] = _views(len(cls._fields))
        for field in cls._fields.values():
            if field.default:
                field.put(made._views, field.default)
        for name, array in cls._arrays.items():
            if all(isinstance(length, int) for length in array.lengths):
                made.__dict__[name] = np.zeros(array.lengths, array.item.code)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._fields:
            self._fields[name].__set__(self, value)
        elif self._layout is not None:
            raise AttributeError(f"{type(self).__name__} is in use, and its {name} is fixed: make another one instead")
        else:
            if name in self._arrays:
                value = _conforming(self, name, value)
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """An array whose lengths are attributes, made when it is first asked for."""
        array = type(self)._arrays.get(name)
        if array is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        lengths: Any = [getattr(self, each, None) if isinstance(each, str) else each for each in array.lengths]
        if None in lengths:
            missing = array.lengths[lengths.index(None)]
            raise AttributeError(f"{type(self).__name__}.{name}: set it, or its length {missing}, in __init__")
        return self.__dict__.setdefault(name, np.zeros(lengths, array.item.code))

    @property
    def layout(self) -> Layout:
        """Where the fields lie, fixed at first use."""
        if self._layout is None:
            with _laying:
                if self._layout is None:
                    self.__dict__["_layout"] = _lay_out(self)
        assert self._layout is not None
        return self._layout


_laying = threading.RLock()


def _is_object(hint: Any) -> bool:
    """Whether an attribute of this type is not one of a workspace's numbers but an object of ours, or a constant."""
    if hint is Any or get_origin(hint) is ClassVar or hint is ClassVar:
        return True
    parts = get_args(hint) or (hint,)
    return all(isinstance(part, type) and part.__module__ != "builtins" for part in parts)


def _conforming(workspace: Workspace, name: str, value: Any) -> np.ndarray:
    """The value assigned to a declared array, if it fits."""
    array, where = workspace._arrays[name], f"{type(workspace).__name__}.{name}"
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(array.item.code):
        given = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"{where} is an array of {array.item.name}, not of {given}")
    fits = value.ndim == len(array.lengths) and all(
        isinstance(wanted, str) or wanted == length for wanted, length in zip(array.lengths, value.shape, strict=True)
    )
    if not fits:
        raise TypeError(f"{where} has the lengths {list(array.lengths)}, not {list(value.shape)}")
    return value


def _views(words: int) -> dict[str, Any]:
    """Zeros in separate lines of the cache, as each type of number sees them."""
    size = max(1, -(-8 * words // LINE)) * LINE
    room: Any = np.zeros(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    block = memoryview(room[start : start + size])
    return {code: block.cast(code) for code in ("q", "Q", "d")}


def _address(value: Any) -> int | None:
    """The address of one of our objects, if compiled code reaches it that way."""
    from counterplay.core.game import Game

    if isinstance(value, Workspace):
        return value.layout.address
    if isinstance(value, Game):
        return value.frozen.address
    return getattr(value, "address", None)


def _object_key(value: Any) -> str:
    from counterplay.core.game import Game

    if isinstance(value, Workspace):
        return value.layout.key
    return value.frozen.key if isinstance(value, Game) else type(value).__qualname__


def _lay_out(workspace: Workspace) -> Layout:
    cls: Any = type(workspace)
    for name in cls._arrays:
        getattr(workspace, name)  # made now, if it was not yet
    constants: dict[str, Any] = {}
    arrays: dict[str, Laid] = {}
    objects: dict[str, int] = {}
    keys: list[tuple[str, str]] = []
    words: list[int] = []
    for name, value in sorted(vars(workspace).items()):
        slot = len(cls._fields) + len(words)
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous or value.ndim == 0:
                raise TypeError(f"{cls.__name__}.{name}: a workspace's array must be contiguous")
            arrays[name] = Laid(value.dtype, _fixed(workspace, name, value), slot)
            words += [value.ctypes.data, *value.shape]
        elif name.startswith("_") or isinstance(value, ActionStack):  # for rules that run plain
            continue
        elif (address := _address(value)) is not None:
            objects[name] = slot
            keys.append((name, _object_key(value)))
            words.append(address)
        else:
            constants[name] = value
    numbers, views = workspace._views["q"][: len(cls._fields)], _views(len(cls._fields) + len(words))
    for word, content in enumerate([*numbers, *words]):
        views["q"][word] = content
    workspace.__dict__["_views"] = views
    key = _key(cls, tuple(constants.items()), tuple(arrays.items()), tuple(keys))
    return Layout(key, constants, arrays, objects, np.frombuffer(views["q"], np.int64).ctypes.data)


def _fixed(workspace: Workspace, name: str, value: np.ndarray) -> tuple[int | None, ...]:
    """The lengths that all workspaces of this type share: numbers, and names of constants."""
    array = workspace._arrays.get(name)
    given = array.lengths if array else ("",) * value.ndim
    known = [each if isinstance(each, int) else vars(workspace).get(each) for each in given]
    return tuple(
        each if type(each) is int and each == length else None for each, length in zip(known, value.shape, strict=True)
    )


@functools.cache
def _key(cls: Any, *parts: Any) -> str:
    """The name of a layout: hashing everything that the methods reach takes a millisecond, so it is done once for
    each."""
    digest = Fingerprint().of(cls, *parts).hexdigest()
    return f"{cls.__module__}.{cls.__qualname__}-{digest[:20]}"
