"""Backgammon notation: plays such as `13/8 6/5*`, rolls such as `31`, and GNU Backgammon's identifiers.

A play names each checker's path in the mover's own numbering: `24/18*/13` for one that hits on its way, `24/13` for one
that does not, `6/4(2)` for two alike, `bar/22` and `6/off`. A position is GNU Backgammon's position ID, a colon and its
match ID, which says who is on roll, the dice and the cube (gnubg manual, "A technical description of the position ID").
Our first player, x, is GNU Backgammon's X, its player 1.
"""

from __future__ import annotations

import base64
import binascii
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from counterplay.core.errors import InvalidAction, InvalidPosition
from counterplay.core.formats.text import LIMIT, shorten, summary
from counterplay.core.rules import legal
from counterplay.games.backgammon.board import (
    BAR,
    CENTRED,
    CHECKERS,
    DECIDING,
    DROPPED,
    OFFERED,
    OPENING,
    PLAYING,
    ROLLING,
    START,
    Board,
    State,
    checkers,
    count_at,
)

if TYPE_CHECKING:
    from counterplay.games.backgammon.rules import Backgammon

NO_PLAY = "pass"
CUBE_WORDS = ("roll", "double", "take", "drop")
EXAMPLE = '"4HPwATDgc/ABMA", "4HPwATDgc/ABMA o 31" or "4HPwATDgc/ABMA:cIkFAAAAAAAA"'

# The fields of a match ID: (first bit, bits).
CUBE, OWNER, ON_ROLL, CRAWFORD, GAME, TURN, OFFER, RESIGNED = (
    *((0, 4), (4, 2), (6, 1), (7, 1), (8, 3), (11, 1), (12, 1), (13, 2)),
)
DICE, LENGTH = ((15, 3), (18, 3)), (21, 15)
NO_GAME, RUNNING, OVER, RESIGNATION, DROP_ENDED = range(5)
NOBODY = 3
"""The owner of a cube in the middle, in a match ID."""
ROLLING_WORD = "rolling"
"""Follows an ID if the cube stays and the dice are still to be rolled: a match ID cannot say so."""


# Plays.


Way = tuple[int, int]
"""Where a checker starts and where it lands; 0 is off."""


def moves_of(play: int) -> list[Way]:
    """The checker moves of a play, in order."""
    moves = []
    while play:
        point, die = play >> 3 & 31, play & 7
        moves.append((point, max(0, point - die)))
        play >>= 8
    return moves


def hits_of(s: State, play: int) -> set[int]:
    """The points, in the mover's numbering, where a play hits."""
    return {end for _, end in moves_of(play) if end and count_at(s.theirs, BAR - end) == 1}


def action_text(s: State, action: int) -> str:
    """An action or a roll, as players write it."""
    if s.stage in (OPENING, ROLLING):
        return f"{action >> 3}{action & 7}"
    if s.stage != PLAYING:
        return CUBE_WORDS[action]
    hits = hits_of(s, action)
    ways: list[list[int]] = []  # the stops of each checker
    for start, end in sorted(moves_of(action), reverse=True):
        joined = next((way for way in ways if way[-1] == start), None)
        if joined is None:
            ways.append([start, end])
        else:
            joined.append(end)
    texts = []
    written = [shown(way, hits) for way in ways]
    for way in dict.fromkeys(written):
        words = [point_text(way[0])]
        for stop in way[1:]:
            words.append(point_text(stop) + "*" * (stop in hits))
            hits.discard(stop)  # a hit is marked once
        alike = written.count(way)
        texts.append("/".join(words) + (f"({alike})" if alike > 1 else ""))
    return " ".join(texts) or NO_PLAY


def shown(way: list[int], hits: set[int]) -> tuple[int, ...]:
    """The stops of a path that are written: its start, its end, and its hits."""
    return (way[0], *(stop for stop in way[1:-1] if stop in hits), way[-1])


def point_text(point: int) -> str:
    """The name of a point."""
    return "bar" if point == BAR else str(point) if point else "off"


