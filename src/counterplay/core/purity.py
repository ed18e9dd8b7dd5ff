"""Rules are functions: they leave the state that they are given unchanged, and give the same answer when called
again."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from counterplay.core.calling import ask, refuse
from counterplay.core.formats.text import shorten
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.rng import Rng
from counterplay.core.types import State

LONG = 200
"""The maximum number of characters of a state in a message."""


def ask_twice(game: Game, name: str, s: State, *args: Any) -> Any:
    """The answer of a rule about a state, which must stay unchanged; called again, the rule must give the same
    answer."""
    before = duplicate(s)
    first = ask(game, name, s, *args)
    require_unchanged(game, name, before, s)
    second = ask(game, name, s, *args)
    if not alike(first, second):
        about = "the same state and action" if name == "result" else "the same state"
        raise refuse(
            game, name, f"`{name}` gives different answers for {about}: {told(first)} and {told(second)}, of {told(s)}"
        )
    return first


def list_twice(game: Game, name: str, s: State) -> list[int]:
    """What a rule that fills a list appends, checked in the same way."""
    before, lists = duplicate(s), (Actions(), Actions())
    for out in lists:
        ask(game, name, s, out)
        require_unchanged(game, name, before, s)
    if not alike(list(lists[0]), list(lists[1])):
        raise refuse(
            game, name, f"`{name}` lists different actions for the same state: {lists[0]} and {lists[1]}, of {told(s)}"
        )
    return lists[0]


def draw_twice(game: Game, name: str, s: State, *args: Any, seed: int) -> Any:
    """What a rule draws from a random stream: it must be the same from the same stream, and the state must stay
    unchanged."""
    before = duplicate(s)
    first = ask(game, name, s, *args, Rng(seed))
    require_unchanged(game, name, before, s)
    second = ask(game, name, s, *args, Rng(seed))
    if not alike(first, second):
        raise refuse(
            game,
            name,
            f"`{name}` gives {told(first)} and {told(second)} from the same random stream; it must draw from `rng` alone",
        )
    return first


def require_unchanged(game: Game, name: str, before: Any, s: State) -> None:
    """Refuse a rule that has changed the state that it was given."""
    if not alike(before, s):
        raise refuse(
            game,
            name,
            f"`{name}` changes the state it is given: {told(before)} has become {told(s)}; "
            + ("copy it first and return the copy" if name == "result" else "it must only read it"),
        )


def duplicate(s: State) -> Any:
    """A copy that shares nothing with the original; the state itself if it cannot be copied."""
    try:
        return copy.deepcopy(s)
    except Exception:  # whatever a user's class raises: such a state is not compared
        return s


def told(value: Any) -> str:
    """A value in a message."""
    return shorten(repr(value), LONG)


def alike(a: Any, b: Any) -> bool:
    """Whether two values are equal, part by part; objects whose class defines no equality are compared by their
    attributes."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    plain: Any = object.__eq__
    if type(a) is type(b) and type(a).__eq__ is plain:
        return alike(attributes(a), attributes(b))
    return bool(a == b)


def attributes(value: Any) -> dict[str, Any]:
    """All attributes of an object, those in slots as well."""
    slots = [vars(cls).get("__slots__", ()) for cls in type(value).__mro__]
    names = [name for each in slots for name in ([each] if isinstance(each, str) else each) if hasattr(value, name)]
    return {**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in names}}
