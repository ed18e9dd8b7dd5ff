"""The squares that pieces can reach from each square, as tables for the rules.

Squares are numbered a1 = 0, b1 = 1, ..., h8 = 63. Rooks and bishops use magic multiplication (Kannan 2007): the pieces
in the way, times a number found by trial, have in their top bits an index that differs whenever the reachable squares
differ.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

ROOK_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_STEPS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
KING_STEPS = ROOK_STEPS + BISHOP_STEPS
KNIGHT_STEPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))

MASK, MAGIC, SHIFT, START = range(4)
"""Columns of a slider's table: the squares that matter, the multiplier, the shift, and where its entries begin."""


class AttackTables(NamedTuple):
    """All tables; bitboards are uint64."""

    knight: np.ndarray  # [square]
    king: np.ndarray  # [square]
    pawn: np.ndarray  # [2, square]: the squares that White's and Black's pawns attack
    between: np.ndarray  # [square, square]: the squares strictly between two in a line, else none
    line: np.ndarray  # [square, square]: the whole line through two squares, else none
    star: np.ndarray  # [square]: all squares in line with it
    rook: np.ndarray  # [square, 4]: MASK, MAGIC, SHIFT, START
    bishop: np.ndarray  # [square, 4]
    slides: np.ndarray  # the squares that rooks and bishops reach


@cache
def tables() -> AttackTables:
    """The tables, made once."""
    between, line = lines()
    answers: list[np.ndarray] = []
    rook = slider(ROOK_STEPS, ROOK_MAGICS, answers)
    bishop = slider(BISHOP_STEPS, BISHOP_MAGICS, answers)
    pawn = np.stack([leaps(((1, 1), (-1, 1))), leaps(((1, -1), (-1, -1)))])
    star = np.bitwise_or.reduce(line, 1)
    slides = np.concatenate(answers)
    return AttackTables(leaps(KNIGHT_STEPS), leaps(KING_STEPS), pawn, between, line, star, rook, bishop, slides)


def ray(square: int, step: tuple[int, int]) -> list[int]:
    """The squares from `square` (not itself) in one direction to the edge."""
    column, row = square % 8 + step[0], square // 8 + step[1]
    found = []
    while 0 <= column < 8 and 0 <= row < 8:
        found.append(8 * row + column)
        column, row = column + step[0], row + step[1]
    return found


def board(squares: list[int]) -> int:
    """A bitboard of squares."""
    return sum(1 << square for square in squares)


