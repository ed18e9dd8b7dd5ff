"""Positions as text: Forsyth-Edwards Notation (Edwards 1994), with Chess960's rooks by their files where needed (X-FEN)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.errors import InvalidPosition
from counterplay.core.formats.text import LIMIT
from counterplay.core.language.bits import bit, count, first, ones
from counterplay.core.language.wide import u64
from counterplay.games.chess.position import (
    FIRST_RANKS,
    KING,
    NO_PIECE,
    NOWHERE,
    PAWN,
    ROOK,
    State,
    square_name,
)

if TYPE_CHECKING:
    from counterplay.games.chess.rules import Rules

LETTERS = "pnbrqk"
NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")
SIDES = ("White", "Black")


def letter_at(game: Rules, s: State, square: int) -> str:
    """The piece on a square, White's in capitals; "." if empty."""
    piece = game.piece_at(s, bit(square))
    if piece == NO_PIECE:
        return "."
    is_white = bool(s.own & bit(square)) == (s.ply % 2 == 0)
    return LETTERS[piece].upper() if is_white else LETTERS[piece]


def rows(game: Rules, s: State) -> list[str]:
    """The ranks from the eighth, a character per square."""
    return ["".join(letter_at(game, s, 8 * rank + file) for file in range(8)) for rank in reversed(range(8))]


def write(game: Rules, s: State) -> str:
    """The FEN of a position."""
    ranks = []
    for row in rows(game, s):
        for empty in range(8, 0, -1):
            row = row.replace("." * empty, str(empty))
        ranks.append(row)
    en_passant = "-" if s.en_passant == NOWHERE else square_name(s.en_passant)
    return f"{'/'.join(ranks)} {'wb'[s.ply % 2]} {castling_text(s)} {en_passant} {s.clock} {s.ply // 2 + 1}"


def castling_text(s: State) -> str:
    """The rights to castle: K and Q for the outermost rook of that wing, else its file."""
    text = ""
    for side in range(2):
        pieces = s.own if side == s.ply % 2 else s.opp
        king = first(s.king & pieces)
        home = u64(0xFF) << 56 * side
        for rook in reversed(list(ones(s.castling & pieces))):
            beyond = s.rook & pieces & home & (~((bit(rook) << 1) - 1) if rook > king else bit(rook) - 1)
            letter = "abcdefgh"[rook % 8] if beyond else "kq"[rook < king]
            text += letter if side else letter.upper()
    return text or "-"


def read(game: Rules, text: str) -> State:
    """The position of a FEN; the counts at its end may be missing. Everything in it is checked."""
    parts = text[:LIMIT].split()
    if not 4 <= len(parts) <= 6:
        raise InvalidPosition(
            f"{text.strip()[:60]!r} is not a FEN, which has a board, a side to move (w or b), "
            "castling, en passant and two counts"
        )
    boards, colours = read_board(parts[0])
    if parts[1] not in ("w", "b"):
        raise InvalidPosition(f"the side to move is w or b, not {parts[1]!r}")
    side = "wb".index(parts[1])
    clock, number = read_count(parts[4:5], 0), read_count(parts[5:6], 1)
    if number < 1:
        number = 1
    ply = 2 * (number - 1) + side
    own, opp = colours[side], colours[1 - side]
    check_pieces(boards, colours)
    castling = read_castling(parts[2], boards, colours)
    pawn, knight, bishop, rook, queen, king = boards
    s = State(pawn, knight, bishop, rook, queen, king, own, opp, castling, u64(0), u64(0), NOWHERE, clock, ply)
    waiting = s._replace(own=opp, opp=own, ply=ply + 1)
    if game.aware(waiting, NOWHERE).checkers:
        raise InvalidPosition(
            f"{SIDES[1 - side]}'s king could be taken: {SIDES[side]} is to move and already gives check"
        )
    s = game.aware(s, NOWHERE)
    if count(s.checkers) > 2:
        raise InvalidPosition(f"{SIDES[side]}'s king is in check by {count(s.checkers)} pieces, and no move does that")
    if parts[3] == "-":
        return s
    return game.aware(s, game.en_passant_square(s, read_en_passant(parts[3], s)))


