"""`tune`: the weights of an evaluation, fitted to games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Json, whole_number


def tune(
    out: Annotated[Path, typer.Argument(metavar="WEIGHTS.json", help="Where to write the weights.")],
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole_number, help="So many games of self-play.")
    ] = 1000,
    nodes: Annotated[
        int, typer.Option("--nodes", metavar="N", parser=whole_number, help="Nodes that a move is searched for.")
    ] = 1000,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FILE", help="Keep the games here, and go on with those there.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="Of the openings.")] = 0,
    json: Json = False,
) -> None:
    """Fit the weights of chess's evaluation to games of its own.

    Logistic regression on the results (Texel's method). `counterplay search chess:weights=WEIGHTS.json` plays with what was
    found. Interrupted, it goes on from the games in --data.
    """
    import json as notation

    from counterplay.cli.terminal import console, note, wait_for, write_json, write_whole
    from counterplay.core.errors import CounterplayError
    from counterplay.games.chess.game import Chess
    from counterplay.learning.texel import Record, fit, read_records, self_play

    if games < 1 or nodes < 1:
        raise CounterplayError(f"--games {games} --nodes {nodes}: both are 1 or more")
    game = Chess()
    records: list[Record] = read_records(data)[:games] if data and data.exists() else []
    if records:
        note(f"{len(records)} games are there already")
    done = len(records)

    def play() -> None:
        for record in self_play(game, range(done, games), nodes, seed):
            records.append(record)
            if data:
                with data.open("a") as file:
                    file.write(record.line())

    wait_for(play, "playing", lambda: f"{len(records)} of {games} games, ")
    doing = ["features"]

    def hear(sentence: str) -> None:
        doing[0] = sentence

    found = wait_for(lambda: fit(game, records, hear), "fitting", lambda: doing[0] + ", ")
    command = f"counterplay tune {out.name} --games {games} --nodes {nodes} --seed {seed}"
    content = {"command": command, "weights": found.rows.tolist()}
    write_whole(out, notation.dumps(content).replace("], [", "],\n [") + "\n")
    told = {"positions": found.positions, "loss_before": found.before, "loss_after": found.after, "weights": str(out)}
    if json:
        write_json(told)
    else:
        console().print(f"{found.positions:,} positions of {len(records):,} games")
        console().print(f"loss on games held back: {found.before:.5f} before, {found.after:.5f} after")
        console().print(f"weights written to {out}")