def leaps(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """For each square, the targets of single steps."""
    return np.array([board([q for step in steps for q in ray(square, step)[:1]]) for square in range(64)], np.uint64)


def lines() -> tuple[np.ndarray, np.ndarray]:
    """The tables `between` and `line`."""
    between, line = np.zeros((64, 64), np.uint64), np.zeros((64, 64), np.uint64)
    for a in range(64):
        for column, row in KING_STEPS:
            ahead = ray(a, (column, row))
            whole = board([a, *ahead, *ray(a, (-column, -row))])
            for i, b in enumerate(ahead):
                between[a, b], line[a, b] = board(ahead[:i]), whole
    return between, line


def slider(steps: tuple[tuple[int, int], ...], magics: tuple[int, ...], answers: list[np.ndarray]) -> np.ndarray:
    """A piece's table [square, 4]; the squares that it reaches are added to `answers`."""
    table = np.zeros((64, 4), np.uint64)
    for square in range(64):
        rays = [ray(square, step) for step in steps]
        inner = [q for squares in rays for q in squares[:-1]]  # a piece at the edge blocks nothing
        occupied = subsets(inner)
        shift = np.uint64(64 - len(inner))
        found = np.zeros(len(occupied), np.uint64)
        found[(occupied * np.uint64(magics[square])) >> shift] = reached(rays, occupied)
        table[square] = board(inner), magics[square], shift, sum(map(len, answers))
        answers.append(found)
    return table


def subsets(squares: list[int]) -> np.ndarray:
    """All sets of some squares, as bitboards."""
    number = np.arange(1 << len(squares), dtype=np.uint64)
    found = np.zeros_like(number)
    for i, square in enumerate(squares):
        found |= (number >> np.uint64(i) & np.uint64(1)) << np.uint64(square)
    return found


def reached(rays: list[list[int]], occupied: np.ndarray) -> np.ndarray:
    """For each set of occupied squares, those that rays reach: up to the first occupied one, which is included."""
    found = np.zeros_like(occupied)
    for squares in rays:
        free = np.ones(len(occupied), bool)
        for square in squares:
            here = np.uint64(1 << square)
            found[free] |= here
            free &= occupied & here == 0
    return found


# fmt: off
ROOK_MAGICS = (
    0x008000201C814000, 0x2040014020001001, 0x0100102000084100, 0x0200089084420020,
    0x06000600A0088490, 0x0100020900082400, 0x1080800082000100, 0x1080002044801100,
    0x8000800184204000, 0x0009002040008105, 0x4002802000100480, 0x0200801000080080,
    0x0080800800800400, 0x0000800400804201, 0x0485000200040500, 0x0003000052098100,
    0x0080090021008040, 0x2120004010006140, 0x0001010040112001, 0x0108008030000980,
    0x2100250008001101, 0x01C4004002004100, 0x4220040050080A01, 0x009402000442A514,
    0x0828800880204003, 0x0890500440036000, 0x8000200080100084, 0x0000480080100280,
    0x0005021500100800, 0x004A000200043108, 0x0200030400021008, 0x011011420003208C,
    0x2008804004800021, 0x0000402004401004, 0x8184803000802000, 0x0082210009001000,
    0xA018000429001100, 0x0419C09028010420, 0x002200040A000108, 0x028400840A002049,
    0x000A800840008020, 0x0140003008002000, 0x8080200100510040, 0x804CC01200220008,
    0x0C01000800850031, 0x0002000430220008, 0x0101000200110004, 0xA08245904C020001,
    0x2000400020801180, 0xB820008020400080, 0x0000120040A08200, 0x0010230008100300,
    0x65008008000C0180, 0x0108802200040080, 0x0020502805020400, 0x0044D0D501840200,
    0x80106094C2800501, 0x0401400080102101, 0x220C41802012000A, 0x0001608409001001,
    0x010A0030200C0802, 0x8B22000801100402, 0x0281031020820804, 0x1002108100440032,
)
BISHOP_MAGICS = (
    0x004010240110A121, 0x0020040400424000, 0x4A21020082000800, 0x8108204848008120,
    0x00042C2010800009, 0x0006011048021100, 0x0001080804050000, 0x9402320110021001,
    0x00100410620A1410, 0x8608208202022020, 0x0020048104030002, 0x000020A088821000,
    0x8800820210180A80, 0x8100610121102061, 0x50400C0101182065, 0x12000144020D1000,
    0x1441080CA4080200, 0x1004000268080B00, 0x10C800040444002A, 0x0100808802004008,
    0x1104000080A08010, 0x0001020210020100, 0x041A8086082C0A08, 0x100A00002101080C,
    0x001040000A086900, 0x2058080120810308, 0x40580804A410C250, 0x1002008388008022,
    0x0000840110802000, 0xB002041002004A00, 0x0184010010880101, 0x080A220000490280,
    0x0842104002300280, 0x0032012000102220, 0x1880140A00040800, 0x4022600800048820,
    0x80400C0404084100, 0x8020240042208800, 0x0004044841009802, 0x810440860010A905,
    0x0110C82008001000, 0x1009009010005540, 0x0412010403000201, 0x01100042008B0800,
    0x1800088D00C00400, 0x0040900448814940, 0x003010C201800040, 0x0010088200800440,
    0x0082121082080098, 0x0880220202602024, 0x0004304074100050, 0x0810800020880006,
    0x000240B002020003, 0x1180600423820200, 0x0910020208020104, 0x0010500209902041,
    0x6083022201200808, 0x0000008208120A00, 0xC042020201088800, 0x0000006189420203,
    0x0002008440104520, 0x0240000408108104, 0x0000842850610200, 0x20A0020202040012,
)
# fmt: on
