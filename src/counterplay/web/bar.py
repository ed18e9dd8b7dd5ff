"""The evaluation bar beside the board: who is ahead, at a glance."""

from __future__ import annotations

from html import escape

from nicegui import ui

from counterplay.core.formats.diagram import COLOURS
from counterplay.web.judging import Told

PLAIN = ("#f4efe2", "#3a3f47")
"""The colours of sides without one of their own."""


class Bar:
    """A bar of two colours: the first side's grows from the side of the board where it sits."""

    def __init__(self, sides: list[str]) -> None:
        names = [side.lower() for side in sides]
        own = [COLOURS.get(name) for name in names]
        self.colours = tuple(own) if all(own) and own[0] != own[1] else PLAIN
        self.side = sides[0]
        self.block = ui.html("", sanitize=False).classes("cp-bar")
        self.turned = False

    def show(self, told: Told | None) -> None:
        """Show a value; without one, the middle."""
        known = told is not None and "part" in told
        part, text = (told["part"], told["text"]) if told is not None and known else (0.5, "")
        low, high = (self.colours[1], self.colours[0]) if self.turned else self.colours
        height = 100 * (1 - part if self.turned else part)
        words = f"{self.side}: {text}" if text else "not evaluated yet"
        self.block.set_content(
            f'<div class="cp-bar-body" role="img" aria-label="evaluation bar, {escape(words)}" title="{escape(words)}" '
            f'style="background:{high}"><div class="cp-bar-part" style="height:{height:.1f}%;background:{low}"></div></div>'
        )
