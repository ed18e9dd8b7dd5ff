"""`runs`: trainings, past and present."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import Json

if TYPE_CHECKING:
    from counterplay.learning.runs import Run


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
    from counterplay.api.train import figures
    from counterplay.cli.terminal import console, note, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.evaluation.model import runs_folder
    from counterplay.learning.runs import list_runs

    root = folder or runs_folder()
    if folder is not None and not folder.is_dir():
        raise CounterplayError(f"no folder {str(folder)!r}")
    found = list_runs(root)
    rows = [entry(run) for run in found]
    if plot is not None:
        from counterplay.learning.chart import draw_runs

        draw_runs(found, plot)
    if json:
        write_json(rows)
        return
    if not rows:
        note(f"no runs in {root}")
    for row in rows:
        if "damaged" in row:
            console().print(f"{row['run']}: damaged: {row['damaged']}")
            continue
        told = figures(row["last"] or {}, "games", "seconds", "loss", "rating", "length") or "nothing yet"
        console().print(f"{row['run']}: {row['config']['game']}, {row['config']['method']}: {told}")


def entry(run: Run) -> dict[str, Any]:
    """A run as `runs` lists it."""
    from counterplay.core.errors import CounterplayError

    try:
        config = {name: value for name, value in run.config.items() if name != "format"}
    except CounterplayError as wrong:
        return {"run": str(run.folder), "damaged": str(wrong)}
    way = run.metrics()
    return {"run": str(run.folder), "config": config, "lines": len(way), "last": way[-1] if way else None}
