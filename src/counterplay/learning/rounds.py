"""Self-play and regression: games by a shallow search, their ends played perfectly, and weights fitted to them,
repeatedly (Buro 1997: Othello by patterns and stages).

A game begins with some random actions, and sometimes has another. Once at most `exact` plies remain, the solver says
how it ends; from there on, each position has its own exact value. Before, a position's label is a mean of the search's
values of it and of those that followed, up to a random action or the end (lambda-returns, Sutton 1988): less noisy than
the game's result, and as accurate in the long run, as each round plays by the weights of the one before. A related
game's results can carry more information: Othello by discs rather than by winner (`labels=othello:score=on`); what is
learned is scaled to the bounds of this one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import INFINITY, Game
from counterplay.core.language.features import Features
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.registry import load
from counterplay.core.rules import pick_evenly
from counterplay.core.types import State
from counterplay.evaluation.encoding import EncodedGame, usual_encoding
from counterplay.evaluation.judged import encoded, judged, require_learnable
from counterplay.evaluation.model import Model, find_model, require_shapes
from counterplay.learning.exact_labels import true_worth
from counterplay.learning.regression import descend
from counterplay.learning.training import MOST_SEED, Training, require_ranges
from counterplay.search.solving.kernel import glance
from counterplay.search.solving.memory import SolveContext, context_for
from counterplay.search.suitability import require_suitable

LONGEST = 512
"""The maximum number of a game's positions that are learned from."""
MEGABYTES = 16.0
WHIM = 0.01
"""Among actions that differ by less than this, as a fraction of the bounds, one is chosen at random."""


