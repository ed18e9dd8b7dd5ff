"""The best lines of the current position, as a search finds them: the values, the arrows on the board, the bar."""

from __future__ import annotations

import asyncio
import functools
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.players.wording import title_of
from counterplay.web.admission import SECONDS, admitted
from counterplay.web.board import pointers
from counterplay.web.crew import Search
from counterplay.web.frame import buttons, complain, heading
from counterplay.web.judging import LONGEST, Told, final, has_sides
from counterplay.web.phrases import capital
from counterplay.web.strength import levels, strongest
from counterplay.web.variations import MoveNode

if TYPE_CHECKING:
    from counterplay.web.analyse import AnalysePage

PAUSE = 0.12
"""Seconds before a position is searched: stepping through a game starts no searches on the way."""


class LiveLines:
    """The card with the lines."""

    def __init__(self, page: AnalysePage) -> None:
        self.page, self.on = page, True
        self.search: Search | None = None
        self.task: asyncio.Task[Any] | None = None
        self.spec = with_seconds(strongest(page.tree.p.game).spec)

    def build(self) -> None:
        """The card."""
        game = self.page.tree.p.game
        with ui.column().classes("cp-card cp-lines-card"):
            with ui.row().classes("w-full items-center no-wrap"):
                heading("Best lines", 2)
                ui.space()
                self.switch = ui.switch("search", value=True, on_change=self.turn).classes("cp-do-search")
            self.lines = ui.html("", sanitize=False).classes("cp-lines w-full").props('aria-live="off"')
            buttons(self.lines, "play", self.play)
            self.facts = ui.label("").classes("cp-dim cp-facts")
            self.more = ui.button("search on", on_click=self.again).props("flat dense no-caps")
            self.more.classes("cp-do-more").set_visibility(False)
            with ui.expansion("who searches").classes("w-full cp-more").props("dense"):
                specs = {level.spec: f"{level.word} ({level.spec})" for level in levels(game)}
                self.who = ui.select(specs, value=strongest(game).spec, label="a strength").classes("w-full")
                self.other = ui.input("or any player, by its spec", placeholder="mcts:simulations=100000")
                self.other.classes("w-full cp-spec")
                ui.button("search with it", on_click=self.choose).props("outline dense no-caps").classes("cp-do-choose")

    # The visitor's actions.

    def turn(self) -> None:
        """Turn the search on or off."""
        self.on = bool(self.switch.value)
        self.restart()

    def choose(self) -> None:
        """Change the player that searches."""
        try:
            made = admitted((self.other.value or "").strip() or self.who.value)
            made.require(self.page.tree.p.game)
        except CounterplayError as wrong:
            complain(wrong)
            return
        self.spec = with_seconds(made.spec)
        for node in self.page.tree.order():
            node.studied, node.done = None, False
        self.restart()

    def again(self) -> None:
        """Search for the same time again."""
        self.page.tree.here.done = False
        self.restart()

    def play(self, number: int) -> None:
        """Play a line up to one of its moves."""
        told = (self.page.tree.here.studied or {}).get("lines", [])
        line, last = divmod(number, LONGEST)
        if line < len(told):
            self.page.follow(told[line]["actions"][: last + 1])

    # The search.

    def restart(self) -> None:
        """Search the current position, unless everything is known about it."""
        self.cancel()
        node, p = self.page.tree.here, self.page.tree.p
        self.show(node)
        if p.is_over or node.done or not self.on:
            return
        self.search = Search()
        self.task = background_tasks.create(self.run(node, self.search), name="study")

    async def run(self, node: MoveNode, search: Search) -> None:
        """The search, reported as it runs."""
        page = self.page
        await asyncio.sleep(PAUSE)
        question = page.question() | {"player": self.spec, "table": page.key, "budget": SECONDS}
        try:
            with page.client:
                preparation = page.house.preparations.begin(question["game"], self.spec)
                await preparation.wait_aloud(title_of(page.tree.p.game), self.facts.set_text)
                self.show(node)
                heard = functools.partial(self.hear, node)
                found = await page.house.crew.ask("study", news=heard, search=search, **question)
                node.done = True
                if found is not None:
                    self.hear(node, found)
                self.show(node)
        except CounterplayError as wrong:
            node.done = True
            with page.client:
                self.facts.set_text(str(wrong))

    def hear(self, node: MoveNode, told: Told) -> None:
        """News from the search."""
        node.studied = told
        if node is self.page.tree.here:
            with self.page.client:
                self.show(node)

    def pause(self, why: str) -> None:
        """Make way for another search; `why` is shown until this one resumes."""
        self.cancel()
        if self.on and not self.page.tree.p.is_over:
            self.facts.set_text(why)

    def cancel(self) -> None:
        """End the search without waiting for it."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = self.search = None

    # Showing.

    def show(self, node: MoveNode) -> None:
        """Show what is known about a position."""
        page, told = self.page, node.studied
        p = page.tree.p
        lines = told["lines"] if told and self.on else []
        self.lines.set_content("".join(line_html(i, line) for i, line in enumerate(lines)))
        self.facts.set_text(self.words(node))
        self.more.set_visibility(self.on and node.done and bool(told) and not told["proven"] if told else False)
        best = pointers(p, [line["actions"][0] for line in lines]) if lines else []
        page.board.point(page.solved.arrows(node) or best)
        page.bar.show(final(p) if p.is_over else told or node.judged)

    def words(self, node: MoveNode) -> str:
        """The state of the search."""
        p, told = self.page.tree.p, node.studied
        if p.is_over:
            return "The game is over here: there is nothing to search."
        if not self.on:
            return "The search is off."
        if told is None:
            return "Searching ..."
        noun = "simulations" if told["simulated"] else "states"
        parts = [f"{told['depth']} plies ahead" if told["depth"] and not told["simulated"] else ""]
        parts.append(f"{told['nodes']:,} {noun}")
        if told["proven"]:
            parts.append("proven: nothing is left to find")
        words = ", ".join(part for part in parts if part)
        if p.to_move == CHANCE:
            return f"Before {p.game.player_name(CHANCE)} decide: {told.get('text', '?')}; {words}"
        return f"{words}; values are {self.view(told)}"

    def view(self, told: Told) -> str:
        """The point of view of the values."""
        game = self.page.tree.p.game
        if game.players == 1:
            return "what you get"
        side = capital(self.page.sides[told.get("view", 0)])
        return f"from {side}'s point of view" if has_sides(game) else f"what {side} gets"


def line_html(i: int, line: Told) -> str:
    """A line: its value, then its moves, each of them clickable."""
    moves = "".join(
        f'<button data-play="{i * LONGEST + k}">{escape(text)}</button>' for k, text in enumerate(line["moves"])
    )
    kind = " cp-minus" if line["value"] < 0 else ""
    return f'<div class="cp-line-row cp-rank-{i}"><b class="cp-value{kind}">{escape(line["text"])}</b>{moves}</div>'


def with_seconds(spec: str) -> str:
    """The same player, with a visitor's full time if time is its limit."""
    name, _, options = spec.partition(":")
    rest = [part for part in options.split(",") if part and not part.startswith("time=")]
    if "time=" not in options:
        return spec
    return f"{name}:{','.join([*rest, f'time={SECONDS:g}'])}"
