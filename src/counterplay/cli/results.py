"""`results`: matches and tournaments that were played, shown again, exported, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Json


def results(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `match` or `tournament` wrote.")],
    export: Annotated[
        list[Path] | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write all games to a .csv, .json or, where the game has one, its own format.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the ratings, as .png, .svg or .pdf.")
    ] = None,
    json: Json = False,
) -> None:
    """Show, export or draw what was played.

    The match or tournament may still be going on.
    """
    from counterplay.arena.export import export as exported
    from counterplay.arena.plot import plot_ratings
    from counterplay.arena.standing import Standing
    from counterplay.arena.store import Store
    from counterplay.cli.opening import open_game
    from counterplay.cli.standing import report
    from counterplay.cli.terminal import note
    from counterplay.core.files import write_whole

    store = Store.existing(file)
    game = open_game(store.plan.game)
    for target in export or []:
        write_whole(target, exported(game, store, target))
        note(f"written: {target}")
    if plot is not None:
        plot_ratings(Standing(game, store), plot)
        note(f"drawn: {plot}")
    report(game, store, json)
    store.close()
