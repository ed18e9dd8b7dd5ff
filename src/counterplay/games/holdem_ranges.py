"""Hands of hold'em in players' notation: AA, QQ+, TT-77, AKs, AKo, AK, QTs+, A5s-A2s, AsKd.

With two ranks, `s` means one suit and `o` two; without either, both. `+` goes up: a pair to the aces, otherwise the
lower card up to just below the higher one.
"""

from __future__ import annotations

import re

from counterplay.games.poker_hands import ROW, card_of, card_text
from counterplay.games.poker_table import RANKS

PATTERN = re.compile(rf"([{RANKS}])([{RANKS}])([so]?)(\+|-([{RANKS}])([{RANKS}])([so]?))?", re.IGNORECASE)
EVERYTHING = ("any", "random", "*")


def hand_of_cards(a: int, b: int) -> int:
    """The number of the hand of two cards."""
    high = max(a, b)
    return high * (high - 1) // 2 + min(a, b)


def hand_words(low: int, high: int) -> str:
    """The hand of two cards in words, the higher rank first."""
    return "".join(card_text(card) for card in sorted((low, high), key=lambda card: (-(card % ROW), card)))


def class_of(a: int, b: int) -> tuple[int, int, str]:
    """The class of two cards: its row and column in the table of all 169, and its name."""
    high, low = max(a % ROW, b % ROW), min(a % ROW, b % ROW)
    suited = a // ROW == b // ROW
    row, column = (ROW - 1 - high, ROW - 1 - low) if suited else (ROW - 1 - low, ROW - 1 - high)
    return row, column, RANKS[high] + RANKS[low] + ("" if high == low else "s" if suited else "o")


def hands_meant(text: str) -> list[int]:
    """The hands that a word of a range means; none if it means nothing."""
    word = text.strip()
    if word.lower() in EVERYTHING:
        return list(range(52 * 51 // 2))
    first, second = card_of(word[:2]), card_of(word[2:])
    if first is not None and second is not None:
        return [hand_of_cards(first, second)] if first != second else []
    found = PATTERN.fullmatch(word)
    if not found:
        return []
    high, low = sorted((RANKS.index(found[1].upper()), RANKS.index(found[2].upper())), reverse=True)
    suits = found[3].lower()
    if found[4] is None:
        return of_ranks(high, low, suits)
    if found[4] == "+":
        if high == low:
            return [hand for rank in range(low, ROW) for hand in of_ranks(rank, rank, suits)]
        return [hand for rank in range(low, high) for hand in of_ranks(high, rank, suits)]
    last_high, last_low = sorted((RANKS.index(found[5].upper()), RANKS.index(found[6].upper())), reverse=True)
    if found[7].lower() != suits or (high == low) != (last_high == last_low):
        return []
    if high == low:
        return [h for rank in range(min(low, last_low), max(low, last_low) + 1) for h in of_ranks(rank, rank, suits)]
    if high != last_high:
        return []
    return [h for rank in range(min(low, last_low), max(low, last_low) + 1) for h in of_ranks(high, rank, suits)]


def of_ranks(high: int, low: int, suits: str) -> list[int]:
    """The hands of two ranks: of one suit (s), of two (o), or both."""
    if high == low and suits:
        return []
    pairs = [(a * ROW + high, b * ROW + low) for a in range(4) for b in range(4) if high != low or a < b]
    return [hand_of_cards(a, b) for a, b in pairs if not suits or (a // ROW == b // ROW) == (suits == "s")]
