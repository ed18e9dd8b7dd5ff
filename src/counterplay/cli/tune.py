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
    weights: Annotated[
        str, typer.Option("--weights", metavar="FILE", help="Begin with these, or with those set by hand: `hand`.")
    ] = "",
    seed: Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="Of the openings.")] = 0,
    check: Annotated[
        int,
        typer.Option(
            "--check", metavar="N", parser=whole_number, help="Play N games with the new weights against those before."
        ),
    ] = 0,
    json: Json = False,
) -> None:
    """Fit the weights of chess's evaluation to games of its own.

    Logistic regression on the results (Texel's method). `counterplay search chess:weights=WEIGHTS.json` plays with what was
    found. Interrupted, it goes on from the games in --data.
    """
    import json as notation

    from counterplay.arena.statistics import Sample, interval
    from counterplay.cli.terminal import console, note, wait_for, write_json, write_whole
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import hold, require_writable
    from counterplay.games.chess.game import Chess
    from counterplay.learning.texel import Record, contest, fit, read_records, self_play

    if games < 1 or nodes < 1:
        raise CounterplayError(f"--games {games} --nodes {nodes}: both are 1 or more")
    if check < 0 or check % 2:
        raise CounterplayError(f"--check {check}: every opening is played from both sides, so the number is even")
    game = Chess(weights=weights)
    for path in (out, data) if data else (out,):
        require_writable(path)
    if data:
        data.touch()
        held = hold(data, f"another program is playing into {str(data)!r}")  # noqa: F841 (held to the end)
    records: list[Record] = read_records(game, data)[:games] if data and data.exists() else []
    if records:
        note(f"{len(records)} games are there already")
    if data and records and not data.read_bytes().endswith(b"\n"):
        with data.open("a") as file:
            file.write("\n")  # what was cut short does not spoil the next record
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
    begun = f" --weights {weights}" if weights else ""
    command = f"counterplay tune {out.name} --games {games} --nodes {nodes} --seed {seed}{begun}"
    content = {"command": command, "weights": found.rows.tolist()}
    write_whole(out, notation.dumps(content).replace("], [", "],\n [") + "\n")
    told = {"positions": found.positions, "loss_before": found.before, "loss_after": found.after, "weights": str(out)}
    scores: list[float] = []
    if check:
        tuned = game.with_weights(found.rows)

        def contend() -> None:
            scores.extend(contest(tuned, game, range(check // 2), nodes, seed + 1))

        wait_for(contend, "checking", lambda: f"{2 * len(scores)} of {check} games, ")
        sample = Sample.of(scores)
        told |= {"score": sample.mean, "interval": list(interval(sample))}
    if json:
        write_json(told)
    else:
        console().print(f"{found.positions:,} positions of {len(records):,} games")
        console().print(f"loss on games held back: {found.before:.5f} before, {found.after:.5f} after")
        if check:
            low, high = interval(sample)
            console().print(
                f"{check} games against the weights before: {sample.mean:.1%} (95%: {low:.1%} to {high:.1%})"
            )
        console().print(f"weights written to {out}")
