"""A sheet of exercises to print, with the solutions on separate pages: as HTML or as PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.core.formats.pdf import HEIGHT, WIDTH, PdfPage, document, width_of, wrapped
from counterplay.teaching.exercise import Blank, Exercise
from counterplay.teaching.pictures import drawn
from counterplay.teaching.topics import TOPICS

KINDS = (".html", ".pdf")
STYLE = """
body { font: 16px/1.45 system-ui, Helvetica, Arial, sans-serif; color: #1d1b18; background: #fff; max-width: 760px;
  margin: 32px auto; padding: 0 20px; }
h1 { font-size: 24px; margin: 0; } h2 { font-size: 18px; margin: 0 0 4px; }
.who { color: #555; margin: 6px 0 24px; } .exercise { break-inside: avoid; margin: 0 0 34px; }
.exercise svg { max-width: 100%; height: auto; max-height: 300px; display: block; margin: 10px auto; }
.blanks { display: flex; flex-wrap: wrap; gap: 12px 28px; padding: 0; list-style: none; }
.blanks span { display: inline-block; border-bottom: 1px solid #333; min-width: 84px; }
.blanks .wide span { min-width: 220px; }
.solutions { break-before: page; border-top: 2px solid #333; margin-top: 60px; padding-top: 20px; }
.solutions td, .solutions th { padding: 2px 14px 2px 0; text-align: left; vertical-align: top; }
.solutions td:nth-child(2) { font-weight: 700; white-space: nowrap; } .solutions td:nth-child(1) { white-space: nowrap; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } .solutions { border: 0; margin: 0; } }
"""
MARGIN, TEXT, SMALL = 52.0, 10.5, 9.0
ROOM = WIDTH - 2 * MARGIN
MOST_FIGURE = 210.0
"""The maximum height of a figure, in points."""
LINE = 1.35


def require_kind(file: Path) -> None:
    """Refuse a file with another extension."""
    if file.suffix.lower() not in KINDS:
        ending = f"{file.suffix!r}" if file.suffix else "a name without an extension"
        raise CounterplayError(f"a sheet is written as .html or .pdf, not as {ending}")


def save_sheet(exercises: Sequence[Exercise], file: Path) -> None:
    """Write a sheet as HTML or PDF, by the file's extension."""
    require_kind(file)
    write_whole(file, pdf(exercises) if file.suffix.lower() == ".pdf" else html(exercises))


def heading(exercises: Sequence[Exercise]) -> tuple[str, str]:
    """The sheet's title, and how to reproduce it."""
    first = exercises[0]
    return TOPICS[first.topic].title, f"{first.topic}, sheet {first.seed}"


def size_of(svg: str) -> tuple[float, float]:
    """The width and the height of a picture."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


# HTML.


def html(exercises: Sequence[Exercise]) -> str:
    """The sheet as a self-contained HTML page."""
    title, source = heading(exercises)
    tasks = "".join(html_task(i, each) for i, each in enumerate(exercises, 1))
    solutions = "".join(html_solution(i, each) for i, each in enumerate(exercises, 1))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}: exercises</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n<body>'
        f'<h1>{title}</h1><p class="who">{source} · name ______________________ · date ____________</p>\n{tasks}'
        f'<section class="solutions"><h1>{title}: solutions</h1><p class="who">{source} · {escape(exercises[0].hint)}</p>\n'
        f"{solutions}</section></body></html>\n"
    )


def html_task(i: int, exercise: Exercise) -> str:
    """An exercise with its lines to write on."""
    blanks = "".join(
        f"<li{' class=wide' if blank.kind in ('set', 'order') else ''}>{escape(blank.label)} <span>&nbsp;</span></li>"
        for blank in exercise.blanks
    )
    return (
        f'<section class="exercise"><h2>{i}</h2><p>{escape(exercise.question)}</p>{drawn(exercise)}'
        f'<ul class="blanks">{blanks}</ul></section>\n'
    )


def html_solution(i: int, exercise: Exercise) -> str:
    """An exercise's answers with their reasons."""
    rows = "".join(
        f"<tr><td>{escape(blank.label)}</td><td>{escape(blank.answer)}</td><td>{escape(blank.reason)}</td></tr>"
        for blank in exercise.blanks
    )
    figure = drawn(exercise, True) if exercise.figure["kind"] == "tree" else ""
    return f'<section class="exercise"><h2>{i}</h2>{figure}<table>{rows}</table></section>\n'


# PDF.


class SheetLayout:
    """Puts blocks on pages, one below another."""

    def __init__(self) -> None:
        self.pages: list[PdfPage] = []
        self.turn()

    def turn(self) -> None:
        """A new page."""
        self.page = PdfPage()
        self.pages.append(self.page)
        self.y = MARGIN

    def keep(self, height: float) -> None:
        """Start a new page if less than `height` is left."""
        if self.y + height > HEIGHT - MARGIN and self.y > MARGIN:
            self.turn()

    def text(self, words: str, size: float = TEXT, bold: bool = False, indent: float = 0.0) -> None:
        """A paragraph."""
        for row in wrapped(words, size, ROOM - indent):
            self.keep(size * LINE)
            self.y += size * LINE
            self.page.text(MARGIN + indent, self.y, row, size, bold)

    def figure(self, svg: str, most: float = MOST_FIGURE) -> None:
        """A picture in the middle."""
        width, height = size_of(svg)
        scale = fitted(svg, most)
        self.keep(scale * height + 12)
        self.page.picture(svg, MARGIN + (ROOM - scale * width) / 2, self.y + 8, scale)
        self.y += scale * height + 14

    def blanks(self, blanks: Sequence[Blank]) -> None:
        """Lines to write on, side by side as they fit."""
        x = ROOM
        for blank in blanks:
            wide = 170.0 if blank.kind in ("set", "order") else 60.0
            words = width_of(blank.label, TEXT) + 6
            if x + words + wide > ROOM:
                x = 0.0
                self.keep(26)
                self.y += 24
            self.page.text(MARGIN + x, self.y, blank.label)
            self.page.line(MARGIN + x + words, self.y + 2, MARGIN + x + words + wide, self.y + 2)
            x += words + wide + 18


def fitted(svg: str, most: float) -> float:
    """The scale at which a picture fits."""
    width, height = size_of(svg)
    return min(0.8, ROOM / width, most / height)


def pdf(exercises: Sequence[Exercise]) -> bytes:
    """The sheet as a PDF."""
    title, source = heading(exercises)
    out = SheetLayout()
    out.text(title, 18, bold=True)
    out.text(f"{source}      name ______________________      date ____________", SMALL)
    for i, exercise in enumerate(exercises, 1):
        out.y += 18
        figure = drawn(exercise)
        lines = len(wrapped(exercise.question, TEXT, ROOM - 18))
        out.keep(
            TEXT * LINE * lines
            + fitted(figure, MOST_FIGURE) * size_of(figure)[1]
            + 24 * blank_rows(exercise.blanks)
            + 20
        )
        top = out.y + TEXT * LINE
        out.page.text(MARGIN, top, str(i), TEXT, bold=True)
        out.text(exercise.question, indent=18)
        out.figure(figure)
        out.blanks(exercise.blanks)
    out.turn()
    out.text(f"{title}: solutions", 18, bold=True)
    out.text(f"{source}. {exercises[0].hint}", SMALL)
    for i, exercise in enumerate(exercises, 1):
        out.y += 14
        solution(out, i, exercise)
    return document(out.pages, f"{title}: exercises")


def solution(out: SheetLayout, i: int, exercise: Exercise) -> None:
    """The answers of one exercise."""
    rows = list(answer_lines(exercise))
    figure = drawn(exercise, True) if exercise.figure["kind"] == "tree" else ""
    high = fitted(figure, 150) * size_of(figure)[1] + 14 if figure else 0.0
    out.keep(high + 16 + SMALL * LINE * min(len(rows), 12))
    out.text(str(i), TEXT, bold=True)
    if figure:
        out.figure(figure, 150)
    for row in rows:
        out.text(row, SMALL, indent=18)


def answer_lines(exercise: Exercise) -> Iterator[str]:
    """The answers, each with its reason."""
    for blank in exercise.blanks:
        yield f"{blank.label}: {blank.answer}. {blank.reason}"


def blank_rows(blanks: Sequence[Blank]) -> int:
    """About how many rows the lines to write on need."""
    total = sum(width_of(blank.label, TEXT) + (170 if blank.kind in ("set", "order") else 60) + 24 for blank in blanks)
    return int(total // ROOM) + 1


# Plain text.


def text(exercises: Sequence[Exercise]) -> str:
    """The sheet for a terminal: questions first, solutions at the end."""
    title, source = heading(exercises)
    rows = [f"{title} ({source})", ""]
    for i, exercise in enumerate(exercises, 1):
        rows += [f"{i}. {exercise.question}", "", *(f"   {row}" for row in figure_text(exercise)), ""]
        rows += [f"   {blank.label}: ____" for blank in exercise.blanks] + [""]
    rows += [f"Solutions: {exercises[0].hint}", ""]
    for i, exercise in enumerate(exercises, 1):
        rows += [f"{i}. {row}" if k == 0 else f"   {row}" for k, row in enumerate(answer_lines(exercise))]
    return "\n".join(rows)


def figure_text(exercise: Exercise) -> list[str]:
    """A figure in letters."""
    figure = exercise.figure
    if figure["kind"] == "picture":
        return [figure["alt"]]
    if figure["kind"] == "table":
        cells = [figure["head"], *figure["rows"]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        return ["  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)) for row in cells]
    from counterplay.games.tree import Tree

    tree = Tree(figure["source"])
    board = tree.board(tree.initial()).replace(" <", "", 1).splitlines()
    return [f"A: {board[0]}", *(re.sub(r"(-?\d+)( \([\d.]+\))?: \1$", r"\1\2", row) for row in board[1:])]
