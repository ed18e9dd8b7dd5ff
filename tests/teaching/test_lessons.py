"""The lessons: complete, in agreement with the files they name, and the same in the app and in docs/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import counterplay
from counterplay.core.errors import CounterplayError
from counterplay.core.registry import load
from counterplay.players.specs import player
from counterplay.teaching.lessons import FOLDER, NAMES, documentation, lesson_named
from counterplay.teaching.topics import TOPICS

ROOT = Path(__file__).parents[2]
PACKAGE = Path(counterplay.__file__).parent


def test_the_documentation_has_the_same_lessons():
    """If this fails, `python docs/lessons/record.py` rewrites them."""
    for name, text in documentation().items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text, f"docs/{name} is not as the lesson has it"


def test_every_text_is_a_lesson():
    assert sorted(file.stem for file in FOLDER.glob("*.md")) == sorted(NAMES)
    with pytest.raises(CounterplayError, match="there is no lesson 'x'; lessons are games-as-trees"):
        lesson_named("x")


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_has_something_live_an_exercise_a_file_and_a_real_game(name):
    lesson = lesson_named(name)
    kinds = [part.kind for part in lesson.parts]
    assert kinds.count("exercise") == 1
    assert {"tree", "board", "training"} & set(kinds)
    text = "\n".join(part.text for part in lesson.parts)
    code = text.partition("## In the code")[2].partition("## ")[0]
    files = re.findall(r"`([\w/]+\.py)`", code)
    assert files
    assert all((PACKAGE / file).exists() for file in files)
    assert "$ counterplay " in text.partition("## On a real game")[2]
    assert len(text.split()) < 500  # short
    for part in lesson.parts:
        if part.kind == "exercise":
            assert part.spec in TOPICS
        elif part.kind != "text":
            p = load(part.spec).start(part.moves)
            assert not p.is_over
            if part.kind == "tree":
                player(part.player).require(p.game)


def test_a_lesson_is_told_in_its_first_sentence():
    for about in (lesson_named(name).about for name in NAMES):
        assert len(about) < 160
        assert about.endswith(".")
        assert about.count("(") == about.count(")")
