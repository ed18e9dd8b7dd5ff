"""`tune`: the weights of an evaluation, fitted to games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Json, whole_number

if TYPE_CHECKING:
    import numpy as np

    from counterplay.games.chess.game import Chess
    from counterplay.learning.texel import PlayedGame


def tune(
    out: Annotated[Path, typer.Argument(metavar="WEIGHTS.json", help="Where to write the weights.")],
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole_number, help="So many games of self-play.")
    ] = 1000,
    nodes: Annotated[
        int, typer.Option("--nodes", metavar="N", parser=whole_number, help="Nodes that a move is searched for.")
    ] = 1000,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Keep the games here, and continue with those already there."),
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
    found. If interrupted, it continues from the games in --data.
    """
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import hold, require_writable
    from counterplay.games.chess.game import Chess
    from counterplay.learning.texel import fit

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
    records = play_games(game, games, nodes, seed, data)
    doing = ["features"]

    def hear(sentence: str) -> None:
        doing[0] = sentence

    found = wait_for(lambda: fit(game, records, hear), "fitting", lambda: doing[0] + ", ")
    begun = f" --weights {weights}" if weights else ""
    write_weights(out, f"counterplay tune {out.name} --games {games} --nodes {nodes} --seed {seed}{begun}", found.rows)
    told = {"positions": found.positions, "loss_before": found.before, "loss_after": found.after, "weights": str(out)}
    checked = check_weights(game.with_weights(found.rows), game, check, nodes, seed + 1) if check else None
    if json:
        write_json(told if checked is None else told | {"score": checked[0], "interval": list(checked[1])})
        return
    console().print(f"{found.positions:,} positions of {len(records):,} games")
    console().print(f"loss on games held back: {found.before:.5f} before, {found.after:.5f} after")
    if checked is not None:
        score, (low, high) = checked
        console().print(f"{check} games against the weights before: {score:.1%} (95%: {low:.1%} to {high:.1%})")
    console().print(f"weights written to {out}")


def play_games(game: Chess, games: int, nodes: int, seed: int, data: Path | None) -> list[PlayedGame]:
    """This many games of self-play, those that `data` has already included; each is kept there as soon as it ends."""
    from counterplay.cli.terminal import note, wait_for
    from counterplay.learning.texel import read_records, self_play

    records = read_records(game, data)[:games] if data and data.exists() else []
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
    return records


def write_weights(out: Path, command: str, rows: np.ndarray) -> None:
    """A file of weights that says how it came about."""
    import json

    from counterplay.cli.terminal import write_whole

    content = {"command": command, "weights": rows.tolist()}
    write_whole(out, json.dumps(content).replace("], [", "],\n [") + "\n")


def check_weights(tuned: Chess, game: Chess, games: int, nodes: int, seed: int) -> tuple[float, tuple[float, float]]:
    """How the new weights score against those before, and the interval of that."""
    from counterplay.arena.statistics import Sample, interval
    from counterplay.cli.terminal import wait_for
    from counterplay.learning.texel import contest

    scores: list[float] = []

    def contend() -> None:
        scores.extend(contest(tuned, game, range(games // 2), nodes, seed))

    wait_for(contend, "checking", lambda: f"{2 * len(scores)} of {games} games, ")
    sample = Sample.of(scores)
    return sample.mean, interval(sample)
