"""`train`: learning by playing, in runs that can be resumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError, UnknownGame
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import names_file
from counterplay.learning.methods import training_for, usual_options
from counterplay.learning.runs import Run, usual_folder
from counterplay.players.player import Forfeit
from counterplay.players.specs import player
from counterplay.scale.crew import Fleet
from counterplay.search.background import run as run_beside

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
FORMS = {
    "games": "{:,} games", "games_per_second": "{:,.0f} games/s", "positions_per_second": "{:,.0f} positions/s",
    "stage": "stage {} of 5", "loss": "loss {:.4f}", "foretold": "{:.1%} of expert moves predicted",
    "against_earlier": "{:.1%} against earlier selves", "rounds": "{:,} rounds", "agents": "{:,} agents",
    "exploitability": "exploitability {:.3g}", "rating": "rating {:+.0f}", "length": "{:.1f} plies a game",
    "actors_wait": "actors wait {:.0%}", "learner_waits": "the learner {:.0%}", "stale_steps": "{:,} steps behind",
    "seconds": "{:,.0f} s",
}  # fmt: skip
"""How a run's figures are shown."""
TOLD = (
    "stage", "games", "rounds", "agents", "games_per_second", "positions_per_second", "loss", "foretold",
    "against_earlier", "rating", "exploitability", "actors_wait", "learner_waits", "stale_steps", "seconds",
)  # fmt: skip
"""The figures shown during training."""

Row = dict[str, Any]
GAIN = 20.0
"""The Elo difference that a sequential test must find before a new network is accepted."""


@dataclass(frozen=True, repr=False)
class TrainResult(Result):
    """A run: its folder, the model that it learned, and its last line of metrics."""

    run: Path
    model: Path
    last: Row = field(compare=False)
    stopped: bool = False  # by Ctrl-C; the same call continues

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"run": str(self.run), "model": str(self.model), **self.last}

    def __str__(self) -> str:
        told = figures(self.last, *TOLD)
        return f"{told or 'nothing to do'}: {self.model}"


def train(
    game: AnyGame = "",
    *,
    method: str = "",
    preset: str = "",
    time: float | str | None = None,
    games: int | None = None,
    output: str | Path | None = None,
    resume: bool = False,
    set: Mapping[str, Any] | None = None,
    seed: int = 0,
    workers: int = 0,
    cluster: str = "",
    progress: Callable[[Row], None] | None = None,
) -> TrainResult:
    """Learn a game by self-play. The result is a model: `alphabeta:evaluation=RUN` or `mcts:net=RUN` plays with it.

    `method` is td (temporal differences), comparison (learning an expert's preferences), rounds (self-play and
    regression), alphazero, alphago (which learns from experts first), nnue (networks that alpha-beta updates action by
    action) or, for games with secrets, league, whose result `policy:RUN` plays; values and rebel learn the values of
    poker hands, for `resolve:net=RUN`. `preset` is samuel, neurogammon or td-gammon. Training lasts for a `time`
    (seconds, or "10m") or a number of `games`, or until Ctrl-C. `output` is the folder of the run; an existing run
    continues, with `resume` with its own settings. `set` has options of the method. alphazero and td can play in
    `workers` processes, or on a Ray `cluster`: auto, an address, or local:2x1. `progress` receives each line of metrics.
    """
    seconds = duration(time) if isinstance(time, str) else time
    chosen = {name: str(value) for name, value in (set or {}).items()}
    fleet = Fleet(workers, cluster)
    with Trainer(game, method, preset, seconds, games, output, resume, chosen, seed, fleet) as trainer:
        trainer.training.prepare()
        return trainer.run(progress)


