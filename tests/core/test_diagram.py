"""Boards as cells and what stands on them: names, looks, text, pictures, and what the name of an action clicks."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from counterplay import CounterplayError, grid, hexagons, points
from counterplay.core.aspects.picture import clicked
from counterplay.core.formats.diagram import in_a_row, look


def test_cells_are_named_as_players_name_them():
    assert [cell.name for cell in grid(["ab", "cd"]).cells] == ["a2", "b2", "a1", "b1"]
    assert [cell.name for cell in grid(["ab", "cd"], from_top=True).cells] == ["a1", "b1", "a2", "b2"]
    assert [cell.name for cell in hexagons(["..", ".."]).cells] == ["a1", "b1", "a2", "b2"]
    assert grid(["." * 28]).cells[27].name == "ab1"


def test_text_and_picture_show_what_stands_where():
    drawn = grid(["x.", ".o"], {"x": "red disc", "o": "white stone"})
    assert drawn.text == "2 x .\n1 . o\n  a b"
    assert [(drawn.cells[piece.cell].name, drawn.looks[piece.look].name) for piece in drawn.pieces] == [
        ("a2", "red disc"),
        ("b1", "white stone"),
    ]
    assert ET.fromstring(drawn.svg).get("viewBox") == "0 0 144 144"
    assert hexagons(["x.", ".o"]).text == "   a b\n 1 x .\n  2 . o"
    spread = points({"p": (0, 0), "q": (2, 1)}, {"q": "o"}, {"o": "orange peg"}, lines=[("p", "q")])
    assert spread.text == "p:. q:o"
    assert spread.svg.count("<line") == 1


def test_other_words_are_written():
    assert ">?<" in look("?").svg
    assert look("teal disc").svg.count("teal") == 1
    assert look("disc").name == "disc"


def test_rows_of_different_lengths_are_refused():
    for rows in ([], [""], ["ab", "c"]):
        with pytest.raises(CounterplayError, match="rows of the same length"):
            grid(rows)


@pytest.mark.parametrize(
    "told, found",
    [
        ("e4", ("e4",)),
        ("e2e4", ("e2", "e4")),
        ("e2-e4", ("e2", "e4")),
        ("11x18x25", ("11", "18", "25")),
        (("e2", "e4"), ("e2", "e4")),
        ("pass", ()),
        ("Nf3", ()),
        ("1118", ("11", "18")),
        ("111", ()),  # 1 and 11, or 11 and 1
    ],
)
def test_the_name_of_an_action_says_what_to_click(told, found):
    assert clicked({"e2", "e4", "f3", "1", "11", "18", "25"}, told) == found


def test_every_cell_of_every_line_is_found():
    assert sorted(in_a_row(["xxx", "ox.", "oo."], 3)) == [(0, 0), (0, 1), (0, 2)]
    assert sorted(in_a_row(["x.o", ".xo", "..o"], 2)) == [(0, 0), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert in_a_row(["x.", ".."], 2) == []
