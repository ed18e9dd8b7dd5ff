"""The lessons in the app: their text, with live trees, boards and exercises in the page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import Request
from nicegui import background_tasks, context, ui

from counterplay.core.errors import CounterplayError
from counterplay.teaching.lessons import NAMES, Lesson, LessonPart, lesson_named, neighbours
from counterplay.teaching.topics import topic_named
from counterplay.web.board import scene
from counterplay.web.board_element import Board
from counterplay.web.frame import frame, on_arrival, refusal, told
from counterplay.web.practice import PracticeRun, add_style, drawn, show_cards
from counterplay.web.scenes import story_of
from counterplay.web.search_tree import SearchTree
from counterplay.web.training import read_training, training_story

if TYPE_CHECKING:
    from counterplay.web.server import House

MOST_EVENTS = 2_000
"""The limit of a recorded search in a lesson."""


def open_lessons(house: House) -> None:
    """Register the pages."""

    @ui.page("/lessons")
    def all_lessons() -> None:
        with frame("Lessons", "/lessons"):
            list_lessons()

    @ui.page("/lessons/{name}")
    def lesson(name: str, request: Request) -> None:
        try:
            found = lesson_named(name)
        except CounterplayError as wrong:
            with frame("Lessons", "/lessons"):
                refusal(wrong, "/lessons")
            return
        with frame(found.title, "/lessons"):
            on_arrival(lambda: LessonPage(house, found).build())


def list_lessons() -> None:
    """Every lesson with its first sentence."""
    add_style()
    with ui.element("h1").classes("cp-game-title"):
        ui.label("Lessons")
    ui.label("Adversarial search in a dozen short pages, each with something to step through and an exercise.").classes(
        "cp-dim"
    )
    lessons = enumerate(map(lesson_named, NAMES), 1)
    show_cards((f"/lessons/{each.name}", f"{i}. {each.title}", each.about, "") for i, each in lessons)


def for_the_app(text: str) -> str:
    """A lesson's Markdown for the app: links lead to the app's lessons, notes to the tests are left out."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    return re.sub(r"\]\(([\w-]+)\.md\)", r"](/lessons/\1)", text)


class LessonPage:
    """One visitor's lesson."""

    def __init__(self, house: House, lesson: Lesson) -> None:
        self.house, self.lesson = house, lesson

    async def build(self) -> None:
        """Text and live parts, one below another; computed parts appear when they are ready."""
        add_style()
        with ui.element("article").classes("cpl"):
            with ui.element("h1").classes("cp-game-title"):
                ui.label(f"{NAMES.index(self.lesson.name) + 1}. {self.lesson.title}")
            for part in self.lesson.parts:
                if part.kind == "text":
                    ui.markdown(for_the_app(part.text)).classes("cpl-text")
                elif part.kind == "board":
                    with told():
                        LessonBoard(self.house, part).build()
                elif part.kind == "exercise":
                    self.beside(self.exercise(part, ui.element("section").classes("cpl-exercise")))
                else:
                    self.tree(part)
            self.ways()

    def ways(self) -> None:
        """Links to the lessons before and after."""
        before, after = neighbours(self.lesson.name)
        with ui.element("nav").classes("cpl-ways").props('aria-label="lessons"'):
            if before:
                ui.link(f"‹ {lesson_named(before).title}", f"/lessons/{before}")
            ui.link("All lessons", "/lessons")
            if after:
                ui.link(f"{lesson_named(after).title} ›", f"/lessons/{after}").classes("cpl-next")

    def beside(self, work: Awaitable[None]) -> None:
        """Run slow work for as long as the visitor stays."""
        task = background_tasks.create(work, name="lesson")
        context.client.on_delete(lambda: task.cancel())

    def tree(self, part: LessonPart) -> None:
        """A search to step through."""
        caption = f"{part.text} ({part.player})"
        with ui.element("figure").classes("cpl-tree"):
            view = SearchTree([{"spec": caption, "wait": "recording ..."}], 0, part.query)
        view.on("choose", lambda: ui.navigate.to(f"/watch?{part.query}"))
        self.beside(self.record(part, view, caption))

    async def record(self, part: LessonPart, view: SearchTree, caption: str) -> None:
        """Let a worker search or train, and show the result."""
        try:
            story = await (self.train(part) if part.kind == "training" else self.search(part))
        except CounterplayError as wrong:
            story = {"wrong": str(wrong)}
        view.tell([{"spec": caption, **story}])

    async def search(self, part: LessonPart) -> dict[str, object]:
        """A recorded search."""
        answer = await self.house.crew.ask(
            "trace", game=part.spec, position=None, moves=part.moves, player=part.player, limit=MOST_EVENTS
        )
        assert answer is not None
        game = self.house.shelf.game(part.spec)
        return await asyncio.to_thread(story_of, answer, game)

    async def train(self, part: LessonPart) -> dict[str, object]:
        """Recorded regret minimization."""
        method, count = read_training(part.player)
        answer = await self.house.crew.ask("train", game=part.spec, method=method, iterations=count)
        assert answer is not None
        return await asyncio.to_thread(training_story, answer)

    async def exercise(self, part: LessonPart, place: ui.element) -> None:
        """One exercise, graded in the page."""
        topic = topic_named(part.spec)
        with place:
            note = ui.label("drawing an exercise ...").classes("cp-note")
            with told():
                found = await drawn(self.house, topic.name, 1, part.seed)
                PracticeRun(topic, part.seed, found, only=True).build()
            note.delete()


class LessonBoard:
    """A board on which the visitor moves for both sides."""

    def __init__(self, house: House, part: LessonPart) -> None:
        self.part = part
        self.p = house.shelf.playthrough(part.spec, None, part.moves)
        self.start = len(self.p)

    def build(self) -> None:
        """The board, the way back, and the way to a real opponent."""
        with ui.element("figure").classes("cpl-board"):
            self.board = Board(self.act)
            self.status = ui.label().classes("cp-status")
            with ui.element("div").classes("cp-buttons"):
                ui.button("Back", on_click=self.back).props("no-caps flat dense").classes("cpl-do-back")
                link = urlencode({"game": self.part.spec, "moves": self.part.moves})
                ui.link("Play it", f"/play?{link}")
            with ui.element("figcaption").classes("cp-dim"):
                ui.label(self.part.text)
        self.show()

    def show(self) -> None:
        """The current position."""
        self.board.show(scene(self.p, len(self.p), None, acts=not self.p.is_over))
        who = "The game is over" if self.p.is_over else f"{self.p.game.player_name(self.p.to_move)} to move"
        self.status.set_text(f"{who}.")

    def act(self, action: int) -> None:
        """Move for whoever is to move."""
        self.p.play(action)
        self.show()

    def back(self) -> None:
        """One move back, but not beyond the lesson's start."""
        if len(self.p) > self.start:
            self.p.undo()
        self.show()
