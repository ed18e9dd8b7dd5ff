"""`exercises`: drawn by seed, graded with the reason, printed as a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay.api.result import Result

if TYPE_CHECKING:
    from counterplay.teaching.exercise import Exercise, Mark
    from counterplay.teaching.topics import Topic


@dataclass(frozen=True, repr=False)
class TopicList(Result):
    """The topics that have exercises."""

    topics: tuple[Topic, ...]

    def to_json(self) -> dict[str, Any]:
        """The topics as plain data."""
        return {"topics": [{"name": each.name, "title": each.title, "about": each.about} for each in self.topics]}

    def __str__(self) -> str:
        wide = max(len(each.name) for each in self.topics)
        return "\n".join(f"{each.name:{wide}}  {each.about}" for each in self.topics)


@dataclass(frozen=True, repr=False)
class ExerciseSheet(Result):
    """Exercises of one topic; `[i]` is one of them."""

    topic: str
    seed: int
    exercises: tuple[Exercise, ...]

    def __getitem__(self, i: int) -> Exercise:
        return self.exercises[i]

    def __len__(self) -> int:
        return len(self.exercises)

    def grade(self, i: int, answers: Mapping[str, str]) -> list[Mark]:
        """A mark with its reason for every blank of the i-th exercise, from answers as the user writes them."""
        from counterplay.teaching.exercise import grade

        return grade(self.exercises[i], answers)

    def save(self, file: str | Path) -> None:
        """Write the sheet with its solutions, as .html or .pdf."""
        from counterplay.teaching.sheets import save_sheet

        save_sheet(self.exercises, Path(file))

    def to_json(self) -> dict[str, Any]:
        """The exercises with their answers as plain data."""
        return {"topic": self.topic, "seed": self.seed, "exercises": [each.to_json() for each in self.exercises]}

    def __str__(self) -> str:
        from counterplay.teaching.sheets import text

        return text(self.exercises)


def exercises(topic: str | None = None, *, count: int = 6, seed: int = 0) -> ExerciseSheet | TopicList:
    """Exercises on a topic, drawn by `seed` from recorded runs of the real algorithms; without a topic, the list of topics.

    `sheet.save("sheet.pdf")` prints them with solutions on a separate page, and `sheet.grade(0, {"value-A": "3"})` marks
    answers, each with the reason.
    """
    from counterplay.teaching.topics import TOPICS, exercises_of

    if topic is None:
        return TopicList(tuple(TOPICS.values()))
    return ExerciseSheet(topic, seed, tuple(exercises_of(topic, count, seed)))
