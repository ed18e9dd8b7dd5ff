"""`train`: learning by playing, in runs that can be resumed."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import Cluster, Json, whole_number

if TYPE_CHECKING:
    from counterplay.api.train import Trainer, TrainResult

SILENCE = 60.0
"""Seconds between two progress lines if there is no terminal."""


def duration(text: str, *, zero: bool = False) -> float:
    """Seconds from 90, 90s, 10m or 1.5h; 0 only if `zero`."""
    from counterplay.api.train import duration as seconds_of
    from counterplay.core.errors import CounterplayError

    try:
        return seconds_of(text, zero=zero)
    except CounterplayError as wrong:
        raise typer.BadParameter(str(wrong)) from None


def train(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, as for `play`; not needed with --resume.")] = "",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="One of td (temporal differences), comparison (an expert's preferences), rounds (regression), alphazero, "
            "alphago, nnue, league (games with secrets), values or rebel (poker).",
        ),
    ] = "",
    preset: Annotated[
        str,
        typer.Option(
            "--preset", metavar="NAME", help="A historical program's training: samuel, neurogammon or td-gammon."
        ),
    ] = "",
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="T", parser=duration, help="Train for a time: 90s, 10m, 1.5h.")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", metavar="N", parser=whole_number, help="Train for N games.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="RUN", help="The folder of the run; a run already there continues."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue the run in RUN with its own settings; --time or --games make it longer."
        ),
    ] = False,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="An option of the method, such as hidden=80; may be repeated."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="The random seed.")] = 0,
    workers: Annotated[
        int,
        typer.Option("--workers", metavar="N", parser=whole_number, help="Play in N processes (alphazero, td)."),
    ] = 0,
    cluster: Cluster = "",
    json: Json = False,
) -> None:
    """Learn a game by self-play.

    The result is a model, RUN/model.npz: `alphabeta:evaluation=RUN` plays with it; after
    --method league, `policy:RUN` does.
    After Ctrl-C or a power cut, the same command continues the run.
    """
    from counterplay.api.train import Trainer
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.scale.crew import Fleet

    given = [part.partition("=") for part in options or []]
    chosen = {name.strip(): value.strip() for name, _, value in given}
    if game:
        open_game(game)
    fleet = Fleet(workers, cluster)
    with Trainer(game, method, preset, seconds, games, folder, resume, chosen, seed, fleet) as trainer:
        if trainer.training.step:
            note(f"continuing after {trainer.training.played:,} games of {trainer.files.folder}")
        wait_for(trainer.training.prepare, "compiling")
        found = conduct(trainer)
    if json:
        write_json(found.to_json())
    else:
        told = progress(found.last, trainer.training) if found.last else "nothing to do"
        console().print(f"{told}: {found.model}")
    if found.stopped:
        note("stopped; the same command continues from here")
        raise KeyboardInterrupt


def conduct(trainer: Trainer) -> TrainResult:
    """Train to the end, with a progress line."""
    from counterplay.cli.terminal import console, note

    rows: list[dict[str, Any]] = []
    status = console(stderr=True).status("training") if sys.stderr.isatty() else None
    told = time.monotonic()

    def report() -> None:
        nonlocal told
        if status and rows:
            status.update(progress(rows[-1], trainer.training) + " (Ctrl-C stops it)")
        elif rows and time.monotonic() - told >= SILENCE:
            told = time.monotonic()
            note(progress(rows[-1], trainer.training))

    if status:
        status.start()
    try:
        return trainer.run(rows.append, report)
    finally:
        if status:
            status.stop()


def progress(row: dict[str, Any], training: Any) -> str:
    """The progress of training, in one line."""
    from counterplay.api.train import TOLD, figures

    line = figures(row, *TOLD)
    share = training.share
    return line + (f", about {row['seconds'] * (1 - share) / share:,.0f} s left" if 0 < share < 1 else "")
