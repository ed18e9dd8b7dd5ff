"""Agents of a league: small networks that choose by what a player knows, in games with secrets.

With perfect recall, a player's information is all that they have seen and done, so a network that receives its bits
receives the history. It has two hidden layers and a logit for each index of the game's policy; the first layer adds the
rows of the bits that are 1. A single kernel call plays many games between agents: it draws every action and records
what one of the seats knew, could do and did.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.rules import pick

BITS = 64
"""Inputs for each word of information."""
MOST_PLIES = 2_000
"""A longer game counts as a draw."""


class Shape(NamedTuple):
    """The layers of an agent: weights are one flat array, layer by layer, each followed by its biases."""

    words: int
    hidden: int
    actions: int

    @property
    def inputs(self) -> int:
        return BITS * self.words

    @property
    def numbers(self) -> int:
        """The number of weights."""
        return (self.inputs + 1) * self.hidden + (self.hidden + 1) * self.hidden + (self.hidden + 1) * self.actions

    def layers(self, weights: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """The weights as matrices [inputs, outputs] and biases: views of `weights`."""
        found, at = [], 0
        for rows, columns in ((self.inputs, self.hidden), (self.hidden, self.hidden), (self.hidden, self.actions)):
            matrix = weights[at : at + rows * columns].reshape(rows, columns)
            at += rows * columns
            found.append((matrix, weights[at : at + columns]))
            at += columns
        return found

    def fresh(self, rng: np.random.Generator) -> np.ndarray:
        """An untrained agent: it plays nearly uniformly."""
        weights = np.zeros(self.numbers, np.float32)
        layers = self.layers(weights)
        for (matrix, _), scale in zip(layers, (0.3, (2 / self.hidden) ** 0.5, 0.01), strict=True):
            matrix[...] = rng.standard_normal(matrix.shape) * scale
        return weights


def shape_of(game: Game, hidden: int) -> Shape:
    """The shape of agents for a game."""
    if not game.policy_size:
        raise Unsuitable(
            f"{game.spec} has no `policy_size`, so a network cannot name its actions; --set responses=tree"
        )
    return Shape(len(words(game.information(game.initial(), 0))), hidden, game.policy_size)


def input_bits(keys: np.ndarray) -> np.ndarray:
    """[rows, words] of information as float32[rows, 64 * words]."""
    bytes_ = np.ascontiguousarray(keys.astype("<i8")).view(np.uint8)
    return np.unpackbits(bytes_, axis=1, bitorder="little").astype(np.float32)


def answer(shape: Shape, weights: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """float32[rows, actions]: an agent's logits for a player who knows `keys`."""
    x = input_bits(keys)
    layers = shape.layers(weights)
    for i, (matrix, bias) in enumerate(layers):
        x = x @ matrix + bias
        if i + 1 < len(layers):
            x = np.maximum(x, 0.0)
    return x


class Record(NamedTuple):
    """What one seat knew and did in many games."""

    keys: np.ndarray  # int64[turns, words]
    allowed: np.ndarray  # bool[turns, actions]
    chosen: np.ndarray  # int64[turns], an index of the policy
    games: np.ndarray  # int64[turns], the number of the game
    returns: np.ndarray  # float64[games], the first player's payoff


class Ground:
    """A game in which agents meet, with memory for its records."""

    def __init__(self, game: Game, shape: Shape, seed: int, room: int = 0) -> None:
        self.game, self.shape = game, shape
        self.rng = Rng(seed)
        self.out = cast(ActionStack, action_stack(game))
        self.keys = np.zeros((room, shape.words), np.int64)
        self.allowed = np.zeros((room, shape.actions), np.bool_)
        self.chosen, self.games = np.zeros(room, np.int64), np.zeros(room, np.int64)
        self.scratch = np.zeros((3, max(shape.hidden, shape.actions)), np.float32)
        self.path = np.zeros(1, np.int64)

    def play(self, seats: tuple[np.ndarray, np.ndarray], draws: np.ndarray, recorded: int = -1) -> Record:
        """Games between two stacks of agents, float32[agents, numbers]: `draws` is int64[games, 2], the agents of each
        game. The actions of the seat `recorded` are recorded while the memory lasts."""
        returns = np.zeros(len(draws))
        count = meet(
            self.game, self.game.initial(), seats[0], seats[1], draws, recorded, self.shape.hidden, self.keys,
            self.allowed, self.chosen, self.games, self.scratch, self.path, returns, self.out, self.rng,
        )  # fmt: skip
        return Record(self.keys[:count], self.allowed[:count], self.chosen[:count], self.games[:count], returns)


