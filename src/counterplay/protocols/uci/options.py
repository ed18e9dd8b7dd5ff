"""The options of the engine, and `setoption`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.protocols.uci.strength import HIGHEST, LOWEST

Options = dict[str, tuple[Any, ...]]
"""Each with its type, its default, and for numbers the least and the greatest, for words (combo) the choices."""

OPTIONS: Options = {
    "Hash": ("spin", 64, 1, 65536),
    "Threads": ("spin", 1, 1, 256),
    "MultiPV": ("spin", 1, 1, 256),
    "Move Overhead": ("spin", 30, 0, 5000),
    "Ponder": ("check", False),
    "UCI_Chess960": ("check", False),
    "Clear Hash": ("button", None),
    "OwnBook": ("check", False),
    "BookFile": ("string", ""),
    "SyzygyPath": ("string", ""),
    "TablesPath": ("string", ""),
    "EvalFile": ("string", "chess"),
    "UCI_LimitStrength": ("check", False),
    "UCI_Elo": ("spin", HIGHEST, LOWEST, HIGHEST),
}


def declaration(name: str, declared: Options) -> str:
    """The line that announces an option."""
    kind, usual, *bounds = declared[name]
    value = "" if kind == "button" else f" default {str(usual).lower() or '<empty>'}"
    limits = f" min {bounds[0]} max {bounds[1]}" if kind == "spin" else "".join(f" var {word}" for word in bounds)
    return f"option name {name} type {kind}{value}{limits}"


def read_option(words: Sequence[str], declared: Options) -> tuple[str, Any]:
    """The option that the words after `setoption` name, as declared, and its value; for a button, its default."""
    text = " ".join(words) + " "  # the value may be empty
    name, value = (part.strip() for part in text.removeprefix("name ").partition(" value ")[::2])
    found = next((known for known in declared if known.lower() == name.lower()), None)
    if found is None:
        raise CounterplayError(f"no option {name[:40]!r}; they are {', '.join(declared)}")
    kind, usual, *bounds = declared[found]
    if kind == "spin":
        if not value.isdecimal() or len(value) > 15 or not bounds[0] <= int(value) <= bounds[1]:
            raise CounterplayError(f"{found} is a number from {bounds[0]} to {bounds[1]}, not {value[:40]!r}")
        return found, int(value)
    if kind == "check":
        if value.lower() not in ("true", "false"):
            raise CounterplayError(f"{found} is true or false, not {value[:40]!r}")
        return found, value.lower() == "true"
    if kind == "combo":
        named = next((word for word in bounds if word.lower() == value.lower()), None)
        if named is None:
            raise CounterplayError(f"{found} is one of {', '.join(bounds)}, not {value[:40]!r}")
        return found, named
    if kind == "string":
        return found, "" if value == "<empty>" else value
    return found, usual
