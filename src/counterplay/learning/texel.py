"""Texel's method (Österlund 2014): the weights of an evaluation, fitted to the results of games by logistic regression.

The positions come from self-play. An evaluation that is linear in its weights, given the position, is its values with each
weight a little higher, and no formula of it need be written down: the differences are the features. What is fitted is
the chance to win; a prior keeps weights near where they began unless games speak against it. Positions of one game are not
independent of each other, so a game counts for no more than a few of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.kernel import kernel
from counterplay.core.rng import Rng
from counterplay.search.deepening import decide
from counterplay.search.table import Table

OPENING = 8
"""So many plies of a game are drawn at random."""
LONGEST = 300
"""A game that is longer counts as a draw."""
WORTH = 8.0
"""A game tells as much as so many independent positions."""
DOUBT = 25.0
"""How far a weight may be from where it begins, as a rule."""
HELD_BACK = 10
"""One game of so many is kept to judge by."""


class Tunable(Protocol):
    """A game whose evaluation is linear in a table of weights."""

    def weight_rows(self) -> np.ndarray:
        """The weights in use."""

    def with_weights(self, rows: np.ndarray) -> Self:
        """The same game with others, rounded as it needs them."""


class Record(NamedTuple):
    """A game that was played."""

    actions: list[int]
    quiet: list[int]  # the plies whose positions can be judged as they stand
    result: float  # the share of the point that the first player got

    def line(self) -> str:
        """The record as a line of a file."""
        return json.dumps(self._asdict()) + "\n"


class Fit(NamedTuple):
    """What a fit found."""

    rows: np.ndarray
    scale: float  # what 1 of evaluation adds to the logarithm of the odds
    before: float  # the loss on games held back, with the weights to begin with ...
    after: float  # ... and with those found
    positions: int


def self_play(game: Game, games: int, nodes: int, seed: int = 0) -> Iterator[Record]:
    """Games of the engine against itself, `nodes` nodes a move, each from an opening drawn at random."""
    table = Table(4)
    for number in range(games):
        rng, p = Rng(seed * 1_000_003 + number), game.start()
        quiet: list[int] = []
        while not p.is_over and len(p) < LONGEST:
            if len(p) < OPENING:
                options = p.options()
                p.play(options[rng.below(len(options))])
                continue
            found = decide(game, p.state, nodes=nodes, table=table, before=p.before)
            is_settled = found.plies is not None
            if not game.is_tense(p.state) and not game.is_noisy(p.state, found.action) and not is_settled:
                quiet.append(len(p))
            p.play(found.action)
        low, high = game.utility_bounds
        result = (p.returns[0] - low) / (high - low) if p.is_over else 0.5
        yield Record(list(p.actions), quiet, result)


def read_records(path: Path) -> list[Record]:
    """The records of a file; a last line that was cut short is passed over."""
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(Record(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


@kernel
def follow(game: Any, s: Any, actions: Any, wanted: Any, values: Any) -> None:
    """The first player's evaluation at each wanted ply of a game: values[i] before actions[i], where wanted[i]."""
    for i in range(len(actions)):
        if wanted[i]:
            values[i] = game.evaluate(s, 0)
        s = game.result(s, actions[i])


class Sampled(NamedTuple):
    """Records as arrays."""

    actions: list[np.ndarray]
    wanted: list[np.ndarray]
    results: np.ndarray  # [positions]
    games: np.ndarray  # [positions] of which game

    @classmethod
    def of(cls, records: list[Record]) -> Sampled:
        """The arrays of some records."""
        actions = [np.array(record.actions, np.int64) for record in records]
        wanted = [np.isin(np.arange(len(record.actions)), record.quiet) for record in records]
        counts = [int(mask.sum()) for mask in wanted]
        results = np.repeat([record.result for record in records], counts)
        return cls(actions, wanted, results, np.repeat(np.arange(len(records)), counts))

    def values(self, game: Game) -> np.ndarray:
        """What the game's evaluation says of each position, to the first player."""
        found = []
        for actions, wanted in zip(self.actions, self.wanted, strict=True):
            values = np.zeros(len(actions))
            follow(game, game.initial(), actions, wanted, values)
            found.append(values[wanted])
        return np.concatenate(found)


def sharing_code(game: Game, other: Game) -> Game:
    """`other`, which differs from `game` only in what its tables hold, with the same compiled code: hashing all that the
    rules reach again for each weight would take most of the time."""
    frozen = game.frozen
    room = np.zeros(frozen.block.size + 64, np.uint8)
    block = room[-room.ctypes.data % 64 :][: frozen.block.size]
    for name, table in frozen.tables.items():
        content = np.ascontiguousarray(vars(other)[name]).tobytes()
        block[table.offset : table.offset + len(content)] = np.frombuffer(content, np.uint8)
    other._frozen = frozen._replace(block=block, address=block.ctypes.data)
    return other


def fit(game: Any, records: list[Record], report: Callable[[str], None] | None = None) -> Fit:
    """The weights that explain the results best."""
    from scipy.optimize import minimize, minimize_scalar
    from scipy.sparse import csc_array, hstack

    tell = report or (lambda sentence: None)
    sampled = Sampled.of(records)
    if len(sampled.results) < 100:
        raise CounterplayError(f"{len(sampled.results)} positions are too few to fit weights to: play more games")
    rows = game.weight_rows()
    base = sampled.values(game)
    columns = []
    for index in range(rows.size):
        tell(f"weight {index + 1} of {rows.size}")
        moved = rows.copy()
        moved.flat[index] += 1
        columns.append(csc_array((sampled.values(sharing_code(game, game.with_weights(moved))) - base).reshape(-1, 1)))

    features = hstack(columns).tocsr()
    held = sampled.games % HELD_BACK == 0
    seen = ~held
    share = min(1.0, WORTH * len(records) / len(base))  # what one position counts

    def loss(k: float, values: np.ndarray, results: np.ndarray) -> float:
        odds = k * values
        return float(np.mean(np.logaddexp(0, odds) - results * odds))

    scale = float(minimize_scalar(lambda k: loss(k, base[seen], sampled.results[seen]), bounds=(0.1, 1e4)).x)
    seen_features, seen_base, seen_results = features[seen], base[seen], sampled.results[seen]

    def target(change: np.ndarray) -> tuple[float, np.ndarray]:
        odds = scale * (seen_base + seen_features @ change)
        total = share * np.sum(np.logaddexp(0, odds) - seen_results * odds) + np.sum(change**2) / (2 * DOUBT**2)
        slope = share * scale * (seen_features.T @ (1 / (1 + np.exp(-odds)) - seen_results)) + change / DOUBT**2
        return float(total), slope

    tell("fitting")
    change = minimize(target, np.zeros(rows.size), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    after = base + features @ change
    return Fit(
        np.round(rows + change.reshape(rows.shape)).astype(np.int64),
        scale,
        loss(scale, base[held], sampled.results[held]),
        loss(scale, after[held], sampled.results[held]),
        len(base),
    )
