"""Texel's method (Österlund 2014): the weights of an evaluation, fitted to the results of games by logistic regression.

The positions come from self-play. If an evaluation is linear in its weights for a given position, raising each weight a
little reveals its features as differences, without writing down a formula. The fit predicts the chance to win; a prior
keeps weights near their start unless games speak against it. Positions of one game are not independent of each other,
so a game counts for no more than a few of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.derived import share_code
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import read_whole
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.rules import has_ended, payoff, pick_evenly
from counterplay.core.types import State
from counterplay.learning.regression import cross_entropy, fit_logistic
from counterplay.search.engine.iterative_deepening import deepen_within
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.techniques import default_for
from counterplay.search.engine.transposition_table import NO_ACTION, TranspositionTable

OPENING = 8
"""The number of random plies at the start of a game."""
LONGEST = 300
"""A longer game counts as a draw."""
MEGABYTES = 4
"""The transposition table of a self-play game."""
WORTH = 8.0
"""A game counts as this many independent positions."""
APART = 3
"""One in this many of a game's quiet positions is used: neighbours are nearly the same."""
DOUBT = 10.0
"""How far a weight usually is from its start (the prior)."""
HELD_BACK = 10
"""One game in this many is held out to measure the fit."""


class PlayedGame(NamedTuple):
    """A finished game."""

    actions: list[int]
    quiet: list[int]  # the plies whose positions can be evaluated without search
    result: float  # the first player's score, 0 to 1

    def line(self) -> str:
        """The record as a line of a file."""
        return json.dumps(self._asdict()) + "\n"


class TexelFit(NamedTuple):
    """The result of a fit."""

    rows: np.ndarray
    scale: float  # what 1 of evaluation adds to the logarithm of the odds
    before: float  # the loss on held-out games with the initial weights ...
    after: float  # ... and with the fitted ones
    positions: int


def self_play(game: Game, numbers: Iterable[int], nodes: int, seed: int = 0) -> Iterator[PlayedGame]:
    """Games of the engine against itself, `nodes` nodes a move, each from an opening drawn at random. A game depends
    only on its number and the seed."""
    table = TranspositionTable(MEGABYTES)
    for number in numbers:
        table.clear()
        context = context_for(game, nodes, table)
        actions, quiet = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.bool_)
        rng = Rng(seed * 1_000_003 + number)
        last, plies = play(game, game, game.initial(), rng, context, context, actions, quiet)
        yield PlayedGame(
            actions[:plies].tolist(), np.flatnonzero(quiet[:plies]).tolist(), share_of_first(game, last, plies)
        )


class TexelShared(NamedTuple):
    """Data shared by all games of a tuning."""

    rows: np.ndarray  # weights
    nodes: int
    seed: int
    other: np.ndarray | None = None  # weights of an opponent; None: games of the engine against itself


class TexelRoom:
    """Where a process plays chess for a tuning; units are numbers of games, or of pairs of games against the opponent."""

    def __init__(self, shared: TexelShared) -> None:
        from counterplay.games.chess.game import Chess

        self.shared, usual = shared, Chess()
        self.game = share_code(usual, usual.with_weights(shared.rows))
        self.other = None if shared.other is None else share_code(usual, usual.with_weights(shared.other))

    def __call__(self, number: int) -> PlayedGame | float:
        """Play one game, or one pair of games."""
        nodes, seed = self.shared.nodes, self.shared.seed
        if self.other is None:
            return next(self_play(self.game, [number], nodes, seed))
        return next(contest(self.game, self.other, [number], nodes, seed))


def contest(game: Game, other: Game, numbers: Iterable[int], nodes: int, seed: int = 0) -> Iterator[float]:
    """The score of `game`, with its weights, against `other`, which differs only in its evaluation: for each number, an
    opening drawn at random, played from both sides; the average of the two."""
    tables = TranspositionTable(MEGABYTES), TranspositionTable(MEGABYTES)
    actions, quiet = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.bool_)
    for number in numbers:
        scores = []
        for seat, (first, second) in enumerate(((game, other), (other, game))):
            for table in tables:
                table.clear()
            rng = Rng(seed * 1_000_003 + number)
            one, two = context_for(first, nodes, tables[0]), context_for(second, nodes, tables[1])
            last, plies = play(first, second, game.initial(), rng, one, two, actions, quiet)
            share = share_of_first(game, last, plies)
            scores.append(1 - share if seat else share)
        yield sum(scores) / 2


def context_for(game: Game, nodes: int, table: TranspositionTable) -> EngineContext:
    """The search context of a player for a whole game."""
    before = [0] * LONGEST if game.has_repetition else ()
    return EngineContext(game, default_for(game), table, nodes=nodes, before=before)


def share_of_first(game: Game, last: Any, plies: int) -> float:
    """The first player's score."""
    low, high = game.utility_bounds
    return float((payoff(game, last, 0) - low) / (high - low)) if plies < LONGEST else 0.5


