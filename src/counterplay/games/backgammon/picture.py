"""A backgammon board in the terminal and as a diagram: x's home is at the lower right, and points are numbered for the
side on roll."""

from __future__ import annotations

from counterplay.core.formats.diagram import Cell, Diagram, Look, Piece
from counterplay.core.formats.svg import circle, label, polygon, rect
from counterplay.games.backgammon.board import (
    BAR,
    CENTRED,
    CHECKERS,
    DECIDING,
    DROPPED,
    OFF,
    OFFERED,
    OPENING,
    PLAYING,
    Board,
    State,
    count_at,
    pips,
)

MARKS = "xo"
SHOWN = 5
"""The maximum number of checkers drawn in a pile; more are shown as a number."""


def sides(s: State) -> tuple[Board, Board]:
    """The checkers of x and of o."""
    return (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)


def pile(s: State, point: int) -> tuple[int, int]:
    """Whose checkers are on a point in x's numbering, and how many."""
    x, o = sides(s)
    if count_at(x, point):
        return 0, count_at(x, point)
    return 1, count_at(o, BAR - point)


def number(s: State, point: int) -> int:
    """The number of a point in x's numbering, as the side on roll counts."""
    return point if s.player == 0 else BAR - point


# The terminal.


def board(s: State) -> str:
    """Two rows of points with their piles, and the other facts."""
    top, bottom = (range(13, 19), range(19, 25)), (range(12, 6, -1), range(6, 0, -1))
    edge = "+------------------+---+------------------+"
    lines = [numbers(s, top), edge]
    lines += [f"|{level(s, top[0], row)}|{middle(s, 0, row)}|{level(s, top[1], row)}|" for row in range(SHOWN)]
    lines.append("|                  |BAR|                  |")
    rows = reversed(range(SHOWN))
    lines += [f"|{level(s, bottom[0], row)}|{middle(s, 1, row)}|{level(s, bottom[1], row)}|" for row in rows]
    lines += [edge, numbers(s, bottom)]
    return "\n".join(line.rstrip() for line in [*lines, *facts(s)])


def numbers(s: State, halves: tuple[range, range]) -> str:
    """The numbers of a row of points."""
    left, right = ("".join(f"{number(s, point):3}" for point in half) for half in halves)
    return f" {left}    {right}"


def level(s: State, points: range, row: int) -> str:
    """The characters of some points at a distance from the edge; the last one drawn shows how many more there are."""
    cells = []
    for point in points:
        owner, number = pile(s, point)
        mark = MARKS[owner] if number > row else " "
        if number > SHOWN and row == SHOWN - 1:
            mark = f"{number}"
        cells.append(f"{mark:>2} ")
    return "".join(cells)


def middle(s: State, player: int, row: int) -> str:
    """The bar at a distance from the edge."""
    number = count_at(sides(s)[player], BAR)
    if number > SHOWN and row == SHOWN - 1:
        return f"{number:2} "
    return f" {MARKS[player]} " if number > row else "   "


def facts(s: State) -> list[str]:
    """Pips, checkers borne off, the cube and whose turn it is."""
    lines = []
    for player, side in enumerate(sides(s)):
        off = f", {count_at(side, OFF)} off" if count_at(side, OFF) else ""
        lines.append(f"{MARKS[player]}: {pips(side)} pips{off}")
    if s.cube or s.stage in (DECIDING, OFFERED, DROPPED):
        lines.append(f"cube: {1 << s.cube}, {'in the middle' if s.owner == CENTRED else f'{MARKS[s.owner]} has it'}")
    return [*lines, turn(s)]


def turn(s: State) -> str:
    """Whose turn it is, and what they must do."""
    mover, other = MARKS[s.player], MARKS[1 - s.player]
    if s.stage == OPENING:
        return "each rolls a die: the higher one begins"
    if s.stage == DROPPED:
        return f"{other} has dropped the double"
    if count_at(s.theirs, OFF) == CHECKERS:
        return f"{other} has won"
    if s.stage == PLAYING:
        return f"{mover} to play {s.dice >> 3}{s.dice & 7}"
    if s.stage == OFFERED:
        return f"{mover} doubles: {other} to take or drop"
    return f"{mover} to roll or double" if s.stage == DECIDING else f"{mover} to roll"


# The diagram.