@kernel
def meet(
    game: Game,
    root: Any,
    first: np.ndarray,
    second: np.ndarray,
    draws: np.ndarray,
    recorded: int,
    hidden: int,
    keys: np.ndarray,
    allowed: np.ndarray,
    chosen: np.ndarray,
    games: np.ndarray,
    scratch: np.ndarray,
    path: np.ndarray,
    returns: np.ndarray,
    out: ActionStack,
    rng: Rng,
) -> int:
    """Play games; returns the number of recorded turns."""
    count = 0
    for g in range(len(draws)):
        s, ply = root, 0
        while not game.is_terminal(s) and ply < MOST_PLIES:
            ply += 1
            mover = game.to_move(s)
            if game.has_chance and mover == CHANCE:
                s = game.result(s, pick(game, s, path, 0, out, rng))
                continue
            key = words(game.information(s, mover))
            weights = first[draws[g, 0]] if mover == 0 else second[draws[g, 1]]
            propagate(weights, key, hidden, game.policy_size, scratch)
            start = len(out)
            game.actions(s, out.fresh())
            action = drawn(game, s, scratch[2], out, start, rng)
            if mover == recorded and count < len(chosen):
                for i in range(len(key)):
                    keys[count, i] = key[i]
                allowed[count, :] = False
                for i in range(start, len(out)):
                    allowed[count, game.policy_index(s, out[i])] = True
                chosen[count] = game.policy_index(s, action)
                games[count] = g
                count += 1
            out.truncate(start)
            s = game.result(s, action)
        returns[g] = game.utility(s, 0) if game.is_terminal(s) else 0.0
    return count


def propagate(weights: np.ndarray, key: Any, hidden: int, actions: int, scratch: np.ndarray) -> None:
    """Write the logits into the last row of `scratch`."""
    at = BITS * len(key) * hidden
    for j in range(hidden):
        scratch[0, j] = weights[at + j]
    for i in range(len(key)):
        for b in range(BITS):
            if key[i] >> b & 1:
                row = (BITS * i + b) * hidden
                for j in range(hidden):
                    scratch[0, j] += weights[row + j]
    at += hidden
    dense(weights, at, scratch, 0, hidden, hidden)
    dense(weights, at + hidden * hidden + hidden, scratch, 1, hidden, actions)


def dense(weights: np.ndarray, at: int, scratch: np.ndarray, source: int, inputs: int, outputs: int) -> None:
    """A layer after a rectifier: from one row of `scratch` to the next; its weights begin at `at`."""
    for j in range(outputs):
        scratch[source + 1, j] = weights[at + inputs * outputs + j]
    for i in range(inputs):
        x = scratch[source, i]
        if x > 0:
            row = at + i * outputs
            for j in range(outputs):
                scratch[source + 1, j] += x * weights[row + j]


def drawn(game: Game, s: Any, logits: np.ndarray, out: ActionStack, start: int, rng: Rng) -> int:
    """An action by the softmax of its logits."""
    most, total = logits[game.policy_index(s, out[start])], 0.0
    for i in range(start, len(out)):
        most = max(most, logits[game.policy_index(s, out[i])])
    for i in range(start, len(out)):
        total += np.exp(logits[game.policy_index(s, out[i])] - most)
    u = rng.uniform() * total
    for i in range(start, len(out)):
        u -= np.exp(logits[game.policy_index(s, out[i])] - most)
        if u < 0:
            return out[i]
    return out[len(out) - 1]
