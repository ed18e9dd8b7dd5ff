"""`results`: shows, exports and plots stored matches and tournaments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Json


def results(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `match` or `tournament`.")],
    export: Annotated[
        list[Path] | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write all games as .csv, .json or the game's own format, if it has one.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Plot the ratings, as .png, .svg or .pdf.")
    ] = None,
    rules: Annotated[
        str, typer.Option("--game", metavar="FILE.py", help="The rules, if the games follow your own file.")
    ] = "",
    json: Json = False,
) -> None:
    """Show, export or plot stored games.

    The match or tournament may still be running.
    """
    from counterplay.api.match import read_results
    from counterplay.arena.export import export as exported
    from counterplay.arena.plot import plot_ratings
    from counterplay.arena.store import Store
    from counterplay.cli.arguments import open_game
    from counterplay.cli.match import tell
    from counterplay.cli.terminal import note
    from counterplay.core.formats.files import write_whole

    store = Store.existing(file)
    if rules:
        open_game(rules)  # tried out first
    found = read_results(store, rules)
    game = found.standing.game
    for target in export or []:
        write_whole(target, exported(game, store, target))
        note(f"written: {target}")
    if plot is not None:
        plot_ratings(found.standing, plot)
        note(f"drawn: {plot}")
    tell(found, json)
    store.close()
