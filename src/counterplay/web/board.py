"""A board that one clicks on: the game's own picture with a spot on top wherever a click means something.

An action is a path of spots. Clicks follow the paths of all legal actions at once: what is left after some clicks says
where the next one may go, and where paths of several actions end together, the person picks one from a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from counterplay.core.formats.svg import Box
from counterplay.core.playthrough import Playthrough

TOO_LARGE = 1_500_000
"""Characters of a picture that a page still bears."""


class Clicks:
    """Where a person may click in a position, and what the clicks so far may mean."""

    def __init__(self, p: Playthrough) -> None:
        self.paths = {action: p.game.spots(p.state, action) for action in p.options()}
        self.made: tuple[Box, ...] = ()

    @property
    def open(self) -> list[int]:
        """The actions that the clicks so far may become."""
        return [action for action, path in self.paths.items() if path and path[: len(self.made)] == self.made]

    @property
    def spots(self) -> list[Box]:
        """Where the next click may go; another first click is always possible."""
        return list(dict.fromkeys(self._next(len(self.made)) + (self._first() if self.made else [])))

    def _first(self) -> list[Box]:
        return [path[0] for path in self.paths.values() if path]

    def _next(self, n: int) -> list[Box]:
        return [self.paths[action][n] for action in self.open if len(self.paths[action]) > n]

    def click(self, box: Box) -> list[int]:
        """The actions that are now chosen: none while more clicks are needed, several where only words tell them apart."""
        self.made = (*self.made, box) if box in self._next(len(self.made)) else (box,) if box in self._first() else ()
        return [action for action in self.open if self.made and self.paths[action] == self.made]


def overlaid(
    svg: str, spots: Iterable[Box], marks: Iterable[Box] = (), hints: Iterable[Box] = (), what: str = ""
) -> str:
    """A picture with spots on it; `marks` show the last action or the clicks made, `hints` what to look at."""
    if len(svg) > TOO_LARGE:
        return f'<p class="cp-note">the picture is too large to be shown ({len(svg):,} characters)</p>'
    shapes = [_box(box, "cp-mark") for box in marks] + [_box(box, "cp-hint") for box in hints]
    for i, box in enumerate(spots):
        more = f' data-spot="{i}" tabindex="0" role="button" aria-label="{escape(what)} {i + 1}"'
        shapes.append(_box(box, "cp-spot", more))
    return svg.removesuffix("</svg>") + f'<g class="cp-over">{"".join(shapes)}</g></svg>'


def _box(box: Box, kind: str, more: str = "") -> str:
    return (
        f'<rect class="{kind}" x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="4"'
        f' fill="transparent"{more}/>'
    )
