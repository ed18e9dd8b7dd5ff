"""The strength of Monte Carlo tree search: matches against OpenSpiel's MCTSBot, and Connect Four positions whose
outcome must be kept.

A match is played at equal CPU time per move. OpenSpiel's bot takes a number of simulations, not a time, so each side
runs as many as it managed in that time at its last move. Openings are random and played from both sides.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from benchmarks import openspiel
from benchmarks.measure import Match, Outcome, Quota, Skipped
from benchmarks.speed.montecarlo import their_bot
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import load
from counterplay.montecarlo.search import TreeSearch, mcts
from counterplay.search.solving.solve import MEGABYTES, Solver

NAME = "strength"
SECONDS = 0.2
ELO_TARGET, KEPT_TARGET = 200.0, 0.9
PLY, POSITIONS, SIMULATIONS = 14, 500, 10_000


class Event(NamedTuple):
    """A game in both libraries, and the length of its openings. Actions have the same numbers in both."""

    ours: str
    theirs: str
    opening: int


EVENTS = [
    Event("connect-four", "connect_four", 4),
    Event("othello", "othello", 6),
    Event("hex:size=7", "hex(board_size=7)", 2),
]


def run(quick: bool) -> Iterator[Outcome]:
    """Matches, then positions."""
    for event in EVENTS:
        yield match(event, 1 if quick else 20, 0.02 if quick else SECONDS)
    yield critical(10 if quick else POSITIONS, 2_000 if quick else SIMULATIONS)


# Matches.


def match(event: Event, pairs: int, seconds: float) -> Outcome:
    """Pairs of games, colours swapped."""
    work = f"{event.ours}, {seconds:g} s of CPU time a move"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel MCTSBot", openspiel.MISSING)
    game, theirs = load(event.ours), openspiel.pyspiel.load_game(event.theirs)
    rng, scores = Random(1), []
    for pair in range(pairs):
        opening = random_opening(game, event.opening, rng)
        scores.append(tuple(play(game, theirs, opening, side, seconds, 2 * pair + side) for side in (0, 1)))
    return Match(NAME, work, "OpenSpiel MCTSBot", scores, ELO_TARGET)


def random_opening(game: Game, plies: int, rng: Random) -> list[int]:
    """Random moves that do not end the game."""
    while True:
        p = game.start()
        while len(p) < plies and not p.is_over:
            p.play(rng.choice(p.options()))
        if not p.is_over:
            return p.actions


def play(game: Game, theirs: Any, opening: list[int], side: int, seconds: float, seed: int) -> float:
    """Our score, as `side`, in one game: 1, 0 or 1/2."""
    p, state = game.start(), theirs.new_initial_state()
    for action in opening:
        p.play(action)
        state.apply_action(action)
    us, them = Ours(game, seconds, seed), Theirs(theirs, seconds, seed)
    while not p.is_over:
        action = us.choose(p) if p.to_move == side else them.choose(state)
        p.play(action)
        state.apply_action(action)
    assert p.returns[side] == state.returns()[side], "the two sides disagree on the rules"
    return (p.returns[side] + 1) / 2


class Paced:
    """A side that turns seconds of CPU time into simulations, by the speed of its last move."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.pace = seconds, 0.0

    def choose(self, position: Any) -> int:
        """The action to play."""
        count = 50
        while not self.pace:  # a trial run
            started = time.process_time()
            _, done = self.fresh().search(position, count)
            spent = time.process_time() - started
            if spent > 0.1 * self.seconds or done < count:  # (less, if everything is proven)
                self.pace = done / spent
            count *= 3
        started = time.process_time()
        action, done = self.search(position, max(10, int(self.pace * self.seconds)))
        spent = time.process_time() - started
        if spent > 0.1 * self.seconds:  # it can end sooner if everything is proven
            self.pace = done / spent
        return action

    def fresh(self) -> Paced:
        """Another one of its kind, without a history."""
        raise NotImplementedError

    def search(self, position: Any, simulations: int) -> tuple[int, int]:
        """The action, and the number of simulations."""
        raise NotImplementedError


class Ours(Paced):
    """Our search, with the defaults of the player `mcts`."""

    def __init__(self, game: Game, seconds: float, seed: int) -> None:
        super().__init__(seconds)
        self.seed = seed
        self.tree = TreeSearch(game, seed=seed)

    def fresh(self) -> Ours:
        return Ours(self.tree.game, self.seconds, self.seed)

    def search(self, position: Playthrough, simulations: int) -> tuple[int, int]:
        self.tree.set_position(position)
        self.tree.prepare()
        found = self.tree.run(simulations=simulations)
        return found.action, found.nodes


class Theirs(Paced):
    """OpenSpiel's bot."""

    def __init__(self, game: Any, seconds: float, seed: int) -> None:
        super().__init__(seconds)
        self.game, self.seed = game, seed

    def fresh(self) -> Theirs:
        return self  # it has no history

    def search(self, position: Any, simulations: int) -> tuple[int, int]:
        root = their_bot(self.game, simulations, self.seed).mcts_search(position)
        return int(root.best_child().action), root.explore_count


# Positions.


def critical(count: int, simulations: int) -> Outcome:
    """How often we keep the outcome in Connect Four positions in which it depends on the move."""
    kept = sum(
        mcts(p.game, p.state, simulations=simulations).action in best for p, best in critical_positions(PLY, count)
    )
    work = f"connect-four at ply {PLY}: the move keeps the value"
    return Quota(NAME, work, kept, count, KEPT_TARGET)


def critical_positions(ply: int, count: int) -> Iterator[tuple[Playthrough, list[int]]]:
    """Connect Four positions at a ply in which the outcome depends on the move, and the moves that keep it."""
    game, rng = load("connect-four"), Random(ply)
    solver = Solver(game, game.initial(), (), True, None, MEGABYTES)  # one table for all: they share many positions
    solver.prepare()
    while count:
        p = game.start()
        for action in random_opening(game, ply, rng):
            p.play(action)
        solver.turn_to(p.state)
        solver.work()
        solved = solver.solution()
        if len({answer.value for answer in solved.actions}) > 1:
            yield p, [answer.action for answer in solved.actions if answer.value == solved.value]
            count -= 1
