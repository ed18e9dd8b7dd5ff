"""A workspace compiled: a pointer to the addresses of its arrays."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from llvmlite import ir
from numba.core import config, types
from numba.core.extending import NativeValue, lower_getattr_generic, models, register_model, unbox
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.np import numpy_support
from numba.np.arrayobj import make_array, populate_array

from counterplay.core.native.methods import MISSING, ObjectType
from counterplay.core.workspace import Layout, Workspace

WORD = ir.IntType(64)
LAYOUTS: dict[str, tuple[type, Layout]] = {}
"""The class and a layout of each type in use, by its key."""


class WorkspaceType(ObjectType):
    """The Numba type of a workspace."""

    def __init__(self, key: str) -> None:
        self.layout_key = key
        super().__init__(name=f"Workspace({key})")

    @property
    def layout(self) -> Layout:
        """A layout of this type; addresses are another's, names and types are its own."""
        return LAYOUTS[self.layout_key][1]

    def method(self, name: str) -> FunctionType | None:
        found = inspect.getattr_static(LAYOUTS[self.layout_key][0], name, None)
        return found if isinstance(found, FunctionType) else None

    def constant(self, name: str) -> Any:
        if name in self.layout.constants:
            return self.layout.constants[name]
        if name.startswith("_") or name in self.layout.arrays:
            return MISSING
        return getattr(LAYOUTS[self.layout_key][0], name, MISSING)


@register_model(WorkspaceType)
class _WorkspaceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: WorkspaceType) -> None:
        super().__init__(manager, fe_type, WORD.as_pointer())


def _type(workspace: Workspace) -> WorkspaceType:
    layout = workspace.layout
    if layout.key not in _types:
        LAYOUTS[layout.key] = type(workspace), layout
        _types[layout.key] = WorkspaceType(layout.key)
    return _types[layout.key]


_types: dict[str, WorkspaceType] = {}
Workspace._numba_type_ = property(_type)  # type: ignore[attr-defined]  # what Numba asks for at each call


@unbox(WorkspaceType)
def _unbox(ty: WorkspaceType, obj: Any, c: Any) -> Any:
    layout = c.pyapi.object_getattr_string(obj, "layout")
    address = c.pyapi.object_getattr_string(layout, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    c.pyapi.decref(layout)
    return NativeValue(c.builder.bitcast(pointer, WORD.as_pointer()))


@infer_getattr
class _Arrays(AttributeTemplate):  # type: ignore[misc]
    key = WorkspaceType

    def generic_resolve(self, ty: WorkspaceType, name: str) -> Any:
        dtype = ty.layout.arrays.get(name)
        if dtype is None:
            return None
        item = numpy_support.from_dtype(dtype)
        return types.Array(item, 1, "C") if config.BOUNDSCHECK else types.CPointer(item)


@lower_getattr_generic(WorkspaceType)
def _array(context: Any, builder: Any, ty: WorkspaceType, value: Any, name: str) -> Any:
    """The array as a bare pointer; with bounds checks as an array of its length."""
    slot = 2 * list(ty.layout.arrays).index(name)
    address = _fixed(builder, value, slot)
    item = numpy_support.from_dtype(ty.layout.arrays[name])
    data = builder.inttoptr(address, context.get_data_type(item).as_pointer())
    if not config.BOUNDSCHECK:
        return data
    array = make_array(types.Array(item, 1, "C"))(context, builder)
    length = _fixed(builder, value, slot + 1)
    itemsize = ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(item)))
    populate_array(array, data=data, shape=[length], strides=[itemsize], itemsize=itemsize, meminfo=None)
    return array._getvalue()


def _fixed(builder: Any, slots: Any, slot: int) -> Any:
    """A slot's content. It never changes while a kernel runs, and LLVM may read it once for all."""
    loaded = builder.load(builder.gep(slots, [ir.Constant(WORD, slot)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
