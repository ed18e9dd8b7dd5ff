"""Names that mean something to every Game: a method of another kind under such a name would be called by mistake."""

from __future__ import annotations

import inspect
from typing import Any

from counterplay.core.calling import refuse
from counterplay.core.game import METHODS, Game


def names(game: Game) -> str:
    """A method that `Game` has as well, must take what `Game`'s takes."""
    written = [name for name in sorted(METHODS) if getattr(type(game), name) is not getattr(Game, name)]
    for name in written:
        wanted, own = (inspect.signature(getattr(cls, name)) for cls in (Game, type(game)))
        if not takes(own, wanted):
            raise refuse(
                game,
                name,
                f"`{name}{shown(own)}` hides the method `{name}{shown(wanted)}` that every Game has; take the same "
                "arguments, or rename it if it means something else",
            )
    return f"{len(written)} methods written, each with its arguments"


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
