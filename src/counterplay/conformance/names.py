"""Names that every Game has: a method that gives one another meaning would be called by mistake."""

from __future__ import annotations

import difflib
import inspect
from types import CodeType
from typing import Any

from counterplay.conformance.report import Caution
from counterplay.core.calling import refuse
from counterplay.core.game import METHODS, SETTINGS, Game

REQUIRED = ("initial", "to_move", "actions", "result", "is_terminal", "utility")
ALIKE = 0.85
"""How similar two names must be for one to be a likely misspelling of the other."""


def names(game: Game) -> str:
    """A method that `Game` also has must take the same arguments."""
    written = [name for name in sorted(METHODS) if getattr(type(game), name) is not getattr(Game, name)]
    for name in written:
        wanted, own = (inspect.signature(getattr(cls, name)) for cls in (Game, type(game)))
        if not takes(own, wanted):
            if name in REQUIRED:
                why = f"write `{name}{shown(wanted)}` in place of `{name}{shown(own)}`"
                raise refuse(game, name, why + (", and append each action to `out`" if name == "actions" else ""))
            raise refuse(
                game,
                name,
                f"`{name}{shown(own)}` hides the method `{name}{shown(wanted)}` that every Game has; take the same "
                "arguments, or rename it if it means something else",
            )
    if near := lookalikes(game):
        return Caution(near)
    return f"{len(written)} methods written, each with its arguments"


def lookalikes(game: Game) -> str:
    """Unused methods whose name is almost that of one of `Game`'s: probably misspelt, and without effect."""
    members = [
        pair for cls in type(game).__mro__ if cls.__module__ == type(game).__module__ for pair in vars(cls).items()
    ]
    mentioned = {name for _, value in members for name in names_in(getattr(value, "__code__", None))}
    own = sorted({name for name, _ in members if name[0] != "_" and not hasattr(Game, name)} - mentioned)
    known = [*METHODS, *SETTINGS]
    pairs = [(name, match) for name in own for match in difflib.get_close_matches(name, known, 1, ALIKE)]
    return "; ".join(f"`{name}` means nothing to Counterplay; did you mean `{match}`?" for name, match in pairs)


def names_in(code: CodeType | None) -> set[str]:
    """All names that a function and its inner functions mention."""
    inner = code.co_consts if code else ()
    return {*(code.co_names if code else ())}.union(*(names_in(c) for c in inner if isinstance(c, CodeType)))


def takes(own: inspect.Signature, wanted: inspect.Signature) -> bool:
    """Whether a method can be called as `wanted` says."""
    given: list[Any] = [p for p in wanted.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    try:
        own.bind(*given)
    except TypeError:
        return False
    return True


def shown(signature: inspect.Signature) -> str:
    """The arguments by name."""
    return f"({', '.join(signature.parameters)})"
