"""What a player knows, in words: the history as he has seen it.

The rules say only when two states look the same to a player. So each step of a history is held against what might have
happened instead: what looks different from all else is written as it is, what looks the same as everything else is a ?,
and what looks the same as some others is written with them, as in a|b.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import legal
from counterplay.core.state import words

MOST_STATES = 1_000_000
"""So many states are looked at to find the information sets, at most."""
MOST_NAMED = 3
"""So many steps that look the same are named; of more only the first are."""


class Knowledge(NamedTuple):
    """An information set."""

    player: int
    key: tuple[int, ...]
    text: str  # what the player has seen
    actions: tuple[str, ...]  # what he can do, in the order of the game


def all_knowledge(game: Game) -> Iterator[Knowledge]:
    """The information sets of a game, in the order in which a walk meets them, as far as the walk goes."""
    seen: set[tuple[int, ...]] = set()
    texts: dict[tuple[int, str], int] = {}
    waiting: list[tuple[Any, tuple[int, ...]]] = [(game.initial(), ())]
    looked = 0
    while waiting and looked < MOST_STATES:
        s, history = waiting.pop()
        looked += 1
        options = legal(game, s)
        if not options:
            continue
        player = int(game.to_move(s))
        if player != CHANCE:
            key = words(game.information(s, player))
            if (player, *key) not in seen:
                seen.add((player, *key))
                text = seen_text(game, history, player)
                texts[player, text] = texts.get((player, text), 0) + 1
                again = texts[player, text]  # what came out later told two histories apart that look alike step by step
                names = tuple(game.action_text(s, action) for action in options)
                yield Knowledge(player, key, text if again == 1 else f"{text} ({again})", names)
        waiting.extend((game.result(s, action), (*history, action)) for action in reversed(options))


def seen_text(game: Game, history: tuple[int, ...], player: int) -> str:
    """A history as `player` has seen it."""
    s, texts = game.initial(), []
    for action in history:
        texts.append(_step(game, s, action, player))
        s = game.result(s, action)
    return " ".join(texts) or "-"


def _step(game: Game, s: Any, action: int, player: int) -> str:
    """One step as `player` sees it."""
    if game.to_move(s) == player:
        return game.action_text(s, action)
    options = legal(game, s)
    known = game.information(game.result(s, action), player)
    alike = [other for other in options if game.information(game.result(s, other), player) == known]
    if len(alike) == len(options) > 1:
        return "?"
    named = [game.action_text(s, other) for other in alike[:MOST_NAMED]]
    return "|".join(named) + ("|..." if len(alike) > MOST_NAMED else "")
