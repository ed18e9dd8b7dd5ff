"""The shape of the package: which folder may import which, what ARCHITECTURE.md says about it, what importing it
costs.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "counterplay"
MAP = (ROOT / "ARCHITECTURE.md").read_text()

ORDER = [
    "core",
    "scale",
    "games",
    "evaluation",
    "endgame",
    "search",
    "montecarlo",
    "equilibrium",
    "hidden",
    "learning",
    "conformance",
    "players",
    "arena",
    "teaching",
    "api",
    "protocols",
    "adapters",
    "web",
    "notebook",
    "cli",
]
"""Folders from the ground up: each may import from itself and from those before it."""

UPWARD = {("core/registry.py", "games")}
"""The one import against the order: the registry reads the table of built-in names, when it is asked for a game."""

SOURCES = sorted(PACKAGE.rglob("*.py"))
NAMES = [str(file.relative_to(PACKAGE)) for file in SOURCES]


class Import(NamedTuple):
    """One imported module."""

    module: str
    line: int
    eager: bool  # runs when the file is imported: not inside a function, not for type checkers only


def imports(file: Path) -> list[Import]:
    """Every module that a file imports, wherever in it."""
    package = ["counterplay", *file.relative_to(PACKAGE).parent.parts]
    return list(walk(ast.parse(file.read_text()), package, True))


def walk(node: ast.AST, package: list[str], eager: bool) -> Iterator[Import]:
    """The imports under a node of a file in `package`."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, node.lineno, eager)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        module = ".".join([*base, *filter(None, [node.module])])
        if module == "counterplay":  # from counterplay import search
            for alias in node.names:
                yield Import(f"counterplay.{alias.name}", node.lineno, eager)
        else:
            yield Import(module, node.lineno, eager)
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for part in node.body:
            yield from walk(part, package, False)
        for part in node.orelse:
            yield from walk(part, package, eager)
    else:
        inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from walk(child, package, eager and not inside)


SAMPLE = """
import os, numba.core
from typing import TYPE_CHECKING
from . import wide
from ..games import hex
from counterplay import search
if TYPE_CHECKING:
    import numpy
else:
    import scipy
class A:
    import torch
    def f(self):
        from numba import njit
try:
    import rich
except ImportError:
    pass
"""


def test_imports_are_found_in_all_their_forms():
    found = list(walk(ast.parse(SAMPLE), ["counterplay", "core"], True))
    assert [each.module for each in found if each.eager] == [
        *("os", "numba.core", "typing", "counterplay.core", "counterplay.games", "counterplay.search"),
        *("scipy", "torch", "rich"),
    ]
    assert [(each.module, each.line) for each in found if not each.eager] == [("numpy", 8), ("numba", 14)]


def folder_of(module: str) -> str:
    """The folder (or top file, or name) of the package that a module belongs to; empty for the package itself."""
    return [*module.split("."), ""][1]


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_imports_only_from_those_above_it(name):
    folder = name.split("/")[0]
    if "/" not in name:
        assert name in ("__init__.py", "__main__.py"), f"{name}: which folder does it belong to?"
        return
    assert folder in ORDER, f"{folder}/ is not in the order of folders: add it there and to ARCHITECTURE.md"
    for found in imports(PACKAGE / name):
        if found.module.split(".")[0] != "counterplay":
            continue
        target = folder_of(found.module)
        place = f"src/counterplay/{name}:{found.line}"
        if folder == "cli" and found.module == "counterplay.__version__":
            continue
        assert target in ORDER, f"{place} imports {found.module}: import from the module that defines it instead"
        if (name, target) in UPWARD and not found.eager:
            continue
        assert ORDER.index(target) <= ORDER.index(folder), f"{place}: {folder}/ may not import from {target}/, below it"


def test_every_exception_to_the_order_is_used():
    for name, folder in UPWARD:
        assert any(folder_of(found.module) == folder for found in imports(PACKAGE / name)), (name, folder)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("core/native/")])
def test_numba_is_imported_only_by_the_compiler_or_lazily(name):
    for found in imports(PACKAGE / name):
        top = found.module.split(".")[0]
        heavy = top in ("numba", "llvmlite") or found.module.startswith("counterplay.core.native")
        assert not (heavy and found.eager), f"src/counterplay/{name}:{found.line} imports {found.module} at once"


