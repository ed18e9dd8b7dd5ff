"""A picture of ratings: a point with its interval for each player, the best on top."""

from __future__ import annotations

import io
from pathlib import Path

from counterplay.arena.standing import Standing
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole

SUFFIXES = (".png", ".svg", ".pdf")


def plot_ratings(standing: Standing, file: Path) -> None:
    """Draw the ratings into a file."""
    if file.suffix.lower() not in SUFFIXES:
        raise CounterplayError(f"cannot draw {str(file)!r}: its name must end in {', '.join(SUFFIXES)}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CounterplayError("a plot needs matplotlib: pip install 'counterplay[plot]'") from None
    ratings = standing.ratings()
    order = sorted(range(len(standing.labels)), key=lambda i: ratings.points[i])
    figure = Figure(figsize=(8, 1.2 + 0.45 * len(order)), layout="constrained")
    axes = figure.subplots()
    for row, i in enumerate(order):
        low, high = ratings.intervals[i]
        axes.plot([low, high], [row, row], color="#4363d8", linewidth=3, alpha=0.35, solid_capstyle="round")
        axes.plot(ratings.points[i], row, "o", color="#4363d8")
        axes.annotate(
            f"{ratings.points[i]:+.0f}",
            (ratings.points[i], row),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    axes.set_yticks(range(len(order)), [standing.labels[i] for i in order])
    axes.set_ylim(-0.6, len(order) - 0.3)
    axes.set_xlabel("rating (Elo, average 0) with its 95% interval")
    axes.set_title(f"{standing.plan.game}, {len(standing.rounds)} games", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format=file.suffix.lower()[1:], dpi=150)
    write_whole(file, drawn.getvalue())
