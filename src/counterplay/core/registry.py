"""Games by name: `connect-four`, `hex:size=5`, `mnk:5,5,4`, or a user's own `path/to/file.py:Class:size=5`.

Built-in games are listed in games/__init__.py; an installed package adds its own through entry points of the
group `counterplay.games`, such as `chomp = "my_package.chomp:Chomp"`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType

from counterplay.core.errors import BrokenGame, CounterplayError, UnknownGame
from counterplay.core.formats.options import nearest, parameters_of, read_options
from counterplay.core.game import Game

GROUP = "counterplay.games"


def catalogue() -> dict[str, str]:
    """Every registered name and where its class is, as `module:Class`."""
    from importlib.metadata import entry_points  # slow to import

    from counterplay.games import GAMES

    found = {point.name: point.value for point in entry_points(group=GROUP)}
    return {**found, **GAMES}


def load(spec: str) -> Game:
    """The game that `spec` describes."""
    name, class_name, parameters = parts_of(spec)
    if names_file(spec):
        return _make(game_class(Path(name), class_name), f"{name}:{class_name}".rstrip(":"), parameters)
    return _make(registered(name), name, parameters)


def names_file(spec: str) -> bool:
    """Whether a spec names a file, which is run when the game is loaded."""
    name = spec.strip().partition(":")[0]
    return name.endswith(".py") or "/" in name or "\\" in name


def parts_of(spec: str) -> tuple[str, str, str]:
    """The name or file of a spec, the class in the file if it is given, and the parameters."""
    name, _, rest = spec.strip().partition(":")
    if not names_file(name):
        return name, "", rest
    class_name, _, parameters = rest.partition(":")
    if class_name and not class_name.strip().isidentifier():  # such as 3,4 or size=3
        return name, "", rest
    return name, class_name.strip(), parameters


def is_spec_of(spec: str, game: Game) -> bool:
    """Whether a spec found in a file means `game`. Nothing that the spec names is run."""
    name, class_name, text = parts_of(spec)
    if not names_file(spec):
        try:
            return load(spec).spec == game.spec
        except UnknownGame:
            return spec == game.spec
    for cls in type(game).__mro__[:-1]:
        home = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if home and Path(home).name == Path(name).name and class_name in ("", cls.__name__):
            usual = {name: each.default for name, each in parameters_of(type(game)).items()}
            given = read_options(type(game), cls.__name__, text, "parameter", UnknownGame)
            return {**usual, **given} == {**usual, **game.parameters}
    return False


def registered(name: str) -> type[Game]:
    """The class of a registered game."""
    from counterplay.games import BRIDGES, GAMES

    ours = GAMES | BRIDGES
    registered_at = ours if name in ours else catalogue()  # ours need no search through installed packages
    if name not in registered_at:
        near = nearest(name, registered_at)[:3]
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `counterplay games` lists them"
        raise UnknownGame(f"no game {name!r}{hint}")
    module, _, attribute = registered_at[name].partition(":")
    try:
        cls = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as wrong:
        raise UnknownGame(
            f"the game {name!r} is registered as {registered_at[name]}, which cannot be loaded: {wrong}"
        ) from None
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        raise UnknownGame(f"the game {name!r} is registered as {registered_at[name]}, which is not a subclass of Game")
    return cls


def game_class(file: Path, class_name: str = "") -> type[Game]:
    """The Game subclass in a user's file; `class_name` may be left out if there is only one."""
    module = import_file(file)
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == module.__name__
    }
    if class_name:
        if class_name not in found:
            listed = f"; it has {', '.join(found)}" if found else "; it has no Game subclass at all"
            raise UnknownGame(f"{file} has no game class {class_name!r}{listed}")
        return found[class_name]
    if len(found) != 1:
        what = (
            f"has {len(found)} games ({', '.join(found)}): say which, as {file}:{next(iter(found))}"
            if found
            else "has no subclass of Game"
        )
        raise UnknownGame(f"{file} {what}")
    return next(iter(found.values()))


def import_file(file: Path) -> ModuleType:
    """Import a user's file, once, under a name that is the same in every process."""
    path = file.expanduser().resolve()
    if not path.is_file():
        raise UnknownGame(f"no file {str(file)!r}")
    name = module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    description = importlib.util.spec_from_file_location(name, path)
    if description is None or description.loader is None:
        raise UnknownGame(f"{str(file)!r} is not a Python file")
    module = importlib.util.module_from_spec(description)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # its helper modules are beside it
    try:
        description.loader.exec_module(module)
    except BaseException as wrong:
        del sys.modules[name]
        if isinstance(wrong, (KeyboardInterrupt, CounterplayError)):
            raise
        raise BrokenGame(f"{where(wrong, path) or file}: the file does not import: {describe(wrong)}") from wrong
    return module


def module_name(path: Path) -> str:
    """The name of a file's module: the same in every process."""
    return f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def forget(spec: str) -> None:
    """Read the file of a user's game again the next time it is loaded."""
    if names_file(spec):
        sys.modules.pop(module_name(Path(parts_of(spec)[0]).expanduser().resolve()), None)


def where(wrong: BaseException, path: Path) -> str:
    """The last line of the file at `path` that an exception passed, as `file:line`."""
    if isinstance(wrong, SyntaxError) and wrong.filename:
        return f"{wrong.filename}:{wrong.lineno}"
    for frame in reversed(traceback.extract_tb(wrong.__traceback__)):
        if Path(frame.filename) == path:
            return f"{frame.filename}:{frame.lineno}"
    return ""


HINTS = (
    ("'tuple' object does not support item assignment", "write t = replaced(t, i, value), from counterplay"),
    ("assignment destination is read-only", "what changes in play belongs in the state"),
    ("can't set attribute", "a state does not change; return s._replace(field=value)"),
)
"""What to write instead, if Python does not say."""


def describe(wrong: BaseException) -> str:
    """An exception in one line."""
    if isinstance(wrong, SyntaxError):
        return f"SyntaxError: {wrong.msg}"
    said = f"{type(wrong).__name__}: {wrong}".splitlines()[0].rstrip(": ")
    return said + next((f"; {hint}" for part, hint in HINTS if part in said), "")


def _make(cls: type[Game], shown: str, text: str) -> Game:
    arguments = read_options(cls, shown, text, "parameter", UnknownGame)
    try:
        return cls(**arguments)
    except CounterplayError:
        raise
    except Exception as wrong:
        location = where(wrong, Path(inspect.getfile(cls)))
        raise BrokenGame(
            f"{location + ': ' if location else ''}{cls.__name__} cannot be created: {describe(wrong)}"
        ) from wrong
