"""The lessons: Markdown with a few directives, from which both the app's pages and docs/lessons/ are made.

    ::tree SPEC [/ MOVES] | PLAYER | CAPTION     a search to step through
    ::board SPEC | MOVES | CAPTION               a board to move on
    ::training SPEC | METHOD | CAPTION           regret minimization to step through
    ::exercise TOPIC SEED                        an exercise

The app shows them live (web/lessons.py); the documentation shows a picture and links to the live version.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from counterplay.core.errors import CounterplayError
from counterplay.core.registry import load
from counterplay.teaching.pictures import drawn
from counterplay.teaching.topics import TOPICS, exercises_of

NAMES = (
    "games-as-trees",
    "minimax",
    "alpha-beta",
    "depth-limits",
    "transpositions",
    "chance",
    "many-players",
    "monte-carlo",
    "learned-evaluation",
    "self-play",
    "hidden-information",
    "tables-and-books",
)
"""The lessons, in the order of a course."""
FOLDER = Path(__file__).parent / "texts"
PICTURES = "../images/lessons"
INDEX = """# Lessons

A course in adversarial search in a dozen short pages. Each has a tree or a board, an exercise, the file that implements
the idea, and an example from a real game. In the app (`make run`, then *Lessons*) trees and boards are live, and exercises
are graded.

"""


class LessonPart(NamedTuple):
    """A piece of a lesson: Markdown, or something to show."""

    kind: str  # text, tree, board, training, exercise
    text: str = ""  # Markdown; the caption of something to show
    spec: str = ""  # the game; of an exercise, the topic
    moves: str = ""
    player: str = ""  # the player or method
    seed: int = 0

    @property
    def query(self) -> str:
        """The query with which the Watch page shows it."""
        told = {"game": self.spec, "moves": self.moves, "a": self.player}
        return urlencode({name: value for name, value in told.items() if value})


class Lesson(NamedTuple):
    """One page."""

    name: str
    title: str
    about: str  # the first sentence
    parts: tuple[LessonPart, ...]


@cache
def lesson_named(name: str) -> Lesson:
    """A lesson by name, or an error that lists them."""
    if name not in NAMES:
        raise CounterplayError(f"there is no lesson {name[:40]!r}; lessons are {', '.join(NAMES)}")
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    head, _, body = text.partition("\n")
    about = re.split(r"\. (?!\d)", body.strip().replace("\n", " "))[0] + "."
    return Lesson(name, head.removeprefix("# "), about, tuple(read_parts(body)))


def neighbours(name: str) -> tuple[str | None, str | None]:
    """The lessons before and after."""
    i = NAMES.index(name)
    return (NAMES[i - 1] if i else None), (NAMES[i + 1] if i + 1 < len(NAMES) else None)


def read_parts(body: str) -> Iterator[LessonPart]:
    """The pieces of a page, in order."""
    held: list[str] = []
    for row in body.splitlines():
        if row.startswith("::"):
            yield LessonPart("text", "\n".join(held).strip())
            held = []
            yield read_directive(row)
        else:
            held.append(row)
    if "".join(held).strip():
        yield LessonPart("text", "\n".join(held).strip())


def read_directive(row: str) -> LessonPart:
    """A line such as `::tree nim:2-1 | minimax:depth=3 | All of Nim`."""
    kind, _, rest = row.removeprefix("::").partition(" ")
    if kind == "exercise":
        topic, seed = rest.split()
        return LessonPart(kind, spec=topic, seed=int(seed))
    first, second, caption = (each.strip() for each in rest.split(" | "))
    if kind == "board":
        return LessonPart(kind, caption, first, second)
    spec, _, moves = first.partition(" / ")
    return LessonPart(kind, caption, spec, moves, second)


# For the documentation.


def documented(lesson: Lesson) -> tuple[str, dict[str, str]]:
    """A lesson as a page of the documentation, and its pictures by their file names."""
    rows, pictures = [f"# {lesson.title}"], dict[str, str]()
    for part in lesson.parts:
        if part.kind == "text":
            rows.append(part.text)
            continue
        file = f"{lesson.name}-{part.kind}.svg"
        pictures[file] = picture_of(part) + "\n"
        rows.append(static(part, f"{PICTURES}/{file}"))
    before, after = neighbours(lesson.name)
    ways = [f"[‹ {lesson_named(before).title}]({before}.md)"] if before else []
    ways += ["[All lessons](index.md)"] + ([f"[{lesson_named(after).title} ›]({after}.md)"] if after else [])
    return "\n\n".join([*rows, "---", " · ".join(ways)]) + "\n", pictures


def static(part: LessonPart, file: str) -> str:
    """Something to show as a picture, with a link to the live version."""
    if part.kind == "exercise":
        exercise = exercises_of(part.spec, 1, part.seed)[0]
        command = f"counterplay exercises {part.spec} --count 1 --seed {part.seed}"
        link = f"/practice?topic={part.spec}&seed={part.seed}&count=1"
        return (
            f"{exercise.question}\n\n![{TOPICS[part.spec].title}, an exercise]({file})\n\n"
            f"Answer it in the app at `{link}`, where it is graded with the reason, or see the solution: `{command}`."
        )
    stop = "" if part.text.endswith("?") else "."
    shown = f"![{part.text}]({file})\n\n*{part.text}{stop}*"
    if part.kind == "board":
        link = f"/play?{urlencode({'game': part.spec, 'moves': part.moves})}"
        return f"{shown} Play on from here in the app at `{link}`."
    if part.kind == "training":
        return f"{shown} Watch it in the app at `/watch?{part.query}`."
    words = ["counterplay", "trace", part.spec, "--player", part.player, "--steps"]
    command = shlex.join(words + (["--moves", part.moves] if part.moves else []))
    return f"{shown} Step through it on the app's *Watch* page or in the terminal: `{command}`."


def picture_of(part: LessonPart) -> str:
    """A still picture of something to show."""
    if part.kind == "exercise":
        return drawn(exercises_of(part.spec, 1, part.seed)[0])
    p = load(part.spec).start(part.moves, seed=1).roll()
    return p.game.svg(p.state)


def documentation() -> dict[str, str]:
    """Every file of docs/lessons/ and docs/images/lessons/, by its path below docs/."""
    files = {"lessons/index.md": INDEX + "".join(
        f"{i}. [{each.title}]({each.name}.md)\n" for i, each in enumerate(map(lesson_named, NAMES), 1)
    )}  # fmt: skip
    for name in NAMES:
        page, pictures = documented(lesson_named(name))
        files[f"lessons/{name}.md"] = page
        files |= {f"images/lessons/{file}": svg for file, svg in pictures.items()}
    return files
