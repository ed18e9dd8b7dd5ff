"""Equilibria: regret minimization against OpenSpiel's C++, linear programs, a matrix game against Gambit.

Both sides must find the same: both CFR+ have the same exploitability after a few iterations, to nine digits (later,
rounding makes the two diverge); both sampled policies are about equally good after equally many iterations; matrix
games have one value.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import openspiel
from benchmarks.measure import Comparison, Differs, Duration, Outcome, Skipped, race, turn
from counterplay.core.registry import load
from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
from counterplay.equilibrium.information_tree import InformationTree, information_tree
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.equilibrium.sequence_form import solve_sequence_form
from counterplay.equilibrium.training import SamplingLearner
from counterplay.equilibrium.zero_sum import solve_zero_sum

NAME = "equilibrium"
SIZE = 20


class Event(NamedTuple):
    """A game, and OpenSpiel's amount of work in a turn."""

    ours: str
    theirs: str
    target: float
    iterations: int
    compared: int = 5  # after this many iterations both have the same exploitability


EVENTS = [
    Event("leduc-poker", "leduc_poker", 50.0, 10),
    Event("liars-dice", "liars_dice", 20.0, 1),
    Event(
        "goofspiel:5,descending,hidden=on",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=5,points_order=descending,imp_info=True))",
        20.0,
        10,
        compared=2,  # then comes a tie that rounding breaks differently on each side
    ),
]


def run(quick: bool) -> Iterator[Outcome]:
    """Every event."""
    turns = 1 if quick else 5
    for event in EVENTS:
        yield against_openspiel(event, turns)
    yield sampling(1000 if quick else 10_000, turns)
    yield program()
    yield from matrix(turns)


def against_openspiel(event: Event, turns: int) -> Outcome:
    """CFR+, iterations per second."""
    work = f"{event.ours.partition(':')[0]}, CFR+"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel C++", openspiel.MISSING)
    theirs = openspiel.pyspiel.load_game(event.theirs)
    tree = information_tree(load(event.ours))
    ours, their_first = learn(tree, event.compared), openspiel_learns(theirs, event.compared)
    found = evaluate_policy(tree, ours.average(tree)).exploitability
    expected = openspiel.pyspiel.exploitability(theirs, their_first.tabular_average_policy())
    if abs(found - expected) > 1e-9:
        return Differs(NAME, work, "OpenSpiel C++", f"exploitability {found:.9g} here, {expected:.9g} there")
    many = 50 * event.iterations
    seconds, their_seconds = race(
        turn(lambda: learn(tree, many)), turn(lambda: openspiel_learns(theirs, event.iterations)), turns
    )
    rate, their_rate = many / seconds, event.iterations / their_seconds
    return Comparison(NAME, work, "it/s", rate, "OpenSpiel C++", their_rate, event.target)


def learn(tree: InformationTree, iterations: int) -> Regrets:
    """A number of our iterations."""
    memory = Regrets(tree, VARIANTS["cfr+"])
    iterate(tree, memory, iterations)
    return memory


def openspiel_learns(game: Any, iterations: int) -> Any:
    """A number of their iterations."""
    solver = openspiel.pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver


def sampling(iterations: int, turns: int) -> Outcome:
    """External-sampling MCCFR, iterations per second."""
    work, peer = "leduc-poker, external sampling", "OpenSpiel C++"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, peer, openspiel.MISSING)
    game, theirs = load("leduc-poker"), openspiel.pyspiel.load_game("leduc_poker")
    tree, learner = information_tree(game), SamplingLearner(game, "mccfr", seed=1)
    solver = openspiel.pyspiel.ExternalSamplingMCCFRSolver(theirs, seed=1)
    learner.run(10_000)
    for _ in range(10_000):
        solver.run_iteration()
    found = evaluate_policy(tree, learner.strategy(tree)).exploitability
    expected = openspiel.pyspiel.exploitability(theirs, solver.average_policy())
    if not 0.5 < found / expected < 2:
        return Differs(NAME, work, peer, f"exploitability {found:.3g} here, {expected:.3g} there")

    def theirs_runs() -> None:
        for _ in range(iterations // 10):
            solver.run_iteration()

    seconds, their_seconds = race(turn(lambda: learner.run(iterations)), turn(theirs_runs), turns)
    return Comparison(NAME, work, "it/s", iterations / seconds, peer, iterations // 10 / their_seconds, 10.0)


def program() -> Outcome:
    """The sequence-form linear program of Leduc poker."""
    tree = information_tree(load("leduc-poker"))
    solve_sequence_form(information_tree(load("kuhn-poker")))  # loads the modules
    started, cpu = time.perf_counter(), time.process_time()
    value = evaluate_policy(tree, solve_sequence_form(tree)).values[0]
    spent, worked = time.perf_counter() - started, time.process_time() - cpu
    work = "leduc-poker, sequence-form program"
    if abs(value + 0.085606424078) > 1e-9:
        return Differs(NAME, work, "the literature", f"value {value:.12g} instead of -0.085606424078")
    return Duration(NAME, work, spent, worked, 5.0)


def matrix(turns: int) -> Iterator[Outcome]:
    """A zero-sum matrix game, against Gambit and against nashpy."""
    payoffs = np.random.default_rng(1).normal(size=(SIZE, SIZE))
    tables = np.stack([payoffs, -payoffs])
    value = solve_zero_sum(tables).payoffs[0]
    work = f"{SIZE}x{SIZE} zero-sum matrix"
    for peer, solver, target in (("pygambit", gambit(payoffs), 1 / 3), ("nashpy", nashpy(payoffs), None)):
        if solver is None:
            yield Skipped(NAME, work, peer, f"{peer} is not installed")
            continue
        if abs(solver() - value) > 1e-6:
            yield Differs(NAME, work, peer, f"value {value:.9g} here, {solver():.9g} there")
            continue
        seconds, their_seconds = race(turn(lambda: solve_zero_sum(tables)), turn(solver), turns)
        yield Comparison(NAME, work, "games/s", 1 / seconds, peer, 1 / their_seconds, target)


def gambit(payoffs: np.ndarray) -> Any:
    """Gambit's linear program, as a function to the value; None if it is not installed."""
    try:
        import pygambit
    except ImportError:
        return None
    game = pygambit.StrategicGame.from_arrays(payoffs, -payoffs)
    first = next(iter(game.players))

    def solve() -> float:
        return float(pygambit.nash.lp_solve(game, rational=False).equilibrium.payoffs[first])

    return solve


def nashpy(payoffs: np.ndarray) -> Any:
    """nashpy's linear program, likewise."""
    try:
        import nashpy as nash
    except ImportError:
        return None
    game = nash.Game(payoffs)

    def solve() -> float:
        row, column = game.linear_program()
        return float(row @ payoffs @ column)

    return solve
