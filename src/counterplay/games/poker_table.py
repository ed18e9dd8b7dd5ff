"""The picture of a poker table, shared by all games of poker: seats with cards and chips, and what was said."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.formats.diagram import Look
from counterplay.core.formats.svg import label, picture, rect

RANKS = "23456789TJQKA"
"""The ranks of cards, the lowest first."""
NAMES = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


class SeatPicture(NamedTuple):
    """What a picture of a poker table shows of one player."""

    name: str
    face: str  # of their card: a rank, a rank and a suit, ? for its back, or nothing; several are separated by spaces
    paid: int
    note: str = ""


CHIPS = ((100, "#2b2b30", "#8d8d96"), (25, "#2f7d4f", "#cfe8d8"), (5, "#c0392b", "#f5d4cf"), (1, "#e8b93a", "#8a6a10"))
"""The values of chips, the highest first, with their colours and the colours of their edges."""
MOST_CHIPS = 10
WIDE, HIGH = 64, 90
"""The size of a card."""


def poker_table(seats: list[SeatPicture], words: str, public: list[str] | None = None, below: int | None = None) -> str:
    """A table seen by the player `below` (None: the first): the others above, the pot and the `public` cards (empty
    texts: their outlines) in the middle, and what has been said."""
    near = seats[below or 0]
    others = [seat for seat in seats if seat is not near]
    rows = [sum(map(seat_width, others)), seat_width(near), 70 * len(public or ()) + 30]
    width = max(*rows, 300) + 40
    middle = 160 + (HIGH + 14 if public else 0)
    height = middle + 196
    shapes = [
        rect(0, 0, width, height, "#5a3a22", rx=46),
        rect(9, 9, width - 18, height - 18, "#2a6b47", rx=38),
        rect(20, 20, width - 40, height - 40, "none", rx=30, stroke="#3f8a61", stroke_width=1.5),
    ]
    right = (width - rows[0]) / 2
    for seat in others:
        x, right = right + seat_width(seat) / 2, right + seat_width(seat)
        shapes += seated(seat, x, 36, 98)
    for i, face in enumerate(public or ()):
        shapes += playing_card(width / 2 + 70 * (i - (len(public or ()) - 1) / 2), 206, face)
    pot = sum(seat.paid for seat in seats)
    shapes.append(label(width / 2, middle + 8, f"pot {pot}", fill="#fff", size=16, font_weight="bold"))
    shapes += seated(near, width / 2, middle + 138, middle + 76)
    shapes.append(label(width / 2, height - 32, words, fill="#cfe3d6", size=min(13, 1.6 * width / max(len(words), 1))))
    return picture(width, height, shapes)


def seat_width(seat: SeatPicture) -> float:
    """The width of a player's cards and the chips beside them."""
    return 70 * (seat.face.count(" ") + 1) + 2 * 70


def seated(seat: SeatPicture, x: float, name_y: float, cards_y: float) -> list[str]:
    """A player around `x`: their name and status, their cards, and beside them the chips that they have paid."""
    faces = seat.face.split(" ")
    shapes = []
    for i, face in enumerate(faces):
        shapes += playing_card(x + 70 * (i - (len(faces) - 1) / 2), cards_y, face)
    said = f"{seat.name}: {seat.note}" if seat.note else seat.name
    colour, weight = ("#ffe08a", "bold") if seat.note else ("#fff", "normal")
    shapes.append(label(x, name_y, said, fill=colour, size=min(16, 26 * 16 / max(len(said), 1)), font_weight=weight))
    stack = x + 35 * len(faces) + 24
    shapes += chips(stack, cards_y + 24, seat.paid)
    if seat.paid:
        shapes.append(label(stack, cards_y + 42, str(seat.paid), fill="#fff", size=15))
    return shapes


def chips(x: float, y: float, amount: int) -> list[str]:
    """A stack of chips that stands on (x, y), the most valuable at the bottom."""
    stack = []
    for worth, fill, edge in CHIPS:
        stack += [(fill, edge)] * (amount // worth)
        amount %= worth
    return [
        f'<ellipse cx="{x:g}" cy="{y - 6 * i:g}" rx="15" ry="8" fill="{fill}" stroke="{edge}" stroke-width="1.5"/>'
        for i, (fill, edge) in enumerate(stack[:MOST_CHIPS])
    ]


def playing_card(x: float, y: float, face: str) -> list[str]:
    """A card centred on (x, y): its rank and suit, its back for "?", an outline for ""."""
    left, top = x - WIDE / 2, y - HIGH / 2
    if not face:
        return [rect(left, top, WIDE, HIGH, "none", rx=7, stroke="#7fae94", stroke_dasharray="5 4")]
    if face == "?":
        return [
            rect(left, top, WIDE, HIGH, "#fff", rx=7, stroke="#1d2b24", stroke_opacity=0.35),
            rect(left + 5, top + 5, WIDE - 10, HIGH - 10, "#3a5fa8", rx=4),
            rect(left + 10, top + 10, WIDE - 20, HIGH - 20, "none", rx=3, stroke="#a9bfe8", stroke_dasharray="3 3"),
        ]
    colour = "#c22" if face[1:] in ("h", "d") else "#222"
    suit = dict(zip("shdc", "\u2660\u2665\u2666\u2663", strict=True)).get(face[1:], "")
    paper = rect(left, top, WIDE, HIGH, "#fff", rx=7, stroke="#1d2b24", stroke_opacity=0.35)
    rank = "10" if face[0] == "T" else face[0]
    if not suit:
        return [paper, label(x, y, rank, size=40, fill=colour, font_family="serif")]
    corner = label(left + 17, top + 20, rank, size=28 if len(rank) == 1 else 22, fill=colour, font_family="serif")
    return [
        paper,
        corner,
        label(left + 17, top + 43, suit, size=20, fill=colour),
        label(x + 9, y + 20, suit, size=44, fill=colour),
    ]


def card_look(face: str) -> Look:
    """A card as a piece: what `playing_card` draws, and its description."""
    suit = {"s": " of spades", "h": " of hearts", "d": " of diamonds", "c": " of clubs"}.get(face[1:], "")
    name = "card, face down" if face == "?" else f"{NAMES.get(face[0], face[0])}{suit}"
    return Look(name, "".join(playing_card(0, 0, face)))