def read_board(text: str) -> tuple[list[u64], list[u64]]:
    """The boards of the six pieces and of the two colours."""
    boards, colours = [u64(0)] * 6, [u64(0)] * 2
    ranks = text.split("/")
    if len(ranks) != 8:
        raise InvalidPosition(f"the board has {len(ranks)} ranks instead of 8: {text[:80]!r}")
    for i, rank in enumerate(ranks):
        column = 0
        for sign in rank:
            if sign in "12345678":
                column += int(sign)
            elif sign.lower() in LETTERS:
                if column < 8:
                    here = bit(8 * (7 - i) + column)
                    boards[LETTERS.index(sign.lower())] |= here
                    colours[sign.islower()] |= here
                column += 1
            else:
                raise InvalidPosition(
                    f"{sign!r} in rank {8 - i} is not a piece; pieces are {LETTERS.upper()} and {LETTERS}"
                )
        if column != 8:
            raise InvalidPosition(f"rank {8 - i} has {column} squares instead of 8: {rank!r}")
    return boards, colours


def read_count(parts: list[str], missing: int) -> int:
    """A count at the end of a FEN."""
    if not parts:
        return missing
    if not (parts[0].isascii() and parts[0].isdigit() and len(parts[0]) <= 6):
        raise InvalidPosition(f"{parts[0]!r} is not a move count")
    return int(parts[0])


def check_pieces(boards: list[u64], colours: list[u64]) -> None:
    """Refuse pieces that cannot occur in a game."""
    for name, pieces in zip(SIDES, colours, strict=True):
        counts = [count(board & pieces) for board in boards]
        if counts[KING] != 1:
            raise InvalidPosition(f"{name} has {counts[KING]} kings instead of 1")
        if counts[PAWN] > 8 or sum(counts) > 16:
            raise InvalidPosition(
                f"{name} has {counts[PAWN]} pawns and {sum(counts)} pieces; at most 8 and 16 are possible"
            )
        promoted = sum(max(0, n - most) for n, most in zip(counts[1:5], (2, 2, 2, 1), strict=True))
        if promoted > 8 - counts[PAWN]:
            raise InvalidPosition(f"{name} has {promoted} promoted pieces, but only {8 - counts[PAWN]} pawns are gone")
    if boards[PAWN] & FIRST_RANKS:
        raise InvalidPosition("a pawn cannot be on the first or the eighth rank")


def read_castling(text: str, boards: list[u64], colours: list[u64]) -> u64:
    """The rooks that may castle."""
    rights = u64(0)
    for sign in "" if text == "-" else text:
        side = int(sign.islower())
        king = first(boards[KING] & colours[side])
        home = u64(0xFF) << 56 * side
        rooks = boards[ROOK] & colours[side] & home
        found = NOWHERE
        if sign.lower() in "kq":
            wing = [rook for rook in ones(rooks) if (rook > king) == (sign.lower() == "k")]
            if wing:
                found = wing[-1] if sign.lower() == "k" else wing[0]
        elif sign.lower() in "abcdefgh":
            found = 56 * side + "abcdefgh".index(sign.lower())
        else:
            raise InvalidPosition(f"{sign!r} is not a castling right; write KQkq, or - for none")
        if found == NOWHERE or not bit(king) & home or not rooks & bit(found):
            raise InvalidPosition(f"{SIDES[side]} cannot castle by {sign!r}: king and rook are not on their squares")
        rights |= bit(found)
    for pieces in colours:
        king, chosen = first(boards[KING] & pieces), list(ones(rights & pieces))
        if len({rook > king for rook in chosen}) < len(chosen):
            raise InvalidPosition(f"{text!r} lets a king castle with two rooks on one wing")
    return rights


def read_en_passant(text: str, s: State) -> int:
    """The square behind a pawn that has just gone two steps."""
    side = s.ply % 2
    if len(text) == 2 and text[0] in "abcdefgh" and text[1] == "63"[side]:
        square = 8 * (int(text[1]) - 1) + "abcdefgh".index(text[0])
        pawn = square - 8 + 16 * side
        behind = square + 8 - 16 * side
        if s.pawn & s.opp & bit(pawn) and not (s.own | s.opp) & (bit(square) | bit(behind)):
            return square
    raise InvalidPosition(
        f"en passant on {text[:10]!r} is not possible: no pawn of {SIDES[1 - side]} has just passed there"
    )
