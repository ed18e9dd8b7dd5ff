"""Positions as text: SFEN as in USI: the board from rank a, the side to move, the hands, the move number.

If needed, a fifth field of our own follows, such as 1/0: the consecutive moves that gave check, those of the side to
move and those of the other side.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from counterplay.core.errors import InvalidPosition
from counterplay.core.formats.text import LIMIT, shorten
from counterplay.core.language.bits import count, ones
from counterplay.games.shogi.position import GOLD, KING, PAWN, PROMOTED, SET, State, held

if TYPE_CHECKING:
    from counterplay.games.shogi.game import Shogi

LETTERS = "KPLNSBRG"
"""By piece code; + before promoted pieces."""
NAMES = ("king", "pawn", "lance", "knight", "silver", "bishop", "rook", "gold")
SIDES = ("Black", "White")
RANKS = "abcdefghi"
IN_HAND = "RBGSNLP"
"""The order in which a hand is written."""
PIECE = re.compile(r"\d|\+?[A-Za-z]|.")


def square_name(size: int, square: int) -> str:
    """A square as USI writes it: the file from the right, the rank from the top."""
    return f"{square // size + 1}{RANKS[square % size]}"


def square_number(size: int, name: str) -> int:
    """The square of a name such as 7g; it must be one of the board."""
    return (int(name[0]) - 1) * size + RANKS.index(name[1])


def piece_text(code: int, side: int) -> str:
    """A piece, Black's in capitals."""
    text = ("+" if code & PROMOTED else "") + LETTERS[code & 7]
    return text.lower() if side else text


