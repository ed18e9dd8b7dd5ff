"""A workspace compiled: a pointer to its block, which holds its numbers and the addresses of its arrays and objects."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from llvmlite import ir
from numba.core import config, errors, types
from numba.core.extending import (
    NativeValue,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    unbox,
)
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof
from numba.np import numpy_support
from numba.np.arrayobj import make_array, populate_array

from counterplay.core.language.workspace import Layout, Workspace
from counterplay.core.native.address import address_of
from counterplay.core.native.grid import GridType, make_grid
from counterplay.core.native.methods import MISSING, ObjectType
from counterplay.core.native.state import fits, shown
from counterplay.core.native.wide import U64

WORD = ir.IntType(64)
NUMBERS = {"i64": types.int64, "f64": types.float64, "bool": types.boolean, "Flag": types.boolean, "u64": U64}


class WorkspaceType(ObjectType):
    """The Numba type of a workspace."""

    def __init__(self, key: str) -> None:
        self.layout_key = key
        super().__init__(name=f"Workspace({key})")

    @property
    def cls(self) -> type[Workspace]:
        """The class of the workspace."""
        return KNOWN[self.layout_key][0]

    @property
    def layout(self) -> Layout:
        """A layout of this type: its names and types, but another workspace's addresses."""
        return KNOWN[self.layout_key][1]

    def method(self, name: str) -> FunctionType | None:
        found = inspect.getattr_static(self.cls, name, None)
        return found if isinstance(found, FunctionType) else None

    def constant(self, name: str) -> Any:
        if name in self.layout.constants:
            return self.layout.constants[name]
        if name.startswith("_") or self.field(name) is not None:
            return MISSING
        return getattr(self.cls, name, MISSING)

    def field(self, name: str) -> types.Type | None:
        if name in self.cls._fields:
            return NUMBERS[self.cls._fields[name].number.name]
        if name in self.layout.objects:
            return KNOWN[self.layout_key][2][name]
        laid = self.layout.arrays.get(name)
        if laid is None:
            return None
        item = numpy_support.from_dtype(laid.dtype)
        if config.BOUNDSCHECK:
            return types.Array(item, len(laid.shape), "C")
        return types.CPointer(item) if len(laid.shape) == 1 else GridType(item, laid.shape)

    def require_settable(self, name: str, given: types.Type) -> None:
        wanted = NUMBERS[self.cls._fields[name].number.name] if name in self.cls._fields else None
        if wanted is None:
            raise errors.TypingError(f"{self.cls.__name__}.{name} is not a number, so compiled code cannot use it")
        if not fits(given, wanted):
            raise errors.TypingError(
                f"{self.cls.__name__}.{name} is {shown(wanted)}, but here it is given {shown(given)}"
            )


KNOWN: dict[str, tuple[type[Workspace], Layout, dict[str, types.Type]]] = {}
"""The class, a layout and the types of the objects of each type in use, by its key."""


@register_model(WorkspaceType)
class _WorkspaceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: WorkspaceType) -> None:
        super().__init__(manager, fe_type, WORD.as_pointer())


def _type(workspace: Workspace) -> WorkspaceType:
    layout = workspace.layout
    if layout.key not in _types:
        objects = {name: typeof(getattr(workspace, name)) for name in layout.objects}
        KNOWN[layout.key] = type(workspace), layout, objects
        _types[layout.key] = WorkspaceType(layout.key)
    return _types[layout.key]


_types: dict[str, WorkspaceType] = {}
Workspace._numba_type_ = property(_type)  # type: ignore[attr-defined]  # what Numba asks for at each call


@unbox(WorkspaceType)
def _unbox(ty: WorkspaceType, obj: Any, c: Any) -> Any:
    return NativeValue(c.builder.bitcast(address_of(c, obj, "layout"), WORD.as_pointer()))


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = WorkspaceType

    def generic_resolve(self, ty: WorkspaceType, name: str) -> Any:
        return ty.field(name)


@lower_getattr_generic(WorkspaceType)
def _get(context: Any, builder: Any, ty: WorkspaceType, block: Any, name: str) -> Any:
    """A number, loaded; an object, by its address; an array as a bare pointer, or, with bounds checks, as an array of
    its lengths."""
    if name in ty.cls._fields:
        return _load(context, builder, ty, block, name)
    layout, kind = ty.layout, ty.field(name)
    if name in layout.objects:
        address = _unchanging(builder, block, layout.objects[name])
        return builder.inttoptr(address, context.get_value_type(kind))
    laid = layout.arrays[name]
    item = numpy_support.from_dtype(laid.dtype)
    data = builder.inttoptr(_unchanging(builder, block, laid.slot), context.get_data_type(item).as_pointer())
    if isinstance(kind, types.CPointer):
        return data
    shape = [
        _unchanging(builder, block, laid.slot + 1 + i) if length is None else ir.Constant(WORD, length)
        for i, length in enumerate(laid.shape)
    ]
    if isinstance(kind, GridType):
        return make_grid(context, builder, kind, data, shape)
    array = make_array(kind)(context, builder)
    strides = [ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(item)))]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=strides[-1], meminfo=None)
    return array._getvalue()


@lower_setattr_generic(WorkspaceType)
def _set(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
    """Store a number in its word."""
    field = sig.args[0].cls._fields[name]
    value = args[1]
    if field.number.name in ("bool", "Flag"):
        value = builder.zext(value, WORD)
    pointer = _word(context, builder, args[0], field)
    if field.number.name == "Flag":
        builder.store_atomic(value, pointer, "monotonic", 8)
    else:
        builder.store(value, pointer)


def _load(context: Any, builder: Any, ty: WorkspaceType, block: Any, name: str) -> Any:
    field = ty.cls._fields[name]
    pointer = _word(context, builder, block, field)
    if field.number.name == "Flag":  # another thread can set it: read it each time
        return builder.icmp_signed("!=", builder.load_atomic(pointer, "monotonic", 8), ir.Constant(WORD, 0))
    loaded = builder.load(pointer)
    return builder.icmp_signed("!=", loaded, ir.Constant(WORD, 0)) if field.number.name == "bool" else loaded


def _word(context: Any, builder: Any, block: Any, field: Any) -> Any:
    """A pointer to the word of a number."""
    pointer = builder.gep(block, [ir.Constant(WORD, field.word)])
    return builder.bitcast(pointer, ir.DoubleType().as_pointer()) if field.number.name == "f64" else pointer


def _unchanging(builder: Any, block: Any, slot: int) -> Any:
    """An address or a length. It never changes while a kernel runs, so LLVM may read it only once."""
    loaded = builder.load(builder.gep(block, [ir.Constant(WORD, slot)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
