"""Portable Draughts Notation: moves, positions (FEN) and whole games as draughts players exchange them.

    for record in read_pdn(text):
        print(record.tags["White"], record.playthrough.returns)
    text = write_pdn(game.start("11-15 23-19"), White="Tinsley, M.")

A move is 11-15, a jump 22x15x8 (the short form 22x8 is read if it is unambiguous); a position such as
"B:W18,24,K30:B1,2" names who is to move and where the pieces are, K before kings (Millett 1995; PDN 3.0). Comments,
variations and marks such as "!" and "$1" are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from counterplay.core.errors import CounterplayError, InvalidAction, InvalidPosition
from counterplay.core.formats.records import numbered, tagged_record
from counterplay.core.formats.text import LIMIT, shorten, summary
from counterplay.core.language.bits import bit, count, ones
from counterplay.core.language.wide import u64
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.games.checkers.board import BLACK, ROWS, SQUARES, State, index, square_of

if TYPE_CHECKING:
    from counterplay.games.checkers.rules import Checkers

COLOURS = "BW"
PIECES = 12
GAME_TYPE = "21"
"""PDN's number for English draughts."""
RESULTS = {"1-0": (-1.0, 1.0), "0-1": (1.0, -1.0), "1/2-1/2": (0.0, 0.0)}
"""The payoffs of Black and White: White's part comes first in a result."""
LOOSE = ("2-0", "0-2", "1-1", "0-0")
"""Results in another scoring."""

EXAMPLE = '"B:W21,22,K30:B1,2"'


# Moves.


def parse_move(game: Checkers, s: State, text: str) -> int:
    """The action that `text` means in `s`: all stops, or just the first and the last one."""
    word = text.strip().rstrip("!?*+")
    options = legal(game, s)
    if not re.fullmatch(r"\d{1,2}([-x:×]\d{1,2})+", word, flags=re.IGNORECASE | re.ASCII):
        raise InvalidAction(f"{shorten(text.strip())!r} is not a move; write 11-15 for a step and 22x15x8 for a jump")
    stops = [int(number) for number in re.split(r"\D", word)]
    for action in options:
        if game.stops(action) == stops:
            return action
    fitting = [action for action in options if [game.stops(action)[0], game.stops(action)[-1]] == stops]
    if not fitting:
        texts = [game.action_text(s, action) for action in options]
        why = "; a jump must be taken" if "-" in word and any("x" in move for move in texts) else ""
        raise InvalidAction(f"no move {word!r} here{why}; legal: {summary(texts)}")
    if len({game.result(s, action) for action in fitting}) > 1:
        texts = [game.action_text(s, action) for action in fitting]
        raise InvalidAction(f"{word!r} may mean {' or '.join(texts)}: write every square that the piece touches")
    return fitting[0]


def split_moves(text: str) -> list[str]:
    """The moves of a line: numbers of moves, comments, variations, marks and the result are left out."""
    return [word for word in tokens(text) if word not in RESULTS and word not in LOOSE and word != "*"]


def tokens(text: str) -> list[str]:
    """The moves and results in a text of moves."""
    bare = re.sub(r"\{[^}]*\}|;[^\n]*", " ", text)
    if "{" in bare or "}" in bare:
        raise InvalidAction("a comment is unclosed: { and } must come in pairs")
    before = None
    while before != bare:  # from the innermost variation outwards
        before, bare = bare, re.sub(r"\([^()]*\)", " ", bare)
    if "(" in bare or ")" in bare:
        raise InvalidAction("a variation is unclosed: ( and ) must come in pairs")
    bare = re.sub(r"\$\d+|(?<!\S)\d+\.+", " ", bare)
    return bare.split()


# Positions.


def fen(s: State) -> str:
    """The position as a line, followed by `:H` and the plies without progress, if any."""
    black, white = (s.mine, s.theirs) if s.player == BLACK else (s.theirs, s.mine)
    quiet = f":H{s.quiet}" if s.quiet else ""
    return f"{COLOURS[s.player]}:W{listed(white, s.kings)}:B{listed(black, s.kings)}{quiet}"


def listed(pieces: u64, kings: u64) -> str:
    """The squares of some pieces, K before kings."""
    return ",".join(f"{'K' if kings & bit(cell) else ''}{square_of(cell)}" for cell in ones(pieces))


def parse_fen(text: str, game: str, limit: int) -> State:
    """The state that a line describes, fully checked."""
    if len(text) > LIMIT:
        raise InvalidPosition(f"{game}: a position of {len(text)} characters is too long")
    mover, *parts = "".join(text.split()).upper().removesuffix(".").split(":")
    if mover not in ("B", "W") or not parts:
        raise InvalidPosition(f"{game}: write a position as {EXAMPLE}, the side to move first, not {shorten(text)!r}")
    pieces: dict[str, tuple[u64, u64]] = {}
    quiet = 0
    for part in parts:
        colour, rest = part[:1], part[1:]
        if colour in ("B", "W") and colour not in pieces:
            pieces[colour] = parse_pieces(rest, colour, game)
        elif colour == "H" and re.fullmatch(r"\d{1,5}", rest, flags=re.ASCII):
            quiet = int(rest)
        elif not (colour == "F" and rest.isdecimal()):  # the move number that some programs add
            raise InvalidPosition(
                f"{game}: {shorten(part)!r} is not part of a position such as {EXAMPLE}, each colour once"
            )
    if len(pieces) < 2:
        raise InvalidPosition(f"{game}: the pieces of {'white' if 'B' in pieces else 'black'} are missing")
    (black, black_kings), (white, white_kings) = pieces["B"], pieces["W"]
    for cell in ones(black & white):
        raise InvalidPosition(f"{game}: square {square_of(cell)} has a piece of both sides")
    if not black | white:
        raise InvalidPosition(f"{game}: the board is empty")
    if quiet > limit:
        raise InvalidPosition(f"{game}: after {limit} plies without progress the game is over, so {quiet} is too many")
    player = COLOURS.index(mover)
    mine, theirs = (black, white) if player == BLACK else (white, black)
    return State(mine, theirs, black_kings | white_kings, player, quiet)


