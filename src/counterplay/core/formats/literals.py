"""A state read back from its `repr`, each part checked against its declared type: nothing in the text is ever run."""

from __future__ import annotations

import ast
import math
from typing import Any

from counterplay.core.errors import InvalidPosition
from counterplay.core.language.state import Kind, conforms, is_state, kinds, state
from counterplay.core.language.wide import WideInt

LIMIT = 100_000
"""The longest text that is read at all, in characters."""


def read_state(text: str, example: Any, spec: str) -> Any:
    """The state that `repr` wrote as `text`; it is of the type of `example`, a state of the game `spec`."""
    cls = type(example)
    if issubclass(cls, tuple) and hasattr(cls, "_fields") and not is_state(cls):
        try:
            state(cls)
        except (TypeError, NameError):
            raise InvalidPosition(
                f"{spec} does not say how to read a position: give the moves that lead there, or write parse_position"
            ) from None
    try:
        if len(text) > LIMIT:
            raise ValueError
        if not is_state(cls):
            found = ast.literal_eval(text.strip())
        else:
            found = _part(ast.parse(text.strip(), mode="eval").body, cls)
        if type(found) is not cls:
            raise ValueError
        return found
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise InvalidPosition(f"{spec} cannot read {text[:80]!r}; a position looks like {str(example)[:200]}") from None


def _part(node: ast.expr, kind: Kind) -> Any:
    """A part of a state, of the declared kind; raises ValueError if it is not."""
    if isinstance(kind, tuple):
        if not isinstance(node, ast.Tuple):
            raise ValueError
        return tuple(_part(part, each) for part, each in zip(node.elts, kind, strict=True))
    if is_state(kind):
        return _record(node, kind)
    if issubclass(kind, WideInt):
        if isinstance(node, ast.Call):  # as in u64(0x5)
            (node,) = node.args
        value = _number(node)
        if not conforms(value, kind):
            raise ValueError
        return kind(value)
    value = _number(node)
    if not conforms(value, kind) or (kind is int and type(value) is not int):
        raise ValueError
    return kind(value)


def _record(node: ast.expr, cls: type) -> Any:
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != cls.__name__:
        raise ValueError
    given = dict(zip(fields, node.args, strict=False)) | {str(each.arg): each.value for each in node.keywords}
    if set(given) != set(fields) or len(node.args) + len(node.keywords) != len(fields):
        raise ValueError
    return cls(*(_part(given[name], kind) for name, kind in zip(fields, kinds(cls), strict=True)))


def _number(node: ast.expr) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    if isinstance(node, ast.Name) and node.id in ("inf", "nan"):
        return math.inf if node.id == "inf" else math.nan
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        return node.value
    raise ValueError