@dataclass(frozen=True)
class Rounds:
    """The options of the training."""

    encoding: str = ""
    """What the game offers to learn from: features, patterns or planes; empty: the first of these that it has."""
    evaluation: str = ""
    """The model whose weights are the start; empty: all are 0."""
    labels: str = ""
    """The game whose results are learned, with the same positions; empty: the game itself."""
    depth: int = 2
    exact: int = 10
    """Play is perfect from this many plies before the end."""
    opening: int = 12
    """A game begins with up to this many random actions."""
    gamble: float = 0.05
    """How often an action is drawn at random later on."""
    trace: float = 0.85
    """How far ahead labels look (lambda): 0, as far as the search; 1, to the end of the game."""
    epochs: int = 2
    """How often a position is learned from."""
    rate: float = 0.01
    last_rate: float = 0.001
    batch: int = 500
    """Games of a round."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_ranges(
            self,
            depth=(1, 20), exact=(0, 30), opening=(0, 1000), gamble=(0, 1), trace=(0, 1), epochs=(1, 100), rate=(0, 10),
            last_rate=(0, 10), batch=(1, 1_000_000), seed=(0, MOST_SEED),
        )  # fmt: skip


def falling(first: float, last: float, share: float) -> float:
    """A rate between `first` and `last`, which falls by the same factor for each share; if one is 0, it stays at
    `first`."""
    return first * (last / first) ** share if first and last else first


class RoundsTraining(Training):
    """The training in progress."""

    method = "rounds"
    settings: Rounds

    def __init__(self, game: Game, recipe: Rounds, games: int | None = None, seconds: float | None = None) -> None:
        require_learnable(game)
        if game.players != 2 or game.has_chance or game.has_repetition:
            raise Unsuitable(f"rounds suit games of two opponents without dice or repetition, not {game.spec}: use td")
        super().__init__(game, recipe, games, seconds)
        self.encoding = recipe.encoding or usual_encoding(game)
        self.kin: Any = load(recipe.labels) if recipe.labels else game
        require_suitable(self.kin, self.kin.initial(), "rounds")
        inputs = encoded(self.kin, self.encoding).learned_inputs
        same = type(self.kin.initial()) is type(game.initial()) and self.kin.stages == game.stages
        if not same or inputs != encoded(game, self.encoding).learned_inputs:
            raise CounterplayError(f"labels={recipe.labels}: its positions are not those of {game.spec}")
        self.scale = game.utility_bounds[1] / self.kin.utility_bounds[1]
        self.weights, self.met = (np.zeros(game.stages * inputs, np.float32) for _ in range(2))
        if recipe.evaluation:
            model = find_model(recipe.evaluation, game)
            if (model.kind, model.encoding, model.link) != ("linear", self.encoding, "identity"):
                raise CounterplayError(f"the model {recipe.evaluation} is not a weighted sum of {self.encoding}")
            require_shapes(model, {"weights": (game.stages, inputs)}, game)
            self.weights[:] = model.arrays["weights"].ravel() / self.scale
        self.seen = self.judging()
        room = recipe.batch * 64
        self.index = np.zeros((room, self.seen.learned_room), np.int32)
        self.value = np.zeros((room, self.seen.learned_room), np.float32)
        self.used, self.stage, self.label = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room)
        self.counts = np.zeros(2, np.int64)  # games and positions so far
        self.context = context_for(self.seen, self.seen.initial(), MEGABYTES, ())
        self.context.folds = 0  # these positions are not symmetric
        self.rng = Rng(recipe.seed)
        self.rngs = [self.rng]

    @property
    def played(self) -> int:
        return int(self.counts[0])

    def judging(self) -> Any:
        """The game as it is played: evaluated by the current weights."""
        weights = self.weights.reshape(self.game.stages, -1)
        return judged(self.kin, Model.of(self.kin, "linear", self.encoding, {"weights": weights}))

    def prepare(self) -> None:
        self.play(0)
        self.fit(np.zeros(0, np.int64), 0.0)

    def play(self, games: int) -> int:
        """Play games; returns the number of positions to learn from."""
        recipe = self.settings
        return play_round(
            self.seen, games, recipe.depth, recipe.exact, recipe.opening, recipe.gamble, recipe.trace, self.context,
            self.index, self.value, self.used, self.stage, self.label, self.rng,
        )  # fmt: skip

    def fit(self, order: np.ndarray, rate: float) -> None:
        """Steps towards the labels of some positions."""
        descend(
            self.seen, self.index, self.value, self.used, self.stage, self.label, order, self.weights, self.met,
            float(rate), 0.0, False,
        )  # fmt: skip

    def advance(self) -> dict[str, Any]:
        recipe, share, started = self.settings, self.share, time.perf_counter()
        rate = falling(recipe.rate, recipe.last_rate, share)
        games = recipe.batch if self.games is None else min(recipe.batch, self.games - self.played)
        self.seen = self.judging()
        number = self.play(games)
        error = self.error(number)
        for epoch in range(recipe.epochs):
            self.fit(np.random.default_rng([recipe.seed, self.step, epoch]).permutation(number), rate)
        self.counts += [games, number]
        passed = time.perf_counter() - started
        self.spent, self.step = self.spent + passed, self.step + 1
        return {
            "step": self.step,
            "games": self.played,
            "seconds": round(self.spent, 3),
            "games_per_second": round(games / passed, 1),
            "positions_per_second": round(number / passed),
            "positions": int(self.counts[1]),
            "loss": round(error, 5),
            "rate": round(rate, 6),
        }

    def error(self, number: int) -> float:
        """The error of predictions on new positions, before learning from them."""
        rows = self.weights.reshape(-1, self.seen.learned_inputs)
        found = (rows[self.stage[:number, None], self.index[:number]] * self.value[:number]).astype(np.float64)
        found[np.arange(found.shape[1]) >= self.used[:number, None]] = 0.0
        return float(np.sqrt(np.mean((found.sum(1) - self.label[:number]) ** 2))) if number else 0.0

    def model(self) -> Model:
        arrays = {"weights": (self.scale * self.weights).reshape(self.game.stages, -1).astype(np.float32)}
        about = {"method": "rounds", "games": self.played, "positions": int(self.counts[1])}
        return Model.of(self.game, "linear", self.encoding, arrays, "identity", about)

    def parts(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights, "met": self.met, "counts": self.counts}


@kernel
def play_round(
    game: EncodedGame, games: int, depth: int, exact: int, opening: int, gamble: float, trace: float, context: SolveContext,
    index: np.ndarray, value: np.ndarray, used: np.ndarray, stage: np.ndarray, label: np.ndarray, rng: Rng,
) -> int:  # fmt: skip
    """Play `games` games and record their positions, each with its label for the viewer. Returns the number of
    positions."""
    n, path = 0, np.empty(0, np.int64)
    movers, follows = np.empty(LONGEST, np.int64), np.empty(LONGEST, np.bool_)
    for _ in range(games):
        s, first = game.initial(), n
        at_random = rng.below(opening + 1)
        while not game.is_terminal(s) and game.remaining(s) > exact and n - first < LONGEST and n < used.size:
            if at_random > 0:
                s, at_random = game.result(s, pick_evenly(game, s, path, 0, context.out, rng)), at_random - 1
                continue
            write_down(game, s, n, index, value, used, stage)
            action, label[n] = pick_deep(game, s, depth, context, rng)
            movers[n - first], follows[n - first] = game.to_move(s), rng.uniform() >= gamble
            if not follows[n - first]:
                action = pick_evenly(game, s, path, 0, context.out, rng)
            s, n = game.result(s, action), n + 1
        if not game.is_terminal(s) and game.remaining(s) > exact:
            n = first  # too long: nothing is learned from it
            continue
        mover, got = game.to_move(s), true_worth(game, s, context)
        for i in range(n - 1, first - 1, -1):
            if mover != movers[i - first]:
                mover, got = 1 - mover, -got
            got = label[i] + trace * (got - label[i]) if follows[i - first] else label[i]
            label[i] = got
        while not game.is_terminal(s) and n < used.size:  # the end, where each position has its own exact value
            write_down(game, s, n, index, value, used, stage)
            label[n] = true_worth(game, s, context)
            action, _ = pick_deep(game, s, depth, context, rng)
            s, n = game.result(s, action), n + 1
    return n


def write_down(
    game: EncodedGame, s: State, n: int, index: np.ndarray, value: np.ndarray, used: np.ndarray, stage: np.ndarray
) -> None:
    """Record a position in row `n`."""
    used[n] = 0
    game.learned_encode(s, Features(index[n], value[n], used[n : n + 1]))
    stage[n] = game.stage(s)


def pick_deep(game: Game, s: State, depth: int, context: SolveContext, rng: Rng) -> tuple[int, float]:
    """The best action by a search `depth` plies deep, or any that is nearly as good, and the value of `s`."""
    mover, out = game.to_move(s), context.out
    start = len(out)
    game.actions(s, out.fresh())
    best, chosen, value = -INFINITY, out[start], -INFINITY
    whim = WHIM * (game.utility_bounds[1] - game.utility_bounds[0])
    for i in range(start, len(out)):
        after = game.result(s, out[i])
        if game.to_move(after) == mover:
            seen = glance(game, after, depth - 1, best - whim, INFINITY, context)
        else:
            seen = -glance(game, after, depth - 1, -INFINITY, whim - best, context)
        value = max(value, seen)
        seen += whim * rng.uniform()
        if seen > best:
            best, chosen = seen, out[i]
    out.truncate(start)
    return chosen, value
