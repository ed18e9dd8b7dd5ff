"""A whole line evaluated move by move: the graph of its values, its mistakes, and better moves."""

from __future__ import annotations

import asyncio
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from counterplay.core.errors import CounterplayError
from counterplay.players.specs import player
from counterplay.players.wording import title_of
from counterplay.web.frame import buttons, heading
from counterplay.web.graph import GraphPoint, graph
from counterplay.web.judging import Told, has_sides
from counterplay.web.move_list import named, sign_of
from counterplay.web.phrases import capital
from counterplay.web.strength import strongest
from counterplay.web.variations import MoveNode

if TYPE_CHECKING:
    from counterplay.web.analyse import AnalysePage

WHOLE, MOVE = 60.0, 0.5
"""The maximum number of seconds for a whole review, and for one of its moves."""
BEFORE = "See where the game turned: each move gets a value, each mistake a better move."
EVALUATING = "Evaluating every move, the last one first ..."


class Review:
    """The card with the graph."""

    def __init__(self, page: AnalysePage) -> None:
        self.page = page
        self.task: asyncio.Task[Any] | None = None

    def build(self) -> None:
        """The card."""
        with ui.column().classes("cp-card cp-review-card"):
            heading("The whole game", 2)
            self.chart = ui.html("", sanitize=False).classes("w-full")
            buttons(self.chart, "ply", self.go)
            self.note = ui.label().classes("cp-dim cp-review-note")
            self.mistakes = ui.html("", sanitize=False).classes("cp-mistakes w-full")
            buttons(self.mistakes, "ply", self.go)
            self.button = ui.button("evaluate every move", on_click=self.start).props("no-caps outline")
            self.button.classes("cp-do-review")

    @property
    def line(self) -> list[MoveNode]:
        """The line of the current position, from the first position to its end."""
        tree = self.page.tree
        return [tree.root, *tree.end().path()]

    def go(self, ply: int) -> None:
        """Show a position of the line."""
        line = self.line
        if 0 <= ply < len(line):
            self.page.go(line[ply])

    def start(self) -> None:
        """Evaluate every move."""
        self.cancel()
        self.page.live.pause("Paused until every move is evaluated.")
        line, game = self.line, self.page.tree.p.game
        spec, seconds = strongest(game).spec, min(MOVE, WHOLE / len(line))
        try:
            spec = player(spec, budget={"time": seconds}).spec
        except CounterplayError:
            pass  # it has no time limit
        for node in line:
            node.judged = None
        self.note.set_text(EVALUATING)
        self.task = background_tasks.create(self.run(spec, line), name="review")

    async def run(self, spec: str, line: list[MoveNode]) -> None:
        """Evaluate one position after another."""
        page = self.page
        question = page.question() | {"moves": " ".join(node.text for node in line[1:]), "player": spec}

        def hear(told: Told) -> None:
            line[told["ply"]].judged = told
            with page.client:
                page.list_moves()
                self.show()

        try:
            with page.client:
                preparation = page.house.preparations.begin(question["game"], spec)
                await preparation.wait_aloud(title_of(page.tree.p.game), self.note.set_text)
                self.note.set_text(EVALUATING)
                await page.house.crew.ask("review", news=hear, seconds=3 * WHOLE, **question)
                self.task = None
                self.show()
                page.live.restart()
        except CounterplayError as wrong:
            self.task = None
            with page.client:
                self.note.set_text(str(wrong))

    def cancel(self) -> None:
        """Stop the evaluation."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = None

    def show(self) -> None:
        """The graph and the mistakes of the line, as far as known."""
        page, line = self.page, self.line
        game = page.tree.p.game
        self.button.set_enabled(len(line) > 1)
        known = [(ply, node) for ply, node in enumerate(line) if node.judged is not None and "value" in node.judged]
        if not known:
            self.chart.set_content("")
            self.mistakes.set_content("")
            if self.task is None:
                self.note.set_text(BEFORE if len(line) > 1 else "Play or paste a game, and see where it turned.")
            return
        sides, here = has_sides(game), page.tree.here.ply
        parts, top, bottom = self.scale(known)
        points = []
        for (ply, node), part in zip(known, parts, strict=True):
            told = node.judged or {}
            words = f"{named(page.tree, node) if ply else 'start'}: {told['text']}"
            points.append(GraphPoint(ply, told["view"], part, words, sign_of(line[ply])))
        self.chart.set_content(graph(points, len(line) - 1, here, top, bottom, sides))
        wrong = [(node, after) for node, after in pairwise(line) if sign_of(after)]
        self.mistakes.set_content("".join(self.mistake(node, after) for node, after in wrong))
        if self.task is None:
            counted = f"{len(wrong)} mistake{'s' * (len(wrong) != 1)}" if wrong else "no clear mistakes"
            view = f"; values are {page.live.view(known[0][1].judged or {})}" if sides else ""
            self.note.set_text(capital(counted) + view)

    def scale(self, known: list[tuple[int, MoveNode]]) -> tuple[list[float], str, str]:
        """The heights of the points, and the meaning of the top and the bottom: who wins, or the extreme values."""
        page, told = self.page, [node.judged or {} for _, node in known]
        if has_sides(page.tree.p.game):
            return [each["part"] for each in told], f"{capital(page.sides[0])} wins", f"{capital(page.sides[1])} wins"
        low, high = min(told, key=lambda each: each["value"]), max(told, key=lambda each: each["value"])
        extent = (high["value"] - low["value"]) or 1.0
        return [(each["value"] - low["value"]) / extent for each in told], high["text"], low["text"]

    def mistake(self, node: MoveNode, after: MoveNode) -> str:
        """A mistake with the better move."""
        told = node.judged or {}
        line = " ".join(told["lines"][0]["moves"][:6])
        words = f"{told.get('after', '?')} instead of {told['text']}: better {line}"
        kind = "cp-bad" if sign_of(after) == "??" else "cp-odd"
        name = escape(named(self.page.tree, after))
        return f'<button class="{kind}" data-ply="{node.ply}"><b>{name}</b> {escape(words)}</button>'
