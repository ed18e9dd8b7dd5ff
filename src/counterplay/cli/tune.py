"""`tune`: the weights of an evaluation, fitted to games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Cluster, Json, Workers, whole_number


def tune(
    out: Annotated[Path, typer.Argument(metavar="WEIGHTS.json", help="Where to write the weights.")],
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole_number, help="Play N games of self-play.")
    ] = 1000,
    nodes: Annotated[
        int, typer.Option("--nodes", metavar="N", parser=whole_number, help="Search N nodes per move.")
    ] = 1000,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Keep the games here, and continue with those already there."),
    ] = None,
    weights: Annotated[
        str,
        typer.Option("--weights", metavar="FILE", help="Start from these weights, or from the hand-set ones: `hand`."),
    ] = "",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", parser=whole_number, help="The random seed of the openings.")
    ] = 0,
    check: Annotated[
        int,
        typer.Option(
            "--check", metavar="N", parser=whole_number, help="Play N games with the new weights against the old ones."
        ),
    ] = 0,
    workers: Workers = 0,
    cluster: Cluster = "",
    json: Json = False,
) -> None:
    """Fit the weights of chess's evaluation to self-play games.

    Logistic regression on the results (Texel's method). `counterplay search chess:weights=WEIGHTS.json` plays with
    the result. If interrupted, it continues from the games in --data.
    """
    from counterplay.api.tune import tune as fit
    from counterplay.cli.terminal import console, note, wait_with_news, write_json

    found = wait_with_news(
        lambda hear: fit(
            out,
            games=games,
            nodes=nodes,
            data=data,
            weights=weights,
            seed=seed,
            check=check,
            workers=workers,
            cluster=cluster,
            progress=hear,
        ),
        "playing",
    )
    if found.kept:
        note(f"{found.kept} games were already there")
    if json:
        write_json(found.to_json())
    else:
        console().print(str(found))