WIDE, HIGH = 40, 190
"""The width and the height of a point."""
RADIUS = 18.5
FRAME, FELT, DARK, LIGHT = "#4a2c17", "#e9dcc0", "#9c4a32", "#c9a76b"
DISCS = (("#8e1f1f", "#c65b4f", "#4d0d0d"), ("#fbf6ea", "#ffffff", "#8d8168"))
"""For x and o: the disc, the ring on it, its edge."""
EDGE, MIDDLE, GAP = 26, 46, 44
BOARD_WIDTH, BOARD_HEIGHT = 12 * WIDE + MIDDLE, 2 * HIGH + GAP
TRAY = 50
TRAY_LEFT = EDGE + BOARD_WIDTH + EDGE / 2 + 4


def diagram(s: State) -> Diagram:
    """The board with its bar, dice, cube, and a tray for borne-off checkers."""
    width, height = BOARD_WIDTH + TRAY + 3 * EDGE, BOARD_HEIGHT + 2 * EDGE
    shapes = [rect(0, 0, width, height, FRAME, rx=8)]
    shapes += [rect(left, EDGE, 6 * WIDE, BOARD_HEIGHT, FELT) for left in (EDGE, EDGE + 6 * WIDE + MIDDLE)]
    shapes.append(rect(EDGE + 6 * WIDE, EDGE, MIDDLE, BOARD_HEIGHT, "#5b3820"))
    for point in range(1, BAR):
        shapes += spike(s, point)
    shapes += [rect(TRAY_LEFT, top, TRAY, HIGH, "#38200f", rx=4) for top in (EDGE, EDGE + BOARD_HEIGHT - HIGH)]
    pieces, over = [], []
    for point in range(1, BAR):
        owner, high = pile(s, point)
        pieces += stack(owner, high, point - 1, left_of(point) + WIDE / 2, is_top=point > 12)
        over += counted(owner, high, SHOWN, pieces)
    for player, side in enumerate(sides(s)):
        bar = on_bar(player, count_at(side, BAR), BAR - 1 + 2 * player)
        over += counted(player, count_at(side, BAR), 4, bar)
        pieces += bar + tray(player, count_at(side, OFF), BAR + 2 * player)
    if s.stage == PLAYING:
        over += dice(s)
    if s.cube or s.stage in (DECIDING, OFFERED, DROPPED):
        over += cube(s)
    looks = {**LOOKS, **{f"{mark}|": Look(look.name, edgewise(i)) for i, (mark, look) in enumerate(LOOKS.items())}}
    return Diagram(
        width, height, cells(s), tuple(pieces), looks, "".join(shapes), board(s), "".join(over), turns=False, any_order=True
    )  # fmt: skip


def cells(s: State) -> tuple[Cell, ...]:
    """The points from x's first on, by their names for the side on roll, then bar and tray of x and of o."""
    found = [boxed(str(number(s, point)), left_of(point), WIDE, point > 12) for point in range(1, BAR)]
    for player in range(2):
        whose = "" if player == s.player else "other "
        found.append(boxed(f"{whose}bar", EDGE + 6 * WIDE, MIDDLE, player == 0))
        found.append(boxed(f"{whose}off", TRAY_LEFT, TRAY, player == 1))
    return tuple(found)


def boxed(name: str, left: float, wide: float, is_top: bool) -> Cell:
    """A cell of the upper or the lower half of the board."""
    top = EDGE if is_top else EDGE + BOARD_HEIGHT - HIGH
    corners = ((left, top), (left + wide, top), (left + wide, top + HIGH), (left, top + HIGH))
    return Cell(name, left + wide / 2, top + HIGH / 2, corners)


def stop_name(stop: int) -> str:
    """The cell of a point in the mover's numbering, the bar or the tray."""
    return {BAR: "bar", OFF: "off"}.get(stop, str(stop))


def left_of(point: int) -> float:
    """The left edge of a point in x's numbering."""
    column = point - 13 if point > 12 else 12 - point  # from the left
    return EDGE + column * WIDE + (MIDDLE if column > 5 else 0)


def spike(s: State, point: int) -> list[str]:
    """The triangle of a point, with its number."""
    x, is_top = left_of(point), point > 12
    base, tip = (EDGE, EDGE + HIGH) if is_top else (EDGE + BOARD_HEIGHT, EDGE + BOARD_HEIGHT - HIGH)
    fill = DARK if point % 2 else LIGHT
    text_y = EDGE / 2 if is_top else base + EDGE / 2
    triangle = polygon([(x + 1, base), (x + WIDE - 1, base), (x + WIDE / 2, tip)], fill)
    return [triangle, label(x + WIDE / 2, text_y, str(number(s, point)), size=12, fill="#ecd9b4")]


