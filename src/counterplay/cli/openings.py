"""`openings`: a book of solved openings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number


def openings(
    game: GameSpec,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="BOOK.npz", help="The book: a new one, or one to extend.")
    ],
    plies: Annotated[
        int, typer.Option("--plies", metavar="N", parser=whole_number, help="Up to N plies from the start.")
    ] = 6,
    megabytes: Annotated[
        float, typer.Option("--memory", metavar="MB", parser=number, help="The table grows to at most MB megabytes.")
    ] = 1024.0,
    json: Json = False,
) -> None:
    """Solve the openings of a game and store them in a book.

    The book has the proven value of every action in all positions reachable with at most one mistake. `solve --book
    BOOK.npz` answers from it. It is saved regularly; after Ctrl-C the same command continues.
    """
    from counterplay.api.openings import OpeningsBuilder
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_with_news, write_json

    builder = OpeningsBuilder(open_game(game), output, plies, megabytes)
    try:
        wait_with_news(builder.run, "solving")
    finally:
        builder.save()
    found = builder.result()
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        console().print(str(found))
