"""The Play page: any game, any player on any side, on the board or from the list of actions."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING

from nicegui import context, ui

from counterplay.core.errors import CounterplayError
from counterplay.players.wording import rules_of, title_of
from counterplay.web.admission import admitted
from counterplay.web.board import scene
from counterplay.web.board_element import Board
from counterplay.web.frame import buttons, complain, keep_in_view, refusal, told
from counterplay.web.opponents import Opponents
from counterplay.web.phrases import Phrases, capital
from counterplay.web.replies import Replies
from counterplay.web.seats import Strip, sits_on_top
from counterplay.web.sharing import Sharing
from counterplay.web.strength import levels, usual
from counterplay.web.table import HUMAN, LOST, GameTable

if TYPE_CHECKING:
    from counterplay.web.server import House

MANY = 40
"""The number of actions listed at once; more on demand."""


def seated(house: House, query: Mapping[str, str]) -> GameTable:
    """The table in a link."""
    kept = house.tables.get(query.get("table", ""))
    if kept is not None:
        return kept.again()
    spec = query.get("game") or "connect-four"
    lot = random.randrange(1 << 30)
    p = house.shelf.playthrough(spec, query.get("position") or None, query.get("moves", ""), lot)
    seats = []
    for i in range(p.game.players):
        seat = query.get(f"p{i + 1}") or (HUMAN if i == 0 else usual(p.game).spec)
        if seat != HUMAN:
            admitted(seat).require(p.game)
        seats.append(seat)
    table = GameTable(p, seats, query.get("clock", ""), spec, query.get("position") or None)
    for word, why in LOST.items():
        loser = query.get(word, "")
        if loser.isdecimal() and 1 <= int(loser) <= p.game.players and not p.is_over:
            table.lose(int(loser) - 1, why)
    if table.clocks and query.get("left"):
        table.clocks.set(query["left"])
    return table


async def play_page(house: House, query: Mapping[str, str]) -> None:
    """The page, or an error page."""
    try:
        table = await house.desk.run(seated, house, query)
    except CounterplayError as wrong:
        refusal(wrong, "/")
        return
    PlayPage(house, table).build()


class PlayPage(Sharing, Replies):
    """One visitor's table."""

    def __init__(self, house: House, table: GameTable) -> None:
        self.house, self.table = house, table
        self.lot = random.randrange(1 << 30)
        self.key = secrets.token_hex()
        """The name by which workers know the table, and, if something is hidden, its address."""
        self.phrases = Phrases(table)
        self.hinted: int | None = None
        self.shown: int | None = None  # an earlier ply that the person is viewing
        self.flipped = len(table.people) == 1 and sits_on_top(table.game, table.people[0], self.phrases.sides)
        self.all_listed = False
        self.thought, self.figures = "", ""
        self.preparation, self.task = None, None
        self.wrong = house.shelf.wrong.get(table.spec.partition(":")[0], "")

    # The page.

    def build(self) -> None:
        """Lay everything out, and start the game."""
        table, names = self.table, self.phrases.sides
        title = title_of(table.game)
        ui.page_title(f"{title} - Counterplay")
        own = table.people[0] if table.people else 0
        with ui.element("div").classes("cp-columns cp-play"):
            with ui.element("div").classes("cp-left cp-seats"):
                others = [i for i in range(table.game.players) if i != own]
                self.strips = [Strip(table, names, i) for i in others]
                self.board = Board(self.act)
                self.hidden = ui.label("The board is hidden until only the next player is looking.").classes("cp-note")
                self.actions = ui.html("", sanitize=False).classes("cp-list cp-actions")
                buttons(self.actions, "action", self.pick)
                self.strips.append(Strip(table, names, own))
            with ui.column().classes("cp-right"):
                with ui.element("h1").classes("cp-game-title"):
                    ui.label(title)
                self.build_side()
        context.client.on_delete(self.leave)
        if table.clocks:
            ui.timer(0.1, self.tick)
        if table.spec.partition(":")[0] in self.house.shelf.own:
            ui.timer(0.5, self.look_again)
        self.waiting = ui.timer(0.5, self.tell_preparing, active=False)
        self.refresh()
        self.prepare()
        self.let_play()

    def build_side(self) -> None:
        """Status, actions, buttons, moves, opponents, rules."""
        with ui.column().classes("cp-card cp-now-card"):
            self.status = ui.label().classes("cp-status").props('role="status" aria-live="polite"')
            self.progress = (
                ui.element("div").classes("cp-progress-bar").props('role="progressbar" aria-label="preparing"')
            )
            self.note = ui.label().classes("cp-dim cp-pre cp-thought")
            self.numbers = ui.expansion("figures").classes("cp-figures").props("dense dense-toggle")
            with self.numbers:
                self.figures_label = ui.label().classes("cp-dim cp-pre")
            self.more = ui.button("list all moves", on_click=self.list_all).props("flat dense no-caps")
            self.ready = ui.button("only I am looking", on_click=self.hand_over).props("no-caps")
            self.build_end()
            self.build_controls()
        with ui.column().classes("cp-card"):
            with ui.element("h2").classes("cp-title"):
                ui.label("Moves")
            self.moves = ui.html("", sanitize=False).classes("cp-list cp-moves")
            buttons(self.moves, "ply", self.look)
            self.build_sharing()
        self.opponents = Opponents(self.table, self.phrases.sides, self.reseated)
        self.opponents.build()
        with ui.expansion("Rules").classes("w-full cp-rules"):
            ui.label(rules_of(self.table.game)).classes("cp-pre")

    def build_controls(self) -> None:
        """The buttons besides the moves."""
        self.controls: dict[str, ui.button] = {}
        with ui.element("div").classes("cp-buttons"):
            for name, icon, action in (
                ("undo", "undo", self.undo),
                ("redo", "redo", self.redo),
                ("hint", "lightbulb", self.hint),
                ("flip", "cached", self.flip),
                ("resign", "flag", self.ask_resign),
                ("new game", "replay", self.again),
            ):
                button = ui.button(name, icon=icon, on_click=action).props("outline dense no-caps")
                self.controls[name] = button.classes(f"cp-do-{name.replace(' ', '-')}")
        with ui.dialog() as self.resigning, ui.card():
            ui.label("Resign this game?").classes("cp-title")
            with ui.element("div").classes("cp-buttons"):
                ui.button("resign", on_click=self.resign).props("no-caps color=negative").classes("cp-do-really")
                ui.button("play on", on_click=self.resigning.close).props("flat no-caps")

    def build_end(self) -> None:
        """The buttons at the end of a game."""
        self.end = ui.element("div").classes("cp-buttons cp-end")
        with self.end:
            for name, action in (("rematch", self.again), ("review", self.review)):
                button = ui.button(name, on_click=action, color=None).props("no-caps dense unelevated")
                button.classes(f"cp-primary cp-do-{name}")
            for name, step in (("easier", -1), ("harder", 1)):
                if spec := self.another_level(step):
                    ui.button(name, on_click=lambda spec=spec: self.rematch(spec)).props(
                        "no-caps dense outline"
                    ).classes(f"cp-do-{name}")

    def another_level(self, step: int) -> str:
        """The spec of the next level; empty if there is none."""
        offered = [level.spec for level in levels(self.table.game)]
        machines = [seat for seat in self.table.seats if seat in offered]
        at = offered.index(machines[0]) + step if machines and self.table.people else -1
        return offered[at] if 0 <= at < len(offered) else ""

    # Showing.

    def refresh(self) -> None:
        """Draw everything again."""
        table = self.table
        if table.is_over:
            self.house.crew.leave(self.key)
        self.draw()
        self.tell()
        self.ready.set_visibility(table.needs_hand_over)
        self.list_actions()
        self.list_moves()
        self.remember()

    def may_act(self) -> bool:
        """Whether the visitor may choose."""
        return self.table.is_persons_turn and not self.table.needs_hand_over and self.shown is None

    def tell(self) -> None:
        """Update the status, the opponent's view, and the buttons that make sense now."""
        table = self.table
        self.status.set_text(self.words())
        self.note.set_text("" if table.is_over else self.thought)
        self.figures_label.set_text(self.figures)
        self.numbers.set_visibility(bool(self.figures))
        self.end.set_visibility(table.is_over and self.shown is None)
        drawn = table.diagram()
        for name, useful in (
            ("undo", any(mover in (table.people or [mover]) for mover in table.movers())),
            ("redo", bool(table.future)),
            ("hint", self.may_act()),
            ("flip", drawn is not None and drawn.turns),
            ("resign", bool(table.people) and not table.is_over),
        ):
            self.controls[name].set_enabled(useful)

    def words(self) -> str:
        """The status line."""
        if self.shown is not None:
            return f"After move {self.shown} of {len(self.table.p)}"
        if self.table.needs_hand_over:
            return f"{capital(self.phrases.who(self.table.p.to_move))}, take the screen"
        return self.phrases.ending() if self.table.is_over else self.phrases.turn()

    def draw(self) -> None:
        """The board and the strips beside it."""
        table = self.table
        self.board.set_visibility(not table.needs_hand_over)
        self.hidden.set_visibility(table.needs_hand_over)
        if table.needs_hand_over:
            return
        ply = len(table.p) if self.shown is None else self.shown
        told = scene(table.p, ply, table.viewer, acts=self.may_act(), hint=self.hinted, flipped=self.flipped)
        self.board.show({**told, "label": f"{title_of(table.game)} board"})
        drawn = table.game.diagram(table.p.states[ply], table.viewer)
        for strip in self.strips:
            strip.show(drawn)

    def list_actions(self) -> None:
        """The legal actions that are not on the board, as buttons."""
        p = self.table.p
        if not self.may_act():
            self.actions.set_content("")
            self.more.set_visibility(False)
            return
        clickable = {each["number"] for each in self.board.shown["actions"]} if self.board.shown else set()
        options = list(p.options()) if self.all_listed else [each for each in p.options() if each not in clickable]
        self.more.set_visibility(not self.all_listed and (bool(clickable) or len(options) > MANY))
        options = options if self.all_listed else options[:MANY]
        caption = p.game.caption
        self.actions.set_content(
            "".join(f'<button data-action="{a}">{escape(caption(p.state, a))}</button>' for a in options)
        )

    def list_all(self) -> None:
        """List every action, however many there are."""
        self.all_listed = True
        self.list_actions()

    def list_moves(self) -> None:
        """The moves so far, each a button; those of two players in pairs."""
        table, parts = self.table, []
        current = len(table.p) if self.shown is None else self.shown
        movers = table.movers()
        paired = table.game.players == 2 and not table.game.has_chance and movers[::2] == [0] * len(movers[::2])
        for i, (mover, text) in enumerate(zip(movers, table.moves_shown(), strict=True), 1):
            if not paired or i % 2:
                parts.append(f'<span class="cp-number">{i // 2 + 1 if paired else i}.</span>')
            now = ' class="cp-now" aria-current="true"' if i == current else ""
            who = escape(self.phrases.who(mover))
            parts.append(f'<button data-ply="{i}"{now} title="{who}">{escape(text)}</button>')
        self.moves.set_content("".join(parts) or '<span class="cp-note">none yet</span>')
        keep_in_view(self.moves)

    def remember(self) -> None:
        """Put the game into the address, so that it survives a reload, the back button, a closed laptop. Games with
        hidden information are kept on the server instead."""
        table = self.table
        if table.may_share and not table.game.has_secrets:
            query = table.query()
        else:
            self.house.keep(self.key, table)
            query = f"{table.query(moves=False)}&table={self.key}"
        ui.navigate.history.replace("/play?" + query)

    # The person's actions.

    def pick(self, action: int) -> None:
        """An action from the list was chosen."""
        if self.may_act() and action in self.table.p.options():
            self.act(action)

    def act(self, action: int) -> None:
        """The person acts."""
        self.thought, self.figures, self.hinted, self.all_listed = "", "", None, False
        with told():
            self.table.play(action)
        self.refresh()
        self.let_play()

    def look(self, ply: int) -> None:
        """Show the position after an earlier move."""
        hides = self.table.viewer is not None and not self.table.is_over
        self.shown = None if not 0 <= ply < len(self.table.p) or hides else ply
        self.refresh()

    def hand_over(self) -> None:
        """Show the board to the next person."""
        self.table.hand_over()
        self.refresh()

    def undo(self) -> None:
        """Take back a move."""
        self.back(self.table.undo)

    def redo(self) -> None:
        """Replay a move that was taken back."""
        self.back(self.table.redo)

    def back(self, step: Callable[[], None]) -> None:
        """Go to another position of this playthrough."""
        self.stop()
        self.thought, self.figures, self.hinted, self.shown = "", "", None, None
        with told():
            step()
        self.refresh()
        if self.table.people:
            self.let_play()

    def ask_resign(self) -> None:
        """Confirm a resignation."""
        if not self.table.is_over:
            self.resigning.open()

    def resign(self) -> None:
        """Resign."""
        self.resigning.close()
        self.stop()
        with told():
            self.table.resign()
        self.refresh()

    def flip(self) -> None:
        """Show the board from the other side."""
        self.flipped = not self.flipped
        self.draw()

    def again(self) -> None:
        """Play the same game again."""
        ui.navigate.to("/play?" + self.table.query(moves=False))

    def rematch(self, spec: str) -> None:
        """Play again against another level."""
        self.table.seats[:] = [seat if seat == HUMAN else spec for seat in self.table.seats]
        self.again()

    def reseated(self) -> None:
        """The players have changed."""
        self.stop()
        self.opponents.show()
        self.refresh()
        self.prepare()
        self.let_play()

    # Time.

    def look_again(self) -> None:
        """Continue with the new rules after the game's file was saved; if it is no longer a game, with the old ones."""
        name = self.table.spec.partition(":")[0]
        wrong = self.house.shelf.wrong.get(name, "")
        if wrong and wrong != self.wrong:
            complain(CounterplayError(f"{wrong} (until this is fixed, the previous rules apply)"))
        self.wrong = wrong
        if not wrong and self.house.shelf.game(self.table.spec) is not self.table.game:
            ui.navigate.reload()

    def tick(self) -> None:
        """Update the clocks."""
        table = self.table
        if table.clocks is not None and not table.is_over and table.clocks.has_fallen:
            table.lose(table.clocks.player, "lost on time")
            self.stop()
            self.refresh()
        for strip in self.strips:
            strip.tick()

    def leave(self) -> None:
        """The visitor has left."""
        self.stop()
        self.house.crew.leave(self.key)
