"""Plots of learning: training over time, and the calibration of a fit."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.equilibrium.chart import require_chart
from counterplay.learning.regression import Accuracy
from counterplay.learning.runs import Run

SHOWN = (("loss", "loss"), ("rating", "rating (Elo)"), ("length", "plies of a game"))


def draw_runs(runs: Sequence[Run], file: Path) -> None:
    """Plot all runs, one line each in every panel that one of them has data for."""
    require_chart(file)
    from matplotlib.figure import Figure

    ways = [(run.folder.name, run.metrics()) for run in runs]
    panels = [
        (name, label) for name, label in SHOWN if any(row.get(name) is not None for _, way in ways for row in way)
    ]
    if not panels:
        raise CounterplayError("there is nothing to plot: no run has made any progress yet")
    figure = Figure(figsize=(7, 2.6 * len(panels)), layout="constrained")
    for i, (name, label) in enumerate(panels, 1):
        axes = figure.add_subplot(len(panels), 1, i)
        for title, way in ways:
            points = [(row["seconds"] / 60, row[name]) for row in way if row.get(name) is not None]
            if points:
                axes.plot(*zip(*points, strict=True), label=title, linewidth=1)
        axes.set_ylabel(label)
        axes.grid(True, alpha=0.3)
        if i == 1:
            axes.legend(fontsize=7)
        if i == len(panels):
            axes.set_xlabel("minutes")
    save_figure(figure, file)


def draw_calibration(accuracy: Accuracy, title: str, file: Path) -> None:
    """Predictions against outcomes, averaged per bin; larger points have more samples."""
    require_chart(file)
    from matplotlib.figure import Figure

    points = accuracy.calibration()
    if not points:
        raise CounterplayError("there is nothing to plot: no game was held out")
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.add_subplot()
    most = max(n for _, _, n in points)
    axes.plot([accuracy.low, accuracy.high], [accuracy.low, accuracy.high], color="#aaa", linewidth=1)
    predicted, came, number = zip(*points, strict=True)
    axes.scatter(predicted, came, s=[6 + 80 * n / most for n in number], color="#25a")
    axes.set_xlabel("predicted")
    axes.set_ylabel("outcome, on average")
    axes.set_title(title)
    axes.grid(True, alpha=0.3)
    save_figure(figure, file)


def save_figure(figure: Any, file: Path) -> None:
    """Write a picture atomically."""
    content = io.BytesIO()
    figure.savefig(content, format=file.suffix[1:].lower())
    write_whole(file, content.getvalue())
