"""Solitaire Yahtzee: thirteen turns of three rolls, each scored in its own box, for as many points as possible.

In a turn, five dice are rolled; twice you may keep some and roll the others again; then the dice are scored in an empty
box. 63 points or more in the upper boxes earn 35 more. Each further Yahtzee, once the Yahtzee box holds 50, earns 100
more. A Yahtzee is a joker if its own box and its upper box are full: it counts as a full house and as a straight. Best
play scores 254.5896 points on average (Verhoeff, Optimal Solitaire Yahtzee Strategies, 1999; Glenn, An Optimal Strategy
for Yahtzee, 2006).

Dice are a number with three bits for each face: how many show it.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, Look, button, ink, paper, rectangle, standing
from counterplay.core.formats.svg import CELL, circle, rect
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.state import state

FACES, DICE, REROLLS = 6, 5, 2
BOXES = (
    "ones", "twos", "threes", "fours", "fives", "sixes", "three-of-a-kind", "four-of-a-kind", "full-house",
    "small-straight", "large-straight", "yahtzee", "chance",
)  # fmt: skip
COUNT = len(BOXES)
THREE, FOUR, HOUSE, SMALL, LARGE, YAHTZEE, ANY = range(6, COUNT)
ALL = (1 << COUNT) - 1
ENOUGH, BONUS, EXTRA = 63, 35, 100
"""Points in the upper boxes that earn the bonus; the bonus; and the points of a further Yahtzee."""
MOST = 1575
"""Thirteen Yahtzees in the right order."""
USUAL = 19.6
"""The average score of a box."""


@state
class State(NamedTuple):
    """The state of a game."""

    score: int
    used: int  # a bit for each box that is full
    upper: int  # points in the upper boxes, at most 63
    fifty: bool  # there are 50 in the box of the Yahtzee
    dice: int  # those on the table; during a roll, those kept
    left: int  # rolls left
    rolling: bool


class Yahtzee(Game):
    """Roll five dice up to three times a turn to fill thirteen boxes."""

    name = "yahtzee"
    players, zero_sum, utility_bounds = 1, False, (0.0, float(MOST))
    evaluation_bounds = (0.0, float(MOST))

    def initial(self) -> State:
        return State(0, 0, 0, False, 0, REROLLS, True)

    def to_move(self, s: State) -> int:
        return CHANCE if s.rolling else 0

    def actions(self, s: State, out: Actions) -> None:
        """A box, or, after these, the dice to keep while the others are rolled again."""
        for box in range(COUNT):
            if not s.used >> box & 1:
                out.append(box)
        if s.left > 0:
            kept = 0
            while kept != s.dice:
                out.append(COUNT + kept)
                kept = following(kept, s.dice)

    def chance(self, s: State, out: Actions) -> None:
        free = DICE - dice_in(s.dice)
        for a in range(free + 1):
            for b in range(free - a + 1):
                for c in range(free - a - b + 1):
                    for d in range(free - a - b - c + 1):
                        for e in range(free - a - b - c - d + 1):
                            f = free - a - b - c - d - e
                            out.append(a | b << 3 | c << 6 | d << 9 | e << 12 | f << 15)

    def probability(self, s: State, event: int) -> float:
        ways, rolled = 1.0, 0
        for face in range(FACES):
            for k in range(1, showing(event, face) + 1):
                rolled += 1
                ways *= rolled / k / FACES
        return ways

    def result(self, s: State, action: int) -> State:
        if s.rolling:
            return State(s.score, s.used, s.upper, s.fifty, s.dice + action, s.left, False)
        if action >= COUNT:
            return State(s.score, s.used, s.upper, s.fifty, action - COUNT, s.left - 1, True)
        points = self.points(s.used, s.dice, action)
        score, upper = s.score + points, s.upper
        if is_yahtzee(s.dice) and s.fifty:
            score += EXTRA
        if action < FACES:
            upper = min(ENOUGH, s.upper + points)
            if s.upper < ENOUGH <= upper:
                score += BONUS
        fifty = s.fifty or (action == YAHTZEE and points > 0)
        used = s.used | 1 << action
        return State(score, used, upper, fifty, 0, REROLLS, used != ALL)

    def is_terminal(self, s: State) -> bool:
        return s.used == ALL

    def utility(self, s: State, player: int) -> float:
        return float(s.score)

    def is_joker(self, used: int, dice: int) -> bool:
        """Whether the dice are a Yahtzee whose own box and whose upper box are full."""
        return is_yahtzee(dice) and used >> YAHTZEE & used >> face_of(dice) & 1 == 1

    def points(self, used: int, dice: int, box: int) -> int:
        """What the dice score in a box, bonuses apart."""
        if box < FACES:
            return showing(dice, box) * (box + 1)
        total, most, kinds, run, longest = 0, 0, 0, 0, 0
        for face in range(FACES):
            many = showing(dice, face)
            total += many * (face + 1)
            most = max(most, many)
            kinds += many > 0
            run = run + 1 if many else 0
            longest = max(longest, run)
        joker = self.is_joker(used, dice)
        if box == THREE:
            return total if most >= 3 else 0
        if box == FOUR:
            return total if most >= 4 else 0
        if box == HOUSE:
            return 25 if joker or (most == 3 and kinds == 2) else 0
        if box == SMALL:
            return 30 if joker or longest >= 4 else 0
        if box == LARGE:
            return 40 if joker or longest >= 5 else 0
        if box == YAHTZEE:
            return 50 if most == DICE else 0
        return total

    def evaluate(self, s: State, player: int) -> float:
        """The score, and the average scores of the empty boxes."""
        empty = 0
        for box in range(COUNT):
            empty += 1 - (s.used >> box & 1)
        return min(float(MOST), s.score + USUAL * empty)

    # Notation: a box by its name; "keep 4 4 4" or "roll" for all five; dice as digits, such as 11355. A position is
    # "score 12 upper 12 used 1000010000000 dice 11355 left 2", with "fifty" and "rolling" at its end.

    def action_text(self, s: State, action: int) -> str:
        if s.rolling:
            return digits(action)
        if action < COUNT:
            return BOXES[action]
        return f"keep-{digits(action - COUNT)}" if action > COUNT else "roll-all"

    def position_text(self, s: State) -> str:
        boxes = "".join(str(s.used >> box & 1) for box in range(COUNT))
        shown = f"score {s.score} upper {s.upper} used {boxes} dice {digits(s.dice) or '-'} left {s.left}"
        return shown + " fifty" * s.fifty + " rolling" * s.rolling

    def parse_position(self, text: str) -> State:
        words = text.lower().split()
        named = dict(zip(words[:10:2], words[1:10:2], strict=False))
        used, dice, more = named.get("used", ""), named.get("dice", "").strip("-"), words[10:]
        numbers = [named.get(name, "x") for name in ("score", "upper", "left")]
        shape = (
            all(word.isdecimal() and word.isascii() and len(word) <= 4 for word in numbers)
            and len(used) == COUNT and set(used) <= set("01") and set(dice) <= set("123456") and len(dice) <= DICE
            and more in ([], ["fifty"], ["rolling"], ["fifty", "rolling"])
        )  # fmt: skip
        if not shape:
            raise InvalidPosition(
                f"{self.spec}: {text.strip()[:80]!r} is not a position; write it like "
                f"'{self.position_text(self.initial())}'"
            )
        score, upper, left = map(int, numbers)
        mask = sum(1 << box for box, bit in enumerate(used) if bit == "1")
        s = State(
            score, mask, upper, "fifty" in more, sum(1 << 3 * (int(d) - 1) for d in dice), left, "rolling" in more
        )
        self.require_sense(s, len(dice))
        return s

    def require_sense(self, s: State, dice: int) -> None:
        """Refuse a position that play cannot reach."""
        if s.score > MOST or s.upper > min(ENOUGH, s.score) or s.left > REROLLS:
            raise InvalidPosition(
                f"{self.spec}: the score is at most {MOST}, the upper boxes count to {ENOUGH}, and there are two rerolls"
            )
        if s.fifty and not s.used >> YAHTZEE & 1:
            raise InvalidPosition(f"{self.spec}: an empty box cannot hold fifty")
        over = s.used == ALL
        if (
            (over and (dice or s.rolling))
            or (not over and not s.rolling and dice != DICE)
            or (s.rolling and dice == DICE)
        ):
            raise InvalidPosition(f"{self.spec}: five dice lie on the table, or fewer are kept while the others roll")
        if s.rolling and s.left == REROLLS and dice:
            raise InvalidPosition(f"{self.spec}: in the first roll of a turn no dice are kept")

    # Pictures.

    def player_name(self, player: int) -> str:
        return "the dice" if player == CHANCE else "player 1"

    def value_text(self, value: float, plies: int | None = None) -> str:
        return f"{value:.2f} points"

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = [f"score {s.score}, upper boxes {s.upper}"]
        rows += [f"{'x' if s.used >> box & 1 else '.'} {name}" for box, name in enumerate(BOXES)]
        kept = f"kept {digits(s.dice) or 'none'}, the others roll" if s.rolling else f"dice {digits(s.dice)}"
        return "\n".join(rows if self.is_terminal(s) else [*rows, f"{kept}, {s.left} more"])

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        cells, letters, shapes = [], [], [paper(11 * CELL, 6.6 * CELL)]
        for box, name in enumerate(BOXES):
            x, y = (1.2 + 5.4 * (box >= FACES)) * CELL, (0.7 + 0.68 * (box - FACES * (box >= FACES))) * CELL
            full = s.used >> box & 1
            corners = ((x - 18, y - 15), (x + 180, y - 15), (x + 180, y + 15), (x - 18, y + 15))
            cells.append(Cell(name, x, y, corners))
            letters.append("x" if full else ".")
            shapes.append(rect(x - 13, y - 13, 26, 26, "#f6eedc", rx=4, stroke="#8a7a5c", **{"class": "cp-field"}))
            shapes.append(ink(x + 24, y, name.replace("-", " "), 20, anchor="start"))
        for i, face in enumerate(digits(s.dice)):
            cells.append(Cell(f"die {i + 1}", (0.9 + 1.15 * i) * CELL, 5.85 * CELL, (), f"face {face}"))
            letters.append(face)
        if s.left and not s.rolling and not self.is_terminal(s):
            x, y = 7 * CELL, 5.85 * CELL
            cells.append(Cell("roll", x, y, rectangle(x, y, 1.5 * CELL, 0.72 * CELL), is_word=True))
            letters.append(".")
            shapes.append(button(x, y, 1.5 * CELL, "roll"))
        shapes.append(ink(9.6 * CELL, 5.65 * CELL, f"{s.score} points", 20))
        shapes.append(ink(9.6 * CELL, 6.1 * CELL, "the dice roll" if s.rolling else f"{s.left} more", 17))
        looks: dict[str, str | Look] = {str(face + 1): die(face + 1) for face in range(FACES)}
        pieces, drawn = standing(cells, letters, looks | {"x": "green peg"})
        return Diagram(
            11 * CELL, 6.6 * CELL, tuple(cells), pieces, drawn, "".join(shapes), self.board(s), turns=False, picks=True
        )

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """A box; or the dice to keep, the first of each face, and then "roll"."""
        if s.rolling or action < COUNT:
            return () if s.rolling else (BOXES[action],)
        kept, table = digits(action - COUNT), digits(s.dice)
        places = [f"die {table.index(face) + 1 + kept[:i].count(face)}" for i, face in enumerate(kept)]
        return (*places, "roll")

    def ending(self, s: State) -> str:
        return f"with {s.score} points"


def showing(dice: int, face: int) -> int:
    """How many dice show a face, from 0."""
    return dice >> 3 * face & 7


def dice_in(dice: int) -> int:
    """The number of dice."""
    many = 0
    for face in range(FACES):
        many += showing(dice, face)
    return many


def face_of(dice: int) -> int:
    """The face that most of the dice show."""
    best = 0
    for face in range(FACES):
        if showing(dice, face) > showing(dice, best):
            best = face
    return best


def is_yahtzee(dice: int) -> bool:
    """Whether five dice show the same."""
    return showing(dice, face_of(dice)) == DICE


def following(kept: int, dice: int) -> int:
    """The next choice of some of the dice, from none up to all."""
    for face in range(FACES):
        if showing(kept, face) < showing(dice, face):
            return kept + (1 << 3 * face)
        kept -= showing(kept, face) << 3 * face
    return kept


def digits(dice: int) -> str:
    """Dice as text, such as 11355."""
    return "".join(str(face + 1) * showing(dice, face) for face in range(FACES))


def die(face: int) -> Look:
    """A die."""
    spots = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi"}[face]
    drawn = rect(-20, -20, 40, 40, "#fff", rx=7, stroke="#555", stroke_width=1.5)
    for spot in spots:
        at = ord(spot) - ord("a")
        drawn += circle((at % 3 - 1) * 11, (at // 3 - 1) * 11, 4, "#222")
    return Look(str(face), drawn)
