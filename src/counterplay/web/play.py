"""The page to play on: any game, any player on any side, by clicks on the board or from the list of actions."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, context, ui

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.svg import Box
from counterplay.core.game import CHANCE
from counterplay.players.wording import rules_of
from counterplay.web.admission import admitted
from counterplay.web.board import Clicks, overlaid
from counterplay.web.frame import buttons, complain, numbered, refusal, told
from counterplay.web.opponents import Opponents
from counterplay.web.sharing import Sharing
from counterplay.web.strength import strongest, usual
from counterplay.web.table import HUMAN, GameTable

if TYPE_CHECKING:
    from counterplay.web.server import House

MANY = 40
"""So many actions are listed at once; of more, where the board can be clicked, on demand."""


def seated(house: House, query: Mapping[str, str]) -> GameTable:
    """The table that a link describes."""
    spec = query.get("game") or "connect-four"
    lot = random.randrange(1 << 30)
    p = house.shelf.playthrough(spec, query.get("position") or None, query.get("moves", ""), lot)
    seats = []
    for i in range(p.game.players):
        seat = query.get(f"p{i + 1}") or (HUMAN if i == 0 else usual(p.game).spec)
        if seat != HUMAN:
            admitted(seat).require(p.game)
        seats.append(seat)
    return GameTable(p, seats, query.get("clock", ""), spec, query.get("position") or None)


async def play_page(house: House, query: Mapping[str, str]) -> None:
    """The page, or why it cannot be."""
    try:
        table = await house.desk.run(seated, house, query)
    except CounterplayError as wrong:
        refusal(wrong, "/")
        return
    PlayPage(house, table).build()


class PlayPage(Sharing):
    """One visitor's table."""

    def __init__(self, house: House, table: GameTable) -> None:
        self.house, self.table = house, table
        self.lot = random.randrange(1 << 30)
        self.key = secrets.token_hex()
        """What workers know the table by."""
        self.clicks: Clicks | None = None
        self.spots: list[Box] = []
        self.hints: tuple[Box, ...] = ()
        self.shown: int | None = None  # a ply of the past that the person looks at
        self.choices: list[int] = []  # actions that only words tell apart
        self.all_listed = False
        self.thought = ""
        self.task: asyncio.Task[Any] | None = None

    # The page.

    def build(self) -> None:
        """Lay everything out, and begin."""
        with ui.element("div").classes("cp-columns"):
            with ui.element("div").classes("cp-left"):
                self.board = ui.html("", sanitize=False).classes("cp-board")
                self.hear_board()
            with ui.column().classes("cp-right"):
                self.build_side()
        context.client.on_delete(self.leave)
        if self.table.clocks:
            ui.timer(0.25, self.tick)
        self.refresh()
        self.let_play()

    def hear_board(self) -> None:
        """Clicks, drags and keys on the board."""
        seen = "const b = e.target.closest('[data-spot]'); if (b) emit(b.dataset.spot);"
        self.board.on("pointerdown", numbered(self.click), js_handler=f"(e) => {{ {seen} }}")
        keys = f"(e) => {{ if (e.key === 'Enter' || e.key === ' ') {{ e.preventDefault(); {seen} }} }}"
        self.board.on("keydown", numbered(self.click), js_handler=keys)
        dropped = (
            "(e) => { const b = e.target.closest('[data-spot]'); const d = window.cpDown;"
            "if (b && d && Math.hypot(e.clientX - d[0], e.clientY - d[1]) > 12) emit(b.dataset.spot); }"
        )
        self.board.on("pointerdown", js_handler="(e) => { window.cpDown = [e.clientX, e.clientY];"
                      "if (e.target.hasPointerCapture && e.target.hasPointerCapture(e.pointerId))"
                      "e.target.releasePointerCapture(e.pointerId); }")  # fmt: skip
        self.board.on("pointerup", numbered(lambda spot: self.click(spot, dragged=True)), js_handler=dropped)

    def build_side(self) -> None:
        """Status, actions, buttons, moves, opponents, rules."""
        with ui.column().classes("cp-card"):
            self.status = ui.label().classes("cp-status").props('role="status" aria-live="polite"')
            self.note = ui.label().classes("cp-dim cp-pre")
            if self.table.clocks:
                self.clocks = ui.label().classes("cp-clocks")
            self.actions = ui.html("", sanitize=False).classes("cp-list cp-actions")
            buttons(self.actions, "action", self.pick)
            self.more = ui.button("list all actions", on_click=self.list_all).props("flat dense no-caps")
            self.ready = ui.button("only I look now", on_click=self.hand_over).props("no-caps")
            with ui.element("div").classes("cp-buttons"):
                for name, icon, action in (
                    ("undo", "undo", self.undo),
                    ("redo", "redo", self.redo),
                    ("hint", "lightbulb", self.hint),
                    ("resign", "flag", self.resign),
                    ("flip", "cached", self.flip),
                    ("new game", "replay", self.again),
                ):
                    button = ui.button(name, icon=icon, on_click=action).props("outline dense no-caps")
                    button.classes(f"cp-do-{name.replace(' ', '-')}")
        with ui.column().classes("cp-card"):
            ui.label("Moves").classes("cp-title")
            self.moves = ui.html("", sanitize=False).classes("cp-list cp-moves")
            buttons(self.moves, "ply", self.look)
            with ui.element("div").classes("cp-buttons"):
                copying = (
                    ("copy link", self.copy_link),
                    ("copy position", self.copy_position),
                    ("copy moves", self.copy_moves),
                )
                for name, action in copying:
                    ui.button(name, on_click=action).props("flat dense no-caps").classes(
                        f"cp-do-{name.replace(' ', '-')}"
                    )
                ui.button("analyse", on_click=self.analyse).props("flat dense no-caps").classes("cp-do-analyse")
        Opponents(self.table).build()
        with ui.expansion("Rules").classes("w-full cp-rules"):
            ui.label(rules_of(self.table.game)).classes("cp-pre")
            ui.link("More games", "/")

    # Showing.

    def refresh(self) -> None:
        """Draw everything again."""
        table = self.table
        if table.is_over:
            self.house.crew.leave(self.key)
        self.clicks = None
        self.spots = []
        turn = table.is_persons_turn and not table.needs_hand_over and self.shown is None
        if turn:
            self.clicks = Clicks(table.p)
        self.choices = []
        self.draw()
        self.status.set_text(self.words())
        self.note.set_text(self.thought)
        self.ready.set_visibility(table.needs_hand_over)
        self.list_actions()
        self.list_moves()

    def words(self) -> str:
        """The status line."""
        if self.shown is not None:
            return f"after move {self.shown} of {len(self.table.p)}"
        if self.table.needs_hand_over:
            return f"{self.table.game.player_name(self.table.p.to_move)}, take the screen"
        return self.table.status()

    def draw(self) -> None:
        """The board with its spots."""
        table, game = self.table, self.table.game
        if table.needs_hand_over:
            self.board.set_content('<p class="cp-note">The board is hidden until the next player looks alone.</p>')
            return
        ply = len(table.p) if self.shown is None else self.shown
        svg = game.svg(table.p.states[ply], table.viewer)
        marks: tuple[Box, ...] = ()
        if self.clicks and self.clicks.made:
            marks = self.clicks.made
        elif ply and table.viewer is None and game.to_move(table.p.states[ply - 1]) != CHANCE:
            marks = game.spots(table.p.states[ply - 1], table.p.actions[ply - 1])[-2:]
        self.spots = self.clicks.spots if self.clicks else []
        self.board.set_content(overlaid(svg, self.spots, marks, self.hints, "place"))

    def list_actions(self) -> None:
        """The legal actions as buttons."""
        p = self.table.p
        if not self.clicks:
            self.actions.set_content("")
            self.more.set_visibility(False)
            return
        options = self.choices or p.options()
        clickable = [action for action in options if self.clicks.paths.get(action)]
        hidden = bool(clickable) and not self.all_listed and not self.choices and len(options) > MANY
        if hidden:
            options = [action for action in options if not self.clicks.paths.get(action)]
        self.more.set_visibility(hidden)
        text = p.game.action_text
        self.actions.set_content(
            "".join(f'<button data-action="{a}">{escape(text(p.state, a))}</button>' for a in options)
        )

    def list_all(self) -> None:
        """Every action, however many."""
        self.all_listed = True
        self.list_actions()

    def list_moves(self) -> None:
        """What was played, each move a button."""
        table, parts = self.table, []
        movers = table.movers()
        current = len(table.p) if self.shown is None else self.shown
        for i, (mover, text) in enumerate(zip(movers, table.moves_shown(), strict=True), 1):
            who = table.game.player_name(mover)
            now = ' class="cp-now"' if i == current else ""
            parts.append(f'<button data-ply="{i}"{now} title="{escape(who)}">{i}. {escape(text)}</button>')
        self.moves.set_content("".join(parts) or '<span class="cp-note">none yet</span>')

    # What the person does.

    def click(self, spot: int, dragged: bool = False) -> None:
        """A click on the board."""
        if not self.clicks or not 0 <= spot < len(self.spots):
            return
        if dragged and not self.clicks.made:
            return
        chosen = self.clicks.click(self.spots[spot])
        if len(chosen) == 1:
            self.act(chosen[0])
            return
        self.choices = chosen
        self.draw()
        self.list_actions()

    def pick(self, action: int) -> None:
        """A choice from the list."""
        if self.clicks and action in self.clicks.paths:
            self.act(action)

    def act(self, action: int) -> None:
        """The person takes an action."""
        self.thought, self.hints, self.all_listed = "", (), False
        with told():
            self.table.play(action)
        self.refresh()
        self.let_play()

    def look(self, ply: int) -> None:
        """Show the position after a move of the past."""
        hides = self.table.viewer is not None and not self.table.is_over
        self.shown = None if not 0 <= ply < len(self.table.p) or hides else ply
        self.refresh()

    def hand_over(self) -> None:
        """The next person looks."""
        self.table.hand_over()
        self.refresh()

    def undo(self) -> None:
        """Take back."""
        self.stop()
        self.back(self.table.undo)

    def redo(self) -> None:
        """Play again what was taken back."""
        self.stop()
        self.back(self.table.redo)

    def back(self, step: Any) -> None:
        """Go to another position of this playthrough."""
        self.thought, self.hints, self.shown = "", (), None
        with told():
            step()
        self.refresh()
        if self.table.people:
            self.let_play()

    def resign(self) -> None:
        """Give up."""
        self.stop()
        with told():
            self.table.resign()
        self.refresh()

    def flip(self) -> None:
        """See the board from the other side."""
        self.board.classes(toggle="cp-flipped")

    def again(self) -> None:
        """The same once more."""
        ui.navigate.to("/play?" + self.table.query(moves=False))

    # What the others do.

    def question(self) -> dict[str, Any]:
        """The position, as workers are asked about it."""
        table = self.table
        told: dict[str, Any] = {"game": self.house.shelf.spec(table.spec), "position": table.position}
        return told | {"moves": " ".join(table.p.moves), "seed": self.lot + len(table.p)}

    def let_play(self) -> None:
        """Ask who is to move, where that is no person."""
        if self.table.is_over or self.table.is_persons_turn or self.shown is not None:
            return
        self.stop()
        self.task = background_tasks.create(self.think(), name="think")

    async def think(self) -> None:
        """Let a player choose, and play it."""
        table = self.table
        while not table.is_over and not table.is_persons_turn:
            mover, ply = table.p.to_move, len(table.p)
            asked = {"player": table.seats[mover], "table": self.key, "seat": mover, **self.question()}
            if table.clocks:
                asked["clock"] = [max(0.01, table.clocks.shown(i)) for i in range(table.game.players)]
                asked["increment"] = table.clocks.increment
            try:
                found = await self.house.crew.ask("choose", **asked)
            except CounterplayError as wrong:
                table.lose(mover, f"has lost: {wrong}")
                self.refresh()
                return
            if found is None or len(table.p) != ply or table.is_over:
                return
            with told():
                table.play(found["number"])
            seen = table.viewer is None or table.p.can_see(ply, table.viewer)
            name = table.game.player_name(mover)
            self.thought = (
                f"{name} played {found['action']} ({found['words']})" if seen else f"{name} has moved, unseen"
            )
            self.refresh()
            if not table.people:
                await asyncio.sleep(0.35)

    async def hint(self) -> None:
        """What a strong player would do."""
        table, ply = self.table, len(self.table.p)
        if not table.is_persons_turn or self.shown is not None:
            return
        self.note.set_text("thinking about a hint")
        try:
            found = await self.house.crew.ask("choose", player=strongest(table.game).spec, **self.question())
        except CounterplayError as wrong:
            complain(wrong)
            return
        if found is not None and len(table.p) == ply:
            self.hints = table.game.spots(table.p.state, found["number"])
            self.note.set_text(f"hint: {found['action']} ({found['words']})")
            self.draw()

    def tick(self) -> None:
        """The clocks, shown and watched."""
        table = self.table
        if table.clocks is None:
            return
        if not table.is_over and table.clocks.has_fallen:
            table.lose(table.clocks.player, "lost on time")
            self.stop()
            self.refresh()
        times = (
            f"{table.game.player_name(i)} {int(left) // 60}:{left % 60:04.1f}"
            for i, left in enumerate(table.clocks.shown(i) for i in range(table.game.players))
        )
        self.clocks.set_text("   ".join(times))

    def stop(self) -> None:
        """End what thinks."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = None

    def leave(self) -> None:
        """The visitor is gone."""
        self.stop()
        self.house.crew.leave(self.key)
