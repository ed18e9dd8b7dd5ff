"""A shogi position as a diagram: wedges with kanji or letters, White's upside down, and the hands beside the board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from counterplay.core.formats.diagram import MARGIN, Cell, Diagram, Look, Piece, ink, paper, plain
from counterplay.core.formats.svg import CELL, circle, label, polygon, rect
from counterplay.games.shogi.notation import KANJI
from counterplay.games.shogi.sfen import IN_HAND, LETTERS, NAMES, RANKS, SIDES

WEDGE = ((0, -20), (13.5, -14), (17, 20), (-17, 20), (-13.5, -14))
SHORT = {"成香": "杏", "成桂": "圭", "成銀": "全"}
"""One character for pieces whose names have two."""
HAND = 1.6
"""The gap between the board and the middle of the pieces in hand, in cells."""


def hand_cell(side: int, letter: str) -> str:
    """The name of the cell of a side's pieces of a kind in hand."""
    return f"{SIDES[side].lower()} {letter}"


def diagram(
    rows: Sequence[Sequence[str]], held: tuple[dict[str, int], dict[str, int]], style: str, alarm: Iterable[str]
) -> Diagram:
    """A position, Black below. The hands, by letter, lie to the right of the board, White's to its left."""
    size, kinds = len(rows), [letter for letter in IN_HAND if letter in held[0]]
    left = MARGIN + HAND * CELL
    squares = [
        Cell(f"{size - c}{RANKS[r]}", left + (c + 0.5) * CELL, MARGIN + (r + 0.5) * CELL)
        for r in range(size)
        for c in range(size)
    ]
    width, height = 2 * left + size * CELL, (size + 1) * CELL
    waiting, looks, shapes = [], dict(pieces_on_board(style)), [paper(width, height), *plain(left, MARGIN, size, size)]
    for side in (0, 1):
        for i, letter in enumerate(kinds):
            y = (size + 0.5 - i) * CELL if side == 0 else MARGIN + (i + 0.5) * CELL
            x = width - MARGIN - 0.3 * CELL if side == 0 else MARGIN + 0.3 * CELL
            waiting.append((Cell(hand_cell(side, letter), x, y - (CELL / 2 if side == 0 else 0)), side, letter))
    for top in (MARGIN, (size - len(kinds) + 0.5) * CELL):  # the tops of White's pieces in hand, and of Black's
        x = 0.8 * CELL if top == MARGIN else width - 0.8 * CELL
        shapes.append(rect(x - 27, top - 3, 54, len(kinds) * CELL + 6, "#e3d3ae", rx=8, **{"class": "cp-field"}))
    cells = [*squares, *(cell for cell, _, _ in waiting)]
    pieces = []
    for i, sign in enumerate(sign for row in rows for sign in row):
        if sign != ".":
            pieces.append(Piece(sign, i, cells[i].x, cells[i].y))
    for i, (cell, side, letter) in enumerate(waiting, len(squares)):
        number = held[side][letter]
        if number:
            name = f"{letter if side == 0 else letter.lower()}{number}"
            looks[name] = look(letter if side == 0 else letter.lower(), style, number)
            pieces.append(Piece(name, i, cell.x, cell.y))
    shapes += [ink(left + (c + 0.5) * CELL, MARGIN / 2, str(size - c)) for c in range(size)]
    shapes += [ink(left + size * CELL + 10, MARGIN + (r + 0.5) * CELL, RANKS[r]) for r in range(size)]
    return Diagram(
        width, height, tuple(cells), tuple(pieces), looks, "".join(shapes), board(rows, held), alarm=tuple(alarm)
    )


@cache
def pieces_on_board(style: str) -> dict[str, Look]:
    """The look of each piece that can be on the board, including promoted ones."""
    return {sign: look(sign, style) for code in KANJI for sign in (code, code.lower())}


def look(sign: str, style: str, number: int = 1) -> Look:
    """The look of a piece; with more than one in hand, with their number."""
    side, code = int(sign[-1].islower()), sign.upper()
    name = ("promoted " if code[0] == "+" else "") + NAMES[LETTERS.index(code[-1])]
    kanji = KANJI[code]
    text = SHORT.get(kanji, kanji) if style == "kanji" else code
    colour = "#b3261e" if code[0] == "+" else "#26231f"
    turn = ' class="cp-down" transform="rotate(180)"' if side else ' class="cp-up"'
    drawn = polygon(WEDGE, "#f3d9a4", stroke="#8a6a34", stroke_width=1.4, stroke_linejoin="round")
    drawn += label(0, 4, text, size=20 if len(text) == 1 else 17, fill=colour, font_weight="bold")
    svg = f"<g{turn}>{drawn}</g>"
    if number > 1:
        svg += circle(15, -15, 9, "#26231f") + label(15, -15, str(number), size=12, fill="#fff")
    return Look(f"{SIDES[side].lower()} {name}" + (f", {number} of them" if number > 1 else ""), svg)


def board(rows: Sequence[Sequence[str]], held: tuple[dict[str, int], dict[str, int]]) -> str:
    """A position for the terminal."""
    lines = ["  " + " ".join(str(len(rows) - c).rjust(2) for c in range(len(rows)))]
    lines += ["  " + " ".join(sign.rjust(2) for sign in row) + f"  {RANKS[r]}" for r, row in enumerate(rows)]
    words = [" ".join(f"{letter}{n if n > 1 else ''}" for letter, n in hand.items() if n) or "nothing" for hand in held]
    return "\n".join([f"white in hand: {words[1]}", *lines, f"black in hand: {words[0]}"])
