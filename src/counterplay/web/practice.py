"""The Practice page: exercises one after another, graded immediately with reasons; its address is a link for a
class.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import Request, Response
from nicegui import app as pages
from nicegui import ui
from nicegui.events import GenericEventArguments

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import convert
from counterplay.teaching.exercise import Exercise, check_readable, from_json, grade
from counterplay.teaching.sheets import html, pdf
from counterplay.teaching.topics import MOST, TOPICS, Topic, topic_named
from counterplay.web.frame import commands, frame, on_arrival, refusal

if TYPE_CHECKING:
    from counterplay.web.server import House

COUNT = 6
"""The default number of exercises."""
SEEDS = 10_000
LONGEST = 200
"""The number of characters of an answer that are read."""


def open_practice(house: House) -> None:
    """Register the page and the sheets."""

    @ui.page("/practice")
    def practice(request: Request) -> None:
        with frame("Practice", "/practice"):
            on_arrival(lambda: practice_page(house, request.query_params))

    @pages.get("/practice/sheet")
    async def sheet(request: Request) -> Response:
        try:
            topic, count, seed = read_query(request.query_params)
            found = await drawn(house, topic.name, count, seed or 0)
        except CounterplayError as wrong:
            return Response(str(wrong), 400, media_type="text/plain")
        if request.query_params.get("kind") == "html":
            return Response(await asyncio.to_thread(html, found), media_type="text/html")
        name = f"{topic.name}-{seed or 0}.pdf"
        headers = {"Content-Disposition": f'inline; filename="{name}"'}
        return Response(await asyncio.to_thread(pdf, found), media_type="application/pdf", headers=headers)


def read_query(query: Mapping[str, str]) -> tuple[Topic, int, int | None]:
    """The exercises that a link asks for."""
    topic = topic_named(query.get("topic", ""))
    count = convert("practice", "count", query.get("count") or str(COUNT), int)
    seed = convert("practice", "seed", query["seed"], int) if query.get("seed") else None
    if not 1 <= count <= MOST:
        raise CounterplayError(f"count={count} must be from 1 to {MOST}")
    return topic, count, seed


async def drawn(house: House, topic: str, count: int, seed: int) -> list[Exercise]:
    """The exercises, drawn by a worker."""
    answer = await house.crew.ask("exercises", topic=topic, count=count, seed=seed)
    assert answer is not None
    return [from_json(each) for each in answer["exercises"]]


async def practice_page(house: House, query: Mapping[str, str]) -> None:
    """The page for a link; without a topic, all of them."""
    add_style()
    if not query.get("topic"):
        choose_topic()
        return
    try:
        topic, count, seed = read_query(query)
        chosen = random.randrange(SEEDS) if seed is None else seed
        found = await drawn(house, topic.name, count, chosen)
    except CounterplayError as wrong:
        refusal(wrong, "/practice")
        return
    PracticeRun(topic, chosen, found).build()


def add_style() -> None:
    """The page's own style."""
    ui.add_css(Path(__file__).parent / "static" / "practice.css")


def show_cards(cards: Iterable[tuple[str, str, str, str]]) -> None:
    """Links as cards: where each leads, its title, its description, and its picture, empty if there is none."""
    shown = (
        f'<a href="{to}"><b>{escape(title)}</b><span>{escape(about)}</span>'
        + (f'<div class="cp-stage" aria-hidden="true">{picture}</div></a>' if picture else "</a>")
        for to, title, about, picture in cards
    )
    ui.html("".join(shown), sanitize=False).classes("cpp-topics")


def choose_topic() -> None:
    """Every topic as a card."""
    with ui.element("h1").classes("cp-game-title"):
        ui.label("Practice")
    ui.label("Six exercises each, drawn from the real algorithms and graded immediately, with the reason.").classes(
        "cp-dim"
    )
    show_cards((f"/practice?topic={each.name}", each.title, each.about, "") for each in TOPICS.values())
    ui.label("In a terminal, as a sheet to print:").classes("cp-dim")
    commands("counterplay exercises alpha-beta --count 6 --seed 7 -o sheet.pdf")


class Practice(ui.element, component="static/practice.js", esm={"counterplay-watch": "static/watch"}):
    """One exercise at a time in the browser."""

    def show(self, told: dict[str, Any]) -> None:
        """Show the current state."""
        self.props["told"] = json.dumps(told, ensure_ascii=False)
        self.update()


class PracticeRun:
    """One visitor's exercises from a link; with `only`, a single one inside a lesson."""

    def __init__(self, topic: Topic, seed: int, exercises: list[Exercise], only: bool = False) -> None:
        self.topic, self.seed, self.exercises, self.only = topic, seed, exercises, only
        self.at = 0
        self.results: dict[int, bool] = {}  # by exercise: whether everything was right
        self.marks: list[dict[str, Any]] = []
        self.wrong: dict[str, str] = {}  # by blank: why an answer cannot be read

    def build(self) -> None:
        """Add it to the page."""
        self.view = Practice()
        self.view.on("check", self.check)
        self.view.on("go", self.go)
        self.tell()

    @property
    def query(self) -> str:
        """The address of these exercises."""
        return urlencode({"topic": self.topic.name, "seed": self.seed, "count": len(self.exercises)})

    def tell(self) -> None:
        """Update the progress."""
        exercise = self.exercises[self.at]
        self.view.show(
            {
                "title": self.topic.title,
                "topic": self.topic.name,
                "query": self.query,
                "only": self.only,
                "at": self.at,
                "count": len(self.exercises),
                "results": [self.results.get(i) for i in range(len(self.exercises))],
                "question": exercise.question,
                "hint": exercise.hint,
                "figure": exercise.figure,
                "blanks": [
                    {"name": b.name, "label": b.label, "kind": b.kind, "options": b.options, "node": b.node}
                    for b in exercise.blanks
                ],
                "marks": self.marks,
                "wrong": self.wrong,
                "watch": exercise.watch if self.marks else "",
            }
        )

    def check(self, event: GenericEventArguments) -> None:
        """Grade the answers; unreadable ones are reported first and cost nothing."""
        given = event.args if isinstance(event.args, dict) else {}
        answers = {str(name): str(value)[:LONGEST] for name, value in given.items()}
        exercise = self.exercises[self.at]
        blanks = {blank.name: blank for blank in exercise.blanks}
        self.wrong = {}
        for name, text in answers.items():
            try:
                if name in blanks:
                    check_readable(blanks[name], text)
            except CounterplayError as wrong:
                self.wrong[name] = str(wrong)
        if not self.wrong and not self.marks:
            known = {name: text for name, text in answers.items() if name in blanks}
            marks = grade(exercise, known)
            self.marks = [{"name": m.name, "right": m.right, "answer": m.answer, "words": m.words} for m in marks]
            self.results.setdefault(self.at, all(mark.right for mark in marks))
        self.tell()

    def go(self, event: GenericEventArguments) -> None:
        """The next exercise."""
        if self.marks and self.at + 1 < len(self.exercises):
            self.at, self.marks, self.wrong = self.at + 1, [], {}
            self.tell()
