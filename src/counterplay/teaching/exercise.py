"""An exercise is data: a question, a figure, blanks to fill in. Grading is a plain function that gives the reason.

Answers are texts, so the page, the printed sheet and your own script all share the same exercise. The right answers come
from the algorithms themselves (tree_topics.py, table_topics.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.search.tracing.sentences import listed
from counterplay.teaching.numbers import agrees, read_number

NOTHING = ("none", "nothing", "-")


@dataclass(frozen=True)
class Blank:
    """Something to fill in."""

    name: str  # its key among the answers
    label: str  # the quantity asked for, such as "the value of B"
    kind: str  # number, choice, set (of the options) or order (of all options)
    answers: tuple[str, ...]  # any of them is right; a set is one text, its elements separated by spaces
    reason: str  # why it is the answer
    options: tuple[str, ...] = ()  # of a choice, a set, an order
    because: Mapping[str, str] = field(default_factory=dict)  # by option (or order): the comment on it
    tolerance: float = 0.0  # how far off a number may be
    node: int | None = None  # its node in the figure

    @property
    def answer(self) -> str:
        """The answer to print."""
        return self.answers[0] or "none"


@dataclass(frozen=True)
class Exercise:
    """A question with its figure and blanks; `figure` is drawn by pictures.py and by the page."""

    topic: str
    seed: int
    number: int  # which one of its sheet, from 0
    question: str
    figure: dict[str, Any]
    blanks: tuple[Blank, ...]
    hint: str  # the rule that solves it
    watch: str = ""  # the query of the page that shows the algorithm at work on it

    def to_json(self) -> dict[str, Any]:
        """The exercise as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Mark:
    """The grade of one blank."""

    name: str
    right: bool
    given: str
    answer: str
    words: str  # right or wrong, and why


def from_json(data: Mapping[str, Any]) -> Exercise:
    """An exercise from plain data."""
    blanks = tuple(
        Blank(**{**each, "answers": tuple(each["answers"]), "options": tuple(each["options"])})
        for each in data["blanks"]
    )
    return Exercise(**{**data, "blanks": blanks})


def grade(exercise: Exercise, answers: Mapping[str, str]) -> list[Mark]:
    """A mark for every blank; a missing answer counts as wrong. An unreadable answer raises an error."""
    unknown = sorted(set(answers) - {blank.name for blank in exercise.blanks})
    if unknown:
        names = ", ".join(blank.name for blank in exercise.blanks)
        raise CounterplayError(f"there is no {unknown[0]!r} to fill in here; the blanks are {names}")
    return [mark(blank, answers.get(blank.name, "")) for blank in exercise.blanks]


def mark(blank: Blank, given: str) -> Mark:
    """Right or wrong, and why."""
    if blank.kind == "set":
        return mark_set(blank, read_set(blank, given))
    given = given.strip()
    if not given:
        return Mark(blank.name, False, "", blank.answer, f"Missing: {blank.answer}. {blank.reason}")
    if blank.kind == "number":
        right = any(agrees(given, answer, blank.tolerance) for answer in blank.answers)
        why = blank.reason
    else:
        given = read_order(blank, given) if blank.kind == "order" else read_choice(blank, given)
        right, why = given in blank.answers, blank.because.get(given, "")
        why = f"{why} {blank.reason}".strip() if not right or not why else why
    head = "Right." if right else f"Not {given}, but {blank.answer}."
    if blank.kind == "order" and not right:
        head = f"Not {given}; {blank.answer}, for example."
    return Mark(blank.name, right, given, blank.answer, f"{head} {why}".strip())


def mark_set(blank: Blank, given: list[str]) -> Mark:
    """The same for a set: what was missed and what was too much, each with its reason."""
    wanted = blank.answers[0].split()
    wrong = [each for each in blank.options if (each in given) != (each in wanted)]
    shown = " ".join(given)
    if not wrong:
        return Mark(blank.name, True, shown, blank.answer, f"Right. {blank.reason}".strip())
    alike: dict[tuple[str, str], list[str]] = {}  # answers with the same reason share a sentence
    for each in wrong:
        head = "You missed" if each in wanted else "Not"
        alike.setdefault((head, blank.because.get(each, blank.reason)), []).append(each)
    told = [f"{head} {listed(names)}: {why}" for (head, why), names in alike.items()]
    return Mark(blank.name, False, shown, blank.answer, " ".join(told))


def check_readable(blank: Blank, given: str) -> None:
    """Raise an error for input that cannot be an answer."""
    if given.strip() and blank.kind == "number":
        read_number(given)
    elif given.strip():
        {"choice": read_choice, "order": read_order, "set": read_set}[blank.kind](blank, given)


def read_choice(blank: Blank, given: str) -> str:
    """The option that a person means."""
    for option in blank.options:
        if option.casefold() == given.strip().casefold():
            return option
    raise CounterplayError(f"{given.strip()[:40]!r} is none of {options_text(blank)}")


def read_set(blank: Blank, given: str) -> list[str]:
    """The options that a person picks, in the figure's order."""
    if given.strip().casefold() in NOTHING:
        return []
    words = re.split(r"[\s,;]+", given.strip()) if given.strip() else []
    picked = [read_choice(blank, word) for word in words]
    return [option for option in blank.options if option in picked]


def read_order(blank: Blank, given: str) -> str:
    """All options in the order that a person wants."""
    words = re.split(r"[\s,;<>]+", given.strip())
    if len(words) == 1 and all(len(option) == 1 for option in blank.options):
        words = list(words[0])
    order = [read_choice(blank, word) for word in words if word]
    if sorted(order) != sorted(blank.options):
        raise CounterplayError(
            f"write each of {options_text(blank)} once, in the order you want, not {given.strip()[:40]!r}"
        )
    return " ".join(order)


def options_text(blank: Blank) -> str:
    """The options in words."""
    shown = blank.options if len(blank.options) <= 12 else (*blank.options[:12], "...")
    return ", ".join(shown)
