"""A game with a learned evaluation is a game: its own rules, and `evaluate` from weights that are tables of the game.

So every search takes it as it takes any game, and weights are run-time data: another model of the same shape compiles
nothing again.

    game = judged(load("othello"), find_model("othello", load("othello")))
    decide(game, s, depth=6)
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from counterplay.core.derived import derive
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.options import either
from counterplay.core.game import Game
from counterplay.core.language.features import blank
from counterplay.core.language.marks import any_order
from counterplay.core.language.pointer import pointer
from counterplay.core.types import State
from counterplay.evaluation.accumulator import (
    WIDEST,
    AccumulatorNetwork,
    accumulator_attributes,
    accumulator_shapes,
    correcting,
    require_same_evaluation,
    require_sparse,
)
from counterplay.evaluation.encoding import KINDS, EncodedGame, try_encoding
from counterplay.evaluation.heads import hidden_layer, logistic, soften, squash, weigh, weighted_sum
from counterplay.evaluation.model import Model, require_shapes


class LearnedEvaluation:
    """What all learned evaluations share."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other  # two models of one game are two games


class Judging(LearnedEvaluation):
    """They evaluate from the viewer's point of view."""

    def evaluate(self: Any, s: State, player: int) -> float:
        """The evaluation of `s` for `player`."""
        value = self.learned_worth(s)
        return value if player == self.viewer(s) or self.players == 1 else -value


class Linear(Judging):
    """A weighted sum of the entries."""

    def learned_worth(self: Any, s: State) -> float:
        """What `s` is worth to its viewer."""
        out = blank(self.learned_room)
        self.learned_encode(s, out)
        return self.learned_link(weighted_sum(self.learned_weights, self.stage(s) * self.learned_inputs, out))

    def learned_link(self: Any, x: float) -> float:
        """The value that a sum represents."""
        low, high = self.utility_bounds[0], self.utility_bounds[1]
        if self.learned_is_logistic:
            return low + (high - low) * logistic(x)
        return float(min(max(x, low), high))


class LinearPatterns(Linear):
    """The same without a list in between: symmetric entries have their weight at each index."""

    @any_order
    def learned_worth(self: Any, s: State) -> float:
        mine, theirs = self.stones(s)
        weights, base = pointer(self.learned_weights), self.stage(s) * self.learned_inputs
        total = weights[base + self.learned_inputs - 1]
        if self.remaining(s) & 1:
            total += weights[base + self.learned_inputs - 2]
        for image in range(self.learned_images):
            total += weights[base + self.learned_entry(image, mine, theirs)]
        return self.learned_link(float(total))


class OutcomeNetwork(Judging):
    """A network with one hidden layer or two and the probability of each outcome."""

    def learned_worth(self: Any, s: State) -> float:
        out, hidden = blank(self.learned_room), np.empty(self.learned_hidden, np.float32)
        chances = np.empty(self.learned_payoffs.size, np.float32)
        self.learned_encode(s, out)
        stage = self.stage(s)
        hidden_layer(self.learned_first, stage * self.learned_inputs, out, hidden)
        if self.learned_deeper:
            deeper = np.empty(self.learned_deeper, np.float32)
            weigh(self.learned_deep, stage * deeper.size, hidden, deeper)
            squash(deeper)
            hidden = deeper
        weigh(self.learned_second, stage * chances.size, hidden, chances)
        soften(chances, chances.size)
        value = 0.0
        for o in range(self.learned_payoffs.size):
            value += chances[o] * self.learned_payoffs[o]
        return value


def outcomes_of(game: Game) -> np.ndarray:
    """The outcomes that a network distinguishes: the game's own list, or the worst and the best."""
    return np.array(game.outcomes or game.utility_bounds, np.float64)