class Trainer:
    """Training and its run, from opening the folder to closing it."""

    def __init__(
        self,
        game: AnyGame,
        method: str,
        preset: str,
        seconds: float | None,
        games: int | None,
        output: str | Path | None,
        resume: bool,
        options: dict[str, str],
        seed: int,
        fleet: Fleet | None = None,
    ) -> None:
        if resume and output is None:
            raise CounterplayError("--resume needs the folder of the run: -o RUN")
        if not game and not resume:
            raise CounterplayError(
                "name the GAME to learn, such as connect-four; it may be left out only with --resume"
            )
        chosen = options | ({"seed": str(seed)} if seed else {})
        spec = game if isinstance(game, str) else game_of(game).spec
        self.files = Run(Path(output)) if output else Run(usual_folder(spec, method or preset or "td"))
        longer = resume and (games is not None or seconds is not None)
        if resume:
            if method or preset or chosen:
                raise CounterplayError(
                    "--resume continues with the run's own settings: only --time or --games may be added"
                )
            self.training = begun_as(self.files, game, {"games": games, "seconds": seconds} if longer else {})
        else:
            self.training = training_for(
                game_of(game), method=method, preset=preset, games=games, seconds=seconds, options=chosen
            )
        if self.training.method == "nnue":
            self.training.verdict = verdict
        elif self.training.method in ("alphago", "comparison"):
            self.training.expert_for = ExpertPlayer
            for named in self.training.expert_specs:
                player(named).require(self.training.game)
        self.stopped = False
        self.fleet = (fleet or Fleet())._replace(spec=spec or self.training.game.spec)
        usual = asdict(usual_options(self.training.config["method"]))
        self.is_new = self.files.begin(self.training.config, usual=usual, longer=longer)

    def __enter__(self) -> Trainer:
        try:
            self.training.resume(self.files)
            if self.fleet.is_asked_for:
                self.training.employ(self.fleet)
        except BaseException as wrong:
            self.__exit__(type(wrong))
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.training.close()
        if self.is_new and (kind is not None or self.stopped):
            self.files.abandon()
        self.files.close()

    def run(
        self, progress: Callable[[Row], None] | None = None, report: Callable[[], None] | None = None
    ) -> TrainResult:
        """Train to the end or to Ctrl-C; `report` is called from time to time."""
        rows: list[Row] = []

        def heard(row: Row) -> None:
            rows.append(row)
            if progress is not None:
                progress(row)

        try:
            run_beside([lambda: self.training.run(self.files, heard)], self.training.stop.set, report=report)
        except KeyboardInterrupt:
            self.stopped = True
        last = rows[-1] if rows else (self.files.metrics() or [{}])[-1]
        return TrainResult(self.files.folder, self.files.model, last, self.stopped)


def begun_as(run: Run, game: AnyGame, budget: dict[str, Any]) -> Any:
    """The training with which a run began, of the `game` that the user names or the run knows, with a new budget if one
    is given."""
    config = run.config
    if not game and names_file(config["game"]):
        raise CounterplayError(
            f"{str(run.folder)!r} is a run of {config['game']}, whose rules are in that file: to run it, name it "
            f"before --resume"
        )
    try:
        rules = game_of(game or config["game"])
    except UnknownGame:
        if game:
            raise
        raise CounterplayError(
            f"{str(run.folder)!r} is a run of {config['game']}, which has no name here: give its file before --resume"
        ) from None
    if config["game"] != rules.spec:
        raise CounterplayError(f"{str(run.folder)!r} is a run of {config['game']}, not of {rules.spec}")
    last = (run.metrics() or [{}])[-1]
    for name, asked in budget.items():
        least = max(config.get(name) or 0, last.get(name, 0))
        if asked is not None and asked < least:
            raise CounterplayError(
                f"{str(run.folder)!r} is a run of {least:,.0f} {name}: --resume can only make it longer"
            )
    fixed = ("format", "game", "method", "games", "seconds")
    options = {name: str(value) for name, value in config.items() if name not in fixed}
    budget = budget or {name: config.get(name) for name in ("games", "seconds")}
    return training_for(rules, method=config["method"], options=options, **budget)


def verdict(scores: Sequence[float]) -> str:
    """Whether the scores of pairs of games show an improvement (`elo1`), none (`elo0`) or neither yet."""
    from counterplay.arena.sprt import Sprt
    from counterplay.arena.statistics import Sample

    return Sprt(0.0, GAIN).verdict(Sample.of(scores))


class ExpertPlayer:
    """A player whose games are used for learning."""

    def __init__(self, spec: str, seed: int) -> None:
        self.player = player(spec, seed=seed)

    def __call__(self, p: Playthrough) -> int | None:
        """The action it chooses; None if it resigns."""
        try:
            return self.player.choose(p).action
        except Forfeit:
            return None

    def close(self) -> None:
        """Release its resources."""
        self.player.close()


def duration(text: str, *, zero: bool = False) -> float:
    """Seconds from 90, 90s, 10m or 1.5h; 0 only if `zero`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *([a-z]*)", text.strip().lower())
    if not found or found[2] not in UNITS or not (zero or float(found[1]) > 0):
        raise CounterplayError(f"{text!r} is not a time; write 90s, 10m or 1.5h")
    return float(found[1]) * UNITS[found[2]]


def figures(row: Row, *names: str) -> str:
    """The selected figures of a line of metrics, if it has them."""
    return ", ".join(FORMS[name].format(row[name]) for name in names if row.get(name) is not None)
