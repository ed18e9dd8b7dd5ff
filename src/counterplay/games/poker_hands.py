"""The value of a poker hand of five to seven cards, by bits alone; and cards as text.

A card is a number below 52, its suit times 13 plus its rank, and a hand is a set of bits. The ranks of each suit are then
13 bits in a row, and ranks that occur twice, three or four times take a few operations on these rows.
"""

from __future__ import annotations

from counterplay.core.language.bits import count, last
from counterplay.core.language.wide import u64
from counterplay.games.poker_table import RANKS

SUITS = "shdc"
HIGH_CARD, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
KINDS = (
    "high card",
    "pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
KIND = 26
"""A strength has the kind of hand above this many bits; below are two rows of ranks that break ties."""
ROW = 13
ALL_RANKS = (1 << ROW) - 1


def hand_strength(cards: u64) -> int:
    """The strength of the best five of five to seven cards: the stronger hand has the larger number, equal ones the
    same."""
    s, h = int(cards & ALL_RANKS), int(cards >> ROW & ALL_RANKS)
    d, c = int(cards >> 2 * ROW & ALL_RANKS), int(cards >> 3 * ROW & ALL_RANKS)
    suited = 0
    if count(s) >= 5:
        suited = s
    elif count(h) >= 5:
        suited = h
    elif count(d) >= 5:
        suited = d
    elif count(c) >= 5:
        suited = c
    if suited != 0:  # seven cards with a flush have no full house and no four of a kind
        run = straight(suited)
        return STRAIGHT_FLUSH << KIND | run if run > 0 else FLUSH << KIND | highest(suited, 5)
    ranks, run = s | h | d | c, 0
    twice = s & h | d & c | (s | h) & (d | c)
    if twice == 0:
        run = straight(ranks)
        return STRAIGHT << KIND | run if run > 0 else highest(ranks, 5)
    thrice = s & h & (d | c) | d & c & (s | h)
    if thrice != 0:
        four = s & h & d & c
        if four != 0:
            return FOUR << KIND | four << ROW | highest(ranks ^ four, 1)
        triple = 1 << last(thrice)
        if twice != triple:
            return FULL_HOUSE << KIND | triple << ROW | highest(twice ^ triple, 1)
    run = straight(ranks)
    if run > 0:
        return STRAIGHT << KIND | run
    if thrice != 0:
        return THREE << KIND | thrice << ROW | highest(ranks ^ thrice, 2)
    pairs = highest(twice, 2)
    if count(pairs) == 2:
        return TWO_PAIRS << KIND | pairs << ROW | highest(ranks ^ pairs, 1)
    return PAIR << KIND | pairs << ROW | highest(ranks ^ pairs, 3)


def straight(ranks: int) -> int:
    """The height of the best straight, from 1 for five high (the ace below the two) on; 0 if there is none."""
    low = ranks << 1 | ranks >> (ROW - 1)  # the ace is above and below all others
    runs = low & low >> 1 & low >> 2 & low >> 3 & low >> 4
    return last(runs) + 1 if runs != 0 else 0


def highest(ranks: int, most: int) -> int:
    """The highest of some ranks, up to `most` of them."""
    while count(ranks) > most:
        ranks &= ranks - 1
    return ranks


def kind_text(strength: int) -> str:
    """The kind of a hand in words."""
    return KINDS[strength >> KIND]


def card_text(card: int) -> str:
    """The name of a card."""
    return RANKS[card % ROW] + SUITS[card // ROW]


def card_of(text: str) -> int | None:
    """The card that a text means, whatever its case; None if it means none."""
    if len(text) != 2 or text[0].upper() not in RANKS or text[1].lower() not in SUITS:
        return None
    return SUITS.index(text[1].lower()) * ROW + RANKS.index(text[0].upper())
