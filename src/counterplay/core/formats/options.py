"""Options as people write them, `depth=6` or `6,on`: the parameters of a constructor, checked.

The annotation of a parameter says what it takes: int, float, bool (on or off), str, Literal["a", "b"] (one of these
words), a number | Literal[False] (the number, or `off`). `T | None` takes what T takes. Without an annotation the type
of the default counts. A constructor with **options takes any other name, with its value as text. The specs of games and
players are read this way.
"""

from __future__ import annotations

import difflib
import inspect
import re
import types
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from counterplay.core.errors import CounterplayError

TRUE, FALSE = {"true", "on", "yes", "1"}, {"false", "off", "no", "0"}
NAME = re.compile(r"[\w ]+")
KINDS = {bool: "on or off", int: "a whole number", float: "a number"}
SYNONYMS = {
    "seconds": "time", "movetime": "time", "plies": "depth", "hash": "table", "visits": "simulations",
    "rollouts": "playouts", "ab": "alphabeta", "uct": "mcts",
    "analyse": "search", "analyze": "search", "web": "serve", "app": "serve",
    "learn": "train", "elo": "tournament",
    "draughts": "checkers", "reversi": "othello", "mancala": "kalah", "gomoku": "mnk", "ttt": "tic-tac-toe",
}  # fmt: skip
"""Names of commands, options, players and games in other programs, and what they are called here."""


def read_options(
    cls: type, shown: str, text: str, noun: str = "option", error: type[CounterplayError] = CounterplayError
) -> dict[str, Any]:
    """The arguments for `cls` that `text` gives, each of the type that the constructor declares."""
    parameters = parameters_of(cls)
    names = list(parameters)
    given: dict[str, Any] = {}
    for i, part in enumerate(split(text)):
        name, equals, value = part.partition("=")
        if equals and not NAME.fullmatch(name) and i < len(names) and kind_of(parameters[names[i]]) is str:
            equals = ""  # such as a command with arguments: engine --size=5
        if not equals:
            if i >= len(names):
                raise error(f"{shown} has no {noun} for {part!r}; {listing(names, noun)}")
            name, value = names[i], part
        name = name.strip()
        if name in given:
            raise error(f"{shown}: the {noun} {name!r} is given twice")
        if name not in parameters and takes_any(cls):
            given[name] = value.strip()
            continue
        require_option(cls, shown, name, noun, error, value.strip())
        given[name] = convert(shown, name, value.strip(), kind_of(parameters[name]), error)
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in given:
            raise error(f"{shown} needs the {noun} {name!r}: {shown}:{name}=...")
    return given


def parameters_of(cls: type) -> dict[str, inspect.Parameter]:
    """The parameters of a constructor that have a name."""
    found = inspect.signature(cls, eval_str=True).parameters
    return {name: p for name, p in found.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}


def takes_any(cls: type) -> bool:
    """Whether a constructor takes options of any name."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(cls).parameters.values())


def kind_of(parameter: inspect.Parameter) -> Any:
    """What a parameter takes."""
    return type(parameter.default) if parameter.annotation is parameter.empty else parameter.annotation


def require_option(
    cls: type,
    shown: str,
    name: str,
    noun: str = "option",
    error: type[CounterplayError] = CounterplayError,
    value: str = "",
) -> None:
    """Reject an option that `cls` does not take, and suggest the nearest one that takes such a `value`: a similar name, or
    one that `name` abbreviates."""
    parameters = parameters_of(cls)
    if name in parameters:
        return
    near = nearest(name, parameters)
    fit = [each for each in near if takes(parameters[each], value)] if value else near
    hint = f"did you mean {(fit or near)[0]}?" if near else listing(list(parameters), noun)
    raise error(f"{shown} has no {noun} {name!r}; {hint}")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that an unknown one may stand for, the likeliest first: its synonym, else those that have it as a
    word, else similar ones, else those that it abbreviates."""
    names = list(known)
    return (
        [each for each in names if each == SYNONYMS.get(name)]
        or [each for each in names if name in re.split("[-_]", each)]
        or difflib.get_close_matches(name, names, n=len(names) or 1)
        or [each for each in names if abbreviates(name, each)]
    )


def abbreviates(short: str, name: str) -> bool:
    """Whether `short` is at least three letters of `name`, in order, beginning with its first two."""
    letters = iter(name)
    return len(short) > 2 and name.startswith(short[:2]) and all(letter in letters for letter in short)


def takes(parameter: inspect.Parameter, value: str) -> bool:
    """Whether a parameter takes a value."""
    try:
        convert("", parameter.name, value, kind_of(parameter))
    except CounterplayError:
        return False
    return True


def listing(names: list[str], noun: str) -> str:
    """The options there are, as a part of a sentence."""
    return f"it takes {', '.join(names)}" if names else f"it takes no {noun}s"


def convert(shown: str, name: str, value: str, wanted: Any, error: type[CounterplayError] = CounterplayError) -> Any:
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
    if not told:  # a parameter of another kind, such as a list: its class reads the text itself
        return value
    raise error(f"{shown}: {name}={value!r} must be {either(told)}")


def either(words: list[str]) -> str:
    """a, b or c."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def written(value: object) -> str:
    """A value as a spec writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def spec_of(name: str, options: Mapping[str, object]) -> str:
    """A player as text, with the given options."""
    return name + ":" * bool(options) + ",".join(f"{option}={written(value)}" for option, value in options.items())


def split(text: str) -> list[str]:
    """The parts between commas that stand outside brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
