"""What a game or a kernel depends on, as one hash: after a rule is edited, its old compiled code is never used.

Numba's own cache looks at one file's time stamp and does not notice a changed callee. So we follow everything that the
code reaches: the bytecode of each method, every global that it names (functions, constants, arrays, classes, modules of
the project), base classes, defaults and closures. Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import sysconfig
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterplay.core.language.marks import marks_of
from counterplay.core.language.state import is_state, kinds, state
from counterplay.core.language.wide import WideInt
from counterplay.core.settings import require_settings

if TYPE_CHECKING:
    from counterplay.core.game import Game


TRAITS = (
    "has_chance",
    "has_secrets",
    "has_buckets",
    "has_sample",
    "has_ordering",
    "has_noise",
    "has_null",
    "has_forcing",
    "has_tension",
    "has_exchanges",
    "has_structure",
    "has_sketch",
    "has_repetition",
    "forbids_repetition",
)
"""Properties of a game that kernels read as constants."""


class FrozenData(NamedTuple):
    """The location of an array attribute or a run-time parameter in the game's block of run-time data."""

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_number: bool = False  # a run-time parameter


class Frozen(NamedTuple):
    """A game as compiled code sees it."""

    key: str  # names the Numba type: class, parameters, table layout, and the hash of everything that the rules reach
    compiles: bool  # as far as the rules are concerned; `Game.compiles` says whether anything does
    state_class: type
    constants: dict[str, Any]  # attributes that are compile-time constants
    tables: dict[str, FrozenData]  # attributes that are arrays or run-time parameters, read at run time
    block: np.ndarray  # uint8 [bytes], the tables one after another
    address: int  # of the block


