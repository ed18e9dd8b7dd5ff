"""`perft`: count a game's tree."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Position, whole_number


def perft(
    game: GameSpec,
    depth: Annotated[
        int,
        typer.Argument(metavar="DEPTH", parser=whole_number, help="The number of actions, including chance events."),
    ],
    position: Position = None,
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="Count separately after each first action.")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of exactly DEPTH actions.

    It is the classic test of a game's rules: the counts are known, or another program can confirm them.
    """
    from counterplay.api.perft import perft as count
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_for, write_json

    rules = open_game(game)
    found = wait_for(lambda: count(rules, depth, position=position, moves=moves, divide=divide), "counting")
    if json:
        write_json(found.to_json() | {"game": game})
        return
    counts = found.divide or {}
    width = max(map(len, counts), default=0)
    for text, leaves in counts.items():
        console().print(f"{text:{width}}  {leaves:,}")
    console().print(str(found))
