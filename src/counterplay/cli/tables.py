"""`tables`: every position of a small game or an endgame, solved once and stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Cluster, Json, Moves, Position, Workers, number, whole_number


def tables(
    what: Annotated[
        str,
        typer.Argument(
            metavar="build|list|verify|probe", help="What to do; or just a game, to solve it without storing anything."
        ),
    ],
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game, such as connect-four:5,4, or your own file.py:Class.")
    ] = "",
    folder: Annotated[Path, typer.Option("-o", "--folder", metavar="FOLDER", help="The folder of the tables.")] = Path(
        "tables"
    ),
    classes: Annotated[
        str,
        typer.Option(
            "--class", metavar="NAME", help="Build an endgame of chess or checkers, such as KRK, or all of N pieces."
        ),
    ] = "",
    position: Position = None,
    moves: Moves = "",
    megabytes: Annotated[
        float, typer.Option("--memory", metavar="MB", parser=number, help="Use at most MB megabytes of memory.")
    ] = 2048.0,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="N",
            parser=whole_number,
            help="Build classes and verify in N threads (default: all cores).",
        ),
    ] = None,
    workers: Workers = 0,
    cluster: Cluster = "",
    json: Json = False,
) -> None:
    """Solve every reachable position of a game, by retrograde analysis.

    `tables GAME` counts the positions that are won, drawn and lost; `tables build GAME -o FOLDER` stores their values.
    `tables probe GAME` looks up a position and its actions, `tables list` lists the tables, and `tables verify` proves
    every value from the rules alone; for Yahtzee it checks a sample.
    """
    from counterplay.api.tables import VERBS
    from counterplay.api.tables import tables as look
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, wait_with_news, write_json

    about, asked = (what, open_game(game) if game else "") if what in VERBS or game else (open_game(what), "")
    found = wait_with_news(
        lambda hear: look(
            about,
            asked,
            folder=folder,
            class_=classes,
            position=position,
            moves=moves,
            memory=megabytes,
            threads=threads,
            workers=workers,
            cluster=cluster,
            progress=hear,
        ),
        "verifying" if what == "verify" else "solving",
    )
    if json:
        write_json(found.to_json())
    elif found.data:
        console().print(str(found))
    else:
        note(str(found))
