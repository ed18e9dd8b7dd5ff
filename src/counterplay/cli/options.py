"""Arguments and options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer


def whole_number(text: str) -> int:
    """An int, or a usage error."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def number(text: str) -> float:
    """A float, or a usage error."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


GameSpec = Annotated[
    str, typer.Argument(metavar="GAME", help="A game, such as connect-four or hex:size=5, or your own file.py:Class.")
]
Position = Annotated[
    str | None, typer.Option("--position", metavar="TEXT", help="Start from this position, in the format of `show`.")
]
Moves = Annotated[
    str,
    typer.Option(
        "--moves", metavar="MOVES", help="Play these moves first, separated by spaces; include chance events."
    ),
]
PlayerSpec = Annotated[
    str,
    typer.Option(
        "--player",
        metavar="SPEC",
        help="The player that searches, such as alphabeta:depth=6 (default: the best for the game).",
    ),
]
Depth = Annotated[int | None, typer.Option("--depth", metavar="N", parser=whole_number, help="Search N plies ahead.")]
Seconds = Annotated[float | None, typer.Option("--time", metavar="S", parser=number, help="Think for S seconds.")]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", parser=whole_number, help="Search at most N states.")
]
Simulations = Annotated[
    int | None, typer.Option("--simulations", metavar="N", parser=whole_number, help="Run at most N simulations.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Workers = Annotated[
    int, typer.Option("--workers", metavar="N", parser=whole_number, help="Work in N processes of this machine.")
]
Cluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        metavar="WHERE",
        help="Run on a Ray cluster: auto, its address, or local:2x1 for two simulated nodes with one core each.",
    ),
]
