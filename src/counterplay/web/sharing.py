"""Sharing a game: its link, its position and its moves to the clipboard, and the way to its analysis."""

from __future__ import annotations

import json

from nicegui import ui

from counterplay.core.errors import CounterplayError
from counterplay.web.frame import complain, told
from counterplay.web.table import GameTable


class Sharing:
    """What the Play page lets visitors copy, only if nothing is hidden."""

    table: GameTable
    shown: int | None
    note: ui.label

    def build_sharing(self) -> None:
        """The buttons."""
        with ui.element("div").classes("cp-buttons"):
            for name, action in (
                ("copy link", self.copy_link),
                ("copy position", self.copy_position),
                ("copy moves", self.copy_moves),
                ("analyse", self.analyse),
            ):
                button = ui.button(name, on_click=action).props("flat dense no-caps")
                button.classes(f"cp-do-{name.replace(' ', '-')}")

    def copy_link(self) -> None:
        """The whole playthrough as a link."""
        if not self.table.may_share:
            complain(CounterplayError("a link would reveal hidden information; it can be shared when the game is over"))
            return
        query = self.table.query(ply=self.shown)
        self.copy("location.origin + '/play?" + query + "'", "the link is copied")

    def copy_position(self) -> None:
        """The position as text."""
        self.copy_text(self.table.p.game.position_text(self.table.p.states[self.shown or -1]), "the position is copied")

    def copy_moves(self) -> None:
        """The playthrough as text."""
        with told():
            self.copy_text(self.table.record(), "the moves are copied")

    def copy_text(self, text: str, done: str) -> None:
        """Copy text, unless it would reveal hidden information."""
        if not self.table.may_share:
            complain(CounterplayError("this would reveal hidden information; it can be copied when the game is over"))
            return
        self.note.set_text(text if len(text) < 400 else text[:400] + " ...")
        self.copy(json.dumps(text).replace("</", "<\\/"), done)

    def copy(self, expression: str, done: str) -> None:
        """Copy to the clipboard, if the browser allows it."""
        ui.run_javascript(f"navigator.clipboard && navigator.clipboard.writeText({expression})")
        ui.notify(done, position="bottom", timeout=1500)

    def review(self) -> None:
        """Review the whole game, now that it is over."""
        ui.navigate.to(f"/analyse?{self.table.query()}&review=on")

    def analyse(self) -> None:
        """Open the playthrough on the Analyse page."""
        if self.table.may_share:
            ui.navigate.to("/analyse?" + self.table.query())
        else:
            complain(CounterplayError("the game can be analysed when it is over, because something is hidden from you"))
