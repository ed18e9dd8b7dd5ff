"""`probcut`: how well shallow searches of a game predict deep ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number


def probcut(
    game: GameSpec,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Write the cuts here.")],
    evaluation: Annotated[
        str | None, typer.Option("--evaluation", metavar="MODEL", help="The model that judges positions.")
    ] = None,
    positions: Annotated[
        int, typer.Option("--positions", metavar="N", parser=whole_number, help="Search N positions of random games.")
    ] = 300,
    depth: Annotated[
        int, typer.Option("--depth", metavar="D", parser=whole_number, help="Search them D plies deep.")
    ] = 8,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence", metavar="C", parser=number, help="Cut where a prediction is C standard errors outside."
        ),
    ] = 1.5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="The random seed.")] = 0,
    json: Json = False,
) -> None:
    """Find out how well shallow searches predict deep ones.

    `alphabeta:cuts=FILE` then leaves out what a shallow search makes improbable (Multi-ProbCut).
    """
    from counterplay.api.probcut import probcut as find
    from counterplay.cli.terminal import console, wait_with_news, write_json

    found = wait_with_news(
        lambda hear: find(
            game,
            output,
            evaluation=evaluation,
            positions=positions,
            depth=depth,
            confidence=confidence,
            seed=seed,
            progress=hear,
        ),
        "searching",
    )
    if json:
        write_json(found.to_json())
    else:
        console().print(str(found))
