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
    from counterplay.api.bench import bench as measure
    from counterplay.cli.terminal import console, wait_for, write_json

    out = console()
    found = wait_for(
        lambda: measure(depth=depth, progress=None if json else lambda row: out.print(str(row))), "searching"
    )
    if json:
        write_json(found.to_json())
    else:
        out.print(str(found))
