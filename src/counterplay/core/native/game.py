"""A game compiled: one Numba type for each game, whose value is a pointer to the game's tables."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import NativeValue, lower_getattr_generic, models, register_model, unbox
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.np import numpy_support
from numba.np.arrayobj import make_array, populate_array

from counterplay.core.fingerprint import FrozenData
from counterplay.core.game import Game
from counterplay.core.native.address import address_of
from counterplay.core.native.methods import MISSING, ObjectType

GAMES: dict[str, Game] = {}
"""A game of each type in use, by its key."""


class GameType(ObjectType):
    """The Numba type of a game: class, parameters, layout of tables, and a hash of everything that the rules reach."""

    def __init__(self, key: str) -> None:
        self.game_key = key
        super().__init__(name=f"Game({key})")

    @property
    def game(self) -> Game:
        """A game of this type."""
        return GAMES[self.game_key]

    def method(self, name: str) -> FunctionType | None:
        if name in self.game.frozen.constants or name in self.game.frozen.tables:
            return None  # an attribute of the game takes precedence over a method of its class, as in Python
        found = inspect.getattr_static(type(self.game), name, None)
        return found if isinstance(found, FunctionType) else None

    def getter(self, name: str) -> FunctionType | None:
        found = inspect.getattr_static(type(self.game), name, None)
        if isinstance(found, property) and name not in self.game.frozen.constants:
            return found.fget if isinstance(found.fget, FunctionType) else None
        return None

    def constant(self, name: str) -> Any:
        frozen = self.game.frozen
        if name in frozen.constants:
            return frozen.constants[name]
        if name.startswith("_") or name in frozen.tables:
            return MISSING
        return getattr(type(self.game), name, MISSING)  # the fingerprint of the class covers it


@register_model(GameType)
class _GameModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: GameType) -> None:
        super().__init__(manager, fe_type, ir.IntType(8).as_pointer())


def _type(game: Game) -> GameType:
    key = game.frozen.key
    if key not in _types:
        GAMES[key] = game
        _types[key] = GameType(key)
    return _types[key]


_types: dict[str, GameType] = {}
Game._numba_type_ = property(_type)  # type: ignore[attr-defined]  # what Numba asks for at each call


@unbox(GameType)
def _unbox(ty: GameType, obj: Any, c: Any) -> Any:
    return NativeValue(address_of(c, obj, "frozen"))


@infer_getattr
class _Tables(AttributeTemplate):  # type: ignore[misc]
    key = GameType

    def generic_resolve(self, ty: GameType, name: str) -> Any:
        table = ty.game.frozen.tables.get(name)
        return table and _read_type(table)


def _read_type(table: FrozenData) -> types.Type:
    """The type of a run-time parameter, or of an array."""
    if table.is_number:
        return numpy_support.from_dtype(table.dtype)
    return types.Array(numpy_support.from_dtype(table.dtype), len(table.shape), "C", readonly=True)


@lower_getattr_generic(GameType)
def _table(context: Any, builder: Any, ty: GameType, value: Any, name: str) -> Any:
    """A number of the game's block, or an array over it, which is not reference-counted."""
    table = ty.game.frozen.tables[name]
    array_type = _read_type(table)
    address = builder.gep(value, [ir.Constant(ir.IntType(64), table.offset)])
    if table.is_number:
        number = builder.load(builder.bitcast(address, context.get_data_type(array_type).as_pointer()))
        number.set_metadata("invariant.load", builder.module.add_metadata([]))  # LLVM may read it only once
        return number
    array = make_array(array_type)(context, builder)
    itemsize = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    strides: list[int] = []
    step = itemsize
    for length in reversed(table.shape):
        strides.insert(0, step)
        step *= length
    intp = context.get_value_type(types.intp)
    populate_array(
        array,
        data=builder.bitcast(address, array.data.type),
        shape=[ir.Constant(intp, length) for length in table.shape],
        strides=[ir.Constant(intp, stride) for stride in strides],
        itemsize=ir.Constant(intp, itemsize),
        meminfo=None,
    )
    return array._getvalue()
