"""Go in writing: vertices such as D4, positions as lines of text, diagrams.

A position is its rows from the top, separated by `/`, with x for Black, o for White and . for an empty point; then the
side to move, x or o; then, if needed, `last` with the last move (a vertex, `pass`, or `pass pass` if that ended the
game) and `ko` with the point that may not be retaken: "..../.xo./x.xo/.xo. o last A2".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.core.errors import InvalidPosition
from counterplay.core.formats.text import read_rows
from counterplay.games.go.stones import NOWHERE, State, Stones, is_single

if TYPE_CHECKING:
    from counterplay.games.go.rules import Go

STONES = "xo"
LETTERS = "ABCDEFGHJKLMNOPQRST"


def vertex(game: Stones, point: int) -> str:
    """The name of a point."""
    return f"{LETTERS[point % game.stride]}{game.size - point // game.stride}"


def point_of(game: Stones, text: str) -> int:
    """The point that a vertex names; NOWHERE if it names none."""
    letter, number = text[:1].upper(), text[1:]
    column = LETTERS[: game.size].find(letter) if letter else -1
    if column < 0 or not (number.isascii() and number.isdecimal()) or len(number) > 2:
        return NOWHERE
    row = game.size - int(number)
    return row * game.stride + column if 0 <= row < game.size else NOWHERE


def rows(game: Stones, s: State) -> list[str]:
    """The rows from the top, a character per point."""
    black, white = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
    seen = ["x" if black >> i & 1 else "o" if white >> i & 1 else "." for i in range(game.size * game.stride)]
    return ["".join(seen[i : i + game.size]) for i in range(0, len(seen), game.stride)]


def position_text(game: Stones, s: State) -> str:
    """A line that describes `s` completely."""
    words = ["/".join(rows(game, s)), STONES[s.player]]
    if s.passes:
        words += ["last", *["pass"] * s.passes]
    elif s.last != NOWHERE:
        words += ["last", vertex(game, s.last)]
    if s.ko != NOWHERE:
        words += ["ko", vertex(game, s.ko)]
    return " ".join(words)


def parse_position(game: Go, text: str) -> State:
    """The state that a line describes, checked."""
    words = text.split()
    at = next((i for i, word in enumerate(words) if word.lower() in ("x", "o") and game.size > 1), 0)
    if not at:
        raise InvalidPosition(f"{game.spec}: after its rows a position names the side to move, x or o")
    player = STONES.index(words[at].lower())
    black, white = boards(game, " ".join(words[:at]))
    require_liberties(game, black, white)
    mine, theirs = (black, white) if player == 0 else (white, black)
    last, ko, passes = read_notes(game, [word.lower() for word in words[at + 1 :]])
    if last != NOWHERE and not theirs & game.at(last):
        raise InvalidPosition(
            f"{game.spec}: the last move, {vertex(game, last)}, is not a stone of {STONES[1 - player]}"
        )
    if ko != NOWHERE:
        require_ko(game, mine, theirs, ko, last)
    return game.State(mine, theirs, game.hashed(black, white), ko, last, passes, player)


def boards(game: Stones, text: str) -> tuple[Any, Any]:
    """The black and the white stones of a board written in rows."""
    found = {"x": game.Board(0), "o": game.Board(0), ".": game.Board(0)}
    for r, row in enumerate(read_rows(text, game.size, game.size, ".xo", game.spec)):
        for c, stone in enumerate(row):
            found[stone] |= game.at(r * game.stride + c)
    return found["x"], found["o"]


def require_liberties(game: Stones, black: Any, white: Any) -> None:
    """Refuse stones without liberties."""
    empty = game.full ^ black ^ white
    dead = game.dead(black, empty) | game.dead(white, empty)
    if dead:
        stone = vertex(game, int(dead & -dead).bit_length() - 1)
        raise InvalidPosition(f"{game.spec}: the stone at {stone} has no liberty, so it cannot be on the board")


def read_notes(game: Stones, words: list[str]) -> tuple[int, int, int]:
    """What follows the side to move: the last point, the ko, and the number of passes."""
    last, ko, passes, rest = NOWHERE, NOWHERE, 0, list(words)
    if rest[:1] == ["last"]:
        del rest[0]
        while rest[:1] == ["pass"] and passes < 2:
            passes += 1
            del rest[0]
        if not passes:
            last = noted(game, rest)
    if rest[:1] == ["ko"] and not passes:
        del rest[0]
        ko = noted(game, rest)
    if rest:
        raise InvalidPosition(f"{game.spec}: {rest[0]!r} is out of place; at most `last D4 ko C3` may follow")
    return last, ko, passes


def noted(game: Stones, rest: list[str]) -> int:
    """The point that the next word names."""
    word = rest.pop(0) if rest else ""
    point = point_of(game, word)
    if point == NOWHERE:
        raise InvalidPosition(f"{game.spec}: {word!r} is not a point on the board")
    return point


def require_ko(game: Stones, mine: Any, theirs: Any, ko: int, last: int) -> None:
    """Refuse a ko unless a single stone can just have captured a single stone there."""
    point, empty = game.at(ko), game.full ^ mine ^ theirs
    around = game.near(point) & game.full
    takers = around & theirs if last == NOWHERE else around & game.at(last)
    if not point & empty or around & ~theirs:
        raise InvalidPosition(
            f"{game.spec}: no ko at {vertex(game, ko)}: it must be empty, with stones of one side around"
        )
    while takers:
        taker = takers & -takers
        if is_single(game.spread(taker, theirs)) and game.near(taker) & empty == point:
            return
        takers ^= taker
    raise InvalidPosition(f"{game.spec}: no ko at {vertex(game, ko)}: no single stone was captured there")


def diagram(game: Stones, s: State) -> str:
    """The board for the terminal, the last stone in brackets."""
    header = "   " + " ".join(LETTERS[: game.size])
    lines = [header]
    for r, row in enumerate(rows(game, s)):
        cells = [" " + cell for cell in row] + [" "]
        if s.last != NOWHERE and s.last // game.stride == r:
            c = s.last % game.stride
            cells[c] = "(" + row[c]
            cells[c + 1] = ")" + cells[c + 1][1:]
        lines.append(f"{game.size - r:2}{''.join(cells)}".rstrip())
    return "\n".join(lines)
