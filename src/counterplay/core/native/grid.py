"""Arrays of several dimensions in a workspace, compiled without bounds checks: a bare pointer with strides.

`grid[i, j]` is a number; `grid[i]` of two dimensions is a row, a bare pointer.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import models, register_model
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

WORD = ir.IntType(64)


class GridType(types.Type):  # type: ignore[misc]
    """The Numba type of such an array; a length is None if it is only known at run time."""

    def __init__(self, item: types.Type, shape: tuple[int | None, ...]) -> None:
        self.item, self.shape = item, (None, *shape[1:])  # the first length is never needed
        super().__init__(name=f"Grid({item}, {', '.join(map(str, self.shape))})")

    def lengths(self) -> list[int]:
        """Which lengths are only known at run time."""
        return [i for i, length in enumerate(self.shape) if i > 0 and length is None]

    def part(self, indices: int) -> types.Type:
        """The type of what this many indices select."""
        left = self.shape[indices:]
        if not left:
            return self.item
        return types.CPointer(self.item) if len(left) == 1 else GridType(self.item, left)


@register_model(GridType)
class _GridModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: GridType) -> None:
        lengths = [(f"length{i}", types.int64) for i in fe_type.lengths()]
        super().__init__(manager, fe_type, [("data", types.CPointer(fe_type.item)), *lengths])


def make_grid(context: Any, builder: Any, ty: GridType, data: Any, shape: list[Any]) -> Any:
    """A grid over memory, with all its lengths."""
    from numba.core import cgutils

    grid = cgutils.create_struct_proxy(ty)(context, builder)
    grid.data = data
    for i in ty.lengths():
        setattr(grid, f"length{i}", shape[i])
    return grid._getvalue()


def _indices(grid: GridType, index: types.Type) -> tuple[types.Type, ...] | None:
    """The types of the indices, if the grid takes them."""
    given = tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)
    fit = 0 < len(given) <= len(grid.shape) and all(isinstance(types.unliteral(each), types.Integer) for each in given)
    return tuple(map(types.unliteral, given)) if fit else None


def _as_index(given: tuple[types.Type, ...], index: types.Type) -> types.Type:
    return types.Tuple(given) if isinstance(index, types.BaseTuple) else given[0]


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        given = _indices(*args) if isinstance(args[0], GridType) else None
        return given and signature(args[0].part(len(given)), args[0], _as_index(given, args[1]))


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        given = _indices(args[0], args[1]) if isinstance(args[0], GridType) else None
        if given is None or len(given) < len(args[0].shape):
            return None
        return signature(types.none, args[0], _as_index(given, args[1]), args[0].item)


@lower_builtin(operator.getitem, GridType, types.Any)
def _getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    address, shape = _address(context, builder, sig.args[0], args[0], sig.args[1], args[1])
    if isinstance(sig.return_type, GridType):
        return make_grid(context, builder, sig.return_type, address, shape)
    return address if shape else builder.load(address)


@lower_builtin(operator.setitem, GridType, types.Any, types.Any)
def _setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    address, _ = _address(context, builder, sig.args[0], args[0], sig.args[1], args[1])
    builder.store(args[2], address)
    return context.get_dummy_value()


def _address(
    context: Any, builder: Any, ty: GridType, value: Any, index_type: Any, index: Any
) -> tuple[Any, list[Any]]:
    """The address that the indices select, and the lengths of what is there."""
    from numba.core import cgutils

    grid = cgutils.create_struct_proxy(ty)(context, builder, value)
    shape = [
        ir.Constant(WORD, length or 0) if i == 0 or length is not None else getattr(grid, f"length{i}")
        for i, length in enumerate(ty.shape)
    ]
    parts, kinds = [index], [index_type]
    if isinstance(index_type, types.BaseTuple):
        parts, kinds = cgutils.unpack_tuple(builder, index), list(index_type.types)
    at = ir.Constant(WORD, 0)
    for i, length in enumerate(shape):
        at = builder.mul(at, length) if i else at
        if i < len(parts):
            at = builder.add(at, context.cast(builder, parts[i], kinds[i], types.int64))
    return builder.gep(grid.data, [at]), shape[len(parts) :]
