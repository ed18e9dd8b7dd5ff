"""Kriegspiel in the terminal and as a diagram: each player sees their own pieces, and hears the referee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.core.formats.diagram import Diagram, grid, ink, paper
from counterplay.core.formats.svg import CELL
from counterplay.games.chess.drawing import LOOKS
from counterplay.games.kriegspiel.notation import action_text, rows, square_name

if TYPE_CHECKING:
    from counterplay.games.kriegspiel.rules import Kriegspiel, State

LINES = ("", "by a knight", "on the rank", "on the file", "on the long diagonal", "on the short diagonal")
"""The kinds of check."""


def referee(game: Kriegspiel, s: State) -> str:
    """The referee's last announcement, which both players hear."""
    if s.refused:
        return "no" if s.refused == 1 else f"no, for the {ordinal(s.refused)} time"
    told = [f"{game.player_name(1 - s.player)} has moved"] if s.heard != 1 else []
    if s.said & 3:
        told.append(f"a {('pawn', 'piece')[(s.said & 3) - 1]} taken on {square_name(s.said >> 2 & 63)}")
    checks = [LINES[s.said >> shift & 7] for shift in (8, 11) if s.said >> shift & 7]
    if checks:
        told.append(f"check {' and '.join(checks)}")
    tries = s.said >> 16
    if tries:
        told.append(f"{tries} pawn {'try' if tries == 1 else 'tries'}")
    if game.is_terminal(s):
        told.append(game.ending(s).removeprefix("by "))
    return "; ".join(told)


def ordinal(number: int) -> str:
    """2nd, 3rd, 4th, ..."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def seen(game: Kriegspiel, s: State, viewer: int | None) -> list[str]:
    """The board from the top as a viewer sees it."""
    shown = rows(game, s)
    if viewer is None:
        return shown
    return ["".join(sign if sign.isupper() == (viewer == 0) else "." for sign in row) for row in shown]


def heading(game: Kriegspiel, s: State, viewer: int | None) -> str:
    """The referee's announcement, and, for the player to move, the tries refused."""
    told = referee(game, s)
    if s.refused and viewer in (None, s.player):
        tried = ", ".join(action_text(game, s, game.tried_before(s, i)) for i in reversed(range(s.refused)))
        return f"{game.player_name(s.player)} has tried {tried}: no"
    return told


def board(game: Kriegspiel, s: State, viewer: int | None) -> str:
    """The board in the terminal."""
    lines = [f"{game.size - i}  {' '.join(row)}" for i, row in enumerate(seen(game, s, viewer))]
    told = heading(game, s, viewer)
    return "\n".join([*lines, f"   {' '.join('abcdefgh'[: game.size])}", *([told] if told else [])])


def diagram(game: Kriegspiel, s: State, viewer: int | None) -> Diagram:
    """The board as cells, with the referee's announcement below it."""
    drawn = grid(seen(game, s, viewer), LOOKS, ground="chequered")
    height = drawn.height + CELL / 2
    told = heading(game, s, viewer)
    shown = told if len(told) <= 60 else "... " + told[-56:]
    ground = paper(drawn.width, height) + drawn.ground + ink(drawn.width / 2, height - CELL / 4, shown, 13)
    return drawn._replace(height=height, ground=ground, text=board(game, s, viewer))
