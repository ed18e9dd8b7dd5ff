"""Nine Men's Morris and Three Men's Morris: place men on points, move them along lines, and form rows of three.

The players take turns placing their men on free points; then they move a man along a line to an adjacent free point. In
Nine Men's Morris a row of three, a mill, captures one of the opponent's men that is not in a mill (any man, if all
are). A player with three men left may move to any free point. A player with fewer than three men, or who cannot move,
loses (Gasser, Solving Nine Men's Morris, Games of No Chance, 1996: a draw). In Three Men's Morris the first row wins.

Play may go in cycles: the third occurrence of a position is a draw.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram, points
from counterplay.core.formats.text import read_rows
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, ones
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

NINE = (
    "7 .-----.-----.",
    "  |     |     |",
    "6 | .---.---. |",
    "  | |   |   | |",
    "5 | | .-.-. | |",
    "  | | |   | | |",
    "4 .-.-.   .-.-.",
    "  | | |   | | |",
    "3 | | .-.-. | |",
    "  | |   |   | |",
    "2 | .---.---. |",
    "  |     |     |",
    "1 .-----.-----.",
    "  a b c d e f g",
)
THREE = (
    "3 .-.-.",
    r"  |\|/|",
    "2 .-.-.",
    r"  |/|\|",
    "1 .-.-.",
    "  a b c",
)
LINES = ((0, 1, "-"), (1, 0, "|"), (1, 1, "\\"), (1, -1, "/"))
"""The directions of a board's lines, down and to the right, and their strokes in a drawing."""
ROW = 3
MEN = "wb"
LOOKS = {"w": "white stone", "b": "black stone"}


@state
class State(NamedTuple):
    """A position, seen by the side to move."""

    mine: u64  # a bit for each point
    theirs: u64
    placed: int  # men of both sides placed so far
    turn: int
    taking: bool  # the side to move has closed a mill and captures a man