def network_shapes(stages: int, inputs: int, hidden: int, deeper: int, outcomes: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a network with `hidden` hidden units, and a second hidden layer, if any."""
    deep = {"deep": (stages, deeper, hidden + 1)} if deeper else {}
    return {"first": (stages, inputs, hidden), **deep, "second": (stages, outcomes, (deeper or hidden) + 1)}


def require_learnable(game: Game) -> None:
    """Refuse games whose states do not have a single value."""
    t = game.traits
    if t.hidden:
        raise Unsuitable(f"{game.spec} has secrets, so a player does not see the whole state; `equilibrium` learns it")
    if t.players > 2 or (t.players == 2 and not t.zero_sum):
        raise Unsuitable(f"an evaluation is one number, for one player or two opponents; {game.spec} has {t.players}")


def require_view(game: Game) -> None:
    """Refuse games that do not say from whose point of view features are shown where chance moves: a guess may learn
    the wrong sign."""
    if type(game).viewer is Game.viewer and game.has_chance and game.players > 1:
        raise Unsuitable(
            f"{game.spec} must write `viewer(s)`, the player whose view `features`, `stones` and `planes` show: "
            "where chance moves, the rules do not say"
        )


@functools.cache
def encoded(game: Game, encoding: str) -> EncodedGame:
    """The game with `learned_encode`, for training."""
    if encoding not in KINDS:
        raise CounterplayError(f"no encoding {encoding!r}: it is {either(list(KINDS))}")
    require_learnable(game)
    try_encoding(game)
    require_view(game)
    kind = KINDS[encoding]
    made: EncodedGame = derive(game, kind, **kind.lay_out(game))
    return made


def judged(game: Game, model: Model) -> Any:
    """The game with the model's evaluation."""
    if model.kind == "residual":
        raise CounterplayError("the model is a network with a policy: it plays as `mcts:net=...` or `net:...`")
    if model.kind == "nnue":
        return by_accumulators(game, model)
    base: Any = encoded(game, model.encoding)
    attributes: dict[str, Any] = {k: v for k, v in vars(base).items() if k not in vars(game) and k != "_frozen"}
    attributes["evaluation_bounds"] = game.utility_bounds
    kind = KINDS[model.encoding]
    if model.kind == "linear":
        require_shapes(model, {"weights": (base.stages, base.learned_inputs)}, game)
        weights = model.arrays["weights"].astype(np.float32)
        parts: tuple[type, ...] = (Linear, kind)
        if model.encoding == "patterns":
            parts = (LinearPatterns, kind)
            weights = np.concatenate([weights[:, base.learned_canon], weights[:, -2:]], 1)
        attributes |= {"learned_weights": weights.ravel(), "learned_is_logistic": model.link == "logistic"}
    else:
        payoffs = outcomes_of(game)
        hidden = int(model.arrays["first"].shape[-1]) if "first" in model.arrays else 1
        deeper = int(model.arrays["deep"].shape[1]) if model.arrays.get("deep", np.empty(0)).ndim == 3 else 0
        shapes = network_shapes(base.stages, base.learned_inputs, hidden, deeper, len(payoffs))
        require_shapes(model, shapes, game)
        flat = {f"learned_{name}": model.arrays[name].astype(np.float32).ravel() for name in shapes}
        sizes = {"learned_hidden": hidden, "learned_deeper": deeper, "learned_payoffs": payoffs}
        attributes |= {"learned_deep": np.zeros(1, np.float32)} | flat | sizes
        parts = (OutcomeNetwork, kind)
    return derive(game, *parts, **attributes)


def by_accumulators(game: Game, model: Model) -> Any:
    """The game with a network, whose first layer searches keep up to date, as its evaluation or as a correction of
    its own evaluation."""
    require_sparse(game, model.link)
    first = model.arrays.get("first", np.empty(0))
    width = first.shape[1] if first.ndim == 2 and 0 < first.shape[1] <= WIDEST else 1
    require_shapes(model, accumulator_shapes(game, width), game)
    cls: Any = type(game)
    part: type = AccumulatorNetwork
    if model.link == "added":
        part = correcting(cls)
        require_same_evaluation(game, model.about.get("corrects"))
    return derive(game, part, LearnedEvaluation, **accumulator_attributes(game, model.arrays))