def freeze(game: Game) -> Frozen:
    """Fix the game's attributes and lay its arrays out in one block."""
    constants: dict[str, Any] = {}
    tables: dict[str, FrozenData] = {}
    size = 0
    numbers = run_time_numbers(game)
    contents = {name: value for name, value in vars(game).items() if isinstance(value, np.ndarray)} | numbers
    for name, value in sorted(vars(game).items()):
        if name.startswith("_"):
            continue
        if name in contents:
            tables[name] = FrozenData(size, contents[name].shape, contents[name].dtype, name in numbers)
            size += -(-contents[name].nbytes // 64) * 64
        else:
            constants[name] = value
    constants.update((name, getattr(game, name)) for name in TRAITS)
    room = np.zeros(size + 64, np.uint8)
    block = room[-room.ctypes.data % 64 :][:size]
    for name, table in tables.items():
        value = contents[name]
        block[table.offset : table.offset + value.nbytes] = np.frombuffer(value.tobytes(), np.uint8)
        value.setflags(write=False)  # the block is a copy: a later change would be lost, so it is refused
    require_filling(game)
    require_settings(game)
    state_class = type(game.initial())
    if issubclass(state_class, tuple) and hasattr(state_class, "_fields") and not is_state(state_class):
        try:
            state(state_class)
        except (TypeError, NameError):
            pass
    constants["has_plain_states"] = not is_state(state_class)
    compiles = game.compiled and is_state(state_class)
    digest = Fingerprint().of([type(game), state_class, constants, list(tables.items())]).hexdigest()
    cls = type(game)
    key = f"{cls.__module__}.{cls.__qualname__}-{digest[:20]}"
    return Frozen(key, compiles, state_class, constants, tables, block, block.ctypes.data)


def run_time_numbers(game: Game) -> dict[str, np.ndarray]:
    """The parameters that compiled code reads at run time, each as an array without dimensions."""
    from counterplay.core.errors import BrokenGame

    found: dict[str, np.ndarray] = {}
    for name in type(game).runtime_parameters:
        value = vars(game).get(name)
        if type(value) not in (int, float) or (type(value) is int and not -(2**63) <= value < 2**63):
            given = "does not set it" if name not in vars(game) else f"sets it to {value!r}"
            raise BrokenGame(
                f"{type(game).__name__}.runtime_parameters names {name!r}, which __init__ must set to an int of 64 "
                f"bits or a float, but __init__ {given}"
            )
        found[name] = np.array(value)
    return found


def require_filling(game: Game) -> None:
    """Refuse an `actions` that returns or yields its actions: compiled code would silently find none."""
    from counterplay.core.errors import BrokenGame
    from counterplay.core.game import CHANCE
    from counterplay.core.language.actions import CAPACITY, Actions

    class Limited(Actions):
        def append(self, action: int) -> None:
            if len(self) == CAPACITY:
                raise OverflowError
            super().append(action)

    try:
        s = game.initial()
        fill: Callable[..., object] = game.actions
        returned = None if game.is_terminal(s) or game.to_move(s) == CHANCE else fill(s, Limited())
    except Exception:  # its errors are reported when it is used
        return
    if returned is not None:
        raise BrokenGame(
            f"{type(game).__name__}.actions must append each action to `out` and return nothing, not a "
            f"{type(returned).__name__}: for example, out.extend(...)"
        )


_asking = threading.Lock()


def jit_enabled() -> bool:
    """Whether kernels are compiled here: NUMBA_DISABLE_JIT is not set, and there is a Numba that we can use (if not,
    one note says so)."""
    with _asking:
        return _jit_enabled()


@functools.cache
def _jit_enabled() -> bool:
    import os

    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    try:
        import counterplay.core.native.entry  # noqa: F401
    except Exception as wrong:  # no Numba, or one with different internals
        print(
            f"Numba cannot be used here ({wrong}): games run as plain Python, some 1,000 times slower; "
            "reinstall counterplay for a Numba that works",
            file=sys.stderr,
            flush=True,
        )
        return False
    return True


def rules_mark(game: Game) -> str:
    """A hash of a game's rules and parameters: the same in every process and wherever the game's file is."""
    public = {name: value for name, value in sorted(vars(game).items()) if not name.startswith("_")}
    cls = type(game)
    state_class = game.frozen.state_class  # a state without @state is declared as the game is frozen
    return Fingerprint(unnamed=cls.__module__).of(cls, state_class, public).hexdigest()[:32]


class Fingerprint:
    """A walk over everything that a value reaches, each thing once, into one hash.

    The name of the module `unnamed` does not count: that of a user's file depends on the folder."""

    def __init__(self, unnamed: str = "") -> None:
        self.unnamed = unnamed
        self.hash = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # by id: its number, and the value itself, so that ids stay unique

    def of(self, *values: Any) -> Fingerprint:
        """Add `values` and everything that they reach."""
        for value in values:
            self._add(value)
        return self

    def hexdigest(self) -> str:
        return self.hash.hexdigest()

    def _named(self, module: str) -> str:
        return "" if module == self.unnamed else module

    def _put(self, *parts: Any) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self.hash.update(b"%d:" % len(data) + data)

    def _add(self, value: Any) -> None:
        if isinstance(value, (int, float, complex, str, bytes, type(None), type(Ellipsis))):
            self._put(type(value).__name__, repr(value))
            return
        if id(value) in self.seen:
            self._put("again", self.seen[id(value)][0])
            return
        self.seen[id(value)] = len(self.seen), value
        if isinstance(value, (tuple, list)):
            self._put(type(value).__name__, len(value))
            self.of(*value)
        elif isinstance(value, (set, frozenset)):
            self._put("set", *sorted(map(repr, value)))
        elif isinstance(value, dict):
            self._put("dict", len(value))
            for key in value:
                self.of(key, value[key])
        elif isinstance(value, np.ndarray):
            self._put("array", value.dtype.str, value.shape, value.tobytes())
        elif isinstance(value, np.generic):
            self._put(type(value).__name__, repr(value))
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.ModuleType):
            self._module(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, (property, functools.cached_property)):
            self._add(value.fget if isinstance(value, property) else value.func)
        elif isinstance(value, (staticmethod, classmethod, types.MethodType)):
            self._add(value.__func__)
        elif isinstance(
            getattr(value, "py_func", None), types.FunctionType
        ):  # a kernel, or a user's own @njit function
            self._function(value.py_func)
        else:
            self._other(value)

    def _function(self, function: types.FunctionType) -> None:
        self._put("function", function.__qualname__)
        self._code(function.__code__, function.__doc__)
        self.of(function.__defaults__, function.__kwdefaults__, marks_of(function))
        for cell in function.__closure__ or ():
            self._add(cell.cell_contents)
        for name in sorted(names_of(function.__code__)):
            if name in function.__globals__:
                target = function.__globals__[name]
                self._put(name)
                self._add(target)
                if isinstance(target, types.ModuleType):
                    self._members(target, names_of(function.__code__))

    def _members(self, module: types.ModuleType, names: set[str]) -> None:
        """What a function that mentions `names` can reach in a module of the project and its submodules."""
        if is_foreign(module):
            return
        for name in sorted(names & set(vars(module))):
            value = vars(module)[name]
            self.of(name, value)
            if isinstance(value, types.ModuleType):
                self._members(value, names - {name})

    def _code(self, code: types.CodeType, docstring: str | None = None) -> None:
        self._put("code", code.co_code, *code.co_names, "/", *code.co_varnames)
        has_docstring = docstring is not None and code.co_consts[:1] == (docstring,)
        self.of(*code.co_consts[has_docstring:])

    def _class(self, cls: type) -> None:
        self._put("class", self._named(cls.__module__), cls.__qualname__)
        if not cls.__flags__ & HEAP_TYPE or is_foreign(sys.modules.get(cls.__module__)):
            return
        if issubclass(cls, WideInt):
            self._put(cls.width)
        elif issubclass(cls, tuple) and is_state(cls):
            self._put(*cls._fields)  # type: ignore[attr-defined]
            self.of(*kinds(cls), cls._field_defaults)  # type: ignore[attr-defined]
        else:
            for base in cls.__mro__[1:]:
                self._add(base)
            for name, value in sorted(vars(cls).items()):
                if not name.startswith("__") and name not in FILLED_LATER:
                    self.of(name, value)

    def _module(self, module: types.ModuleType) -> None:
        self._put("module", self._named(module.__name__), getattr(module, "__version__", ""))
        if not is_foreign(module) and getattr(module, "__file__", None):
            self._put(Path(str(module.__file__)).read_bytes())

    def _other(self, value: Any) -> None:
        self._put("object", self._named(type(value).__module__), type(value).__qualname__)
        if not type(value).__flags__ & HEAP_TYPE or is_foreign(sys.modules.get(type(value).__module__)):
            return
        plain: Any = object.__repr__
        if type(value).__repr__ is plain:  # its repr does not say what it holds: follow its attributes
            self._add(getattr(value, "__dict__", {}))
        else:
            self._put(repr(value))


def names_of(code: types.CodeType) -> set[str]:
    """The global names and attributes that `code` mentions, in nested functions and comprehensions as well."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_of(constant)
    return names


HEAP_TYPE = 1 << 9
"""The flag of classes that Python code defines."""
FILLED_LATER = {"_parameters", "_frozen", "_numbers", "_numba_type_", "_value2member_map_"}
"""Attributes of classes that change while a process runs; flags keep each combination that was made there."""
TOOLS = {"numpy", "numba", "llvmlite", "scipy"}
"""Packages whose version is part of the toolchain."""


@functools.cache
def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(str(Path(paths[name]).resolve()) for name in ("stdlib", "platstdlib"))


def is_foreign(module: types.ModuleType | None) -> bool:
    """Whether a module belongs to Python or to the tools that compile. Everything else can change from run to run: a
    user's file, an installed package of games, a notebook's cell (which has no module)."""
    if module is None or module.__name__ in ("builtins", "__main__"):
        return False
    if module.__name__.split(".")[0] in TOOLS:
        return True
    file = getattr(module, "__file__", None)
    if file is None:
        return True
    path = Path(file).resolve()
    packages = {"site-packages", "dist-packages"} & set(path.parts)
    return str(path).startswith(_library_folders()) and not packages
