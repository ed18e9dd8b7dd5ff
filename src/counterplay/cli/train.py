"""`train`: learning by playing, as runs that last."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import Json, whole_number

if TYPE_CHECKING:
    from counterplay.learning.runs import Run

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
SILENCE = 60.0
"""Seconds between two lines that say how far a training is, where nobody looks on at a terminal."""
FORMS = {
    "games": "{:,} games", "games_per_second": "{:,.0f} games/s", "positions_per_second": "{:,.0f} positions/s",
    "loss": "loss {:.4f}", "rating": "rating {:+.0f}", "length": "{:.1f} plies a game", "seconds": "{:,.0f} s",
}  # fmt: skip
"""How figures of a run are told."""


def duration(text: str) -> float:
    """Seconds from 90, 90s, 10m or 1.5h."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *([a-z]*)", text.strip().lower())
    if not found or found[2] not in UNITS or not float(found[1]) > 0:
        raise typer.BadParameter(f"{text!r} is no time; write 90s, 10m or 1.5h")
    return float(found[1]) * UNITS[found[2]]


def train(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game, as for `play`; with --resume, the run knows it.")
    ] = "",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="How: td (temporal differences), rounds (play and regression) or alphazero.",
        ),
    ] = "",
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="A training with a history: samuel or td-gammon.")
    ] = "",
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="T", parser=duration, help="Train for a time: 90s, 10m, 1.5h.")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", metavar="N", parser=whole_number, help="Train for N games.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="RUN", help="The folder of the run; one that is there goes on."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the run in RUN, as it was begun; --time or --games: for longer."),
    ] = False,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="An option of the method, such as hidden=80; may be repeated."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="For what is drawn.")] = 0,
    json: Json = False,
) -> None:
    """Learn a game by playing it against oneself.

    What is learned is a model, RUN/model.npz: `alphabeta:evaluation=RUN` plays by it.
    Ctrl-C ends a training, and so does pulling the plug: the same command goes on from there.
    """
    from dataclasses import asdict

    from counterplay.cli.arguments import open_game
    from counterplay.core.errors import CounterplayError
    from counterplay.learning.methods import training_for, usual_options
    from counterplay.learning.runs import Run, usual_folder

    if resume and folder is None:
        raise CounterplayError("--resume needs the folder of the run: -o RUN")
    if not game and not resume:
        raise CounterplayError("name the GAME to learn, such as connect-four; only with --resume the run knows it")
    given = [part.partition("=") for part in options or []]
    chosen: dict[str, Any] = {name.strip(): value.strip() for name, _, value in given}
    chosen |= {"seed": str(seed)} if seed else {}
    run = Run(folder) if folder else Run(usual_folder(game, method or preset or "td"))
    longer = resume and (games is not None or seconds is not None)
    if resume:
        if method or preset or chosen:
            raise CounterplayError(
                "--resume goes on as the run was begun: beside it, only --time or --games may be given"
            )
        training = begun_as(run, game, {"games": games, "seconds": seconds} if longer else {})
    else:
        rules = open_game(game)
        training = training_for(rules, method=method, preset=preset, games=games, seconds=seconds, options=chosen)
    is_new = run.begin(training.config, usual=asdict(usual_options(training.config["method"])), longer=longer)
    try:
        training.resume(run)
        conduct(training, run, json)
    except BaseException:
        if is_new:
            run.abandon()
        raise
    finally:
        run.close()


def begun_as(run: Run, game: str, budget: dict[str, Any]) -> Any:
    """The training that a run was begun as, of the `game` that a person names or the run knows, with another budget where
    one is given."""
    from counterplay.cli.arguments import open_game
    from counterplay.core.errors import CounterplayError, UnknownGame
    from counterplay.core.registry import names_file
    from counterplay.learning.methods import training_for

    config = run.config
    if not game and names_file(config["game"]):
        raise CounterplayError(
            f"{str(run.folder)!r} is a run of {config['game']}, which would be run: name it yourself, before --resume"
        )
    try:
        rules = open_game(game or config["game"])
    except UnknownGame:
        if game:
            raise
        raise CounterplayError(
            f"{str(run.folder)!r} is a run of {config['game']}, which has no name here: give its file before --resume"
        ) from None
    if config["game"] != rules.spec:
        raise CounterplayError(f"{str(run.folder)!r} is a run of {config['game']}, not of {rules.spec}")
    last = (run.metrics() or [{}])[-1]
    for name, asked in budget.items():
        least = max(config.get(name) or 0, last.get(name, 0))
        if asked is not None and asked < least:
            raise CounterplayError(
                f"{str(run.folder)!r} is a run of {least:,.0f} {name}: --resume makes it only longer"
            )
    fixed = ("format", "game", "method", "games", "seconds")
    options = {name: str(value) for name, value in config.items() if name not in fixed}
    budget = budget or {name: config.get(name) for name in ("games", "seconds")}
    return training_for(rules, method=config["method"], options=options, **budget)


def conduct(training: Any, run: Run, json: bool) -> None:
    """Train to the end, with a line that says how far it is."""
    import sys
    import time

    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.search.background import run as run_beside

    if training.step:
        note(f"going on after {training.played:,} games of {run.folder}")
    wait_for(training.prepare, "compiling")
    rows: list[dict[str, Any]] = []
    status = console(stderr=True).status("training") if sys.stderr.isatty() else None
    told = time.monotonic()

    def report() -> None:
        nonlocal told
        if status and rows:
            status.update(progress(rows[-1], training) + " (Ctrl-C ends it)")
        elif rows and time.monotonic() - told >= SILENCE:
            told = time.monotonic()
            note(progress(rows[-1], training))

    stopped = False
    if status:
        status.start()
    try:
        run_beside([lambda: training.run(run, rows.append)], training.stop.set, report=report)
    except KeyboardInterrupt:
        stopped = True
    finally:
        if status:
            status.stop()
    last = rows[-1] if rows else (run.metrics() or [{}])[-1]
    if json:
        write_json({"run": str(run.folder), "model": str(run.model), **last})
    else:
        console().print(f"{progress(last, training) if last else 'nothing to do'}: {run.model}")
    if stopped:
        note("stopped; the same command goes on from here")
        raise KeyboardInterrupt


def progress(row: dict[str, Any], training: Any) -> str:
    """How far a training is, in a line."""
    line = figures(row, "games", "games_per_second", "positions_per_second", "loss", "rating", "seconds")
    share = training.share
    return line + (f", about {row['seconds'] * (1 - share) / share:,.0f} s left" if 0 < share < 1 else "")


def figures(row: dict[str, Any], *names: str) -> str:
    """What a line of metrics says under some names, as far as it does."""
    return ", ".join(FORMS[name].format(row[name]) for name in names if row.get(name) is not None)
