"""Kriegspiel notation: tries as e2e4, and positions as FEN followed by the referee's record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.errors import InvalidPosition
from counterplay.core.formats.text import LIMIT, shorten
from counterplay.core.language.bits import bit, count, ones
from counterplay.core.language.wide import u64
from counterplay.games.kriegspiel.board import KING, NO_PIECE, NOWHERE, PAWN, ROOK, STARTS, WHITE, Pieces, number

if TYPE_CHECKING:
    from counterplay.games.kriegspiel.rules import Kriegspiel, State

LETTERS = "pnbrqk"
CORNERS = {"K": 7, "Q": 0, "k": 63, "q": 56}
"""The rooks of a board of 8x8 that castle, by their letters in a FEN."""


def square_name(square: int) -> str:
    """A square as players write it."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def action_text(game: Kriegspiel, s: State, action: int) -> str:
    """A try, such as e2e4 or b7b8q."""
    origin, target = action & 63, action >> 6 & 63
    promotes = s.pawn & bit(origin) and target // 8 in (0, game.size - 1)
    return square_name(origin) + square_name(target) + ("nbrq"[action >> 12] if promotes else "")


def letter_at(game: Kriegspiel, s: State, square: int) -> str:
    """The piece on a square, White's in capitals; "." if empty."""
    piece = game.piece_at(game.pieces(s), square)
    if piece == NO_PIECE:
        return "."
    return LETTERS[piece].upper() if s.white & bit(square) else LETTERS[piece]


def rows(game: Kriegspiel, s: State) -> list[str]:
    """The board from the top, a character per square."""
    return ["".join(letter_at(game, s, number(f, r)) for f in range(game.size)) for r in reversed(range(game.size))]


def write(game: Kriegspiel, s: State) -> str:
    """A position: the FEN without the move number and, once something has been tried, the referee's record."""
    ranks = []
    for row in rows(game, s):
        for empty in range(game.size, 0, -1):
            row = row.replace("." * empty, str(empty))
        ranks.append(row)
    castling = "".join(letter for letter, corner in CORNERS.items() if s.castling & bit(corner)) or "-"
    en_passant = "-" if s.en_passant == NOWHERE else square_name(s.en_passant)
    told = f"{'/'.join(ranks)} {'wb'[s.player]} {castling} {en_passant} {s.clock}"
    if s.heard == 1:
        return told
    return f"{told} record {s.tried[0]:x} {s.tried[1]:x} {s.heard:x} {s.said:x} {s.refused}"


def read_boards(size: int, text: str) -> tuple[list[int], list[int]]:
    """The boards of the six pieces, and of White and Black."""
    boards, colours = [0] * 6, [0] * 2
    ranks = text.split("/")
    wrong = InvalidPosition(
        f"kriegspiel: {shorten(text)!r} is no board of {size} rows from the top, such as {STARTS[size]}"
    )
    if len(ranks) != size:
        raise wrong
    for i, line in enumerate(ranks):
        file = 0
        for sign in line:
            if sign.isascii() and sign.isdecimal():
                file += int(sign)
            elif sign.lower() in LETTERS and file < size:
                here = 1 << number(file, size - 1 - i)
                boards[LETTERS.index(sign.lower())] |= here
                colours[sign.islower()] |= here
                file += 1
            else:
                raise wrong
        if file != size:
            raise wrong
    for side, name in enumerate(("White", "Black")):
        if (boards[KING] & colours[side]).bit_count() != 1:
            raise InvalidPosition(f"kriegspiel: {name} has one king, not {(boards[KING] & colours[side]).bit_count()}")
        if colours[side].bit_count() > 16:
            raise InvalidPosition(f"kriegspiel: {name} has at most 16 pieces, not {colours[side].bit_count()}")
    edges = sum(1 << number(file, rank) for file in range(size) for rank in (0, size - 1))
    if boards[PAWN] & edges:
        raise InvalidPosition("kriegspiel: a pawn cannot be on the first or the last rank")
    return boards, colours


