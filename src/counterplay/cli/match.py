"""`match`: which player is stronger, and how certain is that?"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Cluster, GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.api.match_result import MatchResult
    from counterplay.arena.event import Event
    from counterplay.arena.store import Store
    from counterplay.core.game import Game

Specs = Annotated[
    list[str], typer.Argument(metavar="SPEC", help="The players, such as alphabeta:depth=6 or uci:stockfish.")
]
Openings = Annotated[
    Path | None,
    typer.Option("--openings", metavar="FILE", help="Begin with these openings: moves or a position on each line."),
]
Plies = Annotated[
    int | None,
    typer.Option(
        "--plies",
        metavar="N",
        parser=whole_number,
        help="Begin with N random plies (default: 4, or 0 in games with chance or hidden information).",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="The random seed.")]
MoveTime = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="S",
        parser=number,
        help="A player that thinks longer than S seconds about an action loses the game.",
    ),
]
ClockTime = Annotated[
    str, typer.Option("--clock", metavar="S+I", help="S seconds on each player's clock, plus I for each action.")
]
Margin = Annotated[
    float | None,
    typer.Option(
        "--margin", metavar="S", parser=number, help="Tolerate up to S seconds beyond the limit (default: 0.3)."
    ),
]
JudgeSpec = Annotated[
    str, typer.Option("--judge", metavar="SPEC", help="A player that ends games once it considers them decided.")
]
Workers = Annotated[
    int,
    typer.Option("--workers", metavar="N", parser=whole_number, help="Play N games at once, each in its own process."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Keep the games in this SQLite file; a match already there continues."
    ),
]


def match(
    game: GameSpec,
    players: Specs,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            metavar="N",
            parser=whole_number,
            help="Play N games (default: 20, or until --sprt decides).",
        ),
    ] = None,
    openings: Openings = None,
    plies: Plies = None,
    seed: Seed = 0,
    seconds: MoveTime = None,
    clock: ClockTime = "",
    margin: Margin = None,
    sprt: Annotated[
        str,
        typer.Option(
            "--sprt", metavar="ELO0,ELO1", help="Stop when the difference is decided: ELO0 or ELO1 (5% error rates)."
        ),
    ] = "",
    judge: JudgeSpec = "",
    workers: Workers = 1,
    cluster: Cluster = "",
    output: Output = None,
    json: Json = False,
) -> None:
    """Play a match between players, every opening from each side.

    Reports wins, draws and losses, and in two-player zero-sum games the difference in Elo with its 95% interval. All games
    are kept in an SQLite file; the same command with the same -o FILE continues where it stopped.
    """
    from counterplay.api.match import control_of, match_plan, open_event
    from counterplay.cli.arguments import open_game

    rules, control = open_game(game), control_of(seconds, clock, margin)
    plan = match_plan(rules, game, players, games, openings, plies, seed, control, sprt, judge)
    run(open_event(rules, plan, output, workers, cluster), workers, cluster, json)


def run(event: Event, workers: int, cluster: str, json: bool) -> None:
    """Play, show progress, and report, even after Ctrl-C."""
    from counterplay.cli.arguments import program
    from counterplay.cli.terminal import note, wait_for
    from counterplay.core.registry import names_file

    if event.before:
        note(f"continuing: {event.before} of {event.total} games have already been played")
    try:
        wait_for(lambda: event.run(workers, cluster=cluster), "getting ready", lambda: progress(event))
    except KeyboardInterrupt:
        event.stop()
        note(f"stopped after {len(event.played)} of {event.total} games, all kept")
        if event.played:
            report(event.game, event.store, json)
        words = sys.argv[1:]
        if not any(word == "-o" or word.startswith("--output") for word in words):
            words = [*words, "-o", str(event.store.path)]
        note(f"to continue: {program()} {shlex.join(words)}")
        raise
    finally:
        event.stop()
    report(event.game, event.store, json)
    event.store.close()
    named = f" --game {event.plan.game}" if names_file(event.plan.game) else ""
    note(f"the games are in {event.store.path}; `{program()} results FILE{named}` shows and exports them")


def report(game: Game, store: Store, json: bool) -> None:
    """Print the standings of the games in a file."""
    from counterplay.api.match_result import MatchResult
    from counterplay.arena.standing import Standing

    tell(MatchResult(Standing(game, store)), json)


def tell(found: MatchResult, json: bool) -> None:
    """Print the result as text or as JSON."""
    from counterplay.cli.terminal import console, note, write_json

    if json:
        write_json(found.to_json())
        return
    console().print(str(found))
    if found.remark:
        note(found.remark)


def progress(event: Event) -> str:
    """The progress, in one line."""
    done, left = len(event.played), event.seconds_left
    if done == event.before:
        return ""
    if event.trial:  # nobody knows how long a test takes
        low, high = event.trial.test.bounds
        return f"{done} games, log-likelihood ratio {event.trial.ratio:+.2f} of {low:.2f} to {high:.2f}, "
    return f"{done} of {event.total} games, {duration(left or 0)} left, "


def duration(seconds: float) -> str:
    """A time as text."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
