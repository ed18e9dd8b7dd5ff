"""A policy's exploitability during training, as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.equilibrium.training import Point

KINDS = {".png", ".svg", ".pdf"}


def require_chart(file: Path) -> None:
    """Refuse an impossible chart before any work is done."""
    if file.suffix.lower() not in KINDS:
        raise CounterplayError(f"a plot is a file that ends in .png, .svg or .pdf, not {str(file)!r}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise CounterplayError("a plot needs matplotlib: pip install 'counterplay[plot]'") from None


def draw_chart(points: Sequence[Point], title: str, file: Path) -> None:
    """Exploitability over iterations, on logarithmic axes."""
    require_chart(file)
    from matplotlib.figure import Figure

    judged = [(p.iterations, p.exploitability) for p in points if p.iterations and p.exploitability]
    if not judged:
        raise CounterplayError("there is nothing to plot: no policy was evaluated during training")
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.loglog(*zip(*judged, strict=True), marker="o", markersize=3, color="#25a")
    axes.set_xlabel("iterations")
    axes.set_ylabel("exploitability")
    axes.set_title(title)
    axes.grid(True, which="both", alpha=0.3)
    content = io.BytesIO()
    figure.savefig(content, format=file.suffix[1:].lower())
    write_whole(file, content.getvalue())
