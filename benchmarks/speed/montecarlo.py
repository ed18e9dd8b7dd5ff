"""Simulations per second of Monte Carlo tree search: against OpenSpiel's MCTSBot (C++), and two threads against one.

Both run the same number of simulations from the start position, with one uniform playout per leaf, UCT, proven values
backed up, and a tree that adds the children of a leaf at its second visit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks import openspiel
from benchmarks.measure import Comparison, Outcome, Skipped, race
from counterplay.core.registry import load
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.search import mcts

NAME = "montecarlo"
C = 2.0
"""OpenSpiel's usual constant, for both sides; values are from -1 to 1 there as well."""
THREADS_TARGET = 1.7


class Event(NamedTuple):
    """A game, and the number of its simulations."""

    ours: str
    theirs: str
    simulations: int
    target: float | None


EVENTS = [
    Event("connect-four:playouts=uniform", "connect_four", 40_000, 10.0),
    Event("othello", "othello", 1_500, 10.0),
    Event("hex", "hex(board_size=11)", 6_000, 10.0),
    Event("tic-tac-toe", "tic_tac_toe", 5_000, None),
    Event("go:size=9,playouts=uniform", "go(board_size=9)", 3_000, 10.0),
    Event("checkers", "checkers", 3_000, 10.0),
    Event("backgammon", "backgammon", 300, 10.0),
]


def run(quick: bool) -> Iterator[Outcome]:
    """All games, then threads."""
    for event in EVENTS:
        yield against_openspiel(event, 10 if quick else 1, 1 if quick else 5)
    yield two_threads(20_000 if quick else 200_000)


def against_openspiel(event: Event, divisor: int, turns: int) -> Outcome:
    """One game."""
    work = f"{event.ours}, UCT with uniform playouts"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel MCTSBot", openspiel.MISSING)
    try:
        game = load(event.ours)
    except ValueError:
        return Skipped(NAME, work, "OpenSpiel MCTSBot", f"{event.ours} is not among the games yet")
    theirs = openspiel.pyspiel.load_game(event.theirs)
    count = event.simulations // divisor
    root = game.start().roll().state
    options = SimulationOptions(c=C)
    mcts(game, root, simulations=100, options=options)

    def our_turn() -> float:
        started = time.process_time()
        done = mcts(game, root, simulations=count, options=options).nodes
        return (time.process_time() - started) / done

    def their_turn() -> float:
        bot, state = their_bot(theirs, count), started_game(theirs)
        started = time.process_time()
        done = bot.mcts_search(state).explore_count
        return (time.process_time() - started) / done

    ours, other = race(our_turn, their_turn, turns)
    return Comparison(NAME, work, "sims/s", 1 / ours, "OpenSpiel MCTSBot", 1 / other, event.target)


def their_bot(game: Any, simulations: int, seed: int = 1, c: float = C) -> Any:
    """OpenSpiel's bot with its solver on and one random playout per leaf."""
    evaluator = openspiel.pyspiel.RandomRolloutEvaluator(1, seed)
    return openspiel.pyspiel.MCTSBot(game, evaluator, c, simulations, 1000, True, seed, False)


def started_game(game: Any) -> Any:
    """The first state in which a player moves."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return state


def two_threads(simulations: int) -> Outcome:
    """Simulations per second of the wall clock in one tree, two threads against one."""
    game = load("othello")
    mcts(game, game.initial(), simulations=100, threads=2)

    def rate(threads: int) -> float:
        started = time.perf_counter()
        mcts(game, game.initial(), simulations=simulations, threads=threads)
        return simulations / (time.perf_counter() - started)

    pairs = [(rate(2), rate(1)) for _ in range(4)]
    two, one = max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    return Comparison(NAME, "othello, two threads in one tree", "sims/s", two, "one thread", one, THREADS_TARGET)
