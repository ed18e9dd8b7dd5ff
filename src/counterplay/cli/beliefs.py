"""`beliefs`: what a player considers possible, and which wins are certain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, Moves, whole_number


def beliefs(
    game: GameSpec,
    moves: Moves = "",
    seat: Annotated[
        str,
        typer.Option("--as", metavar="PLAYER", help="Whose belief, by number or name (default: the player to move)."),
    ] = "",
    sample: Annotated[
        int | None,
        typer.Option(
            "--particles", metavar="N", parser=whole_number, help="Sample N states if there are too many to list."
        ),
    ] = None,
    wins: Annotated[
        bool, typer.Option("--wins", help="Report which actions are guaranteed to win, and which may win by luck.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", parser=whole_number, help="The random seed of the sample.")
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", parser=whole_number, help="Show at most N states.")
    ] = 20,
    json: Json = False,
) -> None:
    """Show which states a player considers possible after some moves.

    --wins searches all beliefs that may follow: a win is guaranteed if the player wins whatever the others do,
    probabilistic if they win with probability 1 by mixing, accidental if an action wins immediately in some of the
    states.
    """
    from counterplay.api.beliefs import BeliefResult
    from counterplay.api.beliefs import beliefs as held
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, wait_with_news, write_json

    rules = open_game(game)

    def work(hear: Callable[[str], None]) -> BeliefResult:
        def heard(beliefs: int) -> None:
            hear(f"{beliefs:,} beliefs")

        return held(rules, moves=moves, as_=seat, particles=sample, wins=wins, seed=seed, limit=limit, progress=heard)

    found = wait_with_news(work, "thinking")
    if json:
        write_json(found.to_json() | {"game": game})
        return
    console().print(str(found))
    if found.rest:
        note(f"{found.rest:,} more; --limit shows more")
