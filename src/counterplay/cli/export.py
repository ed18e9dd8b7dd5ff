"""`export`: a game as a file that Gambit reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json


def export(
    game: GameSpec,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write: .nfg for a table, .efg for a tree.")],
    json: Json = False,
) -> None:
    """Export a game for Gambit.

    A matrix game is written as .nfg; any game can be written as .efg, its whole tree. `matrix:FILE.nfg` and `tree:FILE.efg`
    read such files.
    """
    from counterplay.api.export import export as write
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_with_news, write_json

    rules = open_game(game)
    found = wait_with_news(lambda hear: write(rules, file, progress=lambda nodes: hear(f"{nodes:,} nodes")), "writing")
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        console().print(str(found))