def parse_action(game: Backgammon, s: State, text: str) -> int:
    """The action, or roll, that `text` means in `s`; checkers and hits may come in any order."""
    options = legal(game, s)
    wanted = " ".join(text.lower().replace(",", " ").split())
    texts = {game.action_text(s, action): action for action in options}
    if s.stage == PLAYING:
        if wanted not in texts and wanted not in (*CUBE_WORDS, NO_PLAY) and not re.fullmatch(ROLL, wanted):
            return parse_play(game, s, wanted, options)
    elif re.fullmatch(ROLL, wanted):
        a, b = [int(digit) for digit in wanted if digit.isdigit()]
        wanted = f"{a}{b}" if s.stage == OPENING else f"{max(a, b)}{min(a, b)}"
    if wanted not in texts:
        raise InvalidAction(f"no action {shorten(text.strip())!r} here; legal: {summary(texts)}")
    return texts[wanted]


ROLL = r"[1-6][-:]?[1-6]:?"


def parse_play(game: Backgammon, s: State, text: str, options: list[int]) -> int:
    """The play that leaves the mover's checkers where `text` puts them, with the hits that it names."""
    change, stars = parse_ways(text)
    starts = {point: count_at(s.mine, point) for point in range(1, BAR + 1)}
    wanted = {point: starts.get(point, 0) + change.get(point, 0) for point in range(1, BAR + 1)}
    ends = [action for action in options if _counts(game.result(s, action).theirs) == wanted]
    fitting = [action for action in ends if stars <= hits_of(s, action)]
    if not fitting:
        why = "" if not ends else "; nothing is hit there"
        raise InvalidAction(
            f"no play {shorten(text)!r} here{why}; legal: {summary([game.action_text(s, a) for a in options])}"
        )
    if len(fitting) > 1:
        texts = [game.action_text(s, action) for action in fitting]
        raise InvalidAction(f"{shorten(text)!r} may mean {' or '.join(texts)}: say where it hits")
    return fitting[0]


def parse_ways(text: str) -> tuple[dict[int, int], set[int]]:
    """A play's changes to the mover's counts, and the points that it marks as hit."""
    change: dict[int, int] = {}
    stars: set[int] = set()
    for word in text.split():
        found = re.fullmatch(r"((?:bar|\d{1,2})(?:/(?:off|\d{1,2})\*?)+)(?:\(([1-4])\))?", word, flags=re.ASCII)
        stops = found[1].split("/") if found else []
        points = [parse_point(stop.rstrip("*")) for stop in stops]
        if not found or not all(before > after for before, after in pairwise(points)):
            raise InvalidAction(f"{shorten(word)!r} is not a checker's move; write 13/8, 24/18*/13, bar/22 or 6/off(2)")
        for point, by in ((points[0], -1), (points[-1], 1)):
            change[point] = change.get(point, 0) + by * int(found[2] or 1)
        stars |= {point for point, stop in zip(points, stops, strict=True) if stop.endswith("*")}
    return change, stars


def parse_point(text: str) -> int:
    """The number of a point: 25 is the bar, 0 off."""
    return {"bar": BAR, "off": 0}.get(text) if text in ("bar", "off") else int(text)  # type: ignore[return-value]


def _counts(side: Board) -> dict[int, int]:
    return {point: count_at(side, point) for point in range(1, BAR + 1)}


def split_moves(text: str) -> list[str]:
    """The actions of a line: consecutive checker moves are one play, as in "31: 8/5 6/5 64: 24/14"."""
    actions: list[str] = []
    for word in text.replace(",", " ").split():
        if "/" in word and actions and "/" in actions[-1]:
            actions[-1] += " " + word
        else:
            actions.append(word)
    return actions


# Positions.


def position_text(s: State, has_cube: bool) -> str:
    """The position ID and the match ID."""
    is_plain = not has_cube or s.stage != ROLLING or s.cube == 6 or s.owner == 1 - s.player
    after = "" if is_plain else f" {ROLLING_WORD}"
    return f"{position_id(s)}:{match_id(s)}{after}"


