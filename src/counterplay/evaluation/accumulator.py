"""A network over sparse features whose first layer is kept by addition (Nasu 2018: efficiently updatable networks, NNUE).

Each player sees the position in sparse features of their own. The sum of the weights of those that are on, one row
each, is an accumulator; an action turns a few features on and off, and the sum is updated by as many rows. The
accumulators of the side to move and of the other side, clipped and squared, are weighted once more: the value to the
side to move. Such a network replaces the game's own evaluation, or is added to it, so that it only has to learn what
that misses.

All of it is whole numbers, so a sum updated action by action equals one computed afresh, bit for bit. 1 is ONE in the
accumulators and UNIT in the weights behind them.

array   shape                what
first   [features + 1, width] int16, the last row is where every sum begins
second  [stages, 2, width]   int16 from -127 to 127, of the side to move and of the other
bias    [stages]             int32
scale   [1]                  float64, the value that 1 stands for
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from counterplay.core.aspects.evaluation import is_part_of_evaluate
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.marks import inlined
from counterplay.core.language.pointer import pointer
from counterplay.core.language.rng import Rng
from counterplay.core.rules import listed
from counterplay.core.types import State

ONE, UNIT = 255, 64
MOST_WEIGHT = 127
"""Of the second layer: times ONE it is still a number of 16 bits."""
WIDEST = 2048
WALK, STRIDE = 16, 2
"""How far a random walk leads through positions by which an evaluation is recognised, and how far apart they are."""


class AccumulatorNetwork:
    """The methods of a game that such a network evaluates; `judged` adds what all learned evaluations share."""

    has_accumulators = True
    learned_most = 0.0

    def unaided(self, s: State, player: int) -> float:
        """The evaluation that the network is added to."""
        return 0.0

    def evaluate(self: Any, s: State, player: int) -> float:
        """The value of `s` to `player`, all sums computed afresh."""
        return float(self.learned_total(s, player, self.unaided(s, player), self.learned_worth(s)))

    def learned_total(self: Any, s: State, player: int, unaided: float, worth: float) -> float:
        """The value to `player`: the evaluation without the network, plus the network's value to the side to move."""
        value = unaided + (worth if player == self.to_move(s) else -worth)
        return float(min(max(value, self.evaluation_bounds[0]), self.evaluation_bounds[1]))

    def learned_worth(self: Any, s: State) -> float:
        """The network's value of `s` to the side to move."""
        mover, features = self.to_move(s), [0]
        mine, theirs = np.empty(self.learned_width, np.int16), np.empty(self.learned_width, np.int16)
        features.clear()
        self.sparse_features(s, mover, features)
        self.learned_begin(mine)
        for feature in features:
            self.learned_turn_on(mine, feature)
        features.clear()
        self.sparse_features(s, 1 - mover, features)
        self.learned_begin(theirs)
        for feature in features:
            self.learned_turn_on(theirs, feature)
        return self.learned_answer(self.stage(s), mine, theirs)

    # What an accumulator goes through: `row` is an array or a pointer.

    def learned_begin(self: Any, row: Any) -> None:
        """No feature is on."""
        first, start = pointer(self.learned_first), self.sparse_size * self.learned_width
        for j in range(self.learned_width):
            row[j] = first[start + j]

    def learned_turn_on(self: Any, row: Any, feature: int) -> None:
        """Turn a feature on."""
        first, start = pointer(self.learned_first), feature * self.learned_width
        for j in range(self.learned_width):
            row[j] = np.int16(row[j] + first[start + j])

    def learned_turn_off(self: Any, row: Any, feature: int) -> None:
        """Turn a feature off."""
        first, start = pointer(self.learned_first), feature * self.learned_width
        for j in range(self.learned_width):
            row[j] = np.int16(row[j] - first[start + j])

    def learned_follow(self: Any, before: Any, row: Any, on: int, off: int) -> None:
        """Become `before` with one feature turned on and one off: what nearly every action does, in one pass."""
        first, added, taken = pointer(self.learned_first), on * self.learned_width, off * self.learned_width
        for j in range(self.learned_width):
            row[j] = np.int16(before[j] + first[added + j] - first[taken + j])

    @inlined
    def learned_answer(self: Any, stage: int, mine: Any, theirs: Any) -> float:
        """The value that two accumulators represent, to the side to move."""
        width, second = self.learned_width, pointer(self.learned_second)
        start = 2 * width * stage
        total = weighed(mine, second, start, width) + weighed(theirs, second, start + width, width)
        return float((total / ONE + self.learned_bias[stage]) * self.learned_scale[0])


