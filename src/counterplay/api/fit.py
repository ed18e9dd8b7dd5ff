"""`fit`: weights for an evaluation or a policy, from stored playthroughs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.arena.recorded_games import read_games
from counterplay.core.compiled_rules import with_compiled_rules
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough, RecordedGame
from counterplay.evaluation.encoding import try_encoding
from counterplay.learning.imitation import Choice, fit_network, fit_policy
from counterplay.learning.recorded_games import Opinion, choices_of, lesson_of
from counterplay.learning.regression import FitOptions
from counterplay.learning.regression import fit as fitted
from counterplay.learning.samples import Hear, Lesson
from counterplay.scale.crew import Fleet, WorkCrew, crew_for
from counterplay.scale.job import GameParcel, Job, parcel

RESULT, SOLVE, MOVES, NETWORK = "result", "solve", "moves", "network"
REPORTED = 10
"""The number of games between two reports."""


@dataclass(frozen=True, repr=False)
class FitResult(Result):
    """A fitted model, and how well it does on held-out games."""

    game: str
    file: Path
    about: dict[str, Any]  # the model's description of itself, including its errors
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
    workers: int = 0,
    cluster: str = "",
    progress: Hear | None = None,
) -> FitResult:
    """Fit an evaluation to the games in `files`: what `match` or `tournament` wrote, PGN, PDN or SGF. The model is written
    to `output`.

    `labels` is the label of a position: result, how the game ended; solve, its exact value; or a player's value, such as
    alphabeta:depth=6. With moves, a playout policy learns which action was chosen. `method` is exact or stochastic, least
    squares over the `encoding` (features, patterns or planes) with a `link` (identity or logistic); or network. The share
    `hold_out` of the games only measures the fit. The first `skip` plies of each game are left out. `plot` is a file for a
    plot of predictions against results. Labels that need a search are computed in `workers` processes or on a Ray
    `cluster`. `progress` receives the progress: games read, epochs done.
    """
    hear: Hear = progress or (lambda line: None)
    rules, read_from, file = game_of(game), [files] if isinstance(files, (str, Path)) else list(files), Path(output)
    paths = [Path(each) for each in read_from]
    try_encoding(rules)
    if skip < 0:
        raise CounterplayError(f"--skip {skip}: give 0 or more plies")
    if labels == MOVES or method == NETWORK:
        if plot is not None:
            raise CounterplayError("--plot shows how well an evaluation is calibrated; a policy has no such plot")
        return fit_choices(rules, paths, file, labels, method, encoding, epochs, rate, hold_out, skip, hear)
    how = FitOptions(encoding, method, link, ridge, epochs, rate, hold_out)
    if plot is not None:
        from counterplay.equilibrium.chart import require_chart

        require_chart(Path(plot))
    fleet = Fleet(workers, cluster, spec=game if isinstance(game, str) else rules.spec)
    if labels == RESULT and fleet.is_asked_for:
        raise CounterplayError("--workers and --cluster are for labels that take a search, not for --labels result")
    replayed = with_compiled_rules(rules) if labels == RESULT else rules

    def read() -> Iterator[Lesson]:
        found = counted((each for path in paths for each in read_games(replayed, path)), hear)
        if labels == RESULT:
            return (lesson_of(each, None, skip) for each in found)
        return labelled(rules, labels, skip, found, fleet)

    found = fitted(rules, read, how, hear)
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
    hold_out: float, skip: int, hear: Hear,
) -> FitResult:  # fmt: skip
    """Fit a policy to the actions played."""
    FitOptions(epochs=epochs, rate=rate, hold_out=hold_out)  # refuses impossible options
    if method == NETWORK and labels not in (RESULT, MOVES):
        raise CounterplayError(f"--method network learns from moves and results, not from --labels {labels}")
    replayed = with_compiled_rules(rules)

    def read() -> Iterator[Iterator[Choice]]:
        games = (each for file in files for each in read_games(replayed, file))
        return (choices_of(each, skip) for each in counted(games, hear))

    if method == NETWORK:
        found = fit_network(rules, read, epochs=epochs, rate=rate / 10, hold_out=hold_out, report=hear)
    else:
        found = fit_policy(rules, read, encoding=encoding, epochs=epochs, rate=rate, hold_out=hold_out)
    found.model.save(output)
    text = f"learned from {found.samples:,} choices: {output}"
    if found.held:
        text += f"\nheld out: {found.held:,} choices, {found.foretold:.1%} of them predicted"
    return FitResult(rules.spec, output, found.model.about, text)


def counted(games: Iterable[RecordedGame], hear: Hear) -> Iterator[RecordedGame]:
    """The same games, reporting the number read so far."""
    for number, game in enumerate(games, 1):
        yield game
        if number % REPORTED == 0:
            hear(f"{number:,} games read")


class LabelShared(NamedTuple):
    """What all games to be labelled share."""

    game: GameParcel
    labels: str
    skip: int


class LabelUnit(NamedTuple):
    """A game as it is sent."""

    position: str | None
    before: list[int]  # the actions of the opening
    moves: list[Any]


class LabelRoom:
    """A process that labels the positions of games: returns each label with its ply."""

    def __init__(self, rules: Game, labels: str, skip: int) -> None:
        self.rules, self.opinion, self.skip = rules, opinion_of(rules, labels), skip

    def __call__(self, unit: LabelUnit) -> dict[int, float | None]:
        """Label one game."""
        found: dict[int, float | None] = {}

        def noted(p: Playthrough) -> float | None:
            found[len(p)] = self.opinion(p)
            return found[len(p)]

        start = self.rules.start(position=unit.position)
        for action in unit.before:
            start.play(action)
        lesson_of(RecordedGame(start, unit.moves, None), noted, self.skip)
        return found


def open_labels(shared: LabelShared) -> LabelRoom:
    """The workshop of a process that labels."""
    return LabelRoom(shared.game.open(), shared.labels, shared.skip)


def labelled(rules: Game, labels: str, skip: int, games: Iterator[RecordedGame], fleet: Fleet) -> Iterator[Lesson]:
    """The lessons of games whose labels need a search, computed by a crew."""
    room = LabelRoom(rules, labels, skip)  # rejects impossible options
    if fleet.is_asked_for:
        shared = LabelShared(parcel(rules, fleet.spec), labels, skip)
        job = Job("the labels", "counterplay.api.fit:open_labels", shared, "game")
        hired = crew_for(job, fleet.workers, fleet.cluster)
    else:
        hired = WorkCrew(work=room)
    given, kept = itertools.tee(games)
    with hired as crew:
        for game, found in zip(kept, crew.map(map(label_unit, given)), strict=True):
            yield lesson_of(game, known_labels(found), skip)


def known_labels(found: dict[int, float | None]) -> Opinion:
    """Labels that were computed elsewhere."""
    return lambda p: found[len(p)]


def label_unit(game: RecordedGame) -> LabelUnit:
    """A game as a unit of work."""
    rules, first = game.start.game, game.start.states[0]
    usual = first == rules.initial()
    return LabelUnit(None if usual else rules.position_text(first), list(game.start.actions), list(game.moves))


def opinion_of(rules: Game, labels: str) -> Opinion:
    """The function that values a position."""
    if labels == SOLVE:
        from counterplay.search.solving.solve import solve

        return lambda p: solve(rules, p.state, before=p.before).value
    from counterplay.players.specs import player

    asked = player(labels)
    asked.require(rules)
    return lambda p: asked.choose(p).value