def position_id(s: State) -> str:
    """GNU Backgammon's position ID: for each side, the other side first, a one for each checker on each point from 1 to
    the bar, and a zero after each point."""
    bits, at = 0, 0
    for side in (s.theirs, s.mine):
        for point in range(1, BAR + 1):
            number = count_at(side, point)
            bits |= ((1 << number) - 1) << at
            at += number + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode()[:14]


def match_id(s: State) -> str:
    """GNU Backgammon's match ID for money play."""
    bits = 0
    chooser = 1 - s.player if s.stage == OFFERED else s.player
    game = NO_GAME if s.stage == OPENING else DROP_ENDED if s.stage == DROPPED else RUNNING
    if game == RUNNING and s.stage != PLAYING and count_at(s.theirs, 0) == CHECKERS:
        game = OVER
    owner = NOBODY if s.owner == CENTRED else 1 - s.owner
    fields = ((CUBE, s.cube), (OWNER, owner), (ON_ROLL, 1 - s.player), (GAME, game), (TURN, 1 - chooser))
    for (first, _), value in (*fields, (OFFER, int(s.stage == OFFERED))):
        bits |= value << first
    for (first, _), die in zip(DICE, (s.dice >> 3, s.dice & 7), strict=True):
        bits |= die << first
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


def parse_position(text: str, game: str, has_cube: bool) -> State:
    """The state that a position ID, with a match ID or with words for the side on roll and the dice, describes."""
    if len(text) > LIMIT:
        raise InvalidPosition(f"{game}: a position of {len(text)} characters is too long")
    ids, *words = text.split() or [""]
    position, _, match = ids.partition(":")
    mine, theirs = parse_position_id(position, game)
    is_rolling = words[-1:] == [ROLLING_WORD]
    words = words[: len(words) - is_rolling]
    if match:
        if words:
            raise InvalidPosition(f"{game}: the match ID says who is on roll and the dice; leave out {words[0]!r}")
        s = parse_match_id(match, mine, theirs, game)
    else:
        s = parse_words(words, mine, theirs, game)
    if s.stage == DECIDING and (is_rolling or not has_cube or s.owner == 1 - s.player or s.cube == 6):
        s = s._replace(stage=ROLLING)
    elif is_rolling:
        raise InvalidPosition(f"{game}: the dice do not roll here; leave out {ROLLING_WORD!r}")
    check(s, game, has_cube)
    return s


def parse_position_id(text: str, game: str) -> tuple[Board, Board]:
    """The checkers of the side on roll and of the other side."""
    data = decoded(text, 14, 10)
    if data is None:
        raise InvalidPosition(f"{game}: {shorten(text)!r} is not a position ID; write {EXAMPLE}")
    bits, sides = int.from_bytes(data, "little"), []
    for _ in range(2):
        counts = []
        for point in range(1, BAR + 1):
            number = 0
            while bits & 1:
                number, bits = number + 1, bits >> 1
            bits >>= 1
            counts.append((point, number))
        total = sum(number for _, number in counts)
        if total > CHECKERS:
            raise InvalidPosition(f"{game}: {text!r} has {total} checkers on a side; the maximum is {CHECKERS}")
        sides.append(checkers(*counts))
    if bits:
        raise InvalidPosition(f"{game}: {text!r} is not a position ID: it continues after the last checker")
    return sides[1], sides[0]


def decoded(text: str, length: int, size: int) -> bytes | None:
    """The bytes of an ID, or None if it is not one."""
    if len(text) != length:
        return None
    try:
        data = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if len(data) == size else None


