"""How a position looks, in the terminal and as a picture, and where to click. Plain Python, never compiled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from counterplay.core.types import State

if TYPE_CHECKING:
    from collections.abc import Container

    from counterplay.core.formats.diagram import Diagram
    from counterplay.core.formats.svg import Box


class Picture:
    """How a position looks, in the terminal and as a picture, and where to click. Plain Python, never compiled."""

    def diagram(self, s: State, viewer: int | None = None) -> Diagram | None:
        """`s` as cells and what is on them, as `viewer` may see it (None sees all), made by `grid`, `hexagons` or `points`.
        Text, picture and clicks come from it. None: the game draws itself, or is described in words."""
        return None

    def clicks(self: Any, s: State, action: int) -> str | tuple[str, ...]:
        """The cells of the diagram to click, in order, to choose `action`: their names, or a text made of them, such as
        e4, e2e4 or 11-15. An action that names no cells is picked from a list."""
        return self.action_text(s, action)

    def caption(self: Any, s: State, action: int) -> str:
        """The label of the button for `action`, if it is picked from a list; by default the action's text."""
        text: str = self.action_text(s, action)
        return text

    def board(self: Any, s: State, viewer: int | None = None) -> str:
        """A picture of `s` for the terminal, as `viewer` may see it (None sees all)."""
        drawn = self.diagram(s, viewer)
        if drawn is not None:
            return drawn.text
        if viewer is not None and self.has_secrets:
            known = self.information(s, viewer)
            return f"information {known}" if isinstance(known, int) else str(known)
        return self.position_text(s)

    def svg(self, s: State, viewer: int | None = None) -> str:
        """A picture of `s` as SVG, as `viewer` may see it (None sees all)."""
        from counterplay.core.formats.svg import text_card

        drawn = self.diagram(s, viewer)
        return drawn.svg if drawn is not None else text_card(self.board(s, viewer))

    def spots(self, s: State, action: int) -> tuple[Box, ...]:
        """The same as `clicks` for a game that draws its own `svg`: where on the picture to click, box by box."""
        return ()


def clicked(names: Container[str], told: str | tuple[str, ...]) -> tuple[str, ...]:
    """The cells that `clicks` names, such as e2 and e4 in e2-e4; none if it names anything else."""
    if not isinstance(told, str):
        return told
    if told in names:
        return (told,)
    parts = [part for part in re.split(r"[-x>:,/\s]+", told) if part]
    if len(parts) > 1 and all(part in names for part in parts):
        return tuple(parts)
    halves = [(told[:i], told[i:]) for i in range(1, len(told)) if told[:i] in names and told[i:] in names]
    return halves[0] if len(halves) == 1 else ()
