"""The game or position that a function takes, in whatever form it is given."""

from __future__ import annotations

import re
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough, open_playthrough
from counterplay.core.registry import load
from counterplay.players.player import Player
from counterplay.players.specs import best, best_appraiser, player

AnyGame = str | Game | type[Game]
"""A game: its spec, its class, or an instance."""
AnyPosition = Playthrough | AnyGame
"""A playthrough, whose last position counts; or a game, from its start or as `position` and `moves` say."""


def game_of(game: AnyGame) -> Game:
    """The game, from a spec, a class or an instance."""
    if isinstance(game, str):
        return load(game)
    if isinstance(game, type) and issubclass(game, Game):
        return game()
    if isinstance(game, Game):
        return game
    raise CounterplayError(f"a game is a spec such as 'connect-four', a Game or its class, not {game!r}")


def position_of(game: AnyPosition, position: str | None = None, moves: str = "") -> Playthrough:
    """The playthrough that ends in the position."""
    if not isinstance(game, Playthrough):
        return open_playthrough(game_of(game), position, moves)
    if position is not None or moves:
        raise CounterplayError("a playthrough already has its position: leave out `position` and `moves`")
    return game


def player_for(p: Playthrough, spec: str = "", **budget: float | None) -> Player:
    """The player that `spec` describes, or the best that suits the game and position; a `budget` that is not None
    replaces the one in `spec`. The player itself refuses a game that it does not suit."""
    given: dict[str, Any] = {name: value for name, value in budget.items() if value is not None}
    if not spec and chance_moves(p):
        spec = best_appraiser(p.game)
    return player(spec or best(p.game, given), budget=given)


def chance_moves(p: Playthrough) -> bool:
    """Whether a search finds the value of a chance event here, not an action."""
    return not p.is_over and p.to_move == CHANCE and not p.game.has_secrets


def find_player(game: Game, text: str) -> int:
    """The player given by number, from 1, by name, or by a word of the name that no other player's has."""
    names = [game.player_name(number) for number in range(game.players)]
    wanted = text.strip().casefold()
    for number, name in enumerate(names):
        if wanted in (name.casefold(), str(number + 1)):
            return number
    called = [i for i, name in enumerate(names) if wanted in re.findall(r"\w+", name.casefold())]
    if len(called) == 1:
        return called[0]
    listing = ", ".join(f"{i} ({name})" for i, name in enumerate(names, 1))
    raise CounterplayError(f"no player {text!r}; there are {listing}")