def parse_match_id(text: str, mine: Board, theirs: Board, game: str) -> State:
    """The state with these checkers that a match ID of money play describes."""
    data = decoded(text, 12, 9)
    if data is None:
        raise InvalidPosition(
            f"{game}: {shorten(text)!r} is not a match ID; it has 12 characters, such as cIkFAAAAAAAA"
        )
    bits = int.from_bytes(data, "little")

    def field(span: tuple[int, int]) -> int:
        return bits >> span[0] & ((1 << span[1]) - 1)

    if field(LENGTH) or field(CRAWFORD):
        raise InvalidPosition(f"{game}: {text!r} is from a match; only money play is supported")
    if field(RESIGNED) or field(GAME) in (RESIGNATION,) or field(GAME) > DROP_ENDED:
        raise InvalidPosition(f"{game}: {text!r} is from a game that was resigned")
    a, b = field(DICE[0]), field(DICE[1])
    if (a == 0) != (b == 0) or a > 6 or b > 6:
        raise InvalidPosition(f"{game}: {text!r} has the dice {a} and {b}; dice show 1 to 6")
    owner = CENTRED if field(OWNER) == NOBODY else 1 - (field(OWNER) & 1)
    player = 1 - field(ON_ROLL)
    stage = PLAYING if a else OFFERED if field(OFFER) else DECIDING
    if field(GAME) == NO_GAME:
        stage, player = OPENING, 0
    elif field(GAME) == DROP_ENDED:
        stage = DROPPED
    return State(mine, theirs, player, max(a, b) * 8 + min(a, b), stage, field(CUBE), owner)


def parse_words(words: list[str], mine: Board, theirs: Board, game: str) -> State:
    """The state with these checkers and with words such as "o 31" for who is on roll (x if missing) and the dice."""
    player, dice, stage = 0, 0, DECIDING
    for word in words:
        if word.lower() in ("x", "o"):
            player = "xo".index(word.lower())
        elif re.fullmatch(ROLL, word):
            a, b = [int(digit) for digit in word if digit.isdigit()]
            dice, stage = max(a, b) * 8 + min(a, b), PLAYING
        else:
            raise InvalidPosition(f"{game}: {shorten(word)!r} is neither x or o nor dice such as 31; write {EXAMPLE}")
    return State(mine, theirs, player, dice, stage, 0, CENTRED)


def check(s: State, game: str, has_cube: bool) -> None:
    """Refuse an impossible position."""
    for side, other in ((s.mine, s.theirs), (s.theirs, s.mine)):
        for point in range(1, BAR):
            if count_at(side, point) and count_at(other, BAR - point):
                raise InvalidPosition(f"{game}: both sides have checkers on one point, {point} to one of them")
    if count_at(s.mine, 0) == CHECKERS:
        raise InvalidPosition(f"{game}: the side on roll has borne off all its checkers: it has already won")
    if count_at(s.theirs, 0) == CHECKERS and (s.stage == PLAYING or s.stage == OFFERED):
        raise InvalidPosition(f"{game}: the game is over, so there are no dice and no double")
    if not has_cube and (s.cube or s.owner != CENTRED or s.stage in (OFFERED, DROPPED)):
        raise InvalidPosition(f"{game}: there is no cube in this game; backgammon:cube=on has one")
    if s.cube > 6 or (s.cube == 0) != (s.owner == CENTRED):
        raise InvalidPosition(
            f"{game}: a cube at {1 << s.cube} cannot have that owner; the player who takes a double owns it"
        )
    if s.stage in (OFFERED, DROPPED) and (s.owner == 1 - s.player or s.cube == 6):
        raise InvalidPosition(f"{game}: the side on roll may not double: it does not own the cube")
    if s.stage == OPENING and (s.mine != START or s.theirs != START or s.dice):
        raise InvalidPosition(f"{game}: before the first roll the checkers must be in their starting position")
    if all(count_at(side, BAR) and not entry(other) for side, other in ((s.mine, s.theirs), (s.theirs, s.mine))):
        raise InvalidPosition(f"{game}: both sides are on the bar against closed home boards, which is impossible")


def entry(side: Board) -> bool:
    """Whether a side leaves a point of its home board open."""
    return any(count_at(side, point) < 2 for point in range(1, 7))
