"""`tournament`: many players play each other and are rated."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli.match import (
    ClockTime,
    JudgeSpec,
    Margin,
    MoveTime,
    Openings,
    Output,
    Plies,
    Seed,
    Specs,
    Workers,
    run,
)
from counterplay.cli.options import Cluster, GameSpec, Json, whole_number


def tournament(
    game: GameSpec,
    players: Specs,
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole_number, help="Play N games per pair.")
    ] = 10,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="Only the first player plays the others.")] = False,
    openings: Openings = None,
    plies: Plies = None,
    seed: Seed = 0,
    seconds: MoveTime = None,
    clock: ClockTime = "",
    margin: Margin = None,
    judge: JudgeSpec = "",
    workers: Workers = 1,
    cluster: Cluster = "",
    output: Output = None,
    json: Json = False,
) -> None:
    """Play a tournament among many players, and rate them.

    Each pair (in games for more players, each group) plays every opening from each side. All games are kept in an
    SQLite file; the same command with the same -o FILE continues where it stopped. `results FILE` shows and exports them.
    """
    from counterplay.api.match import control_of, open_event, tournament_plan
    from counterplay.cli.arguments import open_game

    rules, control = open_game(game), control_of(seconds, clock, margin)
    plan = tournament_plan(rules, game, players, games, gauntlet, openings, plies, seed, control, judge)
    run(open_event(rules, plan, output, workers, cluster), workers, cluster, json)
