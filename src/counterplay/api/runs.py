"""`runs`: training runs, past and present."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.result import Result
from counterplay.api.train import Row, figures
from counterplay.core.errors import CounterplayError
from counterplay.evaluation.model import runs_folder
from counterplay.learning.runs import Run, list_runs


@dataclass(frozen=True, repr=False)
class RunEntry(Result):
    """A training run: its settings and its last line of metrics."""

    run: Path
    config: dict[str, Any]
    lines: int  # of metrics
    last: Row | None
    damaged: str = ""  # what is wrong with its files

    def to_json(self) -> dict[str, Any]:
        """The entry as plain data."""
        if self.damaged:
            return {"run": str(self.run), "damaged": self.damaged}
        return {"run": str(self.run), "config": self.config, "lines": self.lines, "last": self.last}

    def __str__(self) -> str:
        if self.damaged:
            return f"{self.run}: damaged: {self.damaged}"
        told = figures(self.last or {}, "games", "seconds", "loss", "rating", "length") or "nothing yet"
        return f"{self.run}: {self.config['game']}, {self.config['method']}: {told}"


def runs(folder: str | Path | None = None, *, plot: str | Path | None = None) -> tuple[RunEntry, ...]:
    """The runs of `train` in a folder, or a single run, given its folder (default: all runs where `train` keeps them).
    `plot` is a file for a plot of their progress: .png, .svg or .pdf."""
    root = runs_folder() if folder is None else Path(folder)
    if folder is not None and not root.is_dir():
        raise CounterplayError(f"no folder {str(root)!r}")
    found = list_runs(root)
    if plot is not None:
        from counterplay.learning.chart import draw_runs

        draw_runs(found, Path(plot))
    return tuple(map(entry, found))


def entry(run: Run) -> RunEntry:
    """A run as listed."""
    try:
        config = {name: value for name, value in run.config.items() if name != "format"}
    except CounterplayError as wrong:
        return RunEntry(run.folder, {}, 0, None, str(wrong))
    way = run.metrics()
    return RunEntry(run.folder, config, len(way), way[-1] if way else None)
