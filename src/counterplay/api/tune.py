"""`tune`: the weights of chess's evaluation, fitted to self-play games."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.api.result import Result
from counterplay.arena.statistics import Sample, interval
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import hold, require_writable, write_whole
from counterplay.games.chess.game import Chess
from counterplay.learning.texel import PlayedGame, TexelShared, fit, read_records
from counterplay.scale.crew import Fleet, crew_for
from counterplay.scale.job import Job

Hear = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class TuneResult(Result):
    """Fitted weights, and their worth."""

    weights: Path
    games: int
    positions: int
    loss_before: float  # on held-out games
    loss_after: float
    checked: int = 0  # games against the old weights
    score: float | None = None
    interval: tuple[float, float] | None = None
    kept: int = 0  # games already in the file

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        told: dict[str, Any] = {"positions": self.positions, "loss_before": self.loss_before}
        told |= {"loss_after": self.loss_after, "weights": str(self.weights)}
        return told if self.interval is None else told | {"score": self.score, "interval": list(self.interval)}

    def __str__(self) -> str:
        lines = [
            f"{self.positions:,} positions of {self.games:,} games",
            f"loss on held-out games: {self.loss_before:.5f} before, {self.loss_after:.5f} after",
        ]
        if self.interval is not None:
            low, high = self.interval
            lines.append(
                f"{self.checked} games against the old weights: {self.score:.1%} (95%: {low:.1%} to {high:.1%})"
            )
        return "\n".join([*lines, f"weights written to {self.weights}"])


def tune(
    out: str | Path,
    *,
    games: int = 1000,
    nodes: int = 1000,
    data: str | Path | None = None,
    weights: str = "",
    seed: int = 0,
    check: int = 0,
    workers: int = 0,
    cluster: str = "",
    progress: Hear | None = None,
) -> TuneResult:
    """Fit the weights of chess's evaluation to `games` games of self-play, with `nodes` nodes per move, by logistic
    regression on the results (Texel's method). `load("chess:weights=OUT")` plays with them.

    The games are kept in the file `data`, and those already there count. It starts from the `weights` of a file, of the
    package, or from the hand-set ones (`hand`). `check` games are played with the new weights against the old ones.
    Games are played in `workers` processes or on a Ray `cluster`, if given. `progress` receives the progress.
    """
    if games < 1 or nodes < 1:
        raise CounterplayError(f"--games {games} --nodes {nodes}: both are 1 or more")
    if check < 0 or check % 2:
        raise CounterplayError(f"--check {check}: every opening is played from both sides, so the number must be even")
    hear, file, kept = progress or (lambda line: None), Path(out), None if data is None else Path(data)
    game = Chess(weights=weights)
    for path in (file,) if kept is None else (file, kept):
        require_writable(path)
    with ExitStack() as stack:
        if kept is not None:
            kept.touch()
            if held := hold(kept, f"another program is writing to {str(kept)!r}"):
                stack.enter_context(held)
        before = read_records(game, kept)[:games] if kept is not None else []
        shared, fleet = TexelShared(game.weight_rows(), nodes, seed), Fleet(workers, cluster)
        records = play_games(shared, games, before, kept, hear, fleet)
    found = fit(game, records, hear)
    begun = f" --weights {weights}" if weights else ""
    write_weights(
        file, f"counterplay tune {file.name} --games {games} --nodes {nodes} --seed {seed}{begun}", found.rows
    )
    score, between = None, None
    if check:
        sample = check_weights(TexelShared(found.rows, nodes, seed + 1, game.weight_rows()), check, hear, fleet)
        score, between = sample.mean, interval(sample)
    return TuneResult(
        file, len(records), found.positions, found.before, found.after, check, score, between, len(before)
    )


def texel_job(shared: TexelShared) -> Job:
    """The games of a tuning as a job."""
    return Job("the tuning", "counterplay.learning.texel:TexelRoom", shared, "game")


def play_games(
    shared: TexelShared, games: int, before: list[PlayedGame], data: Path | None, hear: Hear, fleet: Fleet
) -> list[PlayedGame]:
    """`games` games of self-play, including those `before`; each is written to `data` as soon as it ends."""
    records = list(before)
    if data and records and not data.read_bytes().endswith(b"\n"):
        with data.open("a") as file:
            file.write("\n")  # a truncated line does not damage the next record
    done = len(records)
    hear(f"{done} of {games} games")
    with crew_for(texel_job(shared), fleet.workers, fleet.cluster) as crew:
        for record in crew.map(range(done, games)):
            records.append(record)
            if data:
                with data.open("a") as file:
                    file.write(record.line())
            hear(f"{len(records)} of {games} games")
    return records


def write_weights(out: Path, command: str, rows: np.ndarray) -> None:
    """A file of weights that says how it was made."""
    content = {"command": command, "weights": rows.tolist()}
    write_whole(out, json.dumps(content).replace("], [", "],\n [") + "\n")


def check_weights(shared: TexelShared, games: int, hear: Hear, fleet: Fleet) -> Sample:
    """The new weights' score against the old ones."""
    scores: list[float] = []
    with crew_for(texel_job(shared), fleet.workers, fleet.cluster) as crew:
        for score in crew.map(range(games // 2)):
            scores.append(score)
            hear(f"{2 * len(scores)} of {games} games against the old weights")
    return Sample.of(scores)
