"""What a player knows, in words: the history as he has seen it.

The rules say only when two states look the same to a player. So each step of a history is held against what might have
happened instead, with all that followed: what would look different by now is written as it is, what looks the same as
everything else is a ?, and what looks the same as some others is written with them, as in a|b.
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
                again = texts[player, text]  # several hidden steps together may tell apart what each alone does not
                names = tuple(game.action_text(s, action) for action in options)
                yield Knowledge(player, key, text if again == 1 else f"{text} ({again})", names)
        waiting.extend((game.result(s, action), (*history, action)) for action in reversed(options))


def seen_text(game: Game, history: tuple[int, ...], player: int) -> str:
    """A history as `player` has seen it."""
    states = [game.initial()]
    for action in history:
        states.append(game.result(states[-1], action))
    known = game.information(states[-1], player)
    return " ".join(_step(game, states[i], history[i:], player, known) for i in range(len(history))) or "-"


def _step(game: Game, s: Any, rest: tuple[int, ...], player: int, known: Any) -> str:
    """The first step of the `rest` of a history as `player` sees it, who knows `known` in the end."""
    action, options = rest[0], legal(game, s)
    if game.to_move(s) == player or len(options) == 1:
        return game.action_text(s, action)
    at_once = game.information(game.result(s, action), player)
    if sum(game.information(game.result(s, other), player) == at_once for other in options) == 1:
        return game.action_text(s, action)
    ends = {other: _end(game, game.result(s, other), rest[1:]) for other in options}
    possible = [other for other, end in ends.items() if end is not None]
    alike = [other for other in possible if game.information(ends[other], player) == known]
    if len(alike) == len(possible) > 1:
        return "?"
    named = [game.action_text(s, other) for other in alike[:MOST_NAMED]]
    return "|".join(named) + ("|..." if len(alike) > MOST_NAMED else "")


def _end(game: Game, s: Any, rest: tuple[int, ...]) -> Any:
    """The state after the rest of a history; None where it cannot be played."""
    for action in rest:
        if action not in legal(game, s):
            return None
        s = game.result(s, action)
    return s
