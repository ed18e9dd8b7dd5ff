"""Who plays: the card on which one chooses opponents and clock for a new game."""

from __future__ import annotations

from nicegui import ui

from counterplay.web.admission import admitted
from counterplay.web.frame import told
from counterplay.web.strength import levels
from counterplay.web.table import HUMAN, GameTable


class Opponents:
    """The seats of a table as a form."""

    def __init__(self, table: GameTable) -> None:
        self.table = table

    def build(self) -> None:
        """Who plays: a word for each strength, and the spec behind it."""
        table = self.table
        words = {level.spec: level.word for level in levels(table.game)}
        with ui.column().classes("cp-card"):
            ui.label("Who plays").classes("cp-title")
            self.seat_inputs = []
            for i, seat in enumerate(table.seats):
                options = {HUMAN: "a person", **{spec: f"{word} ({spec})" for spec, word in words.items()}}
                options.setdefault(seat, seat)
                choice = ui.select(options, value=seat, label=table.game.player_name(i)).props("dense options-dense")
                self.seat_inputs.append(choice.classes(f"w-full cp-seat-{i + 1}"))
            self.spec_input = ui.input("or any player, by its spec", placeholder="mcts:simulations=5000").props("dense")
            self.spec_input.classes("w-full")
            self.clock_input = ui.input("clock in seconds, such as 300+5", value=table.clock_text).props("dense")
            self.clock_input.classes("w-full")
            ui.button("start anew like this", on_click=self.start_anew).props("no-caps").classes("cp-start")

    def start_anew(self) -> None:
        """A table with the players and the clock that are chosen."""
        table = self.table
        seats = [choice.value for choice in self.seat_inputs]
        if self.spec_input.value:
            changed = next((i for i, seat in enumerate(seats) if seat != HUMAN), len(seats) - 1)
            seats[changed] = self.spec_input.value.strip()
        with told():
            for seat in seats:
                if seat != HUMAN:
                    admitted(seat).require(table.game)
            fresh = GameTable(
                table.game.start(), seats, (self.clock_input.value or "").strip(), table.spec, table.position
            )
            ui.navigate.to("/play?" + fresh.query(moves=False))