@functools.cache
def correcting(cls: Any) -> type:
    """The methods that add the network to the evaluation of a class, whose cached structure and sketch stay in use. Like
    the labels of its training, the network's part rarely exceeds the game's `swing`."""
    kept = {"unaided": cls.evaluate, "learned_most": cls.swing}
    for name in ("structure", "sketch"):
        if is_part_of_evaluate(cls, name):
            kept[name] = getattr(cls, name)
    return type("Correcting", (AccumulatorNetwork,), {"__module__": __name__, **kept})


def weighed(row: Any, second: Any, start: int, width: int) -> Any:
    """An accumulator clipped to 0 and 1, squared and weighed. (16 bits wherever they suffice: so a processor does many at
    once.)"""
    total = np.int32(0)
    for j in range(width):
        clipped = min(max(row[j], np.int16(0)), np.int16(ONE))
        product = np.int16(int(clipped) * int(second[start + j]))
        total = np.int32(total + int(product) * int(clipped))
    return int(total)


def require_sparse(game: Game, link: str = "identity") -> None:
    """Refuse games without sparse features, with dice or not between two opponents; if the network is to be added to
    an evaluation, also games that have none."""
    if not game.has_sparse:
        raise Unsuitable(
            f"{game.spec} has no sparse features: a game offers them by writing `sparse_size` and `sparse_features`"
        )
    if game.players != 2 or not game.zero_sum or game.has_chance:
        raise Unsuitable(f"such a network needs a game of two opponents without dice, unlike {game.spec}")
    if link == "added" and not game.has_evaluation:
        raise Unsuitable(f"{game.spec} has no `evaluate`, so there is nothing that a network could correct")


def known_values(game: Game) -> list[float]:
    """Its own evaluation of a few positions, by which a correction recognises the evaluation that it was fitted to."""
    rng, s, found = Rng(1), game.initial(), list[float]()
    for ply in range(1, WALK + 1):
        options = listed(game, s)
        if not options:
            break
        s = game.result(s, options[rng.below(len(options))])
        if game.is_terminal(s):
            break
        if ply % STRIDE == 0:
            found.append(round(float(game.evaluate(s, 0)), 9))
    return found


def require_same_evaluation(game: Game, known: Any) -> None:
    """Refuse a correction of another evaluation; a model that does not say is trusted."""
    if isinstance(known, list):
        now = known_values(game)
        if len(now) != len(known) or not np.allclose(np.array(known, np.float64), now, rtol=0, atol=1e-6):
            raise CounterplayError(
                f"the model corrects another evaluation than {game.spec} has now; train it again, or play without it"
            )


def accumulator_shapes(game: Game, width: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a network of a width."""
    return {
        "first": (game.sparse_size + 1, width),
        "second": (game.stages, 2, width),
        "bias": (game.stages,),
        "scale": (1,),
    }


def accumulator_attributes(game: Game, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """What the methods above read, from the arrays of a model whose shapes were checked. Weights that could overflow
    are refused."""
    first, second, bias = (arrays[name].astype(np.int64) for name in ("first", "second", "bias"))
    reach = abs(first[:-1]).max(0) * game.sparse_most + abs(first[-1])
    sums = ONE * ONE * np.maximum(second, 0).sum((1, 2)), ONE * ONE * np.maximum(-second, 0).sum((1, 2))
    if reach.max() >= 1 << 15 or abs(second).max() > MOST_WEIGHT or max(map(np.max, sums)) >= 1 << 31:
        raise CounterplayError("the model is damaged: its weights are too large for its arithmetic")
    return {
        "learned_width": first.shape[1],
        "learned_first": first.astype(np.int16).ravel(),
        "learned_second": second.astype(np.int16).ravel(),
        "learned_bias": bias,
        "learned_scale": arrays["scale"].astype(np.float64) / (ONE * UNIT),
    }
