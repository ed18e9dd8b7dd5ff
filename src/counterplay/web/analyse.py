"""The Analyse page: move freely, branch into variations, see the best lines of every position as a search finds them,
and have a whole game evaluated."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import context, ui
from nicegui.events import KeyEventArguments

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.players.wording import outcome, title_of
from counterplay.web.bar import Bar
from counterplay.web.board import scene
from counterplay.web.board_element import Board
from counterplay.web.frame import buttons, complain, heading, keep_in_view, refusal, told
from counterplay.web.judging import has_sides
from counterplay.web.live_lines import LiveLines
from counterplay.web.move_list import MoveList
from counterplay.web.pasting import read_pasted, written
from counterplay.web.phrases import capital, side
from counterplay.web.range_grid import RangeGrid
from counterplay.web.review import Review
from counterplay.web.solved import SolvedMoves
from counterplay.web.variations import MoveNode, MoveTree

if TYPE_CHECKING:
    from counterplay.web.server import House

MANY = 40
"""The maximum number of listed actions that are not on the board."""


def opened_tree(house: House, query: Mapping[str, str]) -> MoveTree:
    """The tree of moves in a link."""
    p = house.shelf.playthrough(game_of(query), query.get("position") or None, query.get("moves", ""))
    tree = MoveTree(p)
    tree.read(query.get("lines", ""), query.get("at", ""))
    return tree


def game_of(query: Mapping[str, str]) -> str:
    """The game in a link."""
    return query.get("game") or "connect-four"


async def analyse_page(house: House, query: Mapping[str, str]) -> None:
    """The page, or an error page."""
    try:
        tree = await house.desk.run(opened_tree, house, query)
    except CounterplayError as wrong:
        refusal(wrong, "/analyse")
        return
    page = AnalysePage(house, tree, game_of(query), query.get("position") or None)
    page.build()
    if "review" in query and len(tree.p):
        page.review.start()


class AnalysePage:
    """One visitor's analysis."""

    def __init__(self, house: House, tree: MoveTree, spec: str, position: str | None) -> None:
        self.house, self.tree, self.spec, self.position = house, tree, spec, position
        self.client = context.client
        self.key = secrets.token_hex()
        """The name by which workers know the page."""
        game = tree.p.game
        drawn = game.diagram(tree.p.state)
        self.sides = [side(game, i, drawn) for i in range(game.players)]
        self.flipped = False
        self.order: list[MoveNode] = []
        self.live, self.review, self.solved = LiveLines(self), Review(self), SolvedMoves(self)
        self.grid = RangeGrid(self)

    # The page.

    def build(self) -> None:
        """Lay everything out."""
        game = self.tree.p.game
        title = title_of(game)
        ui.page_title(f"Analyse {title} - Counterplay")
        with ui.element("div").classes("cp-columns cp-play cp-analyse"):
            with ui.element("div").classes("cp-left"):
                with ui.element("div").classes("cp-beside"):
                    self.bar = Bar(self.sides if has_sides(game) else ["", ""])
                    self.bar.block.set_visibility(has_sides(game))
                    self.board = Board(self.act)
                self.actions = ui.html("", sanitize=False).classes("cp-list cp-actions")
                buttons(self.actions, "action", self.act)
                self.build_steps()
            with ui.column().classes("cp-right"):
                heading(f"Analyse {title}")
                self.status = ui.label().classes("cp-status cp-status-line").props('role="status"')
                if game.has_secrets:
                    ui.label("Everything is visible here; the search uses only what the side to move knows.").classes(
                        "cp-dim"
                    )
                self.solved.build()
                self.live.build()
                self.grid.build()
                self.build_moves()
                self.review.build()
                self.build_text()
        ui.keyboard(on_key=self.key_pressed, ignore=["input", "select", "textarea"])
        self.client.on_delete(self.leave)
        self.changed()

    def build_steps(self) -> None:
        """The buttons that step through the moves."""
        self.steps: dict[str, ui.button] = {}
        with ui.element("div").classes("cp-buttons cp-steps"):
            for name, icon, step in (
                ("first", "first_page", self.first),
                ("back", "navigate_before", self.back),
                ("forward", "navigate_next", self.forward),
                ("last", "last_page", self.last),
                ("flip", "cached", self.flip),
            ):
                button = ui.button(icon=icon, on_click=step).props(f'outline dense aria-label="{name}"')
                self.steps[name] = button.classes(f"cp-do-{name}").tooltip(name)
            ui.button("play on from here", on_click=self.play_on).props("flat dense no-caps").classes("cp-do-play")

    def build_moves(self) -> None:
        """The tree of moves."""
        with ui.column().classes("cp-card"):
            heading("Moves", 2)
            self.moves = ui.html("", sanitize=False).classes("cp-list cp-moves cp-tree-of-moves")
            buttons(self.moves, "node", self.go_to)
            with ui.element("div").classes("cp-buttons"):
                self.promote_button = ui.button("promote variation", icon="upgrade", on_click=self.promote)
                self.delete_button = ui.button("delete from here", icon="delete_outline", on_click=self.delete)
                for name, button in (("promote", self.promote_button), ("delete", self.delete_button)):
                    button.props("flat dense no-caps").classes(f"cp-do-{name}")

    def build_text(self) -> None:
        """Positions and games, to and from the clipboard."""
        game = self.tree.p.game
        with ui.column().classes("cp-card"):
            heading("Paste and export", 2)
            titles = self.house.shelf.titles()
            titles.setdefault(self.spec, f"{title_of(game)} ({self.spec})")
            self.games = ui.select(titles, value=self.spec, label="game", with_input=True).classes("w-full cp-game")
            self.games.on_value_change(lambda e: ui.navigate.to(f"/analyse?{urlencode({'game': e.value})}"))
            formats = f"{game.record_suffix.upper()}, " if game.record_suffix else ""
            self.text = ui.textarea(f"a game ({formats}moves) or a position").classes("w-full cp-paste")
            self.text.props("autogrow outlined dense")
            with ui.element("div").classes("cp-buttons"):
                for name, action in (
                    ("load", self.load),
                    ("copy game", self.copy_game),
                    ("copy position", self.copy_position),
                    ("copy link", self.copy_link),
                    ("save game", self.save),
                ):
                    button = ui.button(name, on_click=action).props("outline dense no-caps")
                    button.classes(f"cp-do-{name.replace(' ', '-')}")

    # The current position.

    def changed(self) -> None:
        """The position or the tree has changed: show it, put it into the address, search it."""
        self.draw()
        self.list_moves()
        keep_in_view(self.moves)
        self.review.show()
        ui.navigate.history.replace("/analyse?" + self.query())
        self.live.restart()
        self.solved.restart()
        self.grid.restart()

    def draw(self) -> None:
        """Board, status, actions beside the board."""
        p = self.tree.p
        shown = scene(p, len(p), None, acts=True, flipped=self.flipped)
        self.bar.turned = shown["flipped"]
        self.board.show({**shown, "label": f"{title_of(p.game)} board"})
        self.steps["flip"].set_enabled(shown["turns"])
        self.status.set_text(self.words())
        on_board = {each["number"] for each in shown["actions"]}
        rest = [action for action in p.options() if action not in on_board]
        caption = p.game.caption
        self.actions.set_content(
            "".join(f'<button data-action="{a}">{escape(caption(p.state, a))}</button>' for a in rest[:MANY])
        )

    def words(self) -> str:
        """The status line."""
        p = self.tree.p
        if p.is_over:
            how = p.game.ending(p.state) if p.game.is_terminal(p.state) else "by repetition"
            return f"{capital(outcome(p).removeprefix('over: '))} {how}".strip()
        if p.to_move == CHANCE:
            return f"{capital(p.game.player_name(CHANCE))} to act: choose what happens"
        return f"{capital(self.sides[p.to_move])} to move" if p.game.players > 1 else "Your move"

    def list_moves(self) -> None:
        """The tree of moves, and the buttons for it."""
        tree = self.tree
        self.order = tree.order()
        self.moves.set_content(MoveList(tree).html())
        here = tree.here
        self.promote_button.set_enabled(tree.is_variation)
        self.delete_button.set_enabled(here.parent is not None)
        for name, useful in (("first", here.parent), ("back", here.parent), ("forward", here.children)):
            self.steps[name].set_enabled(bool(useful))
        self.steps["last"].set_enabled(bool(here.children))

    def query(self) -> str:
        """The whole page as the query of a link."""
        start = {"game": self.spec} | ({"position": self.position} if self.position is not None else {})
        return urlencode(start | self.tree.query())

    def question(self) -> dict[str, Any]:
        """The position, as a question for workers."""
        moves = " ".join(self.tree.p.moves)
        return {"game": self.house.shelf.spec(self.spec), "position": self.position, "moves": moves}

    # The visitor's actions.

    def act(self, action: int) -> None:
        """A move on the board or from the list."""
        if action in self.tree.p.options():
            self.follow([action])

    def follow(self, actions: list[int]) -> None:
        """Play some moves from here."""
        with told():
            for action in actions:
                self.tree.add(action)
        self.changed()

    def go(self, node: MoveNode) -> None:
        """Go to a position."""
        if node is not self.tree.here:
            self.tree.go(node)
            self.changed()

    def go_to(self, number: int) -> None:
        """Go to a position by its number."""
        if 0 <= number < len(self.order):
            self.go(self.order[number])

    def first(self) -> None:
        """To the start."""
        self.go(self.tree.root)

    def back(self) -> None:
        """One move back."""
        self.go(self.tree.here.parent or self.tree.root)

    def forward(self) -> None:
        """One move on."""
        if self.tree.here.children:
            self.go(self.tree.here.children[0])

    def last(self) -> None:
        """To the end of the line."""
        self.go(self.tree.end())

    def beside(self, step: int) -> None:
        """Go to an alternative to the last move."""
        here = self.tree.here
        if here.parent is not None:
            siblings = here.parent.children
            self.go(siblings[(siblings.index(here) + step) % len(siblings)])

    def key_pressed(self, event: KeyEventArguments) -> None:
        """Arrows step through the moves: left and right along a line, up and down between variations."""
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta:
            return
        key = event.key
        steps = {"ArrowLeft": self.back, "ArrowRight": self.forward, "Home": self.first, "End": self.last}
        if key.name in steps:
            steps[str(key.name)]()
        elif key.name in ("ArrowUp", "ArrowDown"):
            self.beside(-1 if key.name == "ArrowUp" else 1)

    def flip(self) -> None:
        """Show the board from the other side."""
        self.flipped = not self.flipped
        self.draw()
        self.live.show(self.tree.here)

    def promote(self) -> None:
        """Make the variation the main line."""
        self.tree.promote()
        self.changed()

    def delete(self) -> None:
        """Delete the move, with everything after it."""
        self.tree.delete()
        self.changed()

    def play_on(self) -> None:
        """Open this position on the Play page."""
        start = {"game": self.spec} | ({"position": self.position} if self.position is not None else {})
        ui.navigate.to("/play?" + urlencode(start | {"moves": " ".join(self.tree.p.moves)}))

    # Text.

    async def load(self) -> None:
        """Replace the tree with the pasted text."""
        with told():
            tree = await self.house.desk.run(read_pasted, self.tree.p.game, self.text.value or "")
            p = tree.p
            start = p.states[0] == p.game.initial()
            self.position = None if start else p.game.position_text(p.states[0])
            self.review.cancel()
            self.tree = tree
            self.changed()

    def whole(self) -> Playthrough:
        """The current line to its end."""
        game = self.tree.p.game
        p = game.start(position=self.position)
        for node in self.tree.end().path():
            p.play(node.action)
        return p

    def copy_game(self) -> None:
        """The line as text."""
        with told():
            self.copy_text(written(self.whole())[0], "the game is copied")

    def copy_position(self) -> None:
        """The position as text."""
        self.copy_text(self.tree.p.position, "the position is copied")

    def copy_text(self, text: str, done: str) -> None:
        """Copy text to the clipboard, if the browser allows it, and into the field."""
        self.text.set_value(text)
        self.copy(json.dumps(text).replace("</", "<\\/"), done)

    def copy_link(self) -> None:
        """All lines as a link."""
        self.copy("location.href", "the link is copied")

    def copy(self, expression: str, done: str) -> None:
        """Into the clipboard."""
        ui.run_javascript(f"navigator.clipboard && navigator.clipboard.writeText({expression})")
        ui.notify(done, position="bottom", timeout=1500)

    def save(self) -> None:
        """The line as a file."""
        try:
            text, suffix = written(self.whole())
        except CounterplayError as wrong:
            complain(wrong)
            return
        ui.download.content(text, f"{self.spec.partition(':')[0]}.{suffix}")

    def leave(self) -> None:
        """The visitor has left."""
        self.live.cancel()
        self.review.cancel()
        self.grid.cancel()
        self.house.crew.leave(self.key)