@kernel
def play(
    game: Game,
    other: Game,
    s: State,
    rng: Rng,
    context: EngineContext,
    other_context: EngineContext,
    actions: np.ndarray,
    quiet: np.ndarray,
) -> tuple[Any, int]:
    """Play from `s` to the end, the first player by `game` and the second by `other`, recording the actions and the
    plies at which the position can be evaluated without search. Returns the last state and the number of plies."""
    for ply in range(LONGEST):
        context.past = other_context.past = ply
        if game.has_repetition:
            context.path[ply] = other_context.path[ply] = signed(game.repetition_key(s))
        if has_ended(game, s, context.path, ply):
            return s, ply
        action, settled = NO_ACTION, True
        if ply >= OPENING and game.to_move(s) == 0:
            action, _, settled = deepen_within(game, s, context)
        elif ply >= OPENING:
            action, _, settled = deepen_within(other, s, other_context)
        if action == NO_ACTION:
            action = pick_evenly(game, s, context.path, ply, context.out, rng)
        actions[ply] = action
        quiet[ply] = not settled and not game.is_tense(s) and not game.is_noisy(s, action)
        s = game.result(s, action)
    return s, LONGEST


def read_records(game: Game, path: Path) -> list[PlayedGame]:
    """The records of a file; a truncated line is skipped. A record that `game` does not allow is refused, and so is a
    file of something else."""
    found, out, text = [], cast(ActionStack, action_stack(game)), read_whole(path).decode(errors="replace")
    for number, line in enumerate(text.split("\n"), 1):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not is_record(data) or not is_legal(game, game.initial(), np.array(data["actions"], np.int64), out):
            raise CounterplayError(f"{path}, line {number}: this is not a record of a game of {game.spec}")
        found.append(PlayedGame(**data))
    if text.strip() and not found:
        raise CounterplayError(f"{path} holds something other than games; choose another file")
    return found


def is_record(data: Any) -> bool:
    """Whether a line has the form of a record."""
    if not isinstance(data, dict) or data.keys() != set(PlayedGame._fields):
        return False
    actions, quiet, result = (data[name] for name in PlayedGame._fields)
    if not all(isinstance(part, list) and all(type(number) is int for number in part) for part in (actions, quiet)):
        return False
    if any(abs(action) >= 1 << 63 for action in actions) or not all(0 <= ply < len(actions) for ply in quiet):
        return False
    return isinstance(result, int | float) and 0 <= result <= 1


@kernel
def is_legal(game: Game, s: State, actions: np.ndarray, out: ActionStack) -> bool:
    """Whether the actions are a legal sequence from `s` on."""
    for action in actions:
        start, found = len(out), False
        game.actions(s, out.fresh())
        for i in range(start, len(out)):
            if out[i] == action:
                found = True
        out.truncate(start)
        if not found:
            return False
        s = game.result(s, action)
    return True


@kernel
def follow(
    game: Game, start: Any, begins: np.ndarray, actions: np.ndarray, wanted: np.ndarray, values: np.ndarray
) -> None:
    """The first player's evaluation at each wanted ply of games, actions[begins[k]:begins[k + 1]] each: values[i]
    before actions[i], if wanted[i]."""
    for k in range(len(begins) - 1):
        s = start
        for i in range(begins[k], begins[k + 1]):
            if wanted[i]:
                values[i] = game.evaluate(s, 0)
            s = game.result(s, actions[i])


class Sampled(NamedTuple):
    """Records as arrays."""

    begins: np.ndarray  # [games + 1] where the actions of each game begin
    actions: np.ndarray
    wanted: np.ndarray  # [actions] whether to evaluate the position before
    results: np.ndarray  # [positions]
    games: np.ndarray  # [positions] the number of the game

    @classmethod
    def of(cls, records: list[PlayedGame]) -> Sampled:
        """The arrays of some records."""
        begins = np.cumsum([0, *(len(record.actions) for record in records)])
        actions = np.array([action for record in records for action in record.actions], np.int64)
        wanted, counts = np.zeros(len(actions), np.bool_), []
        for number, (begin, record) in enumerate(zip(begins, records, strict=False)):
            used = np.array(record.quiet[number % APART :: APART], np.int64)
            wanted[begin + used] = True
            counts.append(len(used))
        results = np.repeat([record.result for record in records], counts)
        return cls(begins, actions, wanted, results, np.repeat(np.arange(len(records)), counts))

    def values(self, game: Game) -> np.ndarray:
        """The game's evaluation of each position, to the first player."""
        found = np.zeros(len(self.actions))
        follow(game, game.initial(), self.begins, self.actions, self.wanted, found)
        return found[self.wanted]


def fit(game: Any, records: list[PlayedGame], report: Callable[[str], None] | None = None) -> TexelFit:
    """The weights that explain the results best. The game's evaluation is linear in a table of them, `weight_rows`;
    `with_weights` makes the same game with other weights, rounded as it needs them."""
    from scipy.optimize import minimize_scalar
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
        columns.append(csc_array((sampled.values(share_code(game, game.with_weights(moved))) - base).reshape(-1, 1)))

    features = hstack(columns).tocsr()
    held = sampled.games % HELD_BACK == 0
    seen = ~held
    share = min(1.0, WORTH * len(records) / len(base))  # the weight of one position

    def loss(k: float, values: np.ndarray, which: np.ndarray) -> float:
        return float(np.mean(cross_entropy(k * values[which], sampled.results[which])))

    scale = float(minimize_scalar(lambda k: loss(k, base, seen), bounds=(0.1, 1e4)).x)
    tell("fitting")
    ridge = 1 / (share * DOUBT**2)
    change = fit_logistic(scale * features[seen], sampled.results[seen], scale * base[seen], ridge)
    after = base + features @ change
    return TexelFit(
        np.round(rows + change.reshape(rows.shape)).astype(np.int64),
        scale,
        loss(scale, base, held),
        loss(scale, after, held),
        len(base),
    )
