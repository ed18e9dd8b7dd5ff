"""Options as people write them, `depth=6` or `6,on`: the parameters of a constructor, checked."""

from __future__ import annotations

import difflib
import inspect
import types
from typing import Any, Union, get_args, get_origin

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
    """`value` as the type `wanted`, or as T where `wanted` is T | None."""
    if get_origin(wanted) in (Union, types.UnionType):
        wanted = next(kind for kind in get_args(wanted) if kind is not type(None))
    try:
        if wanted is bool:
            if value.lower() in TRUE | FALSE:
                return value.lower() in TRUE
            raise ValueError
        if wanted in (int, float):
            return wanted(value)
    except ValueError:
        raise CounterplayError(f"{shown}: {name}={value!r} must be {KINDS[wanted]}") from None
    return value
