"""`perft`: count a game's tree."""

from __future__ import annotations

from collections.abc import Callable
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
    from counterplay.api.perft import PerftResult
    from counterplay.api.perft import perft as count
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_with_news, write_json

    rules = open_game(game)

    def work(hear: Callable[[str], None]) -> PerftResult:
        def heard(so_far: PerftResult) -> None:
            hear(f"{so_far.leaves:,} leaves")

        return count(rules, depth, position=position, moves=moves, divide=divide, progress=heard)

    found = wait_with_news(work, "counting")
    if json:
        write_json(found.to_json() | {"game": game})
        return
    counts = found.divide or {}
    width = max(map(len, counts), default=0)
    for text, leaves in counts.items():
        console().print(f"{text:{width}}  {leaves:,}")
    console().print(str(found))
