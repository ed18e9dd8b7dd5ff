"""Marks on functions that compiled code calls: what the compiler may do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def marks_of(function: Callable[..., object]) -> tuple[str, ...]:
    """The marks that a function has."""
    return tuple(name for name in ("any_order", "inlined", "abreast") if getattr(function, name, False))


def any_order(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function whose floats may be added up in any order, and so several at once: the last digits of its sums
    may differ from Python's."""
    function.any_order = True  # type: ignore[attr-defined]
    return function


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that becomes part of whatever calls it: the body of a hot loop, where a call would copy states."""
    function.inlined = True  # type: ignore[attr-defined]
    return function


def abreast(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that does the same to several numbers and should do it to all at once, one in each vector lane,
    such as following the eight directions of a board. In other functions that costs more than it gains."""
    function.abreast = True  # type: ignore[attr-defined]
    return function
