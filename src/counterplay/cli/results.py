"""`results`: matches and tournaments that were played, shown again, exported, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Json

if TYPE_CHECKING:
    from counterplay.arena.store import Store


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
    rules: Annotated[
        str, typer.Option("--game", metavar="FILE.py", help="The rules, where the games are of a file of your own.")
    ] = "",
    json: Json = False,
) -> None:
    """Show, export or draw what was played.

    The match or tournament may still be going on.
    """
    from counterplay.arena.export import export as exported
    from counterplay.arena.plot import plot_ratings
    from counterplay.arena.standing import Standing
    from counterplay.arena.store import Store
    from counterplay.cli.arguments import open_game
    from counterplay.cli.match_standing import report
    from counterplay.cli.terminal import note
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import write_whole
    from counterplay.core.registry import is_spec_of

    store = Store.existing(file)
    game = open_game(spec_of(store, rules))
    if not is_spec_of(store.plan.game, game):
        raise CounterplayError(f"{str(file)!r} has games of {store.plan.game}, not of {rules}")
    for target in export or []:
        write_whole(target, exported(game, store, target))
        note(f"written: {target}")
    if plot is not None:
        plot_ratings(Standing(game, store), plot)
        note(f"drawn: {plot}")
    report(game, store, json)
    store.close()


def spec_of(store: Store, named: str) -> str:
    """The game of a file of results. Rules in a file are run, so that a person names it, not the results."""
    from counterplay.core.errors import CounterplayError
    from counterplay.core.registry import names_file

    if named or not names_file(store.plan.game):
        return named or store.plan.game
    raise CounterplayError(
        f"{str(store.path)!r} has games of {store.plan.game}, which would be run to show them: "
        f"if you trust it, add --game {store.plan.game}"
    )