def disc(player: int) -> str:
    """A checker around (0, 0)."""
    fill, ring, rim = DISCS[player]
    inner = circle(0, 0, 0.62 * RADIUS, "none", stroke=ring if player == 0 else rim, stroke_width=1.3)
    return circle(0, 0, RADIUS, fill, stroke=rim, stroke_width=1.4) + inner


def edgewise(player: int) -> str:
    """A checker that lies on its edge in the tray."""
    fill, _, rim = DISCS[player]
    return rect(4 - TRAY / 2, -5.5, TRAY - 8, 11, fill, rx=2, stroke=rim)


LOOKS = {"x": Look("red checker", disc(0)), "o": Look("white checker", disc(1))}


def stack(player: int, number: int, cell: int, x: float, is_top: bool) -> list[Piece]:
    """The checkers of a point, from the edge inwards; a pile that is too high is cut off."""
    away = ((2 * min(i, SHOWN - 1) + 1) * (RADIUS + 0.4) + 1 for i in range(number))
    return [Piece(MARKS[player], cell, x, EDGE + y if is_top else EDGE + BOARD_HEIGHT - y) for y in away]


def counted(player: int, number: int, most: int, pieces: list[Piece]) -> list[str]:
    """The number on a pile that is too high to draw."""
    if number <= most:
        return []
    fill = "#fff" if player == 0 else "#333"
    return [label(pieces[-1].x, pieces[-1].y, str(number), size=16, fill=fill, font_weight="bold")]


def on_bar(player: int, number: int, cell: int) -> list[Piece]:
    """Checkers on the bar, x's in the upper half, near where they enter."""
    x, middle = EDGE + 6 * WIDE + MIDDLE / 2, EDGE + BOARD_HEIGHT / 2
    away = (34 + 2 * min(i, 3) * RADIUS for i in range(number))
    return [Piece(MARKS[player], cell, x, middle - y if player == 0 else middle + y) for y in away]


def tray(player: int, number: int, cell: int) -> list[Piece]:
    """A side's borne-off checkers, lying on their edges."""
    x, bottom = TRAY_LEFT + TRAY / 2, EDGE + BOARD_HEIGHT
    ys = (bottom - 12 * i - 9.5 if player == 0 else EDGE + 12 * i + 9.5 for i in range(number))
    return [Piece(f"{MARKS[player]}|", cell, x, y) for y in ys]


def dice(s: State) -> list[str]:
    """The dice of the side on roll, on its right."""
    fill, _, rim = DISCS[s.player]
    shapes: list[str] = []
    values = (s.dice >> 3, s.dice & 7)
    left = EDGE + 6 * WIDE + MIDDLE + 3 * WIDE - 44 if s.player == 0 else EDGE + 3 * WIDE - 44
    y = EDGE + HIGH + GAP / 2 - 18
    for i, value in enumerate(values):
        x = left + 52 * i
        shapes.append(rect(x, y, 36, 36, fill, rx=6, stroke=rim, stroke_width=1.5))
        for column, row in SPOTS[value]:
            shapes.append(circle(x + 9 + 9 * column, y + 9 + 9 * row, 3.2, "#fff" if s.player == 0 else "#222"))
    return shapes


SPOTS = {
    1: [(1, 1)],
    2: [(0, 0), (2, 2)],
    3: [(0, 0), (1, 1), (2, 2)],
    4: [(0, 0), (0, 2), (2, 0), (2, 2)],
    5: [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)],
    6: [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)],
}


def cube(s: State) -> list[str]:
    """The cube: in the middle, with its owner, or offered to the other side."""
    x, y = EDGE + 6 * WIDE + MIDDLE / 2 - 17, EDGE + BOARD_HEIGHT / 2 - 17
    holder = 1 - s.player if s.stage == OFFERED else s.owner
    if holder != CENTRED:
        y = EDGE + BOARD_HEIGHT - 40 if holder == 0 else EDGE + 6
    value = 1 << s.cube + (s.stage == OFFERED)
    shown = "64" if value == 1 else str(value)  # an unturned cube shows 64
    return [
        rect(x, y, 34, 34, "#fffdf5", rx=5, stroke="#555", stroke_width=1.5),
        label(x + 17, y + 17, shown, size=17, font_weight="bold"),
    ]
