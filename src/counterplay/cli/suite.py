"""`suite`: chess test positions, and when the engine solves them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Cluster, Depth, Json, Nodes, PlayerSpec, Seconds, Workers


def suite(
    file: Annotated[Path, typer.Argument(metavar="FILE.epd", help="Positions with bm (best) or am (avoid) moves.")],
    time: Seconds = None,
    depth: Depth = None,
    nodes: Nodes = None,
    player: PlayerSpec = "",
    workers: Workers = 0,
    cluster: Cluster = "",
    json: Json = False,
) -> None:
    """Solve a suite of chess positions, and report how fast.

    Finds best moves (bm) and avoids mistakes (am), with one second per position by default.
    """
    from counterplay.api.suite import suite as solve_all
    from counterplay.cli.terminal import console, wait_for, write_json

    out = console()
    found = wait_for(
        lambda: solve_all(
            file,
            time=time,
            depth=depth,
            nodes=nodes,
            player=player,
            workers=workers,
            cluster=cluster,
            progress=None if json else lambda row: out.print(str(row)),
        ),
        "solving",
    )
    if json:
        write_json(found.to_json())
    else:
        out.print(str(found))
