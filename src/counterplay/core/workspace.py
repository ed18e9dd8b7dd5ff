"""`Workspace`: an object with arrays that compiled code reads and writes, and methods that compile.

    class Counters(Workspace):
        def __init__(self) -> None:
            self.counts = np.zeros(8, np.int64)

        def add(self, what: int) -> None:
            self.counts[what] += 1

A kernel that is given a `Counters` calls `counters.add(2)` and indexes `counters.counts[2]`; Python sees the same
memory. Array attributes (one dimension each) are run-time data behind one pointer; all other attributes are
compile-time constants. Tables, histories, trees and tracers are workspaces: a silent tracer is one whose methods do
nothing, and compiles to nothing.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.core.fingerprint import Fingerprint

if TYPE_CHECKING:
    import numpy as np


class Layout(NamedTuple):
    """A workspace as compiled code sees it."""

    key: str  # names the Numba type: class, constants, names and types of the arrays, and all that the methods reach
    constants: dict[str, Any]
    arrays: dict[str, Any]  # name -> dtype, in the order of their slots
    slots: np.ndarray  # int64 [2 * arrays]: the address and the length of each array
    address: int  # of the slots


class Workspace:
    """Subclass it and set arrays in `__init__`; once in use, an array may be filled but not exchanged."""

    _layout: Layout | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        if self._layout is not None:
            raise AttributeError(f"{type(self).__name__} is in use, and its {name} is fixed: make another one instead")
        super().__setattr__(name, value)

    @property
    def layout(self) -> Layout:
        """Where the arrays lie, fixed at first use."""
        if self._layout is None:
            self.__dict__.setdefault("_layout", _lay_out(self))  # two threads may come at once
        assert self._layout is not None
        return self._layout


def _lay_out(workspace: Workspace) -> Layout:
    import numpy as np

    constants: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    slots = []
    for name, value in sorted(vars(workspace).items()):
        if isinstance(value, np.ndarray):
            if value.ndim != 1 or not value.flags.c_contiguous:
                raise TypeError(
                    f"{type(workspace).__name__}.{name}: an array of a workspace has one dimension, unbroken"
                )
            arrays[name] = value.dtype
            slots += [value.ctypes.data, value.size]
        elif not name.startswith("_"):
            constants[name] = value
    table = np.array(slots or [0], np.int64)
    cls: Any = type(workspace)
    key = _key(cls, tuple(constants.items()), tuple(arrays.items()))
    return Layout(key, constants, arrays, table, table.ctypes.data)


@functools.cache
def _key(cls: Any, constants: tuple[Any, ...], arrays: tuple[Any, ...]) -> str:
    """The name of a layout: hashing all that the methods reach takes a millisecond, so it is done once for each."""
    digest = Fingerprint().of(cls, constants, arrays).hexdigest()
    return f"{cls.__module__}.{cls.__qualname__}-{digest[:20]}"
