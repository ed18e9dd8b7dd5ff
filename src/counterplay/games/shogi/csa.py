"""CSA, the format of the Computer Shogi Association, in which programs exchange and store games (version 2.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.text import shorten
from counterplay.core.playthrough import Playthrough
from counterplay.games.shogi import sfen
from counterplay.games.shogi.position import PROMOTED, State, held, is_drop, origin_of, piece_of, promotes, target_of
from counterplay.games.shogi.records import ShogiRecord, played, winner, won_by

if TYPE_CHECKING:
    from counterplay.games.shogi.game import Shogi

HEAD = re.compile(r"V\d|N[+-]|PI|P[1-9+-]|[+-]\d{4}[A-Z]{2}|\$[A-Z]+:")
NAMES = ("OU", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "", "TO", "NY", "NK", "NG", "UM", "RY")
"""Pieces by their code."""
MOVE = re.compile(r"([+-])(\d)(\d)(\d)(\d)([A-Z]{2})")
ENDS = {
    "%TORYO": -1,
    "%TSUMI": -1,
    "%TIME_UP": -1,
    "%ILLEGAL_MOVE": -1,
    "%KACHI": 1,
    "%SENNICHITE": 0,
    "%JISHOGI": 0,
    "%HIKIWAKE": 0,
}
"""The payoff of the side to move."""


def split_games(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines of each game; a line of / or a new version line begins the next."""
    found: list[str] = []
    for line in lines:
        if line.strip() == "/" or (re.match(r"V\d", line) and any(MOVE.match(one) for one in found)):
            yield found
            found = []
        if line.strip() != "/":
            found.append(line)
    if any(line.strip() for line in found):
        yield found


def read_csa(game: Shogi, lines: list[str]) -> ShogiRecord:
    """One game."""
    tags: dict[str, str] = {}
    setup: list[str] = []
    moves: list[str] = []
    ended, side = "", 0
    for line in (part for whole in lines if not whole.startswith("'") for part in whole.strip().split(",")):
        if line in ("+", "-") and not moves:
            side = int(line == "-")
        elif line.startswith("P"):
            setup.append(line)
        elif MOVE.fullmatch(line):
            moves.append(line)
        elif line.startswith("%"):
            ended = ended or line
        elif line[:1] in ("N", "$"):
            name, _, value = (line[1:2], "", line[2:]) if line[0] == "N" else line[1:].partition(":")
            tags[name] = value
    p = game.start(position=start_of(game, setup, side))
    for text in moves:
        played(p, usi_of(game, p.state, text), text)
    if p.is_over:
        return ShogiRecord(p, tags, p.returns)
    got = ENDS.get(ended)
    mover = game.to_move(p.state)
    if ended in ("%+ILLEGAL_ACTION", "%-ILLEGAL_ACTION"):
        return ShogiRecord(p, tags, won_by(1 if ended[1] == "+" else 0))
    returns = None if got is None else (0.0, 0.0) if got == 0 else won_by(mover if got > 0 else 1 - mover)
    return ShogiRecord(p, tags, returns)


def usi_of(game: Shogi, s: State, text: str) -> str:
    """A CSA move as USI: CSA names the piece as it is after the move."""
    found = MOVE.fullmatch(text)
    if not found or found[6] not in NAMES:
        raise CounterplayError(f"{shorten(text)!r} is not a CSA move, such as +7776FU")
    code, target = NAMES.index(found[6]), name_of(found[4], found[5])
    if found[1] != "+-"[s.ply % 2]:
        raise CounterplayError(f"{shorten(text)!r}: it is {sfen.SIDES[s.ply % 2]}'s turn")
    if found[2] + found[3] == "00":
        return f"{sfen.LETTERS[code & 7]}*{target}"
    origin = name_of(found[2], found[3])
    if not 1 <= int(found[2]) <= game.size or not 1 <= int(found[3]) <= game.size:
        raise CounterplayError(f"{shorten(text)!r} does not leave a square of the board")
    square = sfen.square_number(game.size, origin)
    was_promoted = bool(s.promoted >> square & 1)
    return origin + target + ("+" if code & PROMOTED and not was_promoted else "")


def name_of(file: str, rank: str) -> str:
    """A square by its two digits."""
    return f"{file}{' abcdefghi'[int(rank)]}"


