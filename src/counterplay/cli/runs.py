"""`runs`: training runs, past and present."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Json


def runs(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="The folder of a run, or of many runs (default: where `train` keeps them)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Plot their progress, as .png, .svg or .pdf.")
    ] = None,
    json: Json = False,
) -> None:
    """List the runs of `train`, and plot their progress."""
    from counterplay.api.runs import runs as entries
    from counterplay.cli.terminal import console, note, write_json
    from counterplay.evaluation.model import runs_folder

    found = entries(folder, plot=plot)
    if json:
        write_json([each.to_json() for each in found])
        return
    if not found:
        note(f"no runs in {folder or runs_folder()}")
    for each in found:
        console().print(str(each))