def rows(game: Shogi, s: State) -> list[list[str]]:
    """The ranks from the top, the files from the left; "." if empty."""
    found = [["."] * game.size for _ in range(game.size)]
    for square in ones(s.own | s.opp):
        is_black = bool(s.own >> square & 1) == (s.ply % 2 == 0)
        text = piece_text(game.code_at(s, square), 0 if is_black else 1)
        found[square % game.size][game.size - 1 - square // game.size] = text
    return found


def hands(s: State) -> tuple[int, int]:
    """The hands of Black and White."""
    return (s.opp_hand, s.own_hand) if s.ply % 2 else (s.own_hand, s.opp_hand)


def write(game: Shogi, s: State) -> str:
    """The SFEN of a position."""
    ranks = [re.sub(r"\.+", lambda empty: str(len(empty[0])), "".join(row)) for row in rows(game, s)]
    held_text = "".join(hand_text(hand, side) for side, hand in enumerate(hands(s))) or "-"
    series = "" if (s.own_checks, s.opp_checks) == (0, int(bool(s.checkers))) else f" {s.own_checks}/{s.opp_checks}"
    return f"{'/'.join(ranks)} {'bw'[s.ply % 2]} {held_text} {s.ply + 1}{series}"


def hand_text(hand: int, side: int) -> str:
    """A hand in SFEN, such as RB2P."""
    text = ""
    for letter in IN_HAND:
        number = held(hand, LETTERS.index(letter))
        text += ("" if number == 1 else str(number)) + (letter.lower() if side else letter) if number else ""
    return text


def read(game: Shogi, text: str) -> State:
    """The position of an SFEN, fully checked; the move number may be missing."""
    parts = text[:LIMIT].split()
    if parts[:1] == ["sfen"]:
        parts = parts[1:]
    if not 3 <= len(parts) <= 5:
        raise InvalidPosition(
            f"{shorten(text.strip())!r} is not an SFEN, which has a board, a side to move (b or w), "
            "hands (or -) and a move number"
        )
    pieces = read_board(game, parts[0])
    if parts[1] not in ("b", "w"):
        raise InvalidPosition(f"the side to move is b or w, not {shorten(parts[1])!r}")
    in_hand = read_hands(parts[2])
    number = parts[3] if len(parts) >= 4 else "1"
    if not (number.isascii() and number.isdigit() and len(number) <= 6):
        raise InvalidPosition(f"{shorten(number)!r} is not a move number")
    side = "bw".index(parts[1])
    ply = max(int(number) - 1, 0)
    s = placed(game, pieces, in_hand, ply if ply % 2 == side else ply + 1)
    return s if len(parts) < 5 else with_series(s, parts[4])


def with_series(s: State, text: str) -> State:
    """A position with its series of checks: those of the side to move, and those of the other side."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    if not found or (int(found[2]) > 0) != bool(s.checkers):
        raise InvalidPosition(
            f"{shorten(text)!r} is not a count of checks in a row, such as 1/0: of the side to move, of the opponent"
        )
    return s._replace(own_checks=int(found[1]), opp_checks=int(found[2]))


def placed(game: Shogi, pieces: dict[int, tuple[int, int]], in_hand: tuple[int, int], ply: int) -> State:
    """The position of pieces (side and code by square) and hands, checked."""
    check_pieces(game, pieces, in_hand)
    side = ply % 2
    nothing = game.Board(0)
    planes, sides = [nothing] * 4, [nothing] * 2
    for square, (whose, code) in pieces.items():
        sides[whose] |= game.bit(square)
        for i in range(4):
            if code >> i & 1:
                planes[i] |= game.bit(square)
    own, opp = sides[side], sides[1 - side]
    one, two, four, promoted = planes
    hands = in_hand[side], in_hand[1 - side]
    bare = game.State(one, two, four, promoted, own, opp, nothing, nothing, *hands, 0, 0, ply)
    if game.aware(bare._replace(own=opp, opp=own, ply=ply + 1)).checkers:
        raise InvalidPosition(
            f"{SIDES[1 - side]}'s king could be taken: {SIDES[side]} is to move and already gives check"
        )
    s = game.aware(bare)
    if count(s.checkers) > 2:
        raise InvalidPosition(f"{SIDES[side]}'s king is in check by {count(s.checkers)} pieces, and no move does that")
    return s


def read_board(game: Shogi, text: str) -> dict[int, tuple[int, int]]:
    """The pieces by square: side and code."""
    size, found = game.size, dict[int, tuple[int, int]]()
    ranks = text.split("/")
    if len(ranks) != size:
        raise InvalidPosition(f"the board has {len(ranks)} ranks instead of {size}: {shorten(text)!r}")
    for rank, row in enumerate(ranks):
        column = 0
        for sign in PIECE.findall(row):
            if sign.isascii() and sign.isdigit() and sign != "0":
                column += int(sign)
                continue
            letter = sign[-1].upper()
            if letter not in LETTERS or (sign[0] == "+" and letter in "KG"):
                raise InvalidPosition(
                    f"{sign!r} in rank {RANKS[rank]} is not a piece; write {LETTERS}, {LETTERS.lower()}, promoted with +"
                )
            if column < size:
                code = LETTERS.index(letter) + (PROMOTED if sign[0] == "+" else 0)
                found[(size - 1 - column) * size + rank] = (int(sign[-1].islower()), code)
            column += 1
        if column != size:
            raise InvalidPosition(f"rank {RANKS[rank]} has {column} squares instead of {size}: {shorten(row)!r}")
    return found


def read_hands(text: str) -> tuple[int, int]:
    """The hands of Black and White."""
    found = [0, 0]
    if text == "-":
        return 0, 0
    if not re.fullmatch(r"(?:\d{0,2}[A-Za-z])+", text, re.ASCII):
        raise InvalidPosition(
            f"{shorten(text)!r} is not a pair of hands: write pieces with their numbers, such as RB2Pg3p, or - for none"
        )
    for number, letter in re.findall(r"(\d*)([A-Za-z])", text):
        if letter.upper() not in IN_HAND:
            raise InvalidPosition(f"{letter!r} cannot be in hand: only {IN_HAND} and {IN_HAND.lower()} can")
        kind, side = LETTERS.index(letter.upper()), int(letter.islower())
        total = held(found[side], kind) + int(number or 1)
        if total > SET[kind]:
            raise InvalidPosition(f"{SIDES[side]} has {total} {NAMES[kind]}s in hand; a set has {SET[kind]}")
        found[side] += int(number or 1) << 8 * (kind - 1)
    return found[0], found[1]


def check_pieces(game: Shogi, pieces: dict[int, tuple[int, int]], in_hand: tuple[int, int]) -> None:
    """Refuse pieces that cannot occur in a game, and squares where they cannot stand."""
    size = game.size
    for side, name in enumerate(SIDES):
        kings = sum(piece == (side, KING) for piece in pieces.values())
        if kings != 1:
            raise InvalidPosition(f"{name} has {kings} kings instead of 1")
    total = Counter(code & 7 for _, code in pieces.values())
    for kind in range(PAWN, GOLD + 1):
        total[kind] += sum(held(hand, kind) for hand in in_hand)
        most = game.set.get(kind, 0)
        if total[kind] > most:
            raise InvalidPosition(f"there are {total[kind]} {NAMES[kind]}s on the board and in hand; a set has {most}")
    files = Counter[tuple[int, int]]()
    for square, (side, code) in pieces.items():
        if code < PROMOTED and game.dead_end(side, code) >> square & 1:
            raise InvalidPosition(
                f"{SIDES[side]}'s {NAMES[code]} on {square_name(size, square)} could never move again"
            )
        files[side, square // size] += code == PAWN
        if files[side, square // size] > 1:
            raise InvalidPosition(f"{SIDES[side]} has two pawns on file {square // size + 1}")
