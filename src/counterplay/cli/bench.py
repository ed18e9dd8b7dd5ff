"""`bench`: the signature of the chess engine."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli.options import Json, whole_number


def bench(
    depth: Annotated[int, typer.Option("--depth", metavar="N", parser=whole_number, help="Search to depth N.")] = 10,
    json: Json = False,
) -> None:
    """Print the chess engine's signature: the node counts of fixed searches.

    It is the same on every machine, and changes only when the search, the rules or the evaluation change.
    """
    import time

    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.games.chess.game import Chess
    from counterplay.games.chess.samples import SAMPLES
    from counterplay.search.engine.decide import decide
    from counterplay.search.engine.transposition_table import TranspositionTable
    from counterplay.search.suitability import DEPTH

    if not 1 <= depth <= DEPTH:
        raise CounterplayError(f"depth={depth}: a search looks 1 to {DEPTH} plies ahead")
    game = Chess()
    wait_for(lambda: decide(game, game.initial(), depth=1), "compiling")
    rows: list[dict[str, str | int]] = []
    table, seconds = TranspositionTable(16), 0.0
    for fen in SAMPLES:
        s = game.parse_position(fen)
        table.clear()
        started = time.process_time()
        found = wait_for(lambda: decide(game, s, depth=depth, table=table), fen)  # noqa: B023
        seconds += time.process_time() - started
        rows.append({"position": fen, "move": game.action_text(s, found.action), "nodes": found.nodes})
        if not json:
            console().print(f"{found.nodes:>12,}  {rows[-1]['move']:7} {fen}")
    nodes = sum(int(row["nodes"]) for row in rows)
    if json:
        write_json({"depth": depth, "nodes": nodes, "seconds": round(seconds, 3), "positions": rows})
    else:
        console().print(
            f"{nodes:>12,}  nodes in {seconds:.2f} s of processor time, {nodes / seconds / 1e6:.2f} million/s"
        )
