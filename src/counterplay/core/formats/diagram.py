"""Boards as cells and what is on them: one description gives picture, clicks, animation and text.

`grid`, `hexagons` and `points` make the boards that most games have. A letter says what is on a cell, and words such as
"red disc" say how it looks: they are drawn, and screen readers read them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.svg import CELL, Box, circle, label, line, picture, polygon, rect

EMPTY = ". "
"""The letters of an empty cell."""
MARGIN = CELL / 2
Corners = tuple[tuple[float, float], ...]

COLOURS = {
    "black": "#26231f", "white": "#faf6ec", "red": "#d0453a", "yellow": "#f3c22e", "blue": "#3267b8", "green": "#3c8f55",
    "brown": "#6f4628", "orange": "#e08a2c", "purple": "#7d55a8", "grey": "#8b8f97", "gold": "#d9a514",
}  # fmt: skip
"""Colours that suit a board; any other CSS colour works as well."""
EDGES = {"black": "#0d0c0b", "white": "#8d8470", "yellow": "#9c7710", "gold": "#8a6708"}


class Cell(NamedTuple):
    """A cell of a board, in the picture's units."""

    name: str
    x: float  # the middle
    y: float
    corners: Corners = ()  # of its outline; empty: a square
    zone: str = ""  # a click on any cell of a zone chooses what is legal there, as in a column of Connect Four
    is_word: bool = False  # a word is drawn there, and nothing may hide it

    @property
    def box(self) -> Box:
        """The part of the picture that it covers."""
        xs, ys = zip(*(self.corners or square(self.x, self.y)), strict=True)
        return Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


class Piece(NamedTuple):
    """A piece on a cell."""

    look: str
    cell: int  # its index
    x: float
    y: float


class Look(NamedTuple):
    """How a kind of piece looks."""

    name: str  # as spoken, such as "white knight"
    svg: str  # around (0, 0), in a cell of CELL


class Diagram(NamedTuple):
    """A position as cells and what is on them."""

    width: float
    height: float
    cells: tuple[Cell, ...]
    pieces: tuple[Piece, ...]
    looks: Mapping[str, Look]
    ground: str  # what is drawn under the pieces
    text: str  # for the terminal
    over: str = ""  # what is drawn over them
    turns: bool = True  # the other side can look at it upside down
    falls: bool = False  # a new piece falls from above
    line: tuple[str, ...] = ()  # the cells that decided the game
    last: tuple[str, ...] = ()  # what was played last, if the position shows it
    alarm: tuple[str, ...] = ()  # cells in danger, such as a king in check
    picks: bool = False  # the clicks before the last come in any order, as with dice kept before the others roll
    any_order: bool = False  # clicks are pairs, from and to, in any order, as in backgammon

    @property
    def svg(self) -> str:
        """The picture."""
        at = {cell.name: cell for cell in self.cells}
        shapes = [self.ground]
        shapes += [
            polygon(at[name].corners or square(at[name].x, at[name].y), "#e5484d", opacity=0.55) for name in self.alarm
        ]
        shapes += [placed(self.looks[piece.look].svg, piece.x, piece.y) for piece in self.pieces]
        shapes += [circle(at[name].x, at[name].y, 5, "#fff", stroke="#222", stroke_width=1.5) for name in self.line]
        shapes += [circle(at[name].x, at[name].y, 10, "none", stroke="#e5484d", stroke_width=2.5) for name in self.last]
        return picture(self.width, self.height, [*shapes, self.over])


def placed(svg: str, x: float, y: float) -> str:
    """A shape around (0, 0), moved to (x, y)."""
    return f'<g transform="translate({x:g} {y:g})">{svg}</g>'


# Boards.


