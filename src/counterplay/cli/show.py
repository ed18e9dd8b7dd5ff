"""`show`: a position, in the terminal or as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Position


def show(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the board to this file.")] = None,
    viewer: Annotated[
        str, typer.Option("--viewer", metavar="PLAYER", help="Show what this player sees: a number from 1, or a name.")
    ] = "",
    json: Json = False,
) -> None:
    """Show a position: the board, whose turn it is, and the legal actions."""
    from counterplay.api.show import show as look
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, write_json

    found = look(open_game(game), position=position, moves=moves, svg=svg, viewer=viewer)
    if svg is not None:
        note(f"drawn to {svg}")
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        console().print(str(found))
