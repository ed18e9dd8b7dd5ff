"""`fit`: weights for an evaluation or a policy, from stored playthroughs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.arena.recorded_games import read_games
from counterplay.core.compiled_rules import with_compiled_rules
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.evaluation.encoding import try_encoding
from counterplay.learning.imitation import Choice, fit_network, fit_policy
from counterplay.learning.recorded_games import Opinion, choices_of, lesson_of
from counterplay.learning.regression import FitOptions
from counterplay.learning.regression import fit as fitted
from counterplay.learning.samples import Lesson

RESULT, SOLVE, MOVES, NETWORK = "result", "solve", "moves", "network"


@dataclass(frozen=True, repr=False)
class FitResult(Result):
    """A model that was fitted, and how well it does on what was held out."""

    game: str
    file: Path
    about: dict[str, Any]  # what the model says of itself, its errors included
    text: str

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"game": self.game, "model": str(self.file), **self.about}

    def __str__(self) -> str:
        return self.text


def fit(
    game: AnyGame,
    files: str | Path | Sequence[str | Path],
    *,
    output: str | Path,
    labels: str = RESULT,
    method: str = "exact",
    link: str = "identity",
    encoding: str = "",
    ridge: float = 1e-3,
    epochs: int = 4,
    rate: float = 0.02,
    hold_out: float = 0.1,
    skip: int = 0,
    plot: str | Path | None = None,
) -> FitResult:
    """Fit an evaluation to the games in `files`: what `match` or `tournament` wrote, PGN, PDN or SGF. The model is written
    to `output`.

    `labels` is the label of a position: result, how the game ended; solve, its exact value; or a player's value, such as
    alphabeta:depth=6. With moves, a playout policy learns which action was chosen. `method` is exact or stochastic, least
    squares over the `encoding` (features, patterns or planes) with a `link` (identity or logistic); or network. The share
    `hold_out` of the games only measures the fit. The first `skip` plies of each game are left out. `plot` is a file for a
    plot of predictions against results.
    """
    rules, read_from, file = game_of(game), [files] if isinstance(files, (str, Path)) else list(files), Path(output)
    paths = [Path(each) for each in read_from]
    try_encoding(rules)
    if skip < 0:
        raise CounterplayError(f"--skip {skip}: give 0 or more plies")
    if labels == MOVES or method == NETWORK:
        if plot is not None:
            raise CounterplayError("--plot shows how well an evaluation is calibrated; a policy has no such plot")
        return fit_choices(rules, paths, file, labels, method, encoding, epochs, rate, hold_out, skip)
    how = FitOptions(encoding, method, link, ridge, epochs, rate, hold_out)
    if plot is not None:
        from counterplay.equilibrium.chart import require_chart

        require_chart(Path(plot))
    opinion = opinion_of(rules, labels)
    replayed = with_compiled_rules(rules) if opinion is None else rules

    def read() -> Iterator[Lesson]:
        return (lesson_of(each, opinion, skip) for path in paths for each in read_games(replayed, path))

    found = fitted(rules, read, how)
    found.model.save(file)
    if plot is not None:
        from counterplay.learning.chart import draw_calibration

        draw_calibration(found.held, f"{rules.spec}, held out", Path(plot))
    text = f"fitted to {found.samples:,} positions, {found.model.encoding}: {file}"
    if found.held.number:
        text += f"\nheld out: {found.held.number:,} positions, error {found.held.error:.4g}, "
        text += f"correlation {found.held.correlation:.3f}"
    return FitResult(rules.spec, file, found.model.about, text)


def fit_choices(
    rules: Game, files: list[Path], output: Path, labels: str, method: str, encoding: str, epochs: int, rate: float,
    hold_out: float, skip: int,
) -> FitResult:  # fmt: skip
    """Fit a policy to what was played."""
    FitOptions(epochs=epochs, rate=rate, hold_out=hold_out)  # refuses impossible options
    if method == NETWORK and labels not in (RESULT, MOVES):
        raise CounterplayError(f"--method network learns from moves and results, not from --labels {labels}")
    replayed = with_compiled_rules(rules)

    def read() -> Iterator[Iterator[Choice]]:
        return (choices_of(each, skip) for file in files for each in read_games(replayed, file))

    if method == NETWORK:
        found = fit_network(rules, read, epochs=epochs, rate=rate / 10, hold_out=hold_out)
    else:
        found = fit_policy(rules, read, encoding=encoding, epochs=epochs, rate=rate, hold_out=hold_out)
    found.model.save(output)
    text = f"learned from {found.samples:,} choices: {output}"
    if found.held:
        text += f"\nheld out: {found.held:,} choices, {found.foretold:.1%} of them foretold"
    return FitResult(rules.spec, output, found.model.about, text)


def opinion_of(rules: Game, labels: str) -> Opinion | None:
    """What says what a position is worth; None: the result of its game."""
    if labels == RESULT:
        return None
    if labels == SOLVE:
        from counterplay.search.solving.solve import solve

        return lambda p: solve(rules, p.state, before=p.before).value
    from counterplay.players.specs import player

    asked = player(labels)
    asked.require(rules)
    return lambda p: asked.choose(p).value
