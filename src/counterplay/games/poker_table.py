"""The picture of a poker table, which all games of poker share: seats with cards and chips, and what was said."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.formats.diagram import Look
from counterplay.core.formats.svg import circle, label, picture, rect

RANKS = "23456789TJQKA"
"""Of cards, the lowest first."""
NAMES = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


class SeatPicture(NamedTuple):
    """What a picture of a poker table shows of one player."""

    name: str
    face: str  # of their card: a rank, a rank and a suit, ? for its back, or nothing; several with spaces between them
    paid: int
    note: str = ""


def poker_table(seats: list[SeatPicture], words: str) -> str:
    """A row of players with their cards and chips, and what has been said."""
    widths = [110 + 70 * seat.face.count(" ") for seat in seats]
    width, height = max(sum(widths), 220) + 30, 240
    right = (width - sum(widths)) / 2
    shapes = [
        rect(0, 0, width, height, "#2a6b47", rx=18),
        rect(5, 5, width - 10, height - 10, "none", rx=14, stroke="#1d4d33"),
    ]
    for seat, wide in zip(seats, widths, strict=True):
        x, right = right + wide / 2, right + wide
        shapes.append(label(x, 24, seat.name, fill="#fff", size=15, font_weight="bold" if seat.note else "normal"))
        faces = seat.face.split(" ")
        for i, face in enumerate(faces):
            shapes += playing_card(x + 70 * (i - (len(faces) - 1) / 2), 88, face)
        for chip in range(min(seat.paid, 8)):
            shapes.append(circle(x - 26 + 5 * chip, 160, 9, "#e8b93a", stroke="#8a6a10"))
        shapes.append(label(x - 10 + 5 * min(seat.paid, 8), 160, str(seat.paid or ""), fill="#fff", size=14))
        shapes.append(label(x, 185, seat.note, fill="#ffe9a8", size=14))
    shapes.append(label(width / 2, 216, words, fill="#fff", size=min(14, 1.6 * width / max(len(words), 1))))
    return picture(width, height, shapes)


def playing_card(x: float, y: float, face: str) -> list[str]:
    """A card centred on (x, y): its rank and suit, its back for "?", an empty place for ""."""
    if not face:
        return [rect(x - 32, y - 45, 64, 90, "none", rx=7, stroke="#8fb8a0", stroke_dasharray="5 4")]
    if face == "?":
        return [rect(x - 32, y - 45, 64, 90, "#fff", rx=7), rect(x - 27, y - 40, 54, 80, "#3a5fa8", rx=4)]
    colour = "#c22" if face[1:] in ("h", "d") else "#222"
    suit = dict(zip("shdc", "\u2660\u2665\u2666\u2663", strict=True)).get(face[1:], "")
    rank = label(x, y - 14 if suit else y, face[0], size=38, fill=colour, font_family="serif")
    return [rect(x - 32, y - 45, 64, 90, "#fff", rx=7), rank, label(x, y + 22, suit, size=30, fill=colour)]


def card_look(face: str) -> Look:
    """A card as a piece: what `playing_card` draws, and what one says of it."""
    suit = {"s": " of spades", "h": " of hearts", "d": " of diamonds", "c": " of clubs"}.get(face[1:], "")
    name = "card, face down" if face == "?" else f"{NAMES.get(face[0], face[0])}{suit}"
    return Look(name, "".join(playing_card(0, 0, face)))
