"""The card with a table of all hands: the strategy of each in the position, solved from typed ranges."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.web.frame import heading

if TYPE_CHECKING:
    from counterplay.web.analyse import AnalysePage

SECONDS = 20.0
"""Seconds for a solution, besides compiling."""


class RangeGrid:
    """The card, in games with private deals."""

    def __init__(self, page: AnalysePage) -> None:
        self.page = page
        self.task: asyncio.Task[Any] | None = None

    @property
    def suits(self) -> bool:
        """Whether the game has hands and ranges."""
        game = self.page.tree.p.game
        return game.has_private_deals and game.players == 2 and game.zero_sum

    def build(self) -> None:
        """Two ranges, a button and the pictures."""
        if not self.suits:
            return
        game = self.page.tree.p.game
        with ui.column().classes("cp-card cp-ranges-card"):
            heading("Every hand, from ranges", 2)
            self.ranges = [
                ui.input(f"range of {game.player_name(player)}", value="any").props("outlined dense")
                for player in range(2)
            ]
            for player, field in enumerate(self.ranges):
                field.classes(f"w-full cp-range-{player + 1}")
            self.button = ui.button("solve", on_click=self.start).props("no-caps outline").classes("cp-do-ranges")
            self.facts = ui.label("Solves the rest of the hand from here; hands such as AA, QQ+, AKs, A5s:0.5.")
            self.facts.classes("cp-dim cp-ranges-facts")
            self.pictures = {
                name: ui.html("", sanitize=False).classes(f"w-full cp-grid cp-grid-{name}") for name in ("svg", "other")
            }

    def restart(self) -> None:
        """The position has changed: clear the old table."""
        if not self.suits:
            return
        self.cancel()
        p = self.page.tree.p
        dealt = min(int(p.game.hand_of(p.state, player)) for player in range(2)) >= 0
        self.button.set_enabled(dealt and not p.is_over and p.to_move != CHANCE)
        self.show({})

    def start(self) -> None:
        """Solve from the ranges."""
        self.cancel()
        self.page.live.pause("Paused until the ranges are solved.")
        self.facts.set_text("Solving ...")
        self.task = background_tasks.create(self.run(), name="ranges")

    async def run(self) -> None:
        """Ask a worker, and show the result."""
        page = self.page
        ranges = " / ".join(field.value or "any" for field in self.ranges)
        try:
            found = await page.house.crew.ask(
                "ranges", seconds=3 * SECONDS, ranges=ranges, budget=SECONDS, **page.question()
            )
        except CounterplayError as wrong:
            found = {"facts": str(wrong)}
        if found is not None:
            with page.client:
                self.facts.set_text(found["facts"])
                self.show(found)
                page.live.restart()

    def show(self, found: dict[str, Any]) -> None:
        """The tables of both players, or none."""
        for name, picture in self.pictures.items():
            picture.set_content(found.get(name, ""))

    def cancel(self) -> None:
        """End the current work."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = None
