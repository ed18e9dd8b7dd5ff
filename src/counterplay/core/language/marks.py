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
    """Mark a function whose sums of floats may be added up in any order, and so several at once: their last digits may
    differ from what Python gets."""
    function.any_order = True  # type: ignore[attr-defined]
    return function


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that becomes part of whatever calls it: the body of a hot loop, where a call would copy states."""
    function.inlined = True  # type: ignore[attr-defined]
    return function


def abreast(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that does alike things to several numbers and is to do them all at once, such as following the
    eight directions of a board: each a lane of the processor's vectors. Elsewhere that costs more than it gains."""
    function.abreast = True  # type: ignore[attr-defined]
    return function
