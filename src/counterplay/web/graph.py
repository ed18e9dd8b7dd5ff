"""The values of a playthrough as a graph: a curve for each player whose point of view is shown, marked mistakes,
clickable plies."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, EDGE = 600.0, 150.0, 8.0, 12.0


class GraphPoint(NamedTuple):
    """A position on the graph."""

    ply: int
    view: int  # the player whose value it is
    part: float  # of the height
    text: str  # the text under the pointer
    mark: str = ""  # "", "?" or "??"


def graph(points: list[GraphPoint], plies: int, here: int, top: str, bottom: str, sides: bool) -> str:
    """The graph as SVG; its columns carry data-ply."""
    wide = (WIDTH - 2 * LEFT) / max(1, plies)

    def at(point: GraphPoint) -> tuple[float, float]:
        return LEFT + wide * point.ply, HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * point.part

    views = sorted({point.view for point in points})
    shapes = [f'<line class="cp-even" x1="0" x2="{WIDTH:g}" y1="{HEIGHT / 2:g}" y2="{HEIGHT / 2:g}"/>'] if sides else []
    now = LEFT + wide * here
    shapes.append(f'<line class="cp-here-line" x1="{now:.1f}" x2="{now:.1f}" y1="0" y2="{HEIGHT:g}"/>')
    for view in views:
        curve = [at(point) for point in points if point.view == view]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in curve)
        if sides and len(curve) > 1:
            area = f"{curve[0][0]:.1f},{HEIGHT:g} {path} {curve[-1][0]:.1f},{HEIGHT:g}"
            shapes.append(f'<polygon class="cp-area" points="{area}"/>')
        shapes.append(f'<polyline class="cp-curve cp-view-{view}" points="{path}"/>')
    for point in points:
        x, y = at(point)
        kind = {"??": "cp-graph-bad", "?": "cp-graph-odd"}.get(point.mark, f"cp-graph-point cp-view-{point.view}")
        size = 5.5 if point.mark else 4.0 if point.ply == here else 2.6
        shapes.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>')
    for ply in range(plies + 1):
        words = next((point.text for point in points if point.ply == ply), f"after {ply} moves")
        x = max(0.0, LEFT + wide * (ply - 0.5))
        shapes.append(
            f'<rect class="cp-column" data-ply="{ply}" x="{x:.1f}" y="0" width="{wide:.2f}" height="{HEIGHT:g}">'
            f"<title>{escape(words)}</title></rect>"
        )
    labels = [
        f'<span class="cp-graph-top">{escape(top)}</span>',
        f'<span class="cp-graph-bottom">{escape(bottom)}</span>',
    ]
    svg = (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="the value after each move">{"".join(shapes)}</svg>'
    )
    return f'<div class="cp-graph">{svg}{"".join(labels)}</div>'