def grid(
    rows: Iterable[Sequence[str]],
    looks: Mapping[str, str | Look] | None = None,
    *,
    names: Sequence[str] | None = None,
    from_top: bool = False,
    ground: str = "plain",
    line: Iterable[str] = (),
    alarm: Iterable[str] = (),
    zones: Sequence[str] | None = None,
    turns: bool = True,
    falls: bool = False,
) -> Diagram:
    """A board of squares: its rows from the top, one letter per cell; `looks` says how each letter looks, such as
    {"x": "red disc"}. Cells are named a1, b1, ... from the bottom left (`from_top`: from the top left) unless `names` has
    them, row by row from the top. The ground is "plain", "chequered", or "lines" for stones on crossings."""
    lines = [list(row) for row in rows]
    height, width = len(lines), max(map(len, lines), default=0)
    if not width or any(len(row) != width for row in lines):
        raise CounterplayError("a grid has rows of the same length, with at least one cell")
    numbers = [str(r + 1 if from_top else height - r) for r in range(height)]
    letters = [column_letter(c) for c in range(width)]
    given = list(names) if names is not None else [f"{c}{r}" for r in numbers for c in letters]
    left = top = MARGIN
    cells = tuple(
        Cell(given[i], left + (i % width + 0.5) * CELL, top + (i // width + 0.5) * CELL, (), zones[i] if zones else "")
        for i in range(width * height)
    )
    shapes = [paper((width + 1) * CELL, (height + 1) * CELL), *GROUNDS[ground](left, top, width, height)]
    if names is None:
        shapes += [ink(left / 2, top + (r + 0.5) * CELL, numbers[r]) for r in range(height)]
        shapes += [ink(left + (c + 0.5) * CELL, (height + 0.75) * CELL, letters[c]) for c in range(width)]
    flat = [letter for row in lines for letter in row]
    told = [" ".join(row) for row in lines]
    if names is None:
        wide = max(map(len, numbers))
        told = [f"{n.rjust(wide)} {row}" for n, row in zip(numbers, told, strict=True)]
        told.append(" " * (wide + 1) + " ".join(letters))
    return Diagram(
        (width + 1) * CELL, (height + 1) * CELL, cells, *standing(cells, flat, looks), "".join(shapes), "\n".join(told),
        turns=turns, falls=falls, line=tuple(line), alarm=tuple(alarm),
    )  # fmt: skip


def hexagons(
    rows: Iterable[Sequence[str]],
    looks: Mapping[str, str | Look] | None = None,
    *,
    edges: Sequence[str] = (),
    line: Iterable[str] = (),
    turns: bool = True,
) -> Diagram:
    """A board of hexagons, each row half a cell to the right of the one above; cells are named a1, b1, ... from the top
    left. `edges` colours the upper and lower edge, and the left and right one."""
    lines = [list(row) for row in rows]
    height, width = len(lines), max(map(len, lines), default=0)
    cells = tuple(
        Cell(f"{column_letter(c)}{r + 1}", *hexagon_middle(r, c), hexagon(*hexagon_middle(r, c)))
        for r in range(height)
        for c in range(len(lines[r]))
    )
    far = hexagon_middle(height - 1, width - 1)
    full = far[0] + 1.6 * HEX * sqrt(3), far[1] + 2.4 * HEX
    shapes = [paper(*full)]
    if edges:
        low, right, bottom = -0.75, width - 0.25, height - 0.25
        corners = [hexagon_middle(*at) for at in ((low, low), (low, right), (bottom, right), (bottom, low))]
        centre = hexagon_middle((height - 1) / 2, (width - 1) / 2)
        shapes += [polygon([centre, corners[i], corners[(i + 1) % 4]], edges[i % 2], stroke=edges[i % 2],
                           stroke_width=8, stroke_linejoin="round") for i in range(4)]  # fmt: skip
    shapes += [polygon(cell.corners, "#f1e6d0", stroke="#8a7a5c", **{"class": "cp-hexagon"}) for cell in cells]
    shapes += [ink(*hexagon_middle(-1.25, c + 0.25), column_letter(c)) for c in range(width)]
    shapes += [ink(*hexagon_middle(r, -1.3), str(r + 1)) for r in range(height)]
    told = ["   " + " ".join(column_letter(c) for c in range(width))]
    told += [f"{' ' * r}{r + 1:2} {' '.join(row)}" for r, row in enumerate(lines)]
    flat = [letter for row in lines for letter in row]
    return Diagram(
        *full, cells, *standing(cells, flat, looks), "".join(shapes), "\n".join(told), line=tuple(line), turns=turns
    )


def points(
    places: Mapping[str, tuple[float, float]],
    letters: Mapping[str, str],
    looks: Mapping[str, str | Look] | None = None,
    *,
    lines: Iterable[tuple[str, str]] = (),
    line: Iterable[str] = (),
    turns: bool = True,
) -> Diagram:
    """A board of points: where each is, in cells from the top left; what is on those that are not empty; and the
    `lines` between them, as pairs of names. Points that are named like squares have their letters and numbers at the
    edge."""
    xs, ys = zip(*places.values(), strict=True)
    cells = tuple(Cell(name, (x - min(xs) + 1) * CELL, (y - min(ys) + 1) * CELL) for name, (x, y) in places.items())
    at = {cell.name: cell for cell in cells}
    width, height = (max(xs) - min(xs) + 2) * CELL, (max(ys) - min(ys) + 2) * CELL
    shapes = [paper(width, height), rect(8, 8, width - 16, height - 16, "#dcb35c", rx=10)]
    shapes += [groove(at[a].x, at[a].y, at[b].x, at[b].y) for a, b in lines]
    shapes += [circle(cell.x, cell.y, 7, "#b98d3e", stroke="#6b4f1d") for cell in cells]
    shapes += names_of(cells, height)
    flat = [letters.get(cell.name, ".") for cell in cells]
    told = " ".join(f"{cell.name}:{letter}" for cell, letter in zip(cells, flat, strict=True))
    return Diagram(
        width, height, cells, *standing(cells, flat, looks), "".join(shapes), told, line=tuple(line), turns=turns
    )


def names_of(cells: Sequence[Cell], height: float) -> list[str]:
    """The names of points: at the edge if each column has its letter and each row its number, else beside each."""
    columns = {(cell.name[:1], cell.x) for cell in cells}
    rows = {(cell.name[1:], cell.y) for cell in cells}
    alone = [
        len({where for _, where in each}) == len(each) == len({name for name, _ in each}) for each in (columns, rows)
    ]
    if all(alone) and all(cell.name[1:].isdecimal() for cell in cells):
        shapes = [label(x, height - 0.42 * CELL, letter, 13, "#4a3512") for letter, x in sorted(columns)]
        return shapes + [label(0.42 * CELL, y, number, 13, "#4a3512") for number, y in sorted(rows)]
    return [label(cell.x + 0.5 * CELL, cell.y + 0.5 * CELL, cell.name, 11, "#4a3512") for cell in cells]


def standing(
    cells: Sequence[Cell], letters: Sequence[str], looks: Mapping[str, str | Look] | None
) -> tuple[tuple[Piece, ...], dict[str, Look]]:
    """What is on each cell, and how it looks."""
    found = zip(range(len(cells)), letters, strict=True)
    pieces = tuple(Piece(letter, i, cells[i].x, cells[i].y) for i, letter in found if letter and letter not in EMPTY)
    given = dict(looks or {})
    for piece in pieces:
        given.setdefault(piece.look, piece.look)
    return pieces, {letter: look(words) for letter, words in given.items()}


def in_a_row(rows: Sequence[Sequence[str]], k: int) -> list[tuple[int, int]]:
    """The cells, by row and column, that are part of `k` equal letters in a line."""
    height, width = len(rows), len(rows[0])
    found: dict[tuple[int, int], None] = {}
    for r in range(height):
        for c in range(width):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                run = [(r + i * down, c + i * right) for i in range(k)]
                if 0 <= run[-1][0] < height and 0 <= run[-1][1] < width and rows[r][c] not in EMPTY:
                    if len({rows[a][b] for a, b in run}) == 1:
                        found.update(dict.fromkeys(run))
    return list(found)


def column_letter(column: int) -> str:
    """a to z, then aa, ab and so on."""
    return ("" if column < 26 else chr(ord("a") + column // 26 - 1)) + chr(ord("a") + column % 26)


# What is drawn.

HEX = 24.0
"""From the middle of a hexagon to its corners."""


def square(x: float, y: float) -> Corners:
    """The corners of the square cell around (x, y)."""
    return rectangle(x, y, CELL, CELL)


def rectangle(x: float, y: float, width: float, height: float) -> Corners:
    """The corners of the rectangle around (x, y)."""
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def hexagon_middle(row: float, column: float) -> tuple[float, float]:
    """The middle of a hexagon in the picture."""
    return HEX * sqrt(3) * (column + row / 2 + 1.8), HEX * (1.5 * row + 2.8)


def hexagon(x: float, y: float) -> Corners:
    """The corners of the hexagon around (x, y)."""
    half = HEX * sqrt(3) / 2
    sides = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
    return tuple((x + half * i, y + HEX / 2 * j) for i, j in sides)


def paper(width: float, height: float) -> str:
    """The background of a picture; the pages remove it."""
    return rect(0, 0, width, height, "#fbf8f1", rx=8, **{"class": "cp-paper"})


def ink(x: float, y: float, text: str, size: float = 13, anchor: str = "middle") -> str:
    """A word beside the board; the pages give it their text colour."""
    return label(x, y, text, size, "#5f594d", anchor, **{"class": "cp-ink"})


def button(x: float, y: float, width: float, text: str) -> str:
    """A button of the board around (x, y): an action that is a word."""
    drawn = rect(x - width / 2, y - 0.36 * CELL, width, 0.72 * CELL, "#1d5fa8", rx=8)
    return drawn + label(x, y, text, 15, "#fff", font_weight="bold")


def ruled(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line of the board."""
    return line(x1, y1, x2, y2, "#a8987a", 2).replace("<line", '<line class="cp-rule" stroke-linecap="round"')


def groove(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line in wood."""
    return line(x1, y1, x2, y2, "#6b4f1d", 2)


def plain(left: float, top: float, width: int, height: int) -> list[str]:
    """A field with lines between its cells."""
    right, bottom = left + width * CELL, top + height * CELL
    shapes = [rect(left, top, width * CELL, height * CELL, "#f6eedc", rx=4, **{"class": "cp-field"})]
    shapes += [ruled(left + c * CELL, top, left + c * CELL, bottom) for c in range(width + 1)]
    return shapes + [ruled(left, top + r * CELL, right, top + r * CELL) for r in range(height + 1)]


def chequered(left: float, top: float, width: int, height: int) -> list[str]:
    """Light and dark squares; the lower left one is dark."""
    shapes = []
    for r in range(height):
        for c in range(width):
            fill = "#f0dfc0" if (height - 1 - r + c) % 2 else "#b58a62"
            shapes.append(rect(left + c * CELL, top + r * CELL, CELL, CELL, fill))
    return shapes


def crossings(left: float, top: float, width: int, height: int) -> list[str]:
    """Wood with a line through the middle of every row and column."""
    shapes = [rect(left, top, width * CELL, height * CELL, "#dcb35c", rx=4)]
    x, y, right, bottom = (left + CELL / 2, top + CELL / 2, left + (width - 0.5) * CELL, top + (height - 0.5) * CELL)
    shapes += [line(x + c * CELL, y, x + c * CELL, bottom, "#4a3512", 1.2) for c in range(width)]
    return shapes + [line(x, y + r * CELL, right, y + r * CELL, "#4a3512", 1.2) for r in range(height)]


GROUNDS = {"plain": plain, "chequered": chequered, "lines": crossings}


def look(words: str | Look) -> Look:
    """How words such as "red disc" are drawn; other words are written out."""
    if isinstance(words, Look):
        return words
    colour, _, shape = words.rpartition(" ")
    if shape not in SHAPES:
        return Look(
            words, label(0, 0, words, size=30 if len(words) < 3 else 14, font_weight="bold", **{"class": "cp-ink"})
        )
    return Look(
        words, SHAPES[shape](COLOURS.get(colour, colour or COLOURS["grey"]), EDGES.get(colour, "rgba(0,0,0,.45)"))
    )


def disc(fill: str, edge: str) -> str:
    """A flat piece with a rim."""
    rim = circle(0, 0, 0.3 * CELL, "none", stroke=edge, stroke_width=1.5, opacity=0.5)
    return circle(0, 0, 0.41 * CELL, fill, stroke=edge, stroke_width=1.5) + rim


def stone(fill: str, edge: str) -> str:
    """A round stone on which light falls."""
    shine = circle(-0.13 * CELL, -0.15 * CELL, 0.13 * CELL, "#fff", opacity=0.28)
    return circle(0, 0, 0.46 * CELL, fill, stroke=edge, stroke_width=0.8) + shine


def cross(fill: str, edge: str) -> str:
    """Two strokes."""
    r = 0.29 * CELL
    strokes = f"M{-r:g} {-r:g}L{r:g} {r:g}M{-r:g} {r:g}L{r:g} {-r:g}"
    return f'<path d="{strokes}" stroke="{fill}" stroke-width="7" stroke-linecap="round" fill="none"/>'


def ring(fill: str, edge: str) -> str:
    """A circle."""
    return circle(0, 0, 0.3 * CELL, "none", stroke=fill, stroke_width=7)


def triangle(fill: str, edge: str) -> str:
    """A triangle that stands on its tip."""
    r = 0.32 * CELL
    return polygon(
        [(-r, -0.8 * r), (r, -0.8 * r), (0, r)], "none", stroke=fill, stroke_width=6, stroke_linejoin="round"
    )


def block(fill: str, edge: str) -> str:
    """A square that fills its cell."""
    return rect(-0.46 * CELL, -0.46 * CELL, 0.92 * CELL, 0.92 * CELL, fill, rx=6, stroke=edge, stroke_width=1)


def peg(fill: str, edge: str) -> str:
    """A small ball."""
    shine = circle(-4, -4, 4, "#fff", opacity=0.35)
    return circle(0, 0, 0.28 * CELL, fill, stroke=edge, stroke_width=1) + shine


SHAPES = {
    "disc": disc, "stone": stone, "cross": cross, "ring": ring, "triangle": triangle, "block": block, "peg": peg,
}  # fmt: skip
"""The shape for the last word of a look."""
