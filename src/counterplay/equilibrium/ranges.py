"""Ranges as players write them: hands separated by commas, each with an optional weight, such as `AA,KK,AQs+:0.5`."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.equilibrium.public_tree import require_deals


def read_ranges(game: Game, text: str) -> np.ndarray:
    """[2, hands]: the weight of each hand in the first player's range and in the second's, separated by `/`. A single
    range is for both, and an empty one has all hands."""
    require_deals(game)
    parts = text.split("/")
    if len(parts) > 2:
        raise CounterplayError(f"there are at most two ranges, the first player's / the second's, not {len(parts)}")
    found = [read_range(game, part) for part in parts]
    return np.array(found if len(found) == 2 else found * 2)


def read_range(game: Game, text: str) -> np.ndarray:
    """[hands]: the weight of each hand."""
    weights = np.zeros(game.private_hands)
    if not text.strip():
        return weights + 1.0
    for part in text.split(","):
        word, colon, weight = (piece.strip() for piece in part.partition(":"))
        hands = game.hands_named(word) or (list(range(game.private_hands)) if word.casefold() in ("any", "*") else [])
        if not hands:
            some = ", ".join(game.hand_name(hand) for hand in (0, game.private_hands - 1))
            raise CounterplayError(
                f"{game.spec} has no hand {word!r}: write a range as hands separated by commas, such as {some}"
            )
        try:
            share = float(weight) if colon else 1.0
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            raise CounterplayError(f"{part.strip()!r}: the weight of a hand is from 0 to 1, such as {word}:0.5")
        weights[hands] = share
    if not weights.any():
        raise CounterplayError(f"the range {text.strip()!r} is empty: at least one hand needs a weight above 0")
    return weights


def require_possible(game: Game, s: Any, ranges: np.ndarray) -> None:
    """Refuse ranges if no pair of their hands can be dealt in `s`."""
    cards = np.array([int(game.hand_cards(hand)) for hand in range(game.private_hands)], np.int64)
    free = (cards & int(game.public_cards(s))) == 0
    for player in range(2):
        if not ranges[player][free].any():
            raise CounterplayError(
                f"every hand in the range of {game.player_name(player)} has a card that is on the table"
            )
    first, second = (np.flatnonzero((row > 0) & free) for row in ranges)
    if not (cards[first][:, None] & cards[second][None, :] == 0).any():
        raise CounterplayError("every hand of one range shares a card with every hand of the other: none can be dealt")
