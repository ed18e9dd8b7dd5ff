"""Arguments and options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

GameSpec = Annotated[
    str, typer.Argument(metavar="GAME", help="A game, such as connect-four or hex:size=5, or your own file.py:Class.")
]
Position = Annotated[
    str | None, typer.Option("--position", metavar="TEXT", help="Start from a position, written as `show` writes it.")
]
Moves = Annotated[
    str,
    typer.Option("--moves", metavar="MOVES", help="Play these moves first, blanks between; chance events, too."),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]


def whole_number(text: str) -> int:
    """An int, or a clear refusal."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def number(text: str) -> float:
    """A float, or a clear refusal."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None