def parse_pieces(text: str, colour: str, game: str) -> tuple[u64, u64]:
    """The pieces of a side and which of them are kings, from "1,K5,9-12"."""
    name = "black" if colour == "B" else "white"
    pieces, kings = u64(0), u64(0)
    for word in text.split(",") if text else []:
        found = re.fullmatch(r"(K?)(\d{1,2})(?:-(\d{1,2}))?", word, flags=re.ASCII)
        low, high = (int(found[2]), int(found[3] or found[2])) if found else (0, 0)
        if not found or not 1 <= low <= high <= SQUARES:
            raise InvalidPosition(f"{game}: {shorten(word)!r} of {name} is not a square: 1 to 32, K before a king")
        for square in range(low, high + 1):
            if pieces & bit(index(square)):
                raise InvalidPosition(f"{game}: square {square} of {name} is named twice")
            pieces |= bit(index(square))
            if found[1]:
                kings |= bit(index(square))
    if count(pieces) > PIECES:
        raise InvalidPosition(f"{game}: {name} has {count(pieces)} pieces; the maximum is {PIECES}")
    for cell in ones(pieces & ~kings & (ROWS[7] if colour == "B" else ROWS[0])):
        raise InvalidPosition(
            f"{game}: the man of {name} on {square_of(cell)} would be a king; write K{square_of(cell)}"
        )
    return pieces, kings


# Games.


class PdnGame(NamedTuple):
    """A game of a file."""

    tags: dict[str, str]
    playthrough: Playthrough
    result: str  # as the file gives it: 1-0 (White has won), 0-1, 1/2-1/2, or * if unknown


def read_pdn(text: str, game: Checkers | None = None) -> list[PdnGame]:
    """The games of a text. Tags of any name are kept; an illegal move is reported with the number of its game."""
    from counterplay.games.checkers.rules import Checkers

    return list(each_game(text.splitlines(), game or Checkers()))


def each_game(lines: Iterable[str], game: Checkers) -> Iterator[PdnGame]:
    """The same for lines, each game read on demand."""
    for number, (head, moves) in enumerate(split_games(lines), 1):
        yield read_game(head, moves, number, game)


def split_games(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tags and the moves of each game: tags after moves begin the next game."""
    head, moves = "", ""
    depth = 0  # within a comment, a line may begin with anything
    for at, written in enumerate(lines):
        line = written if at else written.removeprefix("\ufeff")
        if not depth and line.lstrip().startswith("["):
            if moves.strip():
                yield head, moves
                head, moves = "", ""
            head += line.strip() + "\n"
            continue
        depth = min(1, max(0, depth + line.count("{") - line.count("}")))
        moves += line.rstrip("\r\n") + "\n"
    if head or moves.strip():
        yield head, moves


def read_game(head: str, moves: str, number: int, game: Checkers) -> PdnGame:
    """One game from its tags and moves."""
    tags: dict[str, str] = {}
    for line in head.splitlines():
        found = re.fullmatch(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]', line)
        if not found:
            raise CounterplayError(f'game {number}: {shorten(line)!r} is not a tag; write [Event "..."]')
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
    kind = tags.get("GameType", GAME_TYPE).split(",")[0].strip()
    if kind != GAME_TYPE:
        raise CounterplayError(
            f"game {number}: GameType {shorten(kind)!r} is not English draughts, which is {GAME_TYPE}"
        )
    try:
        p = game.start(position=tags.get("FEN"))
        words = tokens(moves)
    except CounterplayError as wrong:
        raise type(wrong)(f"game {number}: {wrong}") from None
    result = tags.get("Result", "*")
    if words and (words[-1] in RESULTS or words[-1] in LOOSE or words[-1] == "*"):
        result = words.pop()
    for i, word in enumerate(joined(words)):
        try:
            p.play(word)
        except CounterplayError as wrong:
            raise type(wrong)(f"game {number}, ply {i + 1}, {shorten(word)!r}: {wrong}") from None
    return PdnGame(tags, p, result)


def joined(words: list[str]) -> list[str]:
    """The moves, with jumps that some files split joined: 11x18 18x25 is 11x18x25."""
    moves: list[str] = []
    for word in words:
        if moves and "x" in word and "x" in moves[-1] and moves[-1].split("x")[-1] == word.split("x")[0]:
            moves[-1] += "x" + word.partition("x")[2]
        else:
            moves.append(word)
    return moves


def write_pdn(p: Playthrough, returns: Sequence[float] | None = None, **tags: str) -> str:
    """A playthrough as a game of a file, with tags such as Event, White and Black; `returns` if someone forfeited."""
    start = p.game.position_text(p.states[0])
    got = tuple(returns or (p.returns if p.is_over else ()))
    result = next((text for text, returns in RESULTS.items() if returns == got), "*")
    shown = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "Black": "?", "White": "?", **tags}
    shown = {**shown, "Result": result, "GameType": GAME_TYPE}
    if p.states[0] != p.game.initial():
        shown |= {"SetUp": "1", "FEN": start}
    return tagged_record(shown, [*numbered(p.moves, p.states[0].player), result])
