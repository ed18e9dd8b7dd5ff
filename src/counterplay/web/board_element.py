"""The board as an element of a page: it shows scenes and receives the chosen actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from counterplay.web.board import Scene


class Board(ui.element, component="static/board.js"):
    """`static/board.js` in the page."""

    def __init__(self, on_act: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self.classes("cp-board")
        self.shown: Scene | None = None

        def hear(event: GenericEventArguments) -> None:
            told = event.args if isinstance(event.args, dict) else {}
            action, key = told.get("action"), told.get("key")
            if on_act is not None and self.shown is not None and key == self.shown["key"] and isinstance(action, int):
                if any(each["number"] == action for each in self.shown["actions"]):
                    on_act(action)

        self.on("act", hear)

    def show(self, told: Scene) -> None:
        """Show a scene; pieces slide from where they were in the last one."""
        self.shown = told
        self._props["scene"] = told
        self.update()

    def point(self, arrows: list[list[Any]]) -> None:
        """Highlight actions in the current scene: arrows from cell to cell with their rank, the best with 0, or with a
        word for their colour."""
        if self.shown is not None:
            self.run_method("point", self.shown["key"], arrows)