def read_start(size: int, text: str) -> list[int]:
    """A start with White to move: the boards of the pieces and of the sides, and the rooks that may castle."""
    boards, colours = read_boards(size, text)
    castling = 0
    if size == 8:
        for side, king in enumerate((4, 60)):
            if boards[KING] & colours[side] & 1 << king:
                castling |= boards[ROOK] & colours[side] & (1 << king + 3 | 1 << king - 4)
    return [*boards, *colours, castling]


def read(game: Kriegspiel, text: str) -> State:
    """The state that a position describes; everything is checked except the record, which must only be well-formed."""
    from counterplay.games.kriegspiel.rules import HEARD_BITS, MOST_TRIES, TRY, Heard, Tries

    told, _, record = text[: 2 * LIMIT].partition(" record ")
    parts = told.split()
    if not 1 <= len(parts) <= 6 or (len(parts) > 1 and parts[1] not in ("w", "b")):
        raise InvalidPosition(
            f"{game.spec}: {shorten(text)!r} is not a position: it has a board, the side to move (w or b), castling, en "
            "passant and a clock"
        )
    player = "wb".index(parts[1]) if len(parts) > 1 else WHITE
    b = read_pieces(game, parts, player)
    if not record:
        return game.begun(b, player)
    numbers = record.split()
    try:
        white, black, heard, said = (int(word, 16) for word in numbers[:4])
        refused = int(numbers[4])
        if len(numbers) != 5 or min(white, black, said, refused) < 0 or heard < 1:
            raise ValueError
        if max(white, black).bit_length() > TRY * MOST_TRIES or heard.bit_length() > HEARD_BITS or said >> 21:
            raise ValueError
    except (ValueError, IndexError):
        raise InvalidPosition(f"{game.spec}: {shorten(record)!r} is not a referee's record") from None
    s = game.placed(b, player, refused, said, (Tries(white), Tries(black)), Heard(heard))
    listed: list[int] = []
    game.tries(b, player, said >> 16 > 0, listed)  # type: ignore[arg-type]
    made = [game.tried_before(s, i) for i in range(min(refused, MOST_TRIES))]
    if (
        len(set(made)) != refused
        or said >> 8 != game.announce(b, player) >> 8
        or not all(a in listed and not game.is_legal(b, player, a) for a in made)
    ):
        raise InvalidPosition(f"{game.spec}: the record does not agree with the board")
    return s


def read_pieces(game: Kriegspiel, parts: list[str], player: int) -> Pieces:
    """The board of a position."""
    boards, colours = read_boards(game.size, parts[0])
    usual = read_start(game.size, parts[0])[8]
    castling = 0
    for sign in parts[2] if len(parts) > 2 and parts[2] != "-" else "":
        if sign not in CORNERS or not usual & 1 << CORNERS[sign]:
            raise InvalidPosition(f"{game.spec}: nobody can castle by {sign!r} there")
        castling |= 1 << CORNERS[sign]
    clock = parts[4] if len(parts) > 4 else "0"
    if not (clock.isascii() and clock.isdecimal() and len(clock) <= 3):
        raise InvalidPosition(f"{game.spec}: {shorten(clock)!r} is not a move count")
    pawn, knight, bishop, rook, queen, king, white, black = map(u64, (*boards, *colours))
    b = Pieces(pawn, knight, bishop, rook, queen, king, white, black, u64(castling), NOWHERE, int(clock))
    if game.checkers(b, 1 - player):
        raise InvalidPosition(f"{game.spec}: {game.player_name(player)} is to move and already gives check")
    if count(game.checkers(b, player)) > 2:
        raise InvalidPosition(f"{game.spec}: three pieces give check at once, and no move does that")
    if len(parts) > 3 and parts[3] != "-":
        passed = [q for q in ones(u64(0xFF) << (40 if player == WHITE else 16)) if square_name(q) == parts[3]]
        up = 8 if player == WHITE else -8
        other = b.black if player == WHITE else b.white
        occupied = b.white | b.black
        if game.size < 8 or not passed or not b.pawn & other & bit(passed[0] - up):
            raise InvalidPosition(f"{game.spec}: no pawn has just passed {shorten(parts[3])!r}")
        if occupied & (bit(passed[0]) | bit(passed[0] + up)):
            raise InvalidPosition(f"{game.spec}: no pawn has just passed {parts[3]}: something stands in its way")
        b = b._replace(en_passant=passed[0])
    return b
