"""`trace`: a recorded search, to be replayed step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Depth, GameSpec, Json, Moves, Position, whole_number

LIMIT = 100_000
"""The default number of events to keep."""


def trace(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    player: Annotated[
        str, typer.Option("--player", metavar="SPEC", help="The player to record, such as mcts:simulations=40.")
    ] = "alphabeta",
    depth: Depth = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the trace to this file, as JSON.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="EVENTS", parser=whole_number, help="Keep at most this many events.")
    ] = LIMIT,
    deepening: Annotated[
        bool, typer.Option("--deepening", help="Trace every depth on the way, not only the last.")
    ] = False,
    steps: Annotated[bool, typer.Option("--steps", help="Describe each step in a sentence, with its reason.")] = False,
    json: Json = False,
) -> None:
    """Record every step of a search.

    It records the nodes that the search enters and leaves, with their windows and values, and what it prunes; for a
    player that simulates, the tree after each simulation. Without -o the steps are shown as an outline, with all values
    from the point of view of the player to move at the root (for simulations, of the first player).
    """
    from counterplay.api.trace import TraceResult
    from counterplay.api.trace import trace as record
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, wait_with_news, write_json
    from counterplay.core.formats.files import require_writable

    if file is not None:
        require_writable(file)
    open_game(game)

    def work(hear: Callable[[str], None]) -> TraceResult:
        return record(
            game,
            player,
            position=position,
            moves=moves,
            depth=depth,
            limit=limit,
            deepening=deepening,
            progress=lambda steps: hear(f"{steps:,} steps"),
        )

    found = wait_with_news(work, "tracing")
    if file is not None:
        found.save(file)
    if json:
        write_json(found.summary | ({} if file is None else {"file": str(file)}))
    elif file is not None:
        console().print(f"{found.text}: {file}")
    else:
        console().print(found.steps() if steps else found.outline())
        note(found.text)
