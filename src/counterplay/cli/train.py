"""`train` and `runs`: learning by playing, as runs that last."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.learning.run import Run

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def duration(text: str) -> float:
    """Seconds from 90, 90s, 10m or 1.5h."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *([a-z]*)", text.strip().lower())
    if not found or found[2] not in UNITS or not float(found[1]) > 0:
        raise typer.BadParameter(f"{text!r} is no time; write 90s, 10m or 1.5h")
    return float(found[1]) * UNITS[found[2]]


def train(
    game: GameSpec,
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
    from counterplay.cli.opening import open_game
    from counterplay.core.errors import CounterplayError
    from counterplay.learning.methods import training_for
    from counterplay.learning.run import Run, usual_folder

    if resume and folder is None:
        raise CounterplayError("--resume needs the folder of the run: -o RUN")
    rules = open_game(game)
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
        begun = from_config(rules, run)
        training = training_for(rules, **begun | ({"games": games, "seconds": seconds} if longer else {}))
    else:
        training = training_for(rules, method=method, preset=preset, games=games, seconds=seconds, options=chosen)
    run.begin(training.config, longer=longer)
    try:
        training.resume(run)
        conduct(training, run, json)
    finally:
        run.close()


def from_config(rules: Game, run: Run) -> dict[str, Any]:
    """What a run was begun with."""
    from counterplay.core.errors import CounterplayError

    config = run.config
    if config.get("game") != rules.spec:
        raise CounterplayError(f"{str(run.folder)!r} is a run of {config.get('game')}, not of {rules.spec}")
    fixed = ("format", "game", "method", "games", "seconds")
    return {
        "method": config["method"],
        "games": config["games"],
        "seconds": config["seconds"],
        "options": {name: str(value) for name, value in config.items() if name not in fixed},
    }


def conduct(training: Any, run: Run, json: bool) -> None:
    """Train to the end, with a line that says how far it is."""
    import sys

    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.search.running import run as run_beside

    if training.step:
        note(f"going on after {training.played:,} games of {run.folder}")
    wait_for(training.prepare, "compiling")
    rows: list[dict[str, Any]] = []
    status = console(stderr=True).status("training") if sys.stderr.isatty() else None

    def report() -> None:
        if status and rows:
            status.update(progress(rows[-1], training) + " (Ctrl-C ends it)")

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
        write_json({"run": str(run.folder), "model": str(run.folder / "model.npz"), **last})
    else:
        console().print(f"{progress(last, training) if last else 'nothing to do'}: {run.folder / 'model.npz'}")
    if stopped:
        note("stopped; the same command goes on from here")
        raise KeyboardInterrupt


def progress(row: dict[str, Any], training: Any) -> str:
    """How far a training is, in a line."""
    parts = [f"{row['games']:,} games"]
    for name, form in (("games_per_second", "{:,.0f} games/s"), ("positions_per_second", "{:,.0f} positions/s"),
                       ("loss", "loss {:.4f}"), ("rating", "rating {:+.0f}"), ("seconds", "{:,.0f} s")):  # fmt: skip
        if row.get(name) is not None:
            parts.append(form.format(row[name]))
    share = training.share
    if 0 < share < 1:
        parts.append(f"about {row['seconds'] * (1 - share) / share:,.0f} s left")
    return ", ".join(parts)


def runs(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="The folder of a run, or of runs; else the usual place.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw how they went, as .png, .svg or .pdf.")
    ] = None,
    json: Json = False,
) -> None:
    """List the runs of `train`, and draw how they went."""
    from counterplay.cli.terminal import console, note, write_json
    from counterplay.learning.run import list_runs, runs_folder

    place = folder or runs_folder()
    found = list_runs(place)
    rows = []
    for run in found:
        way = run.metrics()
        config = {name: value for name, value in run.config.items() if name != "format"}
        rows.append({"run": str(run.folder), "config": config, "lines": len(way), "last": way[-1] if way else None})
    if plot is not None:
        from counterplay.learning.chart import draw_runs

        draw_runs(found, plot)
    if json:
        write_json(rows)
        return
    if not rows:
        note(f"no runs in {place}")
    for row in rows:
        last: dict[str, Any] = row["last"] or {}  # type: ignore[assignment]
        config = row["config"]  # type: ignore[assignment]
        told = f"{last['games']:,} games, {last['seconds']:,.0f} s" if last else "nothing yet"
        told += f", loss {last['loss']:.4f}" if "loss" in last else ""
        console().print(f"{row['run']}: {config['game']}, {config['method']}: {told}")
