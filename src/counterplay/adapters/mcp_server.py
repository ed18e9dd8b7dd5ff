"""Games for language models, over the Model Context Protocol: list, rules, legal actions, play, analyse, render.

Every tool takes the game and all moves so far as text, so the server remembers nothing between calls.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from counterplay.adapters.extras import imported
from counterplay.api.games import games
from counterplay.api.search import search
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough, play_moves
from counterplay.core.registry import load, names_file

LONGEST = 60.0
"""Seconds that an analysis may take."""
Moves = list[str] | str
"""A list of moves, or a text with spaces between them: models write both."""


def list_games() -> dict[str, str]:
    """All games, each with its rules in one sentence. Parameters follow a name after a colon, such as hex:size=5."""
    return {entry.name: entry.description for entry in games()}


def rules(game: str) -> dict[str, Any]:
    """About a game: its description, its players, whether there is chance or hidden information."""
    found = opened(game)
    traits = found.traits
    return {
        "game": found.spec,
        "description": inspect.cleandoc(type(found).__doc__ or ""),
        "players": [found.player_name(player) for player in range(found.players)],
        "chance": traits.chance,
        "hidden": traits.hidden,
        "zero_sum": traits.zero_sum,
        "utility_bounds": list(traits.utility_bounds),
    }


def legal_actions(game: str, moves: Moves = "") -> dict[str, Any]:
    """Whose turn it is after these moves, and the legal actions; if chance moves, its events."""
    return situation(replayed(game, moves))


def play(game: str, action: str, moves: Moves = "", seed: int = 0) -> dict[str, Any]:
    """Play an action after these moves. Dice and deals that follow are drawn by the seed. Returns all moves so far, to
    pass to the next call, and the new position."""
    p = replayed(game, moves, seed)
    play_moves(p, [action])
    return situation(p.roll())


def analyse(game: str, moves: Moves = "", seconds: float = 1.0) -> dict[str, Any]:
    """The best action after these moves, its value to the player to move, and the line that the search expects."""
    if not 0 < seconds <= LONGEST:
        raise CounterplayError(f"seconds={seconds:g} must be more than 0 and at most {LONGEST:g}")
    return search(replayed(game, moves), time=seconds).to_json()


def render(game: str, moves: Moves = "") -> str:
    """The board after these moves, as text, as the player to move sees it."""
    return shown(replayed(game, moves))


TOOLS = (list_games, rules, legal_actions, play, analyse, render)


def opened(spec: str) -> Game:
    """A game by its name; never from a file, whose code a model could then run."""
    if names_file(spec):
        raise CounterplayError(f"{spec!r} names a file; only games by name are played here")
    return load(spec)


def replayed(game: str, moves: Moves, seed: int = 0) -> Playthrough:
    """A playthrough with these moves played; at the start, dice and deals are drawn unless a move gives them."""
    p = opened(game).start(seed=seed)
    play_moves(p, moves.split() if isinstance(moves, str) else moves)
    return p


def shown(p: Playthrough) -> str:
    """The board as the player to move may see it."""
    mover = p.to_move
    return p.game.board(p.state, mover if p.game.has_secrets and mover != CHANCE and not p.is_over else None)


def situation(p: Playthrough) -> dict[str, Any]:
    """A position as data."""
    over = p.is_over
    return {
        "moves": p.moves,
        "board": shown(p),
        "over": over,
        "to_move": None if over else p.game.player_name(p.to_move),
        "legal": p.legal(),
        "returns": list(p.returns) if over else None,
    }


def server(version: str = "") -> Any:
    """The server with its tools."""
    made = imported("mcp.server.mcpserver", "`counterplay mcp`").MCPServer(
        "counterplay",
        version=version,
        instructions="Board games, card games and puzzles: rules, legal actions, play and analysis.",
        log_level="WARNING",  # the model's mistakes are reported to the model
    )
    error = imported("mcp.server.mcpserver.exceptions", "`counterplay mcp`").ToolError
    for tool in TOOLS:
        made.tool()(explained(tool, error))
    return made


def explained(tool: Callable[..., Any], error: type[Exception]) -> Callable[..., Any]:
    """A tool whose refusals reach the model as one sentence."""

    @functools.wraps(tool)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return tool(*args, **options)
        except CounterplayError as wrong:
            raise error(str(wrong)) from None

    return call
