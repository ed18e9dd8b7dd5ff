"""`strategy`: what a policy does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import GameSpec, Json, whole_number

if TYPE_CHECKING:
    from counterplay.api.strategy import StrategyResult

PolicyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A policy written by `counterplay equilibrium GAME -o FILE`.")
]
Information = Annotated[
    str,
    typer.Option(
        "--information",
        metavar="TEXT",
        help='Show only rows with this information, such as "K ? bet".',
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", parser=whole_number, help="Show at most N lines.")]
LIMIT = 200


def strategy(
    game: GameSpec, file: PolicyFile, information: Information = "", limit: Limit = LIMIT, json: Json = False
) -> None:
    """Show a policy: what a player knows, and what they do.

    What a player knows is the history as they saw it, with a ? for what was hidden from them.
    """
    from counterplay.api.strategy import strategy as table
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import wait_for, write_json

    rules = open_game(game)
    found = wait_for(lambda: table(rules, file, information=information, limit=limit), "collecting information sets")
    if json:
        write_json(found.to_json()["rows"])
    else:
        print_table(found)


def print_table(found: StrategyResult) -> None:
    """The table as text."""
    from counterplay.cli.terminal import console, note

    console().print(str(found))
    if found.rest:
        note(f"{found.rest:,} more lines; --limit shows more, --information fewer")
