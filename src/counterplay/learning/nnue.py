"""Networks that a search updates action by action, trained by generations (`train --method nnue`).

A generation plays games against itself, a fixed number of nodes an action, from openings drawn at random, and appends them
to `games.jsonl` in the run's folder (searched_games.py). A network is fitted to all games so far and plays a match
against the current player, at equal nodes and from paired openings. Only if it is found better, by a sequential test
if there is one, does it replace that player and play the games of the next generation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.core.formats.options import written
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.evaluation.accumulator import WIDEST, accumulator_shapes, require_sparse
from counterplay.evaluation.judged import judged
from counterplay.evaluation.model import Model, find_model, require_shapes
from counterplay.learning.accumulator_fit import fit_network
from counterplay.learning.runs import Run, restore
from counterplay.learning.searched_games import SearchedGame, game_line, head_line, play_searched, read_games
from counterplay.learning.sparse_positions import positions_of
from counterplay.learning.texel import contest
from counterplay.learning.training import MOST_SEED, Training, require_ranges
from counterplay.search.suitability import require_suitable

FEWEST = 40
"""The minimum number of positions to fit a network to."""
DATA = "games.jsonl"


@dataclass(frozen=True)
class Generations:
    """The options of the training."""

    width: int = 128
    """Units of each accumulator."""
    nodes: int = 2000
    """Nodes of a search, in games and in matches."""
    opening: int = 8
    """A game begins with this many random actions, or one more."""
    batch: int = 1000
    """Games of a generation."""
    epochs: int = 8
    """How often a position is learned from."""
    mixture: float = 0.95
    """The share of the search's value in the labels; the rest is the game's result."""
    correct: bool = False
    """Whether the network corrects the game's own evaluation (its output is added) instead of replacing it."""
    pairs: int = 200
    """The maximum number of openings in a match, each played from both sides."""
    evaluation: str = ""
    """The network to begin with; empty: the game's own evaluation plays the first games."""
    data: str = ""
    """A file of games to begin with."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_ranges(
            self,
            width=(1, WIDEST), nodes=(10, 10**9), opening=(0, 200), batch=(1, 10**6), epochs=(1, 1000), mixture=(0, 1),
            pairs=(1, 10**6), seed=(0, MOST_SEED),
        )  # fmt: skip


class NnueTraining(Training):
    """The training in progress."""

    method = "nnue"
    saves_each = True
    settings: Generations

    def __init__(self, game: Game, recipe: Generations, games: int | None = None, seconds: float | None = None) -> None:
        self.link = "added" if recipe.correct else "identity"
        require_sparse(game, self.link)
        require_suitable(game, None, "nnue")
        super().__init__(game, recipe, games, seconds)
        self.best: Model | None = None  # the current player, if it is a network
        self.network: Model | None = None  # the last one fitted
        if recipe.evaluation:
            self.best = self.network = find_model(recipe.evaluation, game)
            if (self.best.kind, self.best.link) != ("nnue", self.link):
                raise CounterplayError(
                    f"{recipe.evaluation} is not a network of this method with correct={written(recipe.correct)}"
                )
            if self.best.arrays["first"].shape[1:] != (recipe.width,):
                raise CounterplayError(f"{recipe.evaluation} is not a network of this method of width {recipe.width}")
        self.data: list[SearchedGame] = read_games(game, Path(recipe.data)) if recipe.data else []
        self.given, self.folder, self.accepted = len(self.data), None, 0
        self.rngs = [Rng(recipe.seed)]
        self.verdict: Callable[[Sequence[float]], str] = lambda scores: ""
        """What the scores of the pairs so far show: `elo1` if the network is better, `elo0` if it is not, empty if
        that is undecided.
        """

    folder: Path | None

    @property
    def played(self) -> int:
        return len(self.data) - self.given

    def judging(self, model: Model | None) -> Game:
        """The game as the network evaluates it, or unchanged."""
        return self.game if model is None else judged(self.game, model)

    def prepare(self) -> None:
        list(play_searched(self.judging(self.best), range(1), nodes=10, opening=0))

    def advance(self) -> dict[str, Any]:
        recipe, started = self.settings, time.perf_counter()
        number = recipe.batch if self.games is None else min(recipe.batch, self.games - self.played)
        numbers = range(self.played, self.played + number)
        fresh = []
        for each in play_searched(
            self.judging(self.best), numbers, nodes=recipe.nodes, opening=recipe.opening, seed=recipe.seed
        ):
            fresh.append(each)
            if self.stop.is_set():
                return {}
        self.data += fresh
        playing = time.perf_counter() - started
        positions = positions_of(self.game, self.data)
        if len(positions) < FEWEST or not positions.held.any() or positions.held.all():
            raise CounterplayError(
                f"{len(positions)} quiet positions of {len(self.data)} games are too few to learn from: raise batch"
            )
        found = fit_network(
            self.game, positions, width=recipe.width, epochs=recipe.epochs, correct=recipe.correct, mixture=recipe.mixture,
            seed=recipe.seed + self.step, initial=self.network, stopped=self.stop.is_set,
            about={"method": "nnue", "games": len(self.data), "nodes": recipe.nodes},
        )  # fmt: skip
        self.network = found.model
        scores = self.match()
        if self.stop.is_set():
            return {}
        share = float(np.mean(scores))
        is_better = self.verdict(scores) == "elo1"
        if is_better:
            self.best, self.accepted = self.network, self.accepted + 1
        passed = time.perf_counter() - started
        self.spent, self.step = self.spent + passed, self.step + 1
        return {
            "step": self.step,
            "games": self.played,
            "seconds": round(self.spent, 3),
            "games_per_second": round(number / playing, 2),
            "positions": len(positions),
            "loss": round(found.loss, 6),
            "rounded_loss": round(found.rounded, 6),
            "least_loss": round(found.least, 6),
            "score": round(share, 4),
            "pairs": len(scores),
            "accepted": int(is_better),
        }

    def match(self) -> list[float]:
        """The last network's scores against the accepted one, pair by pair, until the test decides."""
        recipe, scores = self.settings, list[float]()
        for score in contest(
            self.judging(self.network), self.judging(self.best), range(recipe.pairs), recipe.nodes, recipe.seed + 1
        ):
            scores.append(score)
            if self.stop.is_set() or self.verdict(scores):
                break
        return scores

    def model(self) -> Model:
        chosen = self.best or self.network
        assert chosen is not None  # a step is done
        return chosen

    # What it takes to continue.

    def parts(self) -> Mapping[str, np.ndarray]:
        assert self.network is not None
        best = {} if self.best is None else {f"best_{name}": part for name, part in self.best.arrays.items()}
        return dict(self.network.arrays) | best

    def numbers(self) -> dict[str, Any]:
        return {"played": self.played, "accepted": self.accepted, "has_best": self.best is not None}

    def save(self, run: Run, row: dict[str, Any]) -> None:
        head = head_line(self.game, self.settings.nodes)
        write_whole(run.folder / DATA, head + "".join(game_line(each) for each in self.data[self.given :]))
        super().save(run, row)

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        games = read_games(self.game, run.folder / DATA)
        if len(games) < int(head["played"]):
            raise CounterplayError(f"{str(run.folder / DATA)!r} was cut short: it has {len(games)} games")
        self.data = self.data[: self.given] + games[: int(head["played"])]
        self.network = self.model_from(run, saved, "")
        self.best = self.model_from(run, saved, "best_") if head["has_best"] else None
        self.accepted = int(head["accepted"])

    def model_from(self, run: Run, saved: Mapping[str, Any], prefix: str) -> Model:
        """A network of a checkpoint."""
        shapes = accumulator_shapes(self.game, self.settings.width)
        kinds = {"first": np.int16, "second": np.int16, "bias": np.int32, "scale": np.float32}
        arrays = {name: np.zeros(shape, kinds[name]) for name, shape in shapes.items()}
        restore({prefix + name: part for name, part in arrays.items()}, saved, run.folder / "checkpoint.npz")
        about = {"method": "nnue", "games": self.played}
        made = Model.of(self.game, "nnue", "sparse", arrays, self.link, about)
        require_shapes(made, shapes, self.game)
        return made
