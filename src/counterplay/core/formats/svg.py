"""Small pictures: what the games' `svg` methods are drawn with."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

CELL = 48
"""The side of a board's square, in SVG units."""


class Box(NamedTuple):
    """A part of a picture, in its units: where to click."""

    x: float
    y: float
    width: float
    height: float


def picture(width: float, height: float, shapes: Iterable[str]) -> str:
    """An SVG document of the given size."""
    body = "".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif">{body}</svg>'
    )


def _attributes(attributes: dict[str, object]) -> str:
    return "".join(f' {name.replace("_", "-")}="{escape(str(value))}"' for name, value in attributes.items())


def rect(x: float, y: float, width: float, height: float, fill: str, **more: object) -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"{_attributes(more)}/>'


def circle(x: float, y: float, radius: float, fill: str, **more: object) -> str:
    """A disc."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{_attributes(more)}/>'


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1) -> str:
    """A line."""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" stroke-width="{width:g}"/>'


def polygon(points: Iterable[tuple[float, float]], fill: str, **more: object) -> str:
    """A filled outline."""
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return f'<polygon points="{path}" fill="{fill}"{_attributes(more)}/>'


def label(
    x: float, y: float, text: str, size: float = 16, fill: str = "#333", anchor: str = "middle", **more: object
) -> str:
    """A word, centred on (x, y) by default."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}" '
        f'dominant-baseline="central"{_attributes(more)}>{escape(text)}</text>'
    )


def text_card(text: str) -> str:
    """Lines of text as a picture, for games without a board."""
    lines = text.splitlines() or [""]
    width = 9.7 * max(map(len, lines)) + 32
    height = 22 * len(lines) + 28
    shapes = [rect(0, 0, width, height, "#faf7f0", rx=8)]
    for i, row in enumerate(lines):
        shapes.append(label(16, 25 + 22 * i, row, anchor="start", font_family="monospace", xml__space="preserve"))
    return picture(width, height, shapes).replace("xml--space", "xml:space")
