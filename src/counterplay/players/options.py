"""Options as people write them, `depth=6` or `6,on`: the parameters of a constructor, checked.

The annotation of a parameter says what it takes: int, float, bool (on or off), str, Literal["a", "b"] (one of these
words), a number | Literal[False] (the number, or `off`). `T | None` takes what T takes.
"""

from __future__ import annotations

import difflib
import inspect
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

from counterplay.core.errors import CounterplayError
from counterplay.core.registry import FALSE, TRUE, split

KINDS = {bool: "on or off", int: "a whole number", float: "a number"}


def read_options(cls: type, shown: str, text: str) -> dict[str, Any]:
    """The arguments for `cls` that `text` gives, each of the type that the constructor declares."""
    kinds = {p.name: p.annotation for p in inspect.signature(cls, eval_str=True).parameters.values()}
    names = list(kinds)
    given: dict[str, Any] = {}
    for i, part in enumerate(split(text)):
        name, equals, value = part.partition("=")
        if not equals:
            if i >= len(names):
                raise CounterplayError(f"{shown} has no option for {part!r}; {listing(names)}")
            name, value = names[i], part
        name = name.strip()
        require_option(cls, shown, name)
        if name in given:
            raise CounterplayError(f"{shown}: the option {name!r} is given twice")
        given[name] = convert(shown, name, value.strip(), kinds[name])
    return given


def option_names(cls: type) -> list[str]:
    """The options that `cls` takes."""
    return list(inspect.signature(cls).parameters)


def require_option(cls: type, shown: str, name: str) -> None:
    """Refuse an option that `cls` does not take."""
    names = option_names(cls)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else listing(names)
        raise CounterplayError(f"{shown} has no option {name!r}; {hint}")


def listing(names: list[str]) -> str:
    """What options there are, as a part of a sentence."""
    return f"it takes {', '.join(names)}" if names else "it takes no options"


def convert(shown: str, name: str, value: str, wanted: Any) -> Any:
    """`value` as one of the types that `wanted` allows."""
    kinds = get_args(wanted) if get_origin(wanted) in (Union, types.UnionType) else (wanted,)
    told: list[str] = []
    for kind in kinds:
        words = [word for word in get_args(kind) if word is not False] if get_origin(kind) is Literal else []
        if False in get_args(kind) and value.lower() in FALSE - {"0"}:
            return False
        if kind is bool and value.lower() in TRUE | FALSE:
            return value.lower() in TRUE
        if kind is str or value in words:
            return value
        if kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                pass
        told += [KINDS[kind]] if kind in KINDS else words + ["off"] * (False in get_args(kind))
    raise CounterplayError(f"{shown}: {name}={value!r} must be {either(told)}")


def either(words: list[str]) -> str:
    """a, b or c."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def written(value: object) -> str:
    """A value as one writes it in a spec."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def spec_of(name: str, options: Mapping[str, object]) -> str:
    """A player as one writes it, with the options that are worth a word."""
    return name + ":" * bool(options) + ",".join(f"{option}={written(value)}" for option, value in options.items())