def start_of(game: Shogi, setup: list[str], side: int) -> str | None:
    """The SFEN of the start of a game, None for the usual start."""
    pieces: dict[tuple[int, int], str] = {}
    hands, is_usual = ["", ""], True
    for line in setup:
        if line.startswith("PI"):
            for r, row in enumerate(sfen.rows(game, game.initial())):
                pieces |= {(game.size - c, r + 1): sign for c, sign in enumerate(row) if sign != "."}
            for file, rank in re.findall(r"(\d)(\d)[A-Z]{2}", line[2:]):
                pieces.pop((int(file), int(rank)), None)
                is_usual = False
        elif line[1:2].isdigit():
            is_usual = False
            for c, sign in enumerate(re.findall(r"[+-][A-Z]{2}| \* ?", line[2:])):
                if "*" not in sign:
                    pieces[game.size - c, int(line[1])] = piece_text(sign[1:], int(sign[0] == "-"))
        elif line[1:2] in ("+", "-"):
            is_usual, whose = False, int(line[1] == "-")
            for file, rank, name in re.findall(r"(\d)(\d)([A-Z]{2})", line[2:]):
                if name == "AL":
                    raise InvalidPosition("P+00AL, all the rest in hand, is not supported: name the pieces")
                sign = piece_text(name, whose)
                if file + rank == "00":
                    hands[whose] += sign
                else:
                    pieces[int(file), int(rank)] = sign
    if not setup or (is_usual and side == 0):
        return None
    size = range(1, game.size + 1)
    ranks = ["".join(pieces.get((file, rank), "1") for file in reversed(size)) for rank in size]
    return f"{'/'.join(ranks)} {'bw'[side]} {hands[0] + hands[1] or '-'} 1"


def piece_text(name: str, side: int) -> str:
    """A CSA piece as SFEN."""
    if name not in NAMES or not name:
        raise InvalidPosition(f"{name!r} is not a CSA piece; pieces are {' '.join(filter(None, NAMES))}")
    return sfen.piece_text(NAMES.index(name), side)


# Writing.


def write_csa(p: Playthrough, names: Sequence[str], returns: Sequence[float] | None, tags: Mapping[str, str]) -> str:
    """A playthrough as CSA; `returns` if someone forfeited."""
    game: Shogi = p.game  # type: ignore[assignment]
    lines = ["V2.2", f"N+{names[0]}", f"N-{names[1]}"]
    for name, tag in (("EVENT", "Event"), ("START_TIME", "Date")):
        if tag in tags:
            lines.append(f"${name}:{tags[tag].replace('-', '/')}")
    start: State = p.states[0]
    lines += ["PI"] if start == game.initial() else setup_lines(game, start)
    lines.append("+-"[start.ply % 2])
    lines += [move_text(game, s, action) for s, action in zip(p.states, p.actions, strict=False)]
    won = winner(returns or p.returns)
    if won is None:
        lines.append("%SENNICHITE" if p.is_over else "%CHUDAN")
    else:
        lines.append("%TORYO" if won != game.to_move(p.state) else "%KACHI")
    return "\n".join(lines) + "\n"


def move_text(game: Shogi, s: State, action: int) -> str:
    """A move in CSA."""
    size, origin, target = game.size, origin_of(action), target_of(action)
    whence = "00" if is_drop(action) else f"{origin // size + 1}{origin % size + 1}"
    piece = piece_of(action) | promotes(action) << 3
    return f"{'+-'[s.ply % 2]}{whence}{target // size + 1}{target % size + 1}{NAMES[piece]}"


def setup_lines(game: Shogi, s: State) -> list[str]:
    """A position rank by rank, and the hands."""
    lines = []
    for r, row in enumerate(sfen.rows(game, s), 1):
        signs = []
        for sign in row:
            code = sfen.LETTERS.index(sign[-1].upper()) | (PROMOTED if sign[0] == "+" else 0) if sign != "." else 0
            signs.append(" * " if sign == "." else f"{'-' if sign[-1].islower() else '+'}{NAMES[code]}")
        lines.append(f"P{r}{''.join(signs)}")
    for side, hand in enumerate(sfen.hands(s)):
        held_ones = "".join(f"00{NAMES[kind]}" * held(hand, kind) for kind in range(1, 8))
        if held_ones:
            lines.append(f"P{'+-'[side]}{held_ones}")
    return lines