class Morris(Game):
    """The common part of both games. A board is a drawing: its points are numbered row by row from the top."""

    repetition, occurrences = "draw", 3

    def __init__(self, drawing: tuple[str, ...], men: int, flying: bool, takes: bool) -> None:
        self.drawing = "\n".join(drawing)
        self.names = tuple(names(drawing))
        found = tuple(rows(drawing))
        self.points, self.all, self.men = len(self.names), 2 * men, men
        self.flies, self.takes = flying, takes
        self.rows = np.array([sum(1 << point for point in row) for row in found], np.uint64)
        near = [0] * self.points
        for row in found:
            for a, b in itertools.pairwise(row):
                near[a] |= 1 << b
                near[b] |= 1 << a
        self.near = np.array(near, np.uint64)

    def initial(self) -> State:
        return State(u64(0), u64(0), 0, 0, False)

    def to_move(self, s: State) -> int:
        return s.turn

    def actions(self, s: State, out: Actions) -> None:
        """A point to place a man on or capture one from; or, after these, the start and target of a move."""
        free = self.free(s)
        if s.taking:
            for point in ones(self.takeable(s.theirs)):
                out.append(point)
        elif s.placed < self.all:
            for point in ones(free):
                out.append(point)
        else:
            for man in ones(s.mine):
                for point in ones(self.reach(s.mine, man) & free):
                    out.append(self.points + man * self.points + point)

    def result(self, s: State, action: int) -> State:
        if s.taking:
            return State(s.theirs & ~bit(action), s.mine, s.placed, 1 - s.turn, False)
        point = action % self.points
        mine = s.mine | bit(point)
        if action >= self.points:
            mine = mine & ~bit(action // self.points - 1)
        placed = s.placed + (action < self.points)
        if self.takes and self.milled(mine) & bit(point) and s.theirs:
            return State(mine, s.theirs, placed, s.turn, True)
        return State(s.theirs, mine, placed, 1 - s.turn, False)

    def is_terminal(self, s: State) -> bool:
        if not self.takes and self.milled(s.theirs):
            return True
        if s.taking or s.placed < self.all:
            return False
        return count(s.mine) < ROW or not self.moves(s)

    def utility(self, s: State, player: int) -> float:
        return -1.0 if player == s.turn else 1.0

    def free(self, s: State) -> u64:
        """The empty points."""
        return ~(s.mine | s.theirs) & (bit(self.points) - u64(1))

    def reach(self, men: u64, man: int) -> u64:
        """The free points that one of these men can move to."""
        return ~u64(0) if self.flies and count(men) <= ROW else u64(self.near[man])

    def moves(self, s: State) -> bool:
        """Whether the side to move can move a man."""
        free = self.free(s)
        return any(self.reach(s.mine, man) & free for man in ones(s.mine))

    def milled(self, men: u64) -> u64:
        """The men of one side that stand in a row of three."""
        found = u64(0)
        for i in range(len(self.rows)):
            row = u64(self.rows[i])
            if men & row == row:
                found = found | row
        return found

    def takeable(self, men: u64) -> u64:
        """The men of one side that the other can capture: all, if all are in mills."""
        loose = men & ~self.milled(men)
        return loose if loose else men

    def lookback(self, s: State) -> int:
        return 0 if s.placed < self.all else 1 << 30

    def evaluate(self, s: State, player: int) -> float:
        """A man counts 0.1, a point that a man can move to 0.01."""
        free, score = self.free(s), 0.1 * (count(s.mine) - count(s.theirs))
        for man in ones(s.mine):
            score += 0.01 * count(u64(self.near[man]) & free)
        for man in ones(s.theirs):
            score -= 0.01 * count(u64(self.near[man]) & free)
        return score if player == s.turn else -score

    # Notation: points a1, d1, ...; moves a1-a4; positions as rows from the top, such as "w.b/.../... w 2".

    def action_text(self, s: State, action: int) -> str:
        if action < self.points:
            return f"x{self.names[action]}" if s.taking else self.names[action]
        return f"{self.names[action // self.points - 1]}-{self.names[action % self.points]}"

    def man(self, s: State, point: int) -> str:
        """The mark of the man on a point."""
        first, second = (s.mine, s.theirs) if s.turn == 0 else (s.theirs, s.mine)
        return MEN[0] if first & bit(point) else MEN[1] if second & bit(point) else "."

    def position_text(self, s: State) -> str:
        told = iter(range(self.points))
        lines = ["".join(self.man(s, next(told)) for _ in range(row.count("."))) for row in self.drawn_rows()]
        return f"{'/'.join(lines)} {MEN[s.turn]} {s.placed}{' takes' if s.taking else ''}"

    def drawn_rows(self) -> list[str]:
        """The rows of the drawing that have points."""
        return [row for row in self.drawing.splitlines() if "." in row]

    def parse_position(self, text: str) -> State:
        words = text.split()
        shape = len(words) in (3, 4) and words[1] in MEN and words[2].isdecimal() and words[3:] in ([], ["takes"])
        if not shape or len(words[2]) > 2:
            raise InvalidPosition(
                f"{self.spec}: {text.strip()[:80]!r} is not a position: write rows, the side to move, how many men were "
                f"placed, and 'takes' after a mill, such as '{self.position_text(self.initial())}'"
            )
        wide = [row.count(".") for row in self.drawn_rows()]
        parts = words[0].split("/")
        if [len(part) for part in parts] != wide:
            raise InvalidPosition(f"{self.spec}: the rows have {', '.join(map(str, wide))} points, with / between them")
        flat = "".join(read_rows(part, len(part), 1, ".wb", self.spec)[0] for part in parts)
        men = [u64(sum(1 << i for i, man in enumerate(flat) if man == side)) for side in MEN]
        turn, placed = MEN.index(words[1]), int(words[2])
        s = State(men[turn], men[1 - turn], placed, turn, len(words) == 4)
        self.require_sense(s)
        return s

    def require_sense(self, s: State) -> None:
        """Refuse a position that play cannot reach."""
        sides = (s.mine, s.theirs) if s.turn == 0 else (s.theirs, s.mine)
        for player, men in enumerate(sides):
            most = (s.placed + 1 - player) // 2
            if count(men) > most or (not self.takes and count(men) != most):
                raise InvalidPosition(
                    f"{self.spec}: of {s.placed} men placed {most} are {LOOKS[MEN[player]].split()[0]}, not {count(men)}"
                )
        if s.placed > self.all or (s.placed < self.all and (s.placed + s.taking) % 2 != s.turn):
            raise InvalidPosition(f"{self.spec}: after {s.placed} men of {self.all} it is the other side's turn")
        if s.taking and not (self.takes and self.milled(s.mine) and s.theirs):
            raise InvalidPosition(f"{self.spec}: no man is taken without a mill")
        if not self.takes and self.milled(s.mine):
            raise InvalidPosition(f"{self.spec}: {MEN[s.turn]} has a row and has won already, so it is not to move")

    # Pictures.

    def player_name(self, player: int) -> str:
        return ("White", "Black")[player]

    def board(self, s: State, viewer: int | None = None) -> str:
        told = iter(range(self.points))
        shown = "".join(self.man(s, next(told)) if mark == "." else mark for mark in self.drawing)
        left = self.all - s.placed
        hands = f"\nin hand: w {left // 2}, b {left - left // 2}" if left else ""
        return shown + hands

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        high = len(self.drawn_rows())
        places = {name: (float(ord(name[0]) - ord("a")), float(high - int(name[1:]))) for name in self.names}
        letters = {name: self.man(s, point) for point, name in enumerate(self.names)}
        lines = [(self.names[a], self.names[b]) for a in range(self.points) for b in ones(u64(self.near[a])) if a < b]
        won = [] if self.takes else [self.names[point] for point in ones(self.milled(s.theirs))]
        return points(places, letters, LOOKS, lines=lines, line=won)._replace(text=self.board(s))

    def clicks(self, s: State, action: int) -> str | tuple[str, ...]:
        return self.action_text(s, action).lstrip("x")

    def ending(self, s: State) -> str:
        if not self.takes and self.milled(s.theirs):
            return "with three in a row"
        return "with fewer than three men left" if count(s.mine) < ROW else "as nobody can move"


class NineMensMorris(Morris):
    """Form mills to capture the opponent's men; whoever has two left loses."""

    name = "nine-mens-morris"
    title = "Nine Men's Morris"

    def __init__(self, men: int = 9, flying: bool = True) -> None:
        if not 3 <= men <= 9:
            raise CounterplayError(f"nine-mens-morris: each side has 3 to 9 men, not {men}")
        super().__init__(NINE, men, flying, takes=True)


class ThreeMensMorris(Morris):
    """Three men each: place them, then move them; three in a row wins."""

    name = "three-mens-morris"
    title = "Three Men's Morris"

    def __init__(self, diagonals: bool = True, flying: bool = False) -> None:
        drawing = THREE if diagonals else tuple(row.translate({92: " ", 47: " "}) for row in THREE)
        super().__init__(drawing, 3, flying, takes=False)


def names(drawing: tuple[str, ...]) -> Iterator[str]:
    """The points of a drawing, a letter and a number each."""
    for row in drawing:
        for x, mark in enumerate(row):
            if mark == ".":
                yield f"{drawing[-1][x]}{row[0]}"


def rows(drawing: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    """The lines of three points, each a row to make, along which men move."""
    where = [(y, x) for y, row in enumerate(drawing) for x, mark in enumerate(row) if mark == "."]
    number = {at: i for i, at in enumerate(where)}
    for down, right, stroke in LINES:
        for y, x in where:
            if drawn(drawing, y - down, x - right) != stroke:  # a line begins here
                row, at = [number[y, x]], (y + down, x + right)
                while drawn(drawing, *at) == stroke or (at in number and len(row) < ROW):
                    if at in number:
                        row.append(number[at])
                    at = at[0] + down, at[1] + right
                if len(row) == ROW:
                    yield tuple(row)


def drawn(drawing: tuple[str, ...], y: int, x: int) -> str:
    """The character drawn at a point."""
    return drawing[y][x] if 0 <= y < len(drawing) and 0 <= x < len(drawing[y]) else " "
