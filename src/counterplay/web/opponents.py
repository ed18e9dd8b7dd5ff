"""Choosing the players: levels of strength as chips, the visitor's side, and everything else under "more"."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from counterplay.web.admission import admitted
from counterplay.web.frame import told
from counterplay.web.phrases import capital
from counterplay.web.strength import levels
from counterplay.web.table import HUMAN, GameTable


def chips(name: str, options: dict[str, str], chosen: str, pick: Callable[[str], None]) -> ui.element:
    """A row of options, one of them chosen."""
    with ui.element("div").classes("cp-chips").props(f'role="group" aria-label="{name}"') as row:
        for value, word in options.items():
            chip = ui.element("button").props(f'type="button" aria-pressed="{"true" if value == chosen else "false"}"')
            chip.classes(f"cp-chip cp-chip-{word.lower().replace(' ', '-')}").on(
                "click", lambda value=value: pick(value)
            )
            with chip:
                ui.label(word)
    return row


class Opponents:
    """The seats of a table as a form; `changed` is called when a seat changes."""

    def __init__(self, table: GameTable, names: list[str], changed: Callable[[], None]) -> None:
        self.table, self.names, self.changed = table, names, changed

    def build(self) -> None:
        """Chips, and the form behind them."""
        with ui.column().classes("cp-card"):
            self.chips = ui.element("div").classes("cp-choices")
            self.show()
            with ui.expansion("More: any player, a clock").classes("w-full cp-more"):
                self.build_form()

    def show(self) -> None:
        """Update the chips."""
        table = self.table
        machines = [i for i, seat in enumerate(table.seats) if seat != HUMAN]
        self.chips.clear()
        with self.chips:
            if machines:
                ui.label("Strength").classes("cp-chips-name")
                options = {level.spec: capital(level.word) for level in levels(table.game)}
                chips("strength", options, table.seats[machines[0]], self.pick_level)
            if table.game.players == 2:
                ui.label("You play").classes("cp-chips-name")
                options = {"0": capital(self.names[0]), "1": capital(self.names[1]), "both": "Both", "": "Neither"}
                people = table.people
                chosen = "both" if len(people) == 2 else str(people[0]) if people else ""
                chips("you play", options, chosen, self.pick_side)

    def pick_level(self, spec: str) -> None:
        """Set the level of all computer players."""
        for i, seat in enumerate(self.table.seats):
            if seat != HUMAN:
                self.table.seats[i] = spec
        self.changed()

    def pick_side(self, side: str) -> None:
        """Seat the person there; a game with hidden information, or a finished one, starts over."""
        table = self.table
        offered = [level.spec for level in levels(table.game)]
        machine = next((seat for seat in table.seats if seat != HUMAN), offered[min(1, len(offered) - 1)])
        people = {"both": [0, 1], "": []}.get(side) if side in ("both", "") else [int(side)]
        seats = [HUMAN if i in (people or []) else machine for i in range(2)]
        if table.game.has_secrets or table.is_over:
            ui.navigate.to("/play?" + self.fresh(seats, table.clock_text).query(moves=False))
            return
        table.seats[:] = seats
        self.changed()

    def build_form(self) -> None:
        """A field for every seat, and one for the clock."""
        table = self.table
        words = {level.spec: capital(level.word) for level in levels(table.game)}
        self.seat_inputs = []
        for i, seat in enumerate(table.seats):
            options = {HUMAN: "A person", **{spec: f"{word} ({spec})" for spec, word in words.items()}}
            options.setdefault(seat, seat)
            choice = ui.select(options, value=seat, label=capital(self.names[i])).props("dense options-dense")
            self.seat_inputs.append(choice.classes(f"w-full cp-seat-{i + 1}"))
        self.spec_input = ui.input("or any player, by its spec", placeholder="mcts:simulations=5000").props("dense")
        self.spec_input.classes("w-full")
        self.clock_input = ui.input("clock: seconds and increment, such as 300+5", value=table.clock_text).props(
            "dense"
        )
        self.clock_input.classes("w-full")
        begin = ui.button("New game with these settings", on_click=self.start_anew, color=None)
        begin.props("no-caps unelevated").classes("cp-primary cp-start")

    def fresh(self, seats: list[str], clock: str) -> GameTable:
        """A new table."""
        return GameTable(self.table.game.start(), seats, clock, self.table.spec, self.table.position)

    def start_anew(self) -> None:
        """A new table with the chosen players and clock."""
        seats = [choice.value for choice in self.seat_inputs]
        if self.spec_input.value:
            changed = next((i for i, seat in enumerate(seats) if seat != HUMAN), len(seats) - 1)
            seats[changed] = self.spec_input.value.strip()
        with told():
            for seat in seats:
                if seat != HUMAN:
                    admitted(seat).require(self.table.game)
            ui.navigate.to("/play?" + self.fresh(seats, (self.clock_input.value or "").strip()).query(moves=False))