HEAVY = (
    "numba",
    "llvmlite",
    "numpy",
    "scipy",
    "torch",
    "typer",
    "rich",
    "ray",
    "nicegui",
    "pyspiel",
    "gymnasium",
    "mcp",
)


def imported_with(module: str) -> list[str]:
    """The heavy packages that a fresh process has after importing `module`."""
    code = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_imports_nothing_heavy():
    assert imported_with("counterplay") == []


def test_the_command_line_starts_without_what_compiles():
    assert imported_with("counterplay.cli.app") == ["typer"]


# The map.


def mapped() -> list[str]:
    """The files that ARCHITECTURE.md has a line for: list items that open with a path in backquotes."""
    return re.findall(r"^- `([\w/]+\.py)`: \S", MAP, flags=re.MULTILINE)


def test_the_map_has_a_line_for_each_file():
    missing = sorted(set(NAMES) - set(mapped()))
    assert not missing, "ARCHITECTURE.md lacks:\n" + "\n".join(f"- `{name}`: what it is" for name in missing)


def test_each_line_of_the_map_has_its_file():
    gone = sorted(set(mapped()) - set(NAMES))
    assert not gone, f"ARCHITECTURE.md names files that do not exist: {', '.join(gone)}"
    assert len(mapped()) == len(set(mapped())), "ARCHITECTURE.md names a file twice"


def test_the_map_lists_folders_in_order():
    headings = re.findall(r"^### `(\w+)/`", MAP, flags=re.MULTILINE)
    assert headings == [folder for folder in ORDER if folder in headings]
    folders = {name.split("/")[0] for name in NAMES if "/" in name}
    assert folders <= set(headings), f"ARCHITECTURE.md has no heading for {', '.join(folders - set(headings))}"


# No file or function is too long to read.

LINES, FUNCTION_LINES = 400, 80


def long_functions(name: str, source: str) -> set[str]:
    """The functions of a module that have too many lines."""
    return {
        f"{name}: {node.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    }


def test_functions_are_measured():
    long = "def long():\n" + "    pass\n" * FUNCTION_LINES
    assert long_functions("m.py", long + "def short():\n" + "    pass\n" * (FUNCTION_LINES - 1)) == {"m.py: long"}


def test_no_module_is_longer_than_400_lines():
    long = {name for name in NAMES if len((PACKAGE / name).read_text().splitlines()) > LINES}
    assert not long, f"split these, or let them shrink: {sorted(long)}"


def test_no_function_is_longer_than_80_lines():
    long = set().union(*(long_functions(name, (PACKAGE / name).read_text()) for name in NAMES))
    assert not long, f"split these: {sorted(long)}"


# No two classes share a name.

CONVENTIONS = {"State", "Known"}
"""What every game calls its state, and what a player knows of it."""


def classes(name: str) -> list[str]:
    """The public classes of a module."""
    body = ast.parse((PACKAGE / name).read_text()).body
    return [node.name for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def test_no_two_classes_have_the_same_name():
    homes: dict[str, list[str]] = {}
    for name in NAMES:
        for each in classes(name):
            if not (each in CONVENTIONS and name.startswith("games/")):
                homes.setdefault(each, []).append(name)
    double = {each: files for each, files in homes.items() if len(files) > 1}
    assert "AlphaBeta" in homes
    assert not double, f"a reader cannot tell these apart: {double}"


# Nothing specific to one machine.

TEXTS = [
    file
    for pattern in (
        "src/**/*",
        "tests/**/*",
        "benchmarks/**/*",
        "examples/**/*",
        "docs/**/*",
        "*.md",
        "*.toml",
        ".ci/*",
    )
    for file in sorted(ROOT.glob(pattern))
    if file.suffix in (".py", ".md", ".toml", ".txt", ".json", ".cpp", "") and file.is_file()
]
MACHINE_PATH = re.compile(r"""(?<![\w.}~-])/(?:home|root|work|opt|tmp|Users|mnt)/\w|\b[A-Z]:\\\\?(?:Users|home)""")


def test_no_line_names_a_path_of_one_machine():
    assert len(TEXTS) > 30
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in TEXTS
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not found, "\n".join(found)
