"""How a position looks, in the terminal and as SVG, and where one clicks. Plain Python, never compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterplay.core.formats.svg import Box


class Picture:
    """How a position looks, in the terminal and as SVG, and where one clicks. Plain Python, never compiled."""

    def board(self: Any, s: Any, viewer: int | None = None) -> str:
        """A picture of `s` for the terminal, as `viewer` may see it (None sees all)."""
        if viewer is not None and self.has_secrets:
            return str(self.information(s, viewer))
        return self.position_text(s)

    def svg(self, s: Any, viewer: int | None = None) -> str:
        """A picture of `s` as SVG, as `viewer` may see it (None sees all)."""
        from counterplay.core.formats.svg import text_card

        return text_card(self.board(s, viewer))

    def spots(self, s: Any, action: int) -> tuple[Box, ...]:
        """Where on the picture one clicks, one box after the other, to choose `action`: a square; or where a piece comes
        from and where it goes. None: the action is picked from a list."""
        return ()
