"""`match`: players against each other, and how sure it is who is stronger."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.arena.event import Event
    from counterplay.arena.plan import Plan
    from counterplay.arena.referee import Control
    from counterplay.core.game import Game

Specs = Annotated[
    list[str], typer.Argument(metavar="SPEC", help="The players, such as alphabeta:depth=6 or uci:stockfish.")
]
FEW, MANY = 20, 100_000
"""How many games a match has where nobody says; and at most, where a test ends it."""
Openings = Annotated[
    Path | None,
    typer.Option("--openings", metavar="FILE", help="Begin with these: moves or a position in each line."),
]
Plies = Annotated[
    int | None,
    typer.Option(
        "--plies",
        metavar="N",
        parser=whole_number,
        help="Begin with N random plies; else 4, or none where the game has chance or secrets.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="Fix all that is random.")]
MoveTime = Annotated[
    float | None, typer.Option("--time", metavar="S", parser=number, help="S seconds for each action, or it is lost.")
]
ClockTime = Annotated[
    str, typer.Option("--clock", metavar="S+I", help="S seconds on each player's clock, I more for each action.")
]
Margin = Annotated[
    float | None,
    typer.Option("--margin", metavar="S", parser=number, help="Overstepping by S seconds is forgiven, else by 0.3."),
]
JudgeSpec = Annotated[
    str, typer.Option("--judge", metavar="SPEC", help="End games whose result is clear to this player.")
]
Workers = Annotated[
    int, typer.Option("--workers", metavar="N", parser=whole_number, help="Play N games at once, each in a process.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Keep the games in this SQLite file; if it is there, go on with it."
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
            help="Play so many games; else 20, or until the test is decided.",
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
            "--sprt", metavar="ELO0,ELO1", help="Stop as soon as it is clear which the difference is (errors: 5%)."
        ),
    ] = "",
    judge: JudgeSpec = "",
    workers: Workers = 1,
    output: Output = None,
    json: Json = False,
) -> None:
    """Let players play a match, every opening from each side.

    Tells wins, draws and losses, and for two players with opposite interests the difference in Elo with its 95% interval.
    All games are kept in an SQLite file; the same command with the same -o FILE goes on where it was left.
    """
    from counterplay.arena.plan import is_duel, whole_rounds
    from counterplay.cli.arguments import open_game
    from counterplay.core.errors import CounterplayError

    rules = open_game(game)
    test = read_sprt(sprt) if sprt else ()
    if test and not is_duel(rules):
        raise CounterplayError(f"--sprt is for two players with opposite interests, which {game} does not have")
    whole = whole_rounds((MANY if test else FEW) if games is None else games, rules.players)
    control = control_of(seconds, clock, margin)
    plan = make_plan(rules, game, players, whole, "match", openings, plies, seed, control, test, judge)
    run(open_event(rules, plan, output, workers), workers, json)


def make_plan(
    rules: Game,
    game: str,
    players: Sequence[str],
    games: int,
    form: str,
    openings: Path | None,
    plies: int | None,
    seed: int,
    control: Control,
    sprt: tuple[float, ...] = (),
    judge: str = "",
) -> Plan:
    """The plan that a person asked for, players and openings checked."""
    from counterplay.arena.openings import read_openings, usual_plies
    from counterplay.arena.plan import Plan
    from counterplay.core.errors import CounterplayError
    from counterplay.players.human import Human
    from counterplay.players.specs import player

    if openings is not None and plies is not None:
        raise CounterplayError("--openings and --plies exclude each other")
    specs = [spec.strip() for spec in players]  # as typed: a budget that nobody named leaves room for the clock
    for spec in [*specs, judge] if judge else specs:
        with player(spec) as made:
            made.require(rules)
            if isinstance(made, Human):
                raise CounterplayError("a person does not play matches; `counterplay play GAME` is for people")
    given = tuple(read_openings(rules, openings)) if openings is not None else ()
    drawn = 0 if given else usual_plies(rules) if plies is None else plies
    plan = Plan(game, tuple(specs), games, form, seed, drawn, given, control, sprt, judge)
    plan.check(rules)
    return plan


def control_of(seconds: float | None, clock: str, margin: float | None) -> Control:
    """The time that a person gives."""
    from counterplay.arena.referee import MARGIN, Control
    from counterplay.core.errors import CounterplayError

    margin = MARGIN if margin is None else margin
    if seconds is not None and not 0 < seconds < float("inf"):
        raise CounterplayError(f"--time {seconds:g}: give a number of seconds, more than 0")
    if not 0 <= margin < float("inf"):
        raise CounterplayError(f"--margin {margin:g}: give a number of seconds, 0 or more")
    if not clock:
        return Control(seconds, None, 0.0, margin)
    base, _, increment = clock.partition("+")
    try:
        times = float(base), float(increment or 0)
    except ValueError:
        times = 0.0, 0.0
    if not (0 < times[0] < float("inf") and 0 <= times[1] < float("inf")):
        raise CounterplayError(
            f"--clock {clock!r}: give seconds and, after a +, seconds for each action, such as 60+0.5"
        )
    return Control(seconds, *times, margin)


def read_sprt(text: str) -> tuple[float, ...]:
    """A sequential test as a person writes it: elo0,elo1 and perhaps alpha,beta."""
    from counterplay.arena.sprt import Sprt
    from counterplay.core.errors import CounterplayError

    try:
        test = Sprt(*(float(part) for part in text.split(",")))
    except (ValueError, TypeError):
        raise CounterplayError(f"--sprt {text!r}: give two differences in Elo, such as 0,10") from None
    if not (-4000 < test.elo0 < test.elo1 < 4000 and 0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise CounterplayError(f"--sprt {text!r}: the first difference must be the smaller one, and errors below 0.5")
    return tuple(test)


def open_event(rules: Game, plan: Plan, output: Path | None, workers: int) -> Event:
    """The event with its file."""
    from counterplay.arena.event import Event
    from counterplay.arena.store import Store, usual_file
    from counterplay.cli.terminal import note
    from counterplay.core.errors import CounterplayError

    if not 0 <= workers <= 1024:
        raise CounterplayError(f"--workers {workers}: from 0 (in this process) to 1024")
    event = Event(rules, plan, Store(output or usual_file(plan.game)))
    if event.before:
        note(f"going on: {event.before} of {event.total} games were already played")
    return event


def run(event: Event, workers: int, json: bool) -> None:
    """Play, show how it goes, and report; after Ctrl-C, too."""
    from counterplay.cli.arguments import program
    from counterplay.cli.match_standing import report
    from counterplay.cli.terminal import note, wait_for
    from counterplay.core.registry import names_file

    try:
        wait_for(lambda: event.run(workers), "getting ready", lambda: progress(event))
    except KeyboardInterrupt:
        event.stop()
        note(f"stopped after {len(event.played)} of {event.total} games, all kept")
        if event.played:
            report(event.game, event.store, json)
        words = sys.argv[1:]
        if not any(word == "-o" or word.startswith("--output") for word in words):
            words = [*words, "-o", str(event.store.path)]
        note(f"to go on: {program()} {shlex.join(words)}")
        raise
    finally:
        event.stop()
    report(event.game, event.store, json)
    event.store.close()
    named = f" --game {event.plan.game}" if names_file(event.plan.game) else ""
    note(f"the games are in {event.store.path}; `{program()} results FILE{named}` shows and exports them")


def progress(event: Event) -> str:
    """How far it is, in a line."""
    done, left = len(event.played), event.seconds_left
    if done == event.before:
        return ""
    if event.trial:  # how long a test takes nobody knows
        low, high = event.trial.test.bounds
        return f"{done} games, log-likelihood ratio {event.trial.ratio:+.2f} of {low:.2f} to {high:.2f}, "
    return f"{done} of {event.total} games, {duration(left or 0)} left, "


def duration(seconds: float) -> str:
    """A time for people."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
